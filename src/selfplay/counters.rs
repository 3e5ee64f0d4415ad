//! What happens while games are played, for progress bars and metrics.

use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

/// Counts of everything that workers do.
#[derive(Debug, Default)]
pub struct Counters {
    /// Games finished.
    pub games: AtomicU64,
    /// Actions played.
    pub actions: AtomicU64,
    /// Evaluations made.
    pub evaluations: AtomicU64,
    /// Calls of the evaluator.
    pub batches: AtomicU64,
    /// Evaluations for which those calls had room.
    pub room: AtomicU64,
    /// Evaluations found in the cache instead.
    pub hits: AtomicU64,
    /// Nanoseconds in the evaluator.
    pub evaluating: AtomicU64,
    /// Nanoseconds in all, of all evaluators.
    pub working: AtomicU64,
}

impl Counters {
    pub(super) fn add(counter: &AtomicU64, amount: u64) {
        counter.fetch_add(amount, Ordering::Relaxed);
    }

    pub(super) fn add_time(counter: &AtomicU64, time: Duration) {
        Self::add(counter, time.as_nanos() as u64);
    }

    /// The share of their time that evaluators were at work.
    pub fn busy(&self) -> f64 {
        share(&self.evaluating, &self.working)
    }

    /// The share of the room in batches that was used.
    pub fn fill(&self) -> f64 {
        share(&self.evaluations, &self.room)
    }

    /// The share of evaluations asked for that the cache knew.
    pub fn hit_rate(&self) -> f64 {
        let hits = self.hits.load(Ordering::Relaxed) as f64;
        hits / (hits + self.evaluations.load(Ordering::Relaxed) as f64).max(1.0)
    }
}

fn share(part: &AtomicU64, whole: &AtomicU64) -> f64 {
    part.load(Ordering::Relaxed) as f64 / (whole.load(Ordering::Relaxed) as f64).max(1.0)
}
