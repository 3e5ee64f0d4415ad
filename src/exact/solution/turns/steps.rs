//! Steps in the eight directions on a square board, as a mask and a rotation.

use crate::games::board::{DIRECTIONS, Grid};

/// A step in one direction.
#[derive(Clone, Copy)]
pub(super) struct Step {
    /// The cells from which it stays on the board.
    staying: u64,
    /// The difference of the cells' numbers.
    pub distance: i32,
}

impl Step {
    /// Moves all cells by the step, and drops those that leave the board.
    #[inline(always)]
    pub(super) const fn apply(self, cells: u64) -> u64 {
        (cells & self.staying).rotate_left(self.distance as u32 & 63)
    }

    /// The same on two boards in one number, each in a half of it.
    #[inline(always)]
    pub(super) const fn apply_twice(self, boards: u64) -> u64 {
        (boards & (self.staying | self.staying << 32)).rotate_left(self.distance as u32 & 63)
    }
}

/// The steps on a board of `N` by `N` cells. The opposite of step `i` is step `(i + 4) % 8`.
pub(super) struct Steps<const N: usize>;

impl<const N: usize> Steps<N> {
    pub(super) const ALL: [Step; 8] = {
        let (mut steps, mut index) = ([Step { staying: 0, distance: 0 }; 8], 0);
        while index < 8 {
            let (dx, dy) = (DIRECTIONS[index].0 as i32, DIRECTIONS[index].1 as i32);
            let staying = Grid::<N, N>::shift(Grid::<N, N>::ALL, -dx, -dy);
            steps[index] = Step { staying, distance: dy * N as i32 + dx };
            index += 1;
        }
        steps
    };
}
