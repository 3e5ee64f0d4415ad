//! What the CPU could do at most.

use std::time::{Duration, Instant};

use crate::nn::conv::{Kernel, Path};

/// Rounds of a measurement, some milliseconds of work.
const ROUNDS: u64 = 300_000;

/// The most products a second that one thread can sum up by the instructions of `path`, as
/// measured for so long; `None` if this CPU lacks them.
///
/// It is the best of many short measurements, so that a disturbance does not count.
pub fn peak(path: Path, time: Duration) -> Option<f64> {
    let kernel = Kernel::find(path)?;
    let (begun, mut best) = (Instant::now(), 0.0_f64);
    while begun.elapsed() < time {
        let round = Instant::now();
        let products = kernel.work(ROUNDS);
        best = best.max(products as f64 / round.elapsed().as_secs_f64());
    }
    Some(best)
}
