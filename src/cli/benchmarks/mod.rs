//! Fixed workloads that show how fast the program is, and that it still computes the same.
//!
//! Every benchmark does its work in units that depend on nothing but their number. The speed
//! counts the units done in the time given; the signature is a checksum of what the first units
//! computed, so that it is the same on every run and whatever the number of threads.

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
use crate::base::parallel::on_threads;
use crate::games::Game;
use crate::games::Variant;
use crate::nn::infer;

#[cfg(feature = "net")]
pub use peak::{Peak, peak};

/// How a benchmark is run.
#[derive(Clone, Copy, Debug)]
#[cfg_attr(not(feature = "net"), allow(dead_code))]
pub struct Options {
    /// Threads; by default what the benchmark is defined with.
    pub threads: Option<usize>,
    /// How long.
    pub time: Duration,
    /// Size of a batch, where there are batches.
    pub batch: Option<usize>,
    /// Where the network is, if there is one.
    pub device: DeviceName,
    /// What judges positions and learns there.
    pub inference: infer::Settings,
}

/// What a benchmark found.
#[derive(Clone, PartialEq, Debug, Serialize)]
pub struct Finding {
    /// Its name.
    pub bench: &'static str,
    /// The game it was run on.
    pub game: &'static str,
    /// The threads it used.
    pub threads: usize,
    /// The speed.
    pub value: f64,
    /// What the speed counts.
    pub unit: &'static str,
    /// A second speed, of self-play.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub moves_per_s: Option<f64>,
    /// Checksum of what was computed.
    pub signature: String,
}

/// The benchmarks there are, in the order they are run in.
pub const NAMES: &[&str] = &[
    "playouts",
    "uct",
    "tree",
    "memory",
    "flights",
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
/// If there is none of this name, the device is not there, this CPU lacks the engine, or training
/// diverges.
pub fn run<G: Game>(name: &str, variant: &Variant<G>, options: &Options) -> Result<Finding> {
    match name {
        "playouts" => Ok(games::playouts(variant, options)),
        "uct" => Ok(uct::uct(variant, options)),
        "tree" => Ok(games::tree(variant, options)),
        "memory" => Ok(games::memory(variant)),
        "flights" => Ok(games::flights(variant, options)),
        #[cfg(feature = "net")]
        "inference" => network::inference(variant, options),
        #[cfg(feature = "net")]
        "selfplay" => network::selfplay(variant, options),
        #[cfg(feature = "net")]
        "training" => network::training(variant, options),
        _ => anyhow::bail!("there is no benchmark `{name}`; there are {}", NAMES.join(", ")),
    }
}

/// What a unit of work did: how much, and a checksum of what.
#[derive(Clone, Copy, Default, Debug)]
struct Unit {
    amount: u64,
    checksum: u64,
}

/// Does units of work on some threads until the time is up; the amount done a second, and the
/// checksum of unit 0.
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
    on_threads(threads, &run, &mut || {});
    let amount = amount.into_inner();
    (amount as f64 / begun.elapsed().as_secs_f64(), format!("{signature:016x}"))
}
