//! Fixed workloads that measure speed and check that results stay the same.
//!
//! A benchmark consists of units of work that depend only on their number. Its speed is the amount
//! of work done in the given time. Its signature is a checksum of a fixed part of the results, so
//! it is the same on every run and on any number of threads.

mod games;
#[cfg(feature = "net")]
mod network;
#[cfg(feature = "net")]
mod peak;
mod uct;

use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant};

use anyhow::Result;
use serde::Serialize;

use crate::base::device::DeviceName;
use crate::base::parallel::{no_thread, on_threads};
use crate::nn::infer;
use crate::registry::Variant;

#[cfg(feature = "net")]
pub(super) use peak::{Peak, peak};

/// Options of a benchmark.
#[derive(Clone, Copy, Debug)]
#[cfg_attr(not(feature = "net"), allow(dead_code))]
pub(super) struct Options {
    /// Number of threads, by default that of the benchmark.
    pub threads: Option<usize>,
    /// Duration of the measurement.
    pub time: Duration,
    /// Positions in a batch, by default that of the benchmark.
    pub batch: Option<usize>,
    /// Device of the network.
    pub device: DeviceName,
    /// Engine and precision of inference; training uses the same engine.
    pub inference: infer::Settings,
}

/// The result of a benchmark.
#[derive(Clone, PartialEq, Debug, Serialize)]
pub(super) struct Finding {
    /// Name of the benchmark.
    pub bench: &'static str,
    /// Name of the game.
    pub game: &'static str,
    /// Number of threads.
    pub threads: usize,
    /// The speed, in `unit`.
    pub value: f64,
    /// Unit of the speed.
    pub unit: &'static str,
    /// Actions a second, in self-play only.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub moves_per_s: Option<f64>,
    /// Checksum of the results.
    pub signature: String,
}

/// The names of all benchmarks, in the order in which they run.
pub(super) const NAMES: &[&str] = &[
    "playouts",
    "env",
    "uct",
    "tree",
    "memory",
    "slots",
    #[cfg(feature = "net")]
    "inference",
    #[cfg(feature = "net")]
    "selfplay",
    #[cfg(feature = "net")]
    "training",
];

/// Runs one benchmark.
///
/// # Errors
///
/// If there is no benchmark of this name, the device is unavailable, this CPU lacks the engine, or
/// training diverges.
pub(super) fn run(name: &str, variant: &Variant, options: &Options) -> Result<Finding> {
    match name {
        "playouts" => Ok(games::playouts(variant, options)),
        "env" => games::env(variant, options),
        "uct" => Ok(uct::uct(variant, options)),
        "tree" => Ok(games::tree(variant, options)),
        "memory" => Ok(games::memory(variant)),
        "slots" => Ok(games::slots(variant, options)),
        #[cfg(feature = "net")]
        "inference" => network::inference(variant, options),
        #[cfg(feature = "net")]
        "selfplay" => network::selfplay(variant, options),
        #[cfg(feature = "net")]
        "training" => network::training(variant, options),
        _ => anyhow::bail!("there is no benchmark `{name}`; known are {}", NAMES.join(", ")),
    }
}

/// The amount of work in a unit, and a checksum of its results.
#[derive(Clone, Copy, Default, Debug)]
struct Unit {
    amount: u64,
    checksum: u64,
}

/// Runs units of work on `threads` threads until the time is up. Returns the amount of work a
/// second, and the checksum of unit 0 in hexadecimal.
fn measure<W>(threads: usize, time: Duration, worker: impl Fn() -> W + Sync) -> (f64, String)
where
    W: FnMut(u64) -> Unit,
{
    let signature = worker()(0).checksum;
    let (next, amount) = (AtomicU64::new(0), AtomicU64::new(0));
    let begun = Instant::now();
    let run = |_| {
        let mut work = worker();
        while begun.elapsed() < time {
            let unit = work(next.fetch_add(1, Ordering::Relaxed));
            amount.fetch_add(unit.amount, Ordering::Relaxed);
        }
    };
    // With fewer threads the figure would be wrong.
    on_threads(threads, &run, &|_, error| no_thread(error), &mut || {});
    let amount = amount.into_inner();
    (amount as f64 / begun.elapsed().as_secs_f64(), format!("{signature:016x}"))
}
