//! Sets of cells as bits, and functions that read and draw boards.
//!
//! A board of up to 64 cells is a `u64` for each kind of piece, a larger one a `u128`. [`Grid`]
//! moves and turns sets of up to 64 cells.

use std::fmt::{self, Write};

/// Bitboards of a board with `W` columns and `H` rows. A cell is the bit `row * W + column`, where
/// row 0 is the top row of the printed board. The cells of a [`Spec`](crate::games::Spec) have the
/// same numbers.
///
/// ```text
/// Grid<3, 3>    0 1 2
///               3 4 5
///               6 7 8
/// ```
pub struct Grid<const W: usize, const H: usize>;

impl<const W: usize, const H: usize> Grid<W, H> {
    /// All cells of the board.
    pub const ALL: u64 = u64::MAX >> (64 - W * H);

    /// The cells of one row.
    pub const fn row(row: usize) -> u64 {
        (u64::MAX >> (64 - W)) << (row * W)
    }

    /// The cells of one column.
    pub const fn column(column: usize) -> u64 {
        let (mut cells, mut row) = (0, 0);
        while row < H {
            cells |= 1 << (row * W + column);
            row += 1;
        }
        cells
    }

    /// The cells that stay on the board when they move by `dx` columns.
    const fn columns_that_stay(dx: i32) -> u64 {
        let (mut cells, mut column) = (0, 0);
        while column < W as i32 {
            if column + dx >= 0 && column + dx < W as i32 {
                cells |= Self::column(column as usize);
            }
            column += 1;
        }
        cells
    }

    /// Moves all `cells` by `dx` columns and `dy` rows, and drops those that leave the board. With
    /// constant arguments it compiles to one mask and one shift.
    #[inline(always)]
    pub const fn shift(cells: u64, dx: i32, dy: i32) -> u64 {
        let distance = dy * W as i32 + dx;
        let cells = cells & Self::columns_that_stay(dx);
        if distance >= 64 || distance <= -64 {
            0
        } else if distance >= 0 {
            (cells << distance) & Self::ALL
        } else {
            cells >> -distance
        }
    }

    /// The cells that are orthogonally or diagonally adjacent to any of `cells`.
    #[inline]
    pub const fn neighbours(cells: u64) -> u64 {
        let sides = Self::shift(cells, 1, 0) | Self::shift(cells, -1, 0);
        let row = sides | cells;
        sides | Self::shift(row, 0, 1) | Self::shift(row, 0, -1)
    }

    /// Turns the board upside down: row 0 becomes the last row.
    #[inline]
    pub const fn flip(cells: u64) -> u64 {
        let (mut flipped, mut row) = (0, 0);
        while row < H {
            flipped |= ((cells >> (row * W)) & Self::row(0)) << ((H - 1 - row) * W);
            row += 1;
        }
        flipped
    }
}

/// The eight directions of a square board as `(dx, dy)`, where `dy` points down.
pub const DIRECTIONS: [(i8, i8); 8] =
    [(0, -1), (1, -1), (1, 0), (1, 1), (0, 1), (-1, 1), (-1, 0), (-1, -1)];

/// A set of cells as bits: `u64` for boards of up to 64 cells, `u128` for those of up to 128.
pub trait Cells: Copy + PartialEq {
    /// Whether a cell is in the set.
    fn has(self, cell: usize) -> bool;

    /// The lowest cell, which is taken out; `None` from an empty set.
    fn take_lowest(&mut self) -> Option<usize>;
}

macro_rules! cells {
    ($word:ty) => {
        impl Cells for $word {
            #[inline]
            fn has(self, cell: usize) -> bool {
                self >> cell & 1 != 0
            }

            #[inline]
            fn take_lowest(&mut self) -> Option<usize> {
                let cell = (*self != 0).then(|| self.trailing_zeros() as usize)?;
                *self &= *self - 1;
                Some(cell)
            }
        }
    };
}

cells!(u64);
cells!(u128);

/// The cells of a set, ascending.
#[inline]
pub fn bits(mut cells: impl Cells) -> impl Iterator<Item = usize> {
    std::iter::from_fn(move || cells.take_lowest())
}

/// Some words, with the number of bits that are set in each.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Counted<const N: usize> {
    words: [u64; N],
    counts: [u32; N],
}

impl<const N: usize> Counted<N> {
    #[inline]
    pub(crate) fn new(words: [u64; N]) -> Self {
        Self { words, counts: words.map(u64::count_ones) }
    }

    /// Number of set bits.
    #[inline]
    pub(crate) fn total(&self) -> u32 {
        self.counts.iter().sum()
    }

    /// Chooses the set bit with the index that `choose` returns for their number, if any is set.
    #[inline]
    pub(crate) fn choose(&self, choose: impl FnOnce(u32) -> u32) -> Option<(usize, usize)> {
        let total = self.total();
        (total > 0).then(|| self.nth(choose(total)))
    }

    /// The word, and the place in it, of the set bit with this index, which must be below the
    /// total. This hardly branches, unlike a list of all bits.
    #[inline]
    pub(crate) fn nth(&self, mut index: u32) -> (usize, usize) {
        let mut word = 0;
        while index >= self.counts[word] {
            index -= self.counts[word];
            word += 1;
        }
        let mut rest = self.words[word];
        (0..index).for_each(|_| rest &= rest - 1);
        (word, rest.trailing_zeros() as usize)
    }
}

/// Writes a plane of an observation: 1 on `cells`, 0 elsewhere.
#[inline]
pub fn write_plane(plane: &mut [f32], cells: impl Cells) {
    for (cell, value) in plane.iter_mut().enumerate() {
        *value = f32::from(u8::from(cells.has(cell)));
    }
}

/// The letter of a column, `a` for column 0.
pub const fn letter(column: usize) -> char {
    (b'a' + column as u8) as char
}

/// Draws a rectangular board. `label` is the number at the left of a row, `symbol` the character
/// of a cell.
pub fn draw_rows(
    f: &mut fmt::Formatter<'_>,
    [width, height]: [usize; 2],
    label: impl Fn(usize) -> usize,
    symbol: impl Fn(usize) -> char,
) -> fmt::Result {
    for row in 0..height {
        write!(f, "{}", label(row))?;
        for column in 0..width {
            write!(f, " {}", symbol(row * width + column))?;
        }
        if row + 1 < height {
            f.write_char('\n')?;
        }
    }
    Ok(())
}

/// Draws the line of column letters above or below a board.
pub fn draw_letters(
    f: &mut fmt::Formatter<'_>,
    letters: impl Iterator<Item = char>,
) -> fmt::Result {
    f.write_char(' ')?;
    letters.into_iter().try_for_each(|letter| write!(f, " {letter}"))
}

/// Reads a drawn board. Returns the set of cells of each of `symbols`, or `None` if the board does
/// not have as many cells as `numbers`, the numbers of the cells from left to right and from top to
/// bottom. A dot is an empty cell. All other characters, such as labels, are skipped.
pub fn read_cells<const SETS: usize>(
    board: &str,
    symbols: [char; SETS],
    numbers: impl Iterator<Item = usize> + Clone,
) -> Option<[u128; SETS]> {
    let drawn = || board.chars().filter(|symbol| *symbol == '.' || symbols.contains(symbol));
    (drawn().count() == numbers.clone().count()).then(|| {
        symbols.map(|wanted| {
            let cells = drawn().zip(numbers.clone()).filter(|(symbol, _)| *symbol == wanted);
            cells.fold(0, |set, (_, cell)| set | 1 << cell)
        })
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    type Board = Grid<5, 5>;

    #[test]
    fn shifting_never_wraps() {
        let right_edge = Board::column(4);
        assert_eq!(Board::shift(right_edge, 1, 0), 0);
        assert_eq!(Board::shift(Board::row(4), 0, 1), 0);
        assert_eq!(Board::shift(1, 4, 4), 1 << 24);
        assert_eq!(Board::shift(1 << 24, -4, -4), 1);
        assert_eq!(Grid::<8, 8>::shift(u64::MAX, -1, 1), 0x7F7F_7F7F_7F7F_7F00);
    }

    #[test]
    fn a_corner_has_three_neighbours_and_the_centre_eight() {
        assert_eq!(bits(Board::neighbours(1)).collect::<Vec<_>>(), [1, 5, 6]);
        assert_eq!(Board::neighbours(1 << 12).count_ones(), 8);
    }

    #[test]
    fn flipping_twice_changes_nothing() {
        let cells = 0b10110_00011_11111_00000_10000;
        assert_eq!(Board::flip(Board::row(0)), Board::row(4));
        assert_eq!(Board::flip(Board::flip(cells)), cells);
    }
}
