//! The table of positions already searched, of bounded size.

use super::PROVEN;
use crate::games::Action;

/// What is known of a value.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Bound {
    /// It is this.
    Exact,
    /// It is at least this.
    Lower,
    /// It is at most this.
    Upper,
}

impl Bound {
    /// What a search in this window tells of the value by this score.
    pub fn of(score: i32, [alpha, beta]: [i32; 2]) -> Self {
        if score >= beta {
            Self::Lower
        } else if score > alpha {
            Self::Exact
        } else {
            Self::Upper
        }
    }

    /// Whether the score is that of a win or a loss which this bound proves: no evaluation comes
    /// near it, so none had a part in it.
    pub fn proves(self, score: i32) -> bool {
        score >= PROVEN && self != Self::Upper || score <= -PROVEN && self != Self::Lower
    }
}

/// What was found out about a position.
#[derive(Clone, Copy, Debug)]
pub struct Entry {
    key: u64,
    /// For the side to move.
    pub score: i16,
    /// The action that gave it, or the one that refuted the last attempt.
    pub action: Action,
    generation: u16,
    /// Turns searched, or [`COMPLETE`].
    depth: u8,
    /// What the score is.
    pub bound: Bound,
}

/// The depth of a score in which no evaluation had a part: deeper than any other.
const COMPLETE: u8 = u8::MAX;

impl Entry {
    const EMPTY: Self =
        Self { key: 0, score: 0, action: 0, generation: 0, depth: 0, bound: Bound::Exact };

    /// The score that answers a search of so many turns in this window, if the entry has one.
    pub fn answer(&self, depth: u8, [alpha, beta]: [i32; 2]) -> Option<i32> {
        let score = i32::from(self.score);
        let decides = match self.bound {
            Bound::Exact => true,
            Bound::Lower => score >= beta,
            Bound::Upper => score <= alpha,
        };
        (decides && self.depth >= depth).then_some(score)
    }

    /// Whether no evaluation had a part in the score.
    pub fn is_complete(&self) -> bool {
        self.depth == COMPLETE
    }
}

/// Pairs of places: the first of a pair keeps what took most work, the second what came last.
#[derive(Clone, Debug)]
pub struct Table {
    places: Vec<[Entry; 2]>,
    generation: u16,
}

impl Table {
    /// A table of at most so many entries.
    pub fn new(entries: usize) -> Self {
        let pairs = (entries.max(2) / 2 + 1).next_power_of_two() / 2;
        Self { places: vec![[Entry::EMPTY; 2]; pairs.max(1)], generation: 0 }
    }

    /// Forgets everything, without touching the memory.
    pub fn clear(&mut self) {
        if self.generation == u16::MAX {
            self.places.fill([Entry::EMPTY; 2]);
            self.generation = 0;
        }
        self.generation += 1;
    }

    /// What is known of the position with this key.
    pub fn get(&self, key: u64) -> Option<Entry> {
        let known = |entry: &&Entry| entry.generation == self.generation && entry.key == key;
        self.places[self.place(key)].iter().find(known).copied()
    }

    /// Notes what was found out about a position.
    pub fn put(
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
