//! The transposition table of alpha-beta, of bounded size.

use super::PROVEN;
use crate::games::Action;

/// How a score relates to the value of a position.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Bound {
    /// The score is the value.
    Exact,
    /// The value is at least the score.
    Lower,
    /// The value is at most the score.
    Upper,
}

impl Bound {
    /// The kind of bound that a search in this window gives by its score.
    pub(super) fn of(score: i32, [alpha, beta]: [i32; 2]) -> Self {
        if score >= beta {
            Self::Lower
        } else if score > alpha {
            Self::Exact
        } else {
            Self::Upper
        }
    }

    /// Whether the bound proves a win or a loss. Heuristic scores do not reach such scores, so they
    /// cannot have caused it.
    pub(super) fn proves(self, score: i32) -> bool {
        score >= PROVEN && self != Self::Upper || score <= -PROVEN && self != Self::Lower
    }
}

/// The result of the search of a position.
#[derive(Clone, Copy, Debug)]
pub(super) struct Entry {
    key: u64,
    /// The score for the side to move.
    pub score: i16,
    /// The best action, or the one that caused the cutoff.
    pub action: Action,
    generation: u16,
    /// The depth of the search in turns, or [`COMPLETE`].
    depth: u8,
    /// How the score relates to the value.
    pub bound: Bound,
}

/// The depth of a score that does not depend on heuristic scores: deeper than any other.
const COMPLETE: u8 = u8::MAX;

impl Entry {
    const EMPTY: Self =
        Self { key: 0, score: 0, action: 0, generation: 0, depth: 0, bound: Bound::Exact };

    /// The score to return from a search of `depth` turns in this window, or `None` if the entry
    /// does not decide it.
    pub(super) fn answer(&self, depth: u8, [alpha, beta]: [i32; 2]) -> Option<i32> {
        let score = i32::from(self.score);
        let decides = match self.bound {
            Bound::Exact => true,
            Bound::Lower => score >= beta,
            Bound::Upper => score <= alpha,
        };
        (decides && self.depth >= depth).then_some(score)
    }

    /// Whether the score does not depend on heuristic scores.
    pub(super) fn is_complete(&self) -> bool {
        self.depth == COMPLETE
    }
}

/// Pairs of entries. The first of a pair keeps the deepest search, the second the latest.
#[derive(Clone, Debug)]
pub(super) struct Table {
    places: Vec<[Entry; 2]>,
    generation: u16,
}

impl Table {
    /// A table of at most `entries` entries.
    pub(super) fn new(entries: usize) -> Self {
        let pairs = (entries.max(2) / 2 + 1).next_power_of_two() / 2;
        Self { places: vec![[Entry::EMPTY; 2]; pairs.max(1)], generation: 0 }
    }

    /// Clears the table by a new generation, without writing to its memory.
    pub(super) fn clear(&mut self) {
        if self.generation == u16::MAX {
            self.places.fill([Entry::EMPTY; 2]);
            self.generation = 0;
        }
        self.generation += 1;
    }

    /// The entry of the position with this key, if there is one.
    pub(super) fn get(&self, key: u64) -> Option<Entry> {
        let known = |entry: &&Entry| entry.generation == self.generation && entry.key == key;
        self.places[self.place(key)].iter().find(known).copied()
    }

    /// Stores the result of the search of a position.
    pub(super) fn put(
        &mut self,
        key: u64,
        (score, bound): (i32, Bound),
        action: Action,
        depth: u8,
        complete: bool,
    ) {
        let (generation, score) = (self.generation, score as i16);
        let depth = if complete { COMPLETE } else { depth };
        let entry = Entry { key, score, action, generation, depth, bound };
        let place = self.place(key);
        let [first, second] = &mut self.places[place];
        if first.generation != generation || first.key == key || entry.depth >= first.depth {
            if first.key != key {
                *second = *first;
            }
            *first = entry;
        } else {
            *second = entry;
        }
    }

    fn place(&self, key: u64) -> usize {
        key as usize & (self.places.len() - 1)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_entry_has_sixteen_bytes() {
        assert_eq!(size_of::<Entry>(), 16);
        assert_eq!(Table::new(1 << 10).places.len(), 1 << 9);
        assert_eq!(Table::new(0).places.len(), 1);
    }

    #[test]
    fn deep_and_complete_entries_outlive_shallow_ones() {
        let mut table = Table::new(2);
        table.clear();
        table.put(1, (5, Bound::Exact), 7, 9, false);
        for key in 2..10 {
            table.put(key, (0, Bound::Lower), 0, 1, false);
        }
        assert_eq!(table.get(1).and_then(|entry| entry.answer(9, [-10, 10])), Some(5));
        assert_eq!(table.get(1).and_then(|entry| entry.answer(10, [-10, 10])), None);
        assert!(table.get(9).is_some_and(|entry| !entry.is_complete()), "and so does the last");
        table.put(20, (0, Bound::Upper), 0, 1, true);
        assert_eq!(table.get(20).and_then(|entry| entry.answer(50, [0, 1])), Some(0));
        assert_eq!(table.get(20).and_then(|entry| entry.answer(50, [-1, 0])), None);
        table.clear();
        assert!((0..30).all(|key| table.get(key).is_none()));
    }
}
