//! One step of the retrograde analysis: what is decided at a distance, from all that is nearer.
//!
//! A position is won in `n` turns if a turn leads to one that the other side has lost in `n - 1`,
//! and none to one lost in fewer. It is lost in `n` turns if every turn leads to one that the other
//! side has won in `n - 1` or fewer. So the positions at distance `n` follow from those before, and
//! those that are never decided are neither won nor lost.

use super::index::{Class, Index};
use super::news::Row;
use super::slice::Slice;
use super::state::SolverState;
use super::turns::{Lanes, Turns};
use super::words::Word;
use crate::games::board::bits;

/// The worker marks the rows that can be concerned if fewer than one target row in this number has
/// changed. Otherwise it is faster to look at all rows.
const SPARSE: usize = 24;

/// Finds what is decided in one slice after another, and keeps its buffers.
pub(super) struct LevelWorker {
    /// The good lanes of each target row.
    good: Vec<Lanes>,
    /// The target rows that have changed.
    changed: Vec<u32>,
    /// The rows to look at, as bits.
    marked: Vec<u64>,
    /// What was found.
    pub rows: Vec<Row>,
}

impl LevelWorker {
    pub(super) fn new() -> Self {
        Self { good: Vec::new(), changed: Vec::new(), marked: Vec::new(), rows: Vec::new() }
    }

    /// Replaces `rows` by the rows of a slice in which positions are decided at a distance of
    /// `level` turns.
    pub(super) fn look<T: Turns>(
        &mut self,
        index: &Index,
        turns: &T,
        state: &SolverState<T::Word>,
        number: usize,
        level: u32,
    ) {
        self.rows.clear();
        let class = &index.classes[number];
        let has_changed = state.take_changed(number);
        if level == 0 {
            return self.look_for_ends(index, turns, state, class);
        }
        if level > 1 && !has_changed {
            return;
        }
        let slice = Slice::new(class.set);
        self.read_targets::<T>(state.targets(index, class));
        let all = level == 1 || self.changed.len() * SPARSE > self.good.len();
        if !all {
            self.mark_sources(index, turns, &slice, class);
        }
        self.look_at_rows(index, turns, state, &slice, class, all);
    }

    fn look_for_ends<T: Turns>(
        &mut self,
        index: &Index,
        turns: &T,
        state: &SolverState<T::Word>,
        class: &Class,
    ) {
        let slice = Slice::new(class.set);
        for (number, &set) in index.shape(class.set).rows.sets.iter().enumerate() {
            let open = state.open_lanes(class, number);
            if open != 0 {
                let ended = turns.ended(slice.cells(set), class.set);
                push(&mut self.rows, number, ended.won & open, ended.lost & open);
            }
        }
    }

    /// Reads the target rows of a slice, and takes note of those that have changed.
    fn read_targets<T: Turns>(&mut self, targets: &[<T::Word as Word>::Cell]) {
        self.good.clear();
        self.changed.clear();
        for (number, cell) in targets.iter().enumerate() {
            let mut row = T::Word::load(cell);
            if row.is_changed() {
                row = row.settled();
                row.store(cell);
                self.changed.push(number as u32);
            }
            self.good.push(row.good());
        }
    }

    /// Marks the rows with a turn to a target row that has changed.
    fn mark_sources<T: Turns>(&mut self, index: &Index, turns: &T, slice: &Slice, class: &Class) {
        let shape = index.shape(class.set);
        self.marked.clear();
        self.marked.resize(shape.rows.len().div_ceil(64), 0);
        for &target in &self.changed {
            let after = slice.cells(shape.targets.sets[target as usize]);
            turns.sources(after, class.set, |own| {
                let row = shape.rows.number(slice.free(own));
                self.marked[row / 64] |= 1 << (row % 64);
            });
        }
    }

    /// Looks at the rows of a slice: at `all` of them, or at those that are marked.
    fn look_at_rows<T: Turns>(
        &mut self,
        index: &Index,
        turns: &T,
        state: &SolverState<T::Word>,
        slice: &Slice,
        class: &Class,
        all: bool,
    ) {
        let shape = index.shape(class.set);
        let Self { good, marked, rows, .. } = self;
        let mut look = |number: usize| {
            let open = state.open_lanes(class, number);
            if open == 0 {
                return;
            }
            let own = slice.cells(shape.rows.sets[number]);
            let lanes = turns
                .some_turn(own, class.set, |after| good[shape.targets.number(slice.free(after))]);
            push(rows, number, lanes as u16 & open, !(lanes >> 16) as u16 & open);
        };
        if all {
            (0..shape.rows.len()).for_each(look);
        } else {
            for (word, marked) in marked.iter().enumerate() {
                bits(*marked).for_each(|bit| look(64 * word + bit));
            }
        }
    }
}

/// Appends a row if anything is decided in it.
#[inline(always)]
fn push(rows: &mut Vec<Row>, number: usize, won: u16, lost: u16) {
    if won | lost != 0 {
        rows.push(Row { number: number as u32, won, lost });
    }
}
