//! The peak arithmetic throughput of a CPU thread.

use std::time::{Duration, Instant};

use crate::nn::conv::{InstructionSet, Int8Kernel, Kernel};

/// Rounds per measurement, which take some milliseconds.
const ROUNDS: u64 = 300_000;

/// Measures the peak number of multiply-adds per second of one thread with the instructions of
/// `set`, for about `time`. Returns none if this CPU lacks the instructions.
///
/// The result is the best of many short measurements, so that interruptions do not lower it.
pub(crate) fn peak(set: InstructionSet, time: Duration) -> Option<f64> {
    let work = |rounds| match Kernel::find(set) {
        Some(kernel) => Some(kernel.work(rounds)),
        None => Int8Kernel::find(set).map(|kernel| kernel.work(rounds)),
    };
    let (begun, mut best) = (Instant::now(), 0.0_f64);
    while begun.elapsed() < time {
        let round = Instant::now();
        let products = work(ROUNDS)?;
        best = best.max(products as f64 / round.elapsed().as_secs_f64());
    }
    Some(best)
}
