//! Counts of the work of self-play, for progress bars and metrics.

use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

/// Counts that all workers add to.
#[derive(Debug, Default)]
pub(crate) struct Counters {
    /// Games finished.
    pub games: AtomicU64,
    /// Actions played.
    pub actions: AtomicU64,
    /// Evaluations by the evaluator.
    pub evaluations: AtomicU64,
    /// Calls of the evaluator.
    pub batches: AtomicU64,
    /// The sum of the capacities of those batches.
    pub room: AtomicU64,
    /// Evaluations found in the cache.
    pub hits: AtomicU64,
    /// Nanoseconds in the evaluators.
    pub evaluating: AtomicU64,
    /// Nanoseconds in total, summed over the threads of evaluators.
    pub working: AtomicU64,
}

impl Counters {
    pub(super) fn add(counter: &AtomicU64, amount: u64) {
        counter.fetch_add(amount, Ordering::Relaxed);
    }

    pub(super) fn add_time(counter: &AtomicU64, time: Duration) {
        Self::add(counter, time.as_nanos() as u64);
    }

    /// All counts but that of the games.
    #[cfg(feature = "cluster")]
    pub(crate) fn work(&self) -> [&AtomicU64; 7] {
        [
            &self.actions,
            &self.evaluations,
            &self.batches,
            &self.room,
            &self.hits,
            &self.evaluating,
            &self.working,
        ]
    }

    /// The share of the time that evaluators were busy.
    pub(crate) fn busy(&self) -> f64 {
        share(&self.evaluating, &self.working)
    }

    /// The share of the capacity of batches that was used.
    pub(crate) fn fill(&self) -> f64 {
        share(&self.evaluations, &self.room)
    }

    /// The share of evaluations that were found in the cache.
    pub(crate) fn hit_rate(&self) -> f64 {
        let hits = self.hits.load(Ordering::Relaxed) as f64;
        hits / (hits + self.evaluations.load(Ordering::Relaxed) as f64).max(1.0)
    }
}

fn share(part: &AtomicU64, whole: &AtomicU64) -> f64 {
    part.load(Ordering::Relaxed) as f64 / (whole.load(Ordering::Relaxed) as f64).max(1.0)
}
