//! The sets of cells of a slice, from and to sets of its free cells.

/// Maps sets of the cells that a slice leaves free to sets of cells, and back.
pub(super) struct Slice {
    spread: [[u32; 1 << PART]; PARTS],
    gathered: [[u32; 1 << PART]; PARTS],
}

/// The bits that one table maps.
const PART: usize = 9;
const PARTS: usize = 3;

impl Slice {
    /// The maps for the cells that `taken` leaves free.
    pub(super) fn new(taken: u64) -> Self {
        let mut free = !taken & ((1 << (PART * PARTS)) - 1);
        let by_free = |_| {
            let cell = free & free.wrapping_neg();
            free &= free.wrapping_sub(1);
            cell as u32
        };
        let spread: [u32; PART * PARTS] = std::array::from_fn(by_free);
        let gathered: [u32; PART * PARTS] = std::array::from_fn(|cell| {
            spread.iter().position(|free| *free == 1 << cell).map_or(0, |index| 1 << index)
        });
        Self { spread: tables(&spread), gathered: tables(&gathered) }
    }

    /// The cells of a set of free cells.
    #[inline(always)]
    pub(super) fn cells(&self, set: u32) -> u64 {
        mapped(&self.spread, set).into()
    }

    /// The set of free cells that has these cells.
    #[inline(always)]
    pub(super) fn free(&self, cells: u64) -> u32 {
        mapped(&self.gathered, cells as u32)
    }
}

/// The images of all sets of 9 bits, from those of single bits.
fn tables(images: &[u32; PART * PARTS]) -> [[u32; 1 << PART]; PARTS] {
    let mut tables = [[0; 1 << PART]; PARTS];
    for (table, images) in tables.iter_mut().zip(images.chunks_exact(PART)) {
        for (bit, image) in images.iter().enumerate() {
            // Sets with this highest bit are those without it, and the bit.
            for set in 0..1 << bit {
                table[1 << bit | set] = table[set] | image;
            }
        }
    }
    tables
}

#[inline(always)]
fn mapped(tables: &[[u32; 1 << PART]; PARTS], set: u32) -> u32 {
    let part = |index: usize| tables[index][(set >> (PART * index)) as usize & ((1 << PART) - 1)];
    part(0) | part(1) | part(2)
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
