//! The sets of cells of a slice, from and to sets of its free cells.

use super::cell_map::{CELLS, CellMap};

/// Maps sets of the cells that a slice leaves free to sets of cells, and back.
pub(super) struct Slice {
    spread: CellMap,
    gathered: CellMap,
}

impl Slice {
    /// The maps for the cells that `taken` leaves free.
    pub(super) fn new(taken: u64) -> Self {
        let mut free = !taken & ((1 << CELLS) - 1);
        let by_free = |_| {
            let cell = free & free.wrapping_neg();
            free &= free.wrapping_sub(1);
            cell as u32
        };
        let spread: [u32; CELLS] = std::array::from_fn(by_free);
        let gathered = std::array::from_fn(|cell| {
            spread.iter().position(|free| *free == 1 << cell).map_or(0, |index| 1 << index)
        });
        Self { spread: CellMap::new(spread), gathered: CellMap::new(gathered) }
    }

    /// The cells of a set of free cells.
    #[inline(always)]
    pub(super) fn cells(&self, set: u32) -> u64 {
        self.spread.image(set.into())
    }

    /// The set of free cells that has these cells.
    #[inline(always)]
    pub(super) fn free(&self, cells: u64) -> u32 {
        self.gathered.image(cells) as u32
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sets_of_free_cells_are_spread_and_gathered() {
        let slice = Slice::new(0b1011);
        assert_eq!([slice.cells(0b1), slice.cells(0b101)], [0b100, 0b100100]);
        for set in (0..1 << 20).step_by(77) {
            assert_eq!(slice.free(slice.cells(set)), set);
            assert_eq!(slice.cells(set) & 0b1011, 0);
        }
    }
}
