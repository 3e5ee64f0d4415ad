//! Lines that a side can still complete, on rectangular boards.

use crate::games::board::Grid;

/// The number of open lines, which are lines of `L` cells without a stone of the other side, by the
/// number of own stones in them, from 0 to `L`. `L` is at most 7.
#[inline]
pub(crate) fn open_lines<const W: usize, const H: usize, const L: usize>(
    own: u64,
    other: u64,
) -> [u32; 8] {
    let mut counts = [0; 8];
    let mut count = |starts: [u64; 8]| {
        counts.iter_mut().zip(starts).for_each(|(count, cells)| *count += cells.count_ones());
    };
    count(line_starts::<W, H, L, 1, 0>(own, other));
    count(line_starts::<W, H, L, 0, 1>(own, other));
    count(line_starts::<W, H, L, 1, 1>(own, other));
    count(line_starts::<W, H, L, -1, 1>(own, other));
    counts
}

/// The cells of open lines, by the number of own stones in the line, as in [`open_lines`].
pub(crate) fn open_line_cells<const W: usize, const H: usize, const L: usize>(
    own: u64,
    other: u64,
) -> [u64; 8] {
    let mut cells = [0; 8];
    let mut cover = |lines: [u64; 8]| {
        cells.iter_mut().zip(lines).for_each(|(cells, line)| *cells |= line);
    };
    cover(line_starts::<W, H, L, 1, 0>(own, other).map(drawn::<W, H, L, 1, 0>));
    cover(line_starts::<W, H, L, 0, 1>(own, other).map(drawn::<W, H, L, 0, 1>));
    cover(line_starts::<W, H, L, 1, 1>(own, other).map(drawn::<W, H, L, 1, 1>));
    cover(line_starts::<W, H, L, -1, 1>(own, other).map(drawn::<W, H, L, -1, 1>));
    cells
}

/// The first cells of open lines in the direction `(DX, DY)`, by the number of own stones in the
/// line. All lines are counted at once, in binary numbers whose digits are bitboards.
#[inline]
pub(crate) fn line_starts<
    const W: usize,
    const H: usize,
    const L: usize,
    const DX: i32,
    const DY: i32,
>(
    own: u64,
    other: u64,
) -> [u64; 8] {
    let (mut own, mut free) = (own, Grid::<W, H>::ALL & !other);
    let mut open = Grid::<W, H>::ALL;
    let [mut one, mut two, mut four] = [0_u64; 3];
    for _ in 0..L {
        open &= free;
        let carry = one & own;
        one ^= own;
        four ^= two & carry;
        two ^= carry;
        // Shifting drops cells that leave the board, so no line extends beyond the edge.
        own = Grid::<W, H>::shift(own, -DX, -DY);
        free = Grid::<W, H>::shift(free, -DX, -DY);
    }
    std::array::from_fn(|stones| {
        let digit = |set: u64, bit: usize| if stones & bit != 0 { set } else { !set };
        open & digit(one, 1) & digit(two, 2) & digit(four, 4)
    })
}

/// The cells of lines in the direction `(DX, DY)` with their first cells on `starts`.
#[inline]
fn drawn<const W: usize, const H: usize, const L: usize, const DX: i32, const DY: i32>(
    starts: u64,
) -> u64 {
    (1..L).fold(starts, |cells, _| starts | Grid::<W, H>::shift(cells, DX, DY))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_empty_board_has_all_its_lines() {
        assert_eq!(open_lines::<7, 6, 4>(0, 0), [69, 0, 0, 0, 0, 0, 0, 0]);
        assert_eq!(open_lines::<8, 8, 5>(0, 0), [96, 0, 0, 0, 0, 0, 0, 0]);
        assert_eq!(open_lines::<3, 3, 3>(0, 0), [8, 0, 0, 0, 0, 0, 0, 0]);
    }

    #[test]
    fn stones_fill_lines_and_block_those_of_the_other_side() {
        // a b .   b blocks the upper row and the middle column. Of the other six lines one
        // . a .   diagonal holds three of a, and the rest one each.
        // . . a
        let (a, b) = (0b100_010_001, 0b000_000_010);
        assert_eq!(open_lines::<3, 3, 3>(a, b), [0, 5, 0, 1, 0, 0, 0, 0]);
        assert_eq!(open_lines::<3, 3, 3>(b, a), [0; 8], "a is in every line");
        assert_eq!(open_lines::<3, 3, 3>(b, 0), [6, 2, 0, 0, 0, 0, 0, 0]);
        let [none, one, two, three, ..] = open_line_cells::<3, 3, 3>(a, b);
        assert_eq!([none, two], [0; 2]);
        assert_eq!([one, three], [0b111_111_101, a], "those of five lines, and the diagonal");
    }
}
