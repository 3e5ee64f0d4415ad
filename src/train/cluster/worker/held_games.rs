//! The games that a worker holds: those to start, and those in progress on its threads.

use std::collections::VecDeque;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};

use tokio::sync::mpsc::UnboundedSender;

use crate::selfplay::record::GameRecord;
use crate::selfplay::{Assignment, Counters};

/// The games that a worker holds. Threads take them from here and send the finished ones.
pub(super) struct HeldGames {
    held: Mutex<HeldState>,
    changed: Condvar,
    finished: UnboundedSender<GameRecord>,
    counters: Counters,
    is_abandoned: AtomicBool,
}

#[derive(Default)]
struct HeldState {
    /// The numbers of the games to start.
    waiting: VecDeque<u64>,
    in_progress: usize,
    /// Whether no more games are to come.
    is_closed: bool,
}

impl HeldState {
    /// The number of games to start and in progress.
    fn len(&self) -> usize {
        self.waiting.len() + self.in_progress
    }
}

impl HeldGames {
    /// An empty board whose finished games go to `finished`.
    pub(super) fn new(finished: UnboundedSender<GameRecord>) -> Self {
        Self {
            held: Mutex::default(),
            changed: Condvar::new(),
            finished,
            counters: Counters::default(),
            is_abandoned: AtomicBool::new(false),
        }
    }

    /// Adds games.
    pub(super) fn add(&self, games: impl Iterator<Item = u64>) {
        self.held().waiting.extend(games);
        self.changed.notify_all();
    }

    /// The number of games to start and in progress.
    pub(super) fn len(&self) -> usize {
        self.held().len()
    }

    /// Lets the threads end when they have no game.
    pub(super) fn close(&self) {
        self.held().is_closed = true;
        self.changed.notify_all();
    }

    /// Lets the threads end at once.
    pub(super) fn abandon(&self) {
        self.is_abandoned.store(true, Ordering::Relaxed);
        self.close();
    }

    fn held(&self) -> MutexGuard<'_, HeldState> {
        self.held.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Assignment for HeldGames {
    fn next(&self) -> Option<u64> {
        let mut held = self.held();
        let next = held.waiting.pop_front()?;
        held.in_progress += 1;
        Some(next)
    }

    fn finish(&self, game: GameRecord) {
        // The receiver is gone if the session has failed.
        let _ = self.finished.send(game);
        self.held().in_progress -= 1;
    }

    /// A thread without a game does not wait here while others have some: it has to tell them that
    /// they can share theirs.
    fn wait(&self) -> bool {
        let is_idle = |held: &mut HeldState| held.len() == 0 && !held.is_closed;
        let held = self.changed.wait_while(self.held(), is_idle);
        held.unwrap_or_else(PoisonError::into_inner).len() > 0
    }

    fn fail(&self) {
        self.abandon();
    }

    fn counters(&self) -> &Counters {
        &self.counters
    }

    fn is_stopped(&self) -> bool {
        self.is_abandoned.load(Ordering::Relaxed)
    }
}

#[cfg(test)]
mod tests {
    use std::thread;
    use std::time::Duration;

    use tokio::sync::mpsc::unbounded_channel;

    use super::*;

    #[test]
    fn a_thread_without_a_game_does_not_wait_while_another_has_all_of_them() {
        let held = HeldGames::new(unbounded_channel().0);
        thread::scope(|scope| {
            let waiting = scope.spawn(|| held.wait());
            thread::sleep(Duration::from_millis(5));
            // As if the thread woke up too late: the other one has taken the game.
            let mut state = held.held();
            state.in_progress = 1;
            drop(state);
            held.changed.notify_all();
            assert!(waiting.join().unwrap());
            held.close();
            assert!(held.wait(), "the game in progress can still be shared");
            held.held().in_progress = 0;
            assert!(!held.wait());
        });
    }
}
