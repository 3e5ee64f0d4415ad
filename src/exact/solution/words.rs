//! What the solver keeps of a row while it works: a bit for each lane that is won, lost, or
//! changed.

use std::sync::atomic::{AtomicU8, AtomicU16, AtomicU32, Ordering::Relaxed};

use super::turns::Lanes;

/// The status of a row after a turn, in the view of the side to move then: the lanes in which it
/// has won or lost, and whether that is news.
///
/// Rows are read and written by several threads, but each by one thread at a time; atomic numbers
/// say so to the compiler.
pub(crate) trait Word: Copy + Send + Sync + 'static {
    /// The cell in which a row is kept.
    type Cell: Send + Sync + Default;

    /// The cell in which the undecided lanes of a row are kept.
    type Open: Send + Sync + Default;

    /// Reads the undecided lanes of a row.
    fn load_open(open: &Self::Open) -> u16;

    /// Writes the undecided lanes of a row.
    fn store_open(open: &Self::Open, lanes: u16);

    /// Reads a row.
    fn load(cell: &Self::Cell) -> Self;

    /// Writes a row.
    fn store(self, cell: &Self::Cell);

    /// The row with more lanes won and lost, and changed if `is_news`.
    fn with(self, won: u16, lost: u16, is_news: bool) -> Self;

    /// Whether the row has changed.
    fn is_changed(self) -> bool;

    /// The row without news.
    fn settled(self) -> Self;

    /// The lanes that are good for the side that has just moved: those lost for the other side, and
    /// those not won by it.
    fn good(self) -> Lanes;
}

/// A row of one lane.
impl Word for u8 {
    type Cell = AtomicU8;
    type Open = AtomicU8;

    #[inline(always)]
    fn load_open(open: &AtomicU8) -> u16 {
        open.load(Relaxed).into()
    }

    #[inline(always)]
    fn store_open(open: &AtomicU8, lanes: u16) {
        open.store(lanes as u8, Relaxed);
    }

    #[inline(always)]
    fn load(cell: &AtomicU8) -> Self {
        cell.load(Relaxed)
    }

    #[inline(always)]
    fn store(self, cell: &AtomicU8) {
        cell.store(self, Relaxed);
    }

    #[inline(always)]
    fn with(self, won: u16, lost: u16, is_news: bool) -> Self {
        self | (lost & 1) as u8 | ((won & 1) as u8) << 1 | u8::from(is_news) << 2
    }

    #[inline(always)]
    fn is_changed(self) -> bool {
        self & 4 != 0
    }

    #[inline(always)]
    fn settled(self) -> Self {
        self & !4
    }

    #[inline(always)]
    fn good(self) -> Lanes {
        u32::from(self & 1) | u32::from(!self >> 1 & 1) << 16
    }
}

/// A row of up to 15 lanes.
impl Word for u32 {
    type Cell = AtomicU32;
    type Open = AtomicU16;

    #[inline(always)]
    fn load_open(open: &AtomicU16) -> u16 {
        open.load(Relaxed)
    }

    #[inline(always)]
    fn store_open(open: &AtomicU16, lanes: u16) {
        open.store(lanes, Relaxed);
    }

    #[inline(always)]
    fn load(cell: &AtomicU32) -> Self {
        cell.load(Relaxed)
    }

    #[inline(always)]
    fn store(self, cell: &AtomicU32) {
        cell.store(self, Relaxed);
    }

    #[inline(always)]
    fn with(self, won: u16, lost: u16, is_news: bool) -> Self {
        self | u32::from(lost) | u32::from(won) << 16 | u32::from(is_news) << 15
    }

    #[inline(always)]
    fn is_changed(self) -> bool {
        self & 1 << 15 != 0
    }

    #[inline(always)]
    fn settled(self) -> Self {
        self & !(1 << 15)
    }

    #[inline(always)]
    fn good(self) -> Lanes {
        self ^ 0xFFFF_0000
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_row_tells_what_is_good_for_the_side_that_moved() {
        let row = 0_u32.with(0b001, 0b100, true);
        assert!(row.is_changed() && !row.settled().is_changed());
        assert_eq!(row.settled().good(), 0b100 | 0xFFFE_0000);
        assert_eq!([0_u8.good(), 0_u8.with(1, 0, true).good()], [1 << 16, 0]);
        assert_eq!(0_u8.with(0, 1, false).good(), 1 | 1 << 16);
    }
}
