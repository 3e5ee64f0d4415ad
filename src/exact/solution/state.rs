//! What is decided so far, in memory.

use std::collections::TryReserveError;
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};

use super::index::{Class, Index};
use super::news::Row;
use super::slice::Slice;
use super::turns::Turns;
use super::words::Word;

/// The positions decided so far.
pub(super) struct SolverState<W: Word> {
    /// The status of all target rows.
    targets: Vec<W::Cell>,
    /// The undecided lanes of all rows.
    open: Vec<W::Open>,
    /// The slices with changed target rows.
    changed: Vec<AtomicBool>,
}

/// The bytes that a [`SolverState`] takes.
pub(super) fn bytes<W: Word>(index: &Index) -> u64 {
    let row = size_of::<W::Open>() as u64;
    let target = size_of::<W::Cell>() as u64;
    index.rows * row + index.targets * target + index.classes.len() as u64
}

fn filled<T: Default>(length: u64) -> Result<Vec<T>, TryReserveError> {
    let length = length as usize;
    let mut list = Vec::new();
    list.try_reserve_exact(length)?;
    list.resize_with(length, T::default);
    Ok(list)
}

impl<W: Word> SolverState<W> {
    /// Nothing is decided, and no lane is marked as open.
    ///
    /// # Errors
    ///
    /// If there is not enough memory.
    pub(super) fn new(index: &Index) -> Result<Self, TryReserveError> {
        Ok(Self {
            targets: filled(index.targets)?,
            open: filled(index.rows)?,
            changed: filled(index.classes.len() as u64)?,
        })
    }

    /// Marks the positions of a slice that are not drawn as undecided.
    pub(super) fn begin<T: Turns<Word = W>>(&self, index: &Index, turns: &T, class: &Class) {
        let slice = Slice::new(class.set);
        for (number, &set) in index.shape(class.set).rows.sets.iter().enumerate() {
            let own = slice.cells(set);
            let possible = turns.possible(own, class.set, index.free_lanes(own | class.set));
            W::store_open(self.open(class, number), possible & !turns.drawn(own, class.set));
        }
    }

    fn open(&self, class: &Class, row: usize) -> &W::Open {
        &self.open[class.first_row as usize + row]
    }

    /// The undecided lanes of a row of a slice.
    #[inline]
    pub(super) fn open_lanes(&self, class: &Class, row: usize) -> u16 {
        W::load_open(self.open(class, row))
    }

    /// The target rows of a slice.
    pub(super) fn targets(&self, index: &Index, class: &Class) -> &[W::Cell] {
        let first = class.first_target as usize;
        &self.targets[first..first + index.shape(class.set).targets.len()]
    }

    /// Whether target rows of a slice have changed since the last call.
    pub(super) fn take_changed(&self, class: usize) -> bool {
        self.changed[class].swap(false, Relaxed)
    }

    /// Records what has been decided in a slice. It is news for the next level if `is_news`.
    pub(super) fn decide(&self, index: &Index, class: &Class, rows: &[Row], is_news: bool) {
        let slice = Slice::new(class.set);
        let images = index.images(class.set);
        let sets = &index.shape(class.set).rows.sets;
        for row in rows {
            let open = self.open(class, row.number as usize);
            W::store_open(open, W::load_open(open) & !(row.won | row.lost));
            let own = slice.cells(sets[row.number as usize]);
            index.targets(own, &images, [row.won, row.lost], |target, number, [won, lost]| {
                let cell = &self.targets[number as usize];
                W::load(cell).with(won, lost, is_news).store(cell);
                if is_news && !self.changed[target as usize].load(Relaxed) {
                    self.changed[target as usize].store(true, Relaxed);
                }
            });
        }
    }
}
