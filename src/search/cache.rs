//! A cache of evaluations, shared by all threads.
//!
//! A table of fixed size without locks. A slot holds one position; a newer one replaces it. Threads
//! may write the same slot at the same time: each word of a slot is atomic, and the first word is
//! the key mixed with all other words, so that a slot mixed from two writes is a miss (R. Hyatt and
//! T. Mann, "A lockless transposition table implementation for parallel search", ICGA Journal
//! 25(1), 2002).
//!
//! A hit returns exactly what was stored, so that a search gives the same result with a cache as
//! without one. Positions are identified by a 128-bit hash of the whole state of the game,
//! including its number of turns.

use std::hash::{Hash, Hasher};
use std::sync::atomic::{AtomicU64, Ordering};

use zerocopy::FromZeros;

use super::evaluation::{Edge, Evaluation};
use crate::base::rng::mix;
use crate::registry::Position;

/// Words of a slot before its edges: the check word, and two for win, draw, loss and the number of
/// edges.
const HEAD: usize = 3;

/// The most legal actions that a slot has room for; positions with more are not stored.
const MOST_ACTIONS: usize = 96;

/// The 128-bit hash of a position.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Key {
    place: u64,
    check: u64,
}

/// Evaluations by position.
#[derive(Debug)]
pub(crate) struct Cache {
    words: Box<[AtomicU64]>,
    /// Words per slot.
    stride: usize,
    slots: usize,
    /// The number of the network, which is part of every key.
    generation: u64,
}

impl Cache {
    /// A cache of `mebibytes` MiB for a game with `actions` actions. With 0 MiB it stores nothing.
    pub(crate) fn new(mebibytes: u32, actions: usize) -> Self {
        let stride = HEAD + actions.min(MOST_ACTIONS).div_ceil(2);
        let slots = (mebibytes as usize) * (1 << 20) / (8 * stride);
        // Zeros that the system hands out on first use: a cache that stays nearly empty costs nearly
        // nothing.
        let words = FromZeros::new_box_zeroed_with_elems(slots * stride);
        Self { words: words.expect("there is memory"), stride, slots, generation: 0 }
    }

    /// Invalidates all entries, for use with another network.
    pub(crate) fn renew(&mut self) {
        self.generation += 1;
    }

    /// The key of a position; `None` if the cache stores nothing.
    pub(crate) fn key(&self, position: &Position) -> Option<Key> {
        if self.slots == 0 {
            return None;
        }
        let mut hasher = Hasher128::new(self.generation);
        position.hash(&mut hasher);
        Some(Key { place: mix(hasher.one), check: hasher.two })
    }

    fn slot(&self, key: Key) -> &[AtomicU64] {
        // The upper half of the product maps places evenly to slots without a division.
        let slot = ((u128::from(key.place) * self.slots as u128) >> 64) as usize;
        &self.words[slot * self.stride..][..self.stride]
    }

    /// Copies the entry of `key` into `evaluation`. Returns false if there is none; `evaluation` is
    /// then meaningless.
    pub(crate) fn get(&self, key: Key, evaluation: &mut Evaluation) -> bool {
        let slot = self.slot(key);
        let word = |index: usize| slot[index].load(Ordering::Relaxed);
        let mut check = word(0) ^ word(1) ^ word(2);
        let [win, draw] = halves(word(1)).map(f32::from_bits);
        let [loss, count] = halves(word(2));
        let count = count as usize;
        if count == 0 || HEAD + count.div_ceil(2) > self.stride {
            return false;
        }
        evaluation.wdl = [win, draw, f32::from_bits(loss)];
        evaluation.edges.clear();
        for index in HEAD..HEAD + count.div_ceil(2) {
            let word = word(index);
            check ^= mix(word ^ index as u64);
            evaluation.edges.extend(halves(word).map(Edge::from_bits));
        }
        evaluation.edges.truncate(count);
        check == key.check
    }

    /// Stores an evaluation under `key`.
    pub(crate) fn put(&self, key: Key, evaluation: &Evaluation) {
        let count = evaluation.edges.len();
        if count == 0 || HEAD + count.div_ceil(2) > self.stride {
            return;
        }
        let slot = self.slot(key);
        let store = |index: usize, word| slot[index].store(word, Ordering::Relaxed);
        let [win, draw, loss] = evaluation.wdl.map(f32::to_bits);
        let (first, second) = (joined([win, draw]), joined([loss, count as u32]));
        let mut check = key.check ^ first ^ second;
        for (index, pair) in (HEAD..).zip(evaluation.edges.chunks(2)) {
            let word = joined([pair[0].to_bits(), pair.get(1).map_or(0, |edge| edge.to_bits())]);
            check ^= mix(word ^ index as u64);
            store(index, word);
        }
        store(1, first);
        store(2, second);
        store(0, check);
    }
}

fn halves(word: u64) -> [u32; 2] {
    [word as u32, (word >> 32) as u32]
}

fn joined([low, high]: [u32; 2]) -> u64 {
    u64::from(low) | u64::from(high) << 32
}

/// Computes two independent 64-bit hashes.
struct Hasher128 {
    one: u64,
    two: u64,
}

impl Hasher128 {
    /// The seed is mixed over all bits, differently in both hashes, so that it cannot cancel a
    /// difference between positions.
    fn new(seed: u64) -> Self {
        Self { one: mix(seed), two: mix(!seed) }
    }
}

/// A 64-bit hash of a position.
pub(super) fn hash(position: &impl Hash, seed: u64) -> u64 {
    let mut hasher = Hasher128::new(seed);
    position.hash(&mut hasher);
    mix(hasher.one)
}

impl Hasher for Hasher128 {
    fn write(&mut self, bytes: &[u8]) {
        for part in bytes.chunks(8) {
            let mut word = [0; 8];
            word[..part.len()].copy_from_slice(part);
            self.write_u64(u64::from_le_bytes(word));
        }
    }

    fn write_u64(&mut self, word: u64) {
        self.one = mix(self.one ^ word);
        self.two = (self.two ^ word).wrapping_mul(0xD6E8_FEB8_6659_FD93).rotate_left(32) ^ self.one;
    }

    fn write_u8(&mut self, word: u8) {
        self.write_u64(word.into());
    }

    fn write_u16(&mut self, word: u16) {
        self.write_u64(word.into());
    }

    fn write_u32(&mut self, word: u32) {
        self.write_u64(word.into());
    }

    fn write_usize(&mut self, word: usize) {
        self.write_u64(word as u64);
    }

    fn finish(&self) -> u64 {
        self.one
    }
}

#[cfg(test)]
mod tests {
    use std::collections::HashSet;

    use super::*;

    fn position(columns: &[u16]) -> Position {
        let mut game = crate::registry::preset("connect_four").unwrap().initial();
        columns.iter().for_each(|&cell| game.play(cell));
        game
    }

    fn evaluated(position: &Position, seed: f32) -> Evaluation {
        let policy: Vec<f32> = (0..42).map(|action| (seed * action as f32).sin()).collect();
        let mut evaluation = Evaluation::default();
        evaluation.read(position, &policy, [0.5, 0.125, 0.375]);
        evaluation
    }

    #[test]
    fn evaluations_are_found_until_the_cache_is_renewed() {
        let mut cache = Cache::new(1, 42);
        let positions = [position(&[]), position(&[35]), position(&[35, 28, 36])];
        for (seed, position) in positions.iter().enumerate() {
            let key = cache.key(position).unwrap();
            assert!(!cache.get(key, &mut Evaluation::default()));
            cache.put(key, &evaluated(position, seed as f32));
        }
        for (seed, position) in positions.iter().enumerate() {
            let mut found = Evaluation::default();
            assert!(cache.get(cache.key(position).unwrap(), &mut found));
            let expected = evaluated(position, seed as f32);
            assert_eq!((found.wdl, found.edges), (expected.wdl, expected.edges));
        }
        cache.renew();
        assert!(!cache.get(cache.key(&positions[0]).unwrap(), &mut Evaluation::default()));
    }

    #[test]
    fn keys_differ_between_positions_and_generations() {
        // Boards are bits, and generations are small numbers: one must not cancel the other.
        let mut cache = Cache::new(1, 42);
        let mut seen = HashSet::new();
        for _ in 0..64 {
            for cell in 35..42 {
                let key = cache.key(&position(&[cell])).unwrap();
                assert!(seen.insert((key.place, key.check)));
            }
            let words = (0..64_u64).map(|word| {
                let mut hasher = Hasher128::new(cache.generation);
                hasher.write_u64(word);
                (mix(hasher.one), hasher.two)
            });
            assert!(words.into_iter().all(|key| seen.insert(key)));
            cache.renew();
        }
    }

    #[test]
    fn a_slot_mixed_from_two_entries_is_a_miss() {
        let cache = Cache::new(1, 42);
        let (one, two) = (position(&[]), position(&[35]));
        let key = cache.key(&one).unwrap();
        for word in 0..cache.stride {
            cache.put(key, &evaluated(&one, 1.0));
            let before = cache.slot(key)[word].load(Ordering::Relaxed);
            cache.put(key, &evaluated(&two, 2.0));
            let after = cache.slot(key)[word].swap(before, Ordering::Relaxed);
            assert_eq!(cache.get(key, &mut Evaluation::default()), before == after, "word {word}");
        }
    }

    #[test]
    fn the_cache_stays_within_its_memory_and_may_be_empty() {
        let cache = Cache::new(3, 801);
        assert!(cache.words.len() * 8 <= 3 << 20 && cache.slots > 5_000);
        assert!(Cache::new(0, 42).key(&position(&[])).is_none());
    }
}
