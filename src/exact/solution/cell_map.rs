//! Maps sets of cells cell by cell, with a look into a table for every nine cells.

/// The cells that one table maps.
const PART: usize = 9;
const PARTS: usize = 3;

/// The most cells of a set.
pub(super) const CELLS: usize = PART * PARTS;

/// A map of cells, applied to sets of them.
#[derive(Clone, Debug)]
pub(super) struct CellMap([[u32; 1 << PART]; PARTS]);

impl CellMap {
    /// The map that takes each cell to a set: of one cell, or none.
    pub(super) fn new(images: [u32; CELLS]) -> Self {
        let mut tables = [[0; 1 << PART]; PARTS];
        for (table, images) in tables.iter_mut().zip(images.chunks_exact(PART)) {
            for (bit, image) in images.iter().enumerate() {
                // Sets with this highest bit are those without it, and the bit.
                for set in 0..1 << bit {
                    table[1 << bit | set] = table[set] | image;
                }
            }
        }
        Self(tables)
    }

    /// The image of a set.
    #[inline(always)]
    pub(super) fn image(&self, set: u64) -> u64 {
        let part = |index: usize| self.0[index][(set >> (PART * index)) as usize % (1 << PART)];
        u64::from(part(0) | part(1) | part(2))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sets_are_mapped_cell_by_cell() {
        // Cells in the reverse order; the last has no image.
        let reversed = CellMap::new(std::array::from_fn(|cell| {
            if cell + 1 < CELLS { 1 << (CELLS - 2 - cell) } else { 0 }
        }));
        assert_eq!(reversed.image(0), 0);
        assert_eq!(reversed.image(0b11), 0b11 << (CELLS - 3));
        assert_eq!(reversed.image(1 << (CELLS - 1)), 0);
        for set in (0..1 << (CELLS - 1)).step_by(99_991) {
            assert_eq!(reversed.image(reversed.image(set)), set);
        }
    }
}
