//! Games in progress that busy workers give to idle ones, when no more are left to start.
//!
//! Without this the longest games of an iteration would be played by the one thread that happens to
//! have them. What is played does not depend on who plays it.

use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};

use crate::search::GameSlots;

/// Passes games between the workers of an iteration.
pub(super) struct GameExchange<S> {
    state: Mutex<ExchangeState<S>>,
    changed: Condvar,
    /// The idle workers for whom nothing was offered yet: what busy workers look at without the
    /// lock.
    wanting: AtomicUsize,
}

struct ExchangeState<S> {
    /// A share of games for each of some idle workers.
    offered: Vec<Vec<S>>,
    idle: usize,
    workers: usize,
    /// How often all workers have been idle at the same time.
    rests: u64,
}

impl<S> GameExchange<S> {
    /// Without workers.
    pub(super) fn new() -> Self {
        let state = ExchangeState { offered: Vec::new(), idle: 0, workers: 0, rests: 0 };
        Self { state: Mutex::new(state), changed: Condvar::new(), wanting: AtomicUsize::new(0) }
    }

    /// Takes part as one more worker, until the result is dropped.
    pub(super) fn enter(&self) -> Participant<'_, S> {
        self.state().workers += 1;
        Participant(self)
    }

    fn state(&self) -> MutexGuard<'_, ExchangeState<S>> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Tells all workers about a change of `state`.
    fn publish(&self, state: &mut ExchangeState<S>) {
        if state.idle == state.workers && state.offered.is_empty() {
            state.idle = 0;
            state.rests += 1;
        }
        let wanting = state.idle.saturating_sub(state.offered.len());
        self.wanting.store(wanting, Ordering::Relaxed);
        self.changed.notify_all();
    }
}

/// A worker that takes part. The others do not wait for it any longer once it is dropped, which
/// also happens if it panics.
pub(super) struct Participant<'a, S>(&'a GameExchange<S>);

impl<S> Participant<'_, S> {
    /// Gives each idle worker an even share of games, of which none waits for an evaluation.
    pub(super) fn share(&self, games: &mut GameSlots<S>) {
        if self.0.wanting.load(Ordering::Relaxed) == 0 || games.len() < 2 {
            return;
        }
        let mut state = self.0.state();
        for others in (1..=state.idle.saturating_sub(state.offered.len())).rev() {
            let share = games.take_last(games.len() / (others + 1));
            if !share.is_empty() {
                state.offered.push(share);
            }
        }
        self.0.publish(&mut state);
    }

    /// Waits for games, for a worker that has none. `None` once no worker has any.
    pub(super) fn receive(&self) -> Option<Vec<S>> {
        let mut state = self.0.state();
        let rests = state.rests;
        state.idle += 1;
        self.0.publish(&mut state);
        let is_waiting =
            |state: &mut ExchangeState<S>| state.rests == rests && state.offered.is_empty();
        let state = self.0.changed.wait_while(state, is_waiting);
        let mut state = state.unwrap_or_else(PoisonError::into_inner);
        let games = (state.rests == rests).then(|| state.offered.pop()).flatten()?;
        state.idle -= 1;
        Some(games)
    }
}

impl<S> Drop for Participant<'_, S> {
    fn drop(&mut self) {
        let mut state = self.0.state();
        state.workers -= 1;
        self.0.publish(&mut state);
    }
}

#[cfg(test)]
mod tests {
    use std::thread;

    use super::*;

    fn slots(games: Vec<u32>) -> GameSlots<u32> {
        let mut slots = GameSlots::new(0);
        slots.extend(games);
        slots
    }

    /// Waits until this number of workers want games.
    fn await_wanting(exchange: &GameExchange<u32>, count: usize) {
        while exchange.wanting.load(Ordering::Relaxed) < count {
            thread::yield_now();
        }
    }

    #[test]
    fn idle_workers_get_even_shares() {
        let exchange = GameExchange::new();
        let busy = exchange.enter();
        thread::scope(|scope| {
            let idle = [(); 2].map(|()| {
                let worker = exchange.enter();
                scope.spawn(move || worker.receive().map_or(0, |games| games.len()))
            });
            await_wanting(&exchange, 2);
            let mut games = slots((0..7).collect());
            busy.share(&mut games);
            assert_eq!(games.len(), 3, "a third of 7, rounded down, for each of the others");
            assert_eq!(idle.map(|worker| worker.join().unwrap()), [2, 2]);
        });
    }

    #[test]
    fn a_single_game_stays_where_it_is() {
        let exchange = GameExchange::new();
        let (busy, worker) = (exchange.enter(), exchange.enter());
        thread::scope(|scope| {
            let idle = scope.spawn(move || worker.receive());
            await_wanting(&exchange, 1);
            let mut games = slots(vec![5]);
            busy.share(&mut games);
            assert_eq!(games.len(), 1);
            drop(busy);
            assert_eq!(idle.join().unwrap(), None, "nobody is left who could give a game");
        });
    }

    #[test]
    fn nobody_waits_once_all_are_idle_and_games_can_come_again() {
        let exchange: GameExchange<u32> = GameExchange::new();
        let workers = [(); 2].map(|()| exchange.enter());
        thread::scope(|scope| {
            for worker in workers {
                scope.spawn(move || {
                    for _ in 0..100 {
                        assert_eq!(worker.receive(), None);
                    }
                });
            }
        });
    }

    #[test]
    fn nobody_waits_for_a_worker_that_panicked() {
        let exchange: GameExchange<u32> = GameExchange::new();
        let (waiting, worker) = (exchange.enter(), exchange.enter());
        thread::scope(|scope| {
            let panicking = scope.spawn(move || {
                let _taking_part = worker;
                panic!("a worker panics");
            });
            assert_eq!(waiting.receive(), None);
            assert!(panicking.join().is_err());
        });
    }
}
