//! Which games workers play, and what becomes of the finished ones.

use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Mutex, PoisonError};

use super::Counters;
use super::record::GameRecord;

/// Assigns the games of an iteration to workers, and takes the finished ones.
pub(crate) trait Assignment: Sync {
    /// The number of the next game to start, if there is one at present.
    fn next(&self) -> Option<u64>;

    /// Takes a finished game.
    fn finish(&self, game: GameRecord);

    /// Waits for further games, to start or to be shared by others, for a worker that has none.
    /// Returns false if there are none to come.
    fn wait(&self) -> bool {
        false
    }

    /// Called when a worker panics: its games will never be finished.
    fn fail(&self) {}

    /// The counts that the workers add to.
    fn counters(&self) -> &Counters;

    /// Whether workers are to stop, whatever games are in progress.
    fn is_stopped(&self) -> bool;
}

/// All games of an iteration, in the order of their numbers.
pub(super) struct AllGames<'a> {
    count: u64,
    counters: &'a Counters,
    stop: &'a AtomicBool,
    /// The number of the next game to start.
    next: AtomicU64,
    finished: Mutex<Vec<GameRecord>>,
}

impl<'a> AllGames<'a> {
    /// The games with the numbers below `count`, to be played until `stop` is set.
    pub(super) fn new(count: u64, counters: &'a Counters, stop: &'a AtomicBool) -> Self {
        let (next, finished) = (AtomicU64::new(0), Mutex::default());
        Self { count, counters, stop, next, finished }
    }

    /// The games by their numbers, if all are finished.
    pub(super) fn complete(self) -> Option<Vec<GameRecord>> {
        let mut games = self.finished.into_inner().unwrap_or_else(PoisonError::into_inner);
        games.sort_unstable_by_key(|game| game.index);
        (games.len() as u64 == self.count).then_some(games)
    }
}

impl Assignment for AllGames<'_> {
    fn next(&self) -> Option<u64> {
        let index = self.next.fetch_add(1, Ordering::Relaxed);
        (index < self.count).then_some(index)
    }

    fn finish(&self, game: GameRecord) {
        self.finished.lock().unwrap_or_else(PoisonError::into_inner).push(game);
    }

    fn counters(&self) -> &Counters {
        self.counters
    }

    fn is_stopped(&self) -> bool {
        self.stop.load(Ordering::Relaxed)
    }
}
