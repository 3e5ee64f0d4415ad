//! Sets of cells as bits, and functions that read and draw boards.
//!
//! A board of up to 64 cells is a `u64` for each kind of piece, one of up to 128 a `u128`. [`Grid`]
//! moves and turns sets of the first kind, [`WideGrid`] those of the second. On a larger board a set
//! is an array of `u64`.

use std::fmt::{self, Write};

macro_rules! grid {
    ($(#[$doc:meta])* $name:ident, $word:ty) => {
        $(#[$doc])*
        pub struct $name<const W: usize, const H: usize>;

        impl<const W: usize, const H: usize> $name<W, H> {
            /// All cells of the board.
            pub const ALL: $word = <$word>::MAX >> (<$word>::BITS as usize - W * H);

            /// The cells of one row.
            pub const fn row(row: usize) -> $word {
                (<$word>::MAX >> (<$word>::BITS as usize - W)) << (row * W)
            }

            /// The cells of one column.
            pub const fn column(column: usize) -> $word {
                let (mut cells, mut row) = (0, 0);
                while row < H {
                    cells |= 1 << (row * W + column);
                    row += 1;
                }
                cells
            }

            /// The cells that stay on the board when they move by `dx` columns.
            const fn columns_that_stay(dx: i32) -> $word {
                let (mut cells, mut column) = (0, 0);
                while column < W as i32 {
                    if column + dx >= 0 && column + dx < W as i32 {
                        cells |= Self::column(column as usize);
                    }
                    column += 1;
                }
                cells
            }

            /// Moves all `cells` by `dx` columns and `dy` rows, and drops those that leave the
            /// board. With constant arguments it compiles to one mask and one shift.
            #[inline(always)]
            pub const fn shift(cells: $word, dx: i32, dy: i32) -> $word {
                let distance = dy * W as i32 + dx;
                let cells = cells & Self::columns_that_stay(dx);
                if distance.unsigned_abs() >= <$word>::BITS {
                    0
                } else if distance >= 0 {
                    (cells << distance) & Self::ALL
                } else {
                    cells >> -distance
                }
            }

            /// For each of the [`DIRECTIONS`], the cells from which a step stays on the board, and
            /// the left rotation by which it moves a bit.
            pub const STEPS: [($word, u32); 8] = {
                let (mut steps, mut direction) = ([(0, 0); 8], 0);
                while direction < 8 {
                    let (dx, dy) = DIRECTIONS[direction];
                    let (dx, dy) = (dx as i32, dy as i32);
                    let rotation = (dy * W as i32 + dx).rem_euclid(<$word>::BITS as i32) as u32;
                    steps[direction] = (Self::shift(Self::ALL, -dx, -dy), rotation);
                    direction += 1;
                }
                steps
            };

            /// Moves all `cells` one step in one of the [`DIRECTIONS`], given by its index, and
            /// drops those that leave the board.
            #[inline(always)]
            pub const fn step(cells: $word, direction: usize) -> $word {
                let (staying, rotation) = Self::STEPS[direction];
                (cells & staying).rotate_left(rotation)
            }

            /// The cells that are orthogonally or diagonally adjacent to any of `cells`.
            #[inline]
            pub const fn neighbours(cells: $word) -> $word {
                let sides = Self::shift(cells, 1, 0) | Self::shift(cells, -1, 0);
                let row = sides | cells;
                sides | Self::shift(row, 0, 1) | Self::shift(row, 0, -1)
            }

            /// Turns the board upside down: row 0 becomes the last row.
            #[inline]
            pub const fn flip(cells: $word) -> $word {
                let (mut flipped, mut row) = (0, 0);
                while row < H {
                    flipped |= ((cells >> (row * W)) & Self::row(0)) << ((H - 1 - row) * W);
                    row += 1;
                }
                flipped
            }
        }
    };
}

grid!(
    /// Bitboards of a board with `W` columns and `H` rows, up to 64 cells. A cell is the bit
    /// `row * W + column`, where row 0 is the top row of the printed board. The cells of a
    /// [`Spec`](crate::games::Spec) have the same numbers.
    ///
    /// ```text
    /// Grid<3, 3>    0 1 2
    ///               3 4 5
    ///               6 7 8
    /// ```
    Grid,
    u64
);

grid!(
    /// The same as [`Grid`] for boards of up to 128 cells, such as 9x9, 10x10 and 11x11.
    WideGrid,
    u128
);

/// The eight directions of a square board as `(dx, dy)`, where `dy` points down.
pub const DIRECTIONS: [(i8, i8); 8] =
    [(0, -1), (1, -1), (1, 0), (1, 1), (0, 1), (-1, 1), (-1, 0), (-1, -1)];

/// A set of cells as bits: `u64` for boards of up to 64 cells, `u128` for those of up to 128,
/// `[u64; 4]` for those of up to 256.
pub trait Cells: Copy + PartialEq {
    /// The set without a cell.
    const EMPTY: Self;

    /// The set with this cell, too.
    ///
    /// # Panics
    ///
    /// If the set has no room for it.
    fn with(self, cell: usize) -> Self;

    /// The number of cells in the set.
    fn count(self) -> u32;

    /// Whether a cell is in the set.
    fn has(self, cell: usize) -> bool;

    /// The lowest cell, which is taken out; `None` from an empty set.
    fn take_lowest(&mut self) -> Option<usize>;
}

macro_rules! cells {
    ($word:ty) => {
        impl Cells for $word {
            const EMPTY: Self = 0;

            #[inline]
            fn with(self, cell: usize) -> Self {
                assert!(
                    cell < Self::BITS as usize,
                    "a set of {} cells has no cell {cell}",
                    Self::BITS
                );
                self | 1 << cell
            }

            #[inline]
            fn count(self) -> u32 {
                self.count_ones()
            }

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

impl<const N: usize> Cells for [u64; N] {
    const EMPTY: Self = [0; N];

    #[inline]
    fn with(mut self, cell: usize) -> Self {
        self[cell / 64] |= 1 << (cell % 64);
        self
    }

    #[inline]
    fn count(self) -> u32 {
        self.into_iter().map(u64::count_ones).sum()
    }

    #[inline]
    fn has(self, cell: usize) -> bool {
        self[cell / 64].has(cell % 64)
    }

    #[inline]
    fn take_lowest(&mut self) -> Option<usize> {
        let word = self.iter().position(|&word| word != 0)?;
        self[word].take_lowest().map(|cell| 64 * word + cell)
    }
}

/// The cells of a set, ascending.
#[inline]
pub fn bits(mut cells: impl Cells) -> impl Iterator<Item = usize> {
    std::iter::from_fn(move || cells.take_lowest())
}

/// Some sets of cells, such as the cells that each plane of actions is legal on, with the number of
/// cells in each. It chooses among all of them without a list, for
/// [`choose_action`](crate::games::Game::choose_action).
#[derive(Clone, Copy, Debug)]
pub struct Counted<const N: usize, B: Cells = u64> {
    sets: [B; N],
    counts: [u32; N],
}

impl<const N: usize, B: Cells> Counted<N, B> {
    /// Counts the cells of these sets.
    #[inline]
    pub fn new(sets: [B; N]) -> Self {
        Self { sets, counts: sets.map(B::count) }
    }

    /// The number of cells in all sets.
    #[inline]
    pub fn total(&self) -> u32 {
        self.counts.iter().sum()
    }

    /// The set, and the cell in it, with the index that `choose` returns for the number of all
    /// cells; `None` if there are none. The index is that in the sets one after the other.
    #[inline]
    pub fn choose(&self, choose: impl FnOnce(u32) -> u32) -> Option<(usize, usize)> {
        let total = self.total();
        (total > 0).then(|| self.nth(choose(total)))
    }

    /// The set, and the cell in it, with this index, which must be below the total. This hardly
    /// branches, unlike a list of all cells.
    ///
    /// # Panics
    ///
    /// If there are not as many cells.
    #[inline]
    pub fn nth(&self, mut index: u32) -> (usize, usize) {
        let mut set = 0;
        while index >= self.counts[set] {
            index -= self.counts[set];
            set += 1;
        }
        let mut rest = self.sets[set];
        (0..index).for_each(|_| {
            rest.take_lowest();
        });
        (set, rest.take_lowest().expect("the index is below the count"))
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

/// The signs that the labels of rows take.
fn label_width(rows: usize) -> usize {
    rows.to_string().len()
}

/// Draws the rows of a rectangular board of `[width, height]` cells, without a line break at the
/// end. `label` is the number at the left of a row, at most `height`, and `symbol` the character of
/// a cell. Row 0 is at the top.
pub fn draw_rows(
    f: &mut fmt::Formatter<'_>,
    [width, height]: [usize; 2],
    label: impl Fn(usize) -> usize,
    symbol: impl Fn(usize) -> char,
) -> fmt::Result {
    for row in 0..height {
        write!(f, "{:>wide$}", label(row), wide = label_width(height))?;
        for column in 0..width {
            write!(f, " {}", symbol(row * width + column))?;
        }
        if row + 1 < height {
            f.write_char('\n')?;
        }
    }
    Ok(())
}

/// Draws the line of column letters above or below a board of `[width, height]` cells, without a
/// line break. `letter` is the letter of a column.
pub fn draw_letters(
    f: &mut fmt::Formatter<'_>,
    [width, height]: [usize; 2],
    letter: impl Fn(usize) -> char,
) -> fmt::Result {
    write!(f, "{:wide$}", "", wide = label_width(height))?;
    (0..width).try_for_each(|column| write!(f, " {}", letter(column)))
}

/// Reads a drawn board. Returns the set of cells of each of `symbols`, or `None` if the board does
/// not have as many cells as `numbers`, the numbers of the cells from left to right and from top to
/// bottom. A dot is an empty cell. All other characters, such as labels, are skipped.
pub fn read_cells<B: Cells, const SETS: usize>(
    board: &str,
    symbols: [char; SETS],
    numbers: impl Iterator<Item = usize> + Clone,
) -> Option<[B; SETS]> {
    let drawn = || board.chars().filter(|symbol| *symbol == '.' || symbols.contains(symbol));
    (drawn().count() == numbers.clone().count()).then(|| {
        symbols.map(|wanted| {
            let cells = drawn().zip(numbers.clone()).filter(|(symbol, _)| *symbol == wanted);
            cells.fold(B::EMPTY, |set, (_, cell)| set.with(cell))
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
    fn a_wide_board_is_moved_and_turned_like_a_small_one() {
        type Wide = WideGrid<11, 11>;
        assert_eq!(Wide::ALL.count(), 121);
        assert_eq!(Wide::shift(Wide::column(10), 1, 0), 0);
        assert_eq!(Wide::shift(1, 10, 10), 1 << 120);
        assert_eq!(Wide::shift(1 << 120, -10, -10), 1);
        assert_eq!(bits(Wide::neighbours(1 << 70)).count(), 8);
        assert_eq!(Wide::flip(Wide::row(0)), Wide::row(10));
    }

    #[test]
    fn a_step_is_a_shift_by_its_direction() {
        for (direction, (dx, dy)) in DIRECTIONS.into_iter().enumerate() {
            let (dx, dy) = (dx.into(), dy.into());
            for cell in 0..25 {
                assert_eq!(Board::step(1 << cell, direction), Board::shift(1 << cell, dx, dy));
            }
            type Wide = WideGrid<11, 11>;
            assert_eq!(Wide::step(Wide::ALL, direction), Wide::shift(Wide::ALL, dx, dy));
            assert_eq!(Grid::<8, 8>::step(!0, direction), Grid::<8, 8>::shift(!0, dx, dy));
        }
    }

    #[test]
    fn sets_of_all_sizes_have_the_cells_that_were_added() {
        fn check<B: Cells>(cells: &[usize]) {
            let set = cells.iter().rev().fold(B::EMPTY, |set, &cell| set.with(cell));
            assert_eq!(bits(set).collect::<Vec<_>>(), cells);
            assert_eq!(set.count() as usize, cells.len());
            assert!(cells.iter().all(|&cell| set.has(cell)) && !set.has(1));
        }
        check::<u64>(&[0, 5, 63]);
        check::<u128>(&[0, 63, 64, 127]);
        check::<[u64; 4]>(&[0, 63, 64, 191, 224, 255]);
    }

    #[test]
    fn a_board_of_more_than_128_cells_is_read() {
        let board = "x".repeat(3) + &".".repeat(220) + "ox";
        let [x, o]: [[u64; 4]; 2] = read_cells(&board, ['x', 'o'], 0..225).unwrap();
        assert_eq!(bits(x).collect::<Vec<_>>(), [0, 1, 2, 224]);
        assert_eq!(bits(o).collect::<Vec<_>>(), [223]);
    }

    #[test]
    fn the_nth_of_wide_sets_is_that_of_the_list() {
        let sets = [1_u128 << 100 | 1, 0, 1 << 127];
        let counted = Counted::new(sets);
        let all: Vec<_> = (0..counted.total()).map(|index| counted.nth(index)).collect();
        assert_eq!(all, [(0, 0), (0, 100), (2, 127)]);
        assert_eq!(counted.choose(|total| total - 1), Some((2, 127)));
    }

    #[test]
    fn flipping_twice_changes_nothing() {
        let cells = 0b10110_00011_11111_00000_10000;
        assert_eq!(Board::flip(Board::row(0)), Board::row(4));
        assert_eq!(Board::flip(Board::flip(cells)), cells);
    }
}
