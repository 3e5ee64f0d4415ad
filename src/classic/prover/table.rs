//! The transposition table of the prover, of bounded size. An entry holds its position, so that
//! hash collisions cannot cause errors.

use crate::games::{Action, Side};

/// The proven bounds of a position.
#[derive(Clone, Copy, Debug)]
pub(super) struct Entry<G> {
    position: G,
    generation: u32,
    /// By side: the minimum number of turns within which it is proven to win.
    wins: [u8; 2],
    /// By side: the maximum number of turns within which it is proven not to win.
    fails: [u8; 2],
    /// The action that decided the last search of the position.
    pub action: Option<Action>,
}

/// The bound of a win that is not proven: more turns than any search has.
const UNKNOWN: u8 = u8::MAX;

impl<G> Entry<G> {
    /// Whether `side` wins within `turns` turns, or `None` if that is not known.
    pub(super) fn answer(&self, side: Side, turns: u8) -> Option<bool> {
        let side = side.index();
        if self.wins[side] <= turns {
            Some(true)
        } else {
            (self.fails[side] >= turns).then_some(false)
        }
    }

    fn update(&mut self, side: Side, turns: u8, won: bool) {
        let side = side.index();
        if won {
            self.wins[side] = self.wins[side].min(turns);
        } else {
            self.fails[side] = self.fails[side].max(turns);
        }
    }

    /// The maximum number of turns of the known bounds.
    fn reach(&self) -> u8 {
        let known = |turns: u8| if turns == UNKNOWN { 0 } else { turns };
        let [one, two] = self.wins.map(known);
        self.fails.iter().fold(one.max(two), |most, &turns| most.max(turns))
    }
}

/// Pairs of entries. The first of a pair keeps the deepest search, the second the latest.
#[derive(Clone, Debug)]
pub(super) struct Table<G> {
    places: Vec<[Option<Entry<G>>; 2]>,
    generation: u32,
}

impl<G: Copy + Eq> Table<G> {
    /// A table of at most `entries` entries, but at least two.
    pub(super) fn new(entries: usize) -> Self {
        let pairs = (entries.max(2) / 2 + 1).next_power_of_two() / 2;
        Self { places: vec![[None; 2]; pairs.max(1)], generation: 0 }
    }

    /// Clears the table by a new generation, without writing to its memory.
    pub(super) fn clear(&mut self) {
        match self.generation.checked_add(1) {
            Some(next) => self.generation = next,
            None => *self = Self::new(2 * self.places.len()),
        }
    }

    /// The entry of a position, if there is one.
    pub(super) fn get(&self, key: u64, position: &G) -> Option<Entry<G>> {
        let pair = &self.places[self.place(key)];
        pair.iter().flatten().find(|entry| self.is_of(entry, position)).copied()
    }

    /// Stores whether a side wins within a number of turns, and the action that decided it.
    pub(super) fn put(
        &mut self,
        key: u64,
        position: &G,
        (side, turns, won): (Side, u8, bool),
        action: Option<Action>,
    ) {
        let new = Entry {
            position: *position,
            generation: self.generation,
            wins: [UNKNOWN; 2],
            fails: [0; 2],
            action,
        };
        let mut entry = self.get(key, position).unwrap_or(new);
        entry.action = action;
        entry.update(side, turns, won);
        let place = self.place(key);
        let deeper = self.places[place][0].is_some_and(|first| {
            let alive = first.generation == self.generation && first.position != *position;
            alive && first.reach() > entry.reach()
        });
        let [first, second] = &mut self.places[place];
        if deeper {
            *second = Some(entry);
        } else {
            if first.is_some_and(|first| first.position != *position) {
                *second = *first;
            }
            *first = Some(entry);
        }
    }

    fn is_of(&self, entry: &Entry<G>, position: &G) -> bool {
        entry.generation == self.generation && entry.position == *position
    }

    fn place(&self, key: u64) -> usize {
        key as usize & (self.places.len() - 1)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const SIDE: Side = Side::P1;

    #[test]
    fn a_win_holds_for_more_turns_and_a_failure_for_fewer() {
        let mut table = Table::new(2);
        table.put(0, &'a', (SIDE, 5, true), Some(7));
        table.put(0, &'a', (SIDE, 3, false), None);
        let answers = |table: &Table<char>, side| {
            let entry = table.get(0, &'a').unwrap();
            [2, 3, 4, 5, 9].map(|turns| entry.answer(side, turns))
        };
        let known = [Some(false), Some(false), None, Some(true), Some(true)];
        assert_eq!(answers(&table, SIDE), known);
        assert_eq!(answers(&table, SIDE.other()), [None; 5], "the other side is another question");
        table.clear();
        assert!(table.get(0, &'a').is_none());
    }

    #[test]
    fn what_shares_a_key_is_not_mixed_up_and_what_reaches_far_is_kept() {
        let mut table = Table::new(2);
        table.put(0, &'a', (SIDE, 9, false), None);
        for other in 'b'..'f' {
            table.put(0, &other, (SIDE, 2, true), None);
            assert_eq!(table.get(0, &other).unwrap().answer(SIDE, 2), Some(true));
            assert_eq!(table.get(0, &'a').unwrap().answer(SIDE, 9), Some(false));
        }
        assert!(table.get(0, &'b').is_none(), "there is room for two");
    }
}
