//! Matches between two players: pairs of games from the same opening, colours exchanged.

mod duel;
mod openings;
mod tally;
mod timed;

pub use openings::{TooFewOpenings, openings};
pub use tally::Tally;

use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering};

use crate::evaluator::Evaluator;
use crate::game::{Game, Outcome};
use crate::player::Budget;
use crate::search::{self, Cache};

/// One of the two players.
#[derive(Clone, Debug)]
pub struct Contestant<E> {
    /// Judges positions.
    pub evaluator: E,
    /// How it searches.
    pub search: search::Settings,
    /// How long it searches.
    pub budget: Budget,
}

/// Pairs that a thread plays at the same time: enough for full batches, few enough for modest
/// memory.
const PAIRS_AT_ONCE: usize = 64;

/// Plays two games from each opening, colours exchanged, on `threads` threads. `watch` is told how
/// many games are finished.
///
/// Players with simulations to spend have many games in play at once, and each player's leaves
/// are evaluated together; the result does not depend on how many. Where one has a time limit,
/// games are played one after the other, so that nobody's time is spent on another game.
pub fn play<G: Game, A: Evaluator<G> + Clone + Send, B: Evaluator<G> + Clone + Send>(
    openings: &[G],
    first: &Contestant<A>,
    second: &Contestant<B>,
    threads: usize,
    watch: impl Fn(u64) + Sync,
) -> Tally {
    let results = match (first.budget, second.budget) {
        (Budget::Simulations(one), Budget::Simulations(two)) => {
            let budgets = [one, two];
            played_together(openings, first, second, budgets, threads, watch)
        }
        _ => timed::play(openings, first, second, threads, watch),
    };
    let mut tally = Tally::default();
    results.into_iter().for_each(|pair| tally.add(pair));
    tally
}

/// The results of the two games from each opening, many of them played at once.
fn played_together<G: Game, A: Evaluator<G> + Clone + Send, B: Evaluator<G> + Clone + Send>(
    openings: &[G],
    first: &Contestant<A>,
    second: &Contestant<B>,
    budgets: [u32; 2],
    threads: usize,
    watch: impl Fn(u64) + Sync,
) -> Vec<[Outcome; 2]> {
    // Small enough parts that all threads have some.
    let size = openings.len().div_ceil(threads.max(1)).clamp(1, PAIRS_AT_ONCE);
    let parts: Vec<&[G]> = openings.chunks(size).collect();
    let caches = [first.search, second.search]
        .map(|settings| Cache::new(settings.cache_mib, G::SPEC.actions()));
    let (next, finished) = (AtomicUsize::new(0), AtomicU64::new(0));
    let work = |mut players: duel::Players<'_, A, B>| {
        let mut played = Vec::new();
        while let Some(part) = parts.get(next.fetch_add(1, Ordering::Relaxed)) {
            let results = duel::play(part, &mut players, |one_more| {
                watch(finished.fetch_add(one_more, Ordering::Relaxed) + one_more);
            });
            // The place of the part says where its results belong.
            played.push((part.as_ptr() as usize, results));
        }
        played
    };
    let mut played: Vec<_> = std::thread::scope(|scope| {
        let spawn = |_| {
            let players = duel::Players::new(first, second, budgets, &caches);
            let work = &work;
            scope.spawn(move || crate::selfplay::single_threaded(|| work(players)))
        };
        let workers: Vec<_> = (0..threads.max(1)).map(spawn).collect();
        let joined = workers.into_iter().map(|worker| worker.join().expect("no worker panics"));
        joined.flatten().collect()
    });
    played.sort_unstable_by_key(|&(place, _)| place);
    played.into_iter().flat_map(|(_, results)| results).collect()
}
