//! How fast this machine plays and learns a game.

use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use anyhow::Result;
use burn::tensor::Device;

use super::plan::{NetworkSpeed, Speeds};
use crate::base::device::DeviceName;
use crate::base::parallel::{map_workers, on_threads};
use crate::base::rng::{Purpose, stream};
use crate::nn::Batch;
use crate::nn::Board;
use crate::nn::burn_net::{Learner, Network, initialize};
use crate::nn::infer;
use crate::nn::settings::{LearnerSettings, NetworkSettings};
use crate::registry::Variant;
use crate::runs::trained::PlayEvaluator;
use crate::search::{self, Cache, Evaluator, Uniform};
use crate::selfplay::replay::{self, Buffer};
use crate::selfplay::{self, Counters, IterationJob, random_play};

/// Random games whose positions the learner trains on.
const GAMES: u64 = 4;

/// Simulations of the searches whose speed is measured.
const SIMULATIONS: u32 = 16;

/// Measures the rules, and networks of `sizes` channels, otherwise like `network`, smallest first, as
/// long as `is_enough` is false of what is known; each of them for `time`.
///
/// # Errors
///
/// If the device or this CPU cannot compute.
pub(crate) fn measure(
    variant: &Variant,
    device: (DeviceName, &Device),
    threads: usize,
    time: Duration,
    (network, sizes): (&NetworkSettings, &[usize]),
    is_enough: impl Fn(&Speeds) -> bool,
) -> Result<Speeds> {
    let settings = selfplay::Settings::on(device.0);
    let simulations_per_s = simulations(variant, threads, &settings, time);
    let mut speeds = Speeds { threads, simulations_per_s, networks: Vec::new() };
    let mut games = Buffer::new(*variant, &replay::Settings::default());
    games.push(random_play::games(variant, GAMES));
    for &channels in sizes {
        let network = NetworkSettings { channels, ..*network };
        let evaluators = if settings.queue { 1 } else { threads };
        speeds.networks.push(NetworkSpeed {
            channels,
            evaluations_per_s: evaluations(
                variant,
                device.1,
                &network,
                (evaluators, settings.batch),
                time,
            )?,
            positions_per_s: learning(variant, device.1, &network, &games, time)?,
        });
        if is_enough(&speeds) {
            break;
        }
    }
    Ok(speeds)
}

/// Simulations a second on all threads, without a network.
fn simulations(
    variant: &Variant,
    threads: usize,
    settings: &selfplay::Settings,
    time: Duration,
) -> f64 {
    let settings = selfplay::Settings {
        games: 1_000_000,
        simulations: SIMULATIONS,
        queue: false,
        ..settings.without_openings()
    };
    let (search, cache) = (search::Settings::default(), Cache::new(0, 0));
    let job = IterationJob::new(variant, &search, &settings, &cache);
    let (counters, stop) = (Counters::default(), AtomicBool::new(false));
    let begun = Instant::now();
    let play = |_| _ = selfplay::play_by(Uniform, &job, threads, &counters, &stop);
    on_threads(1, &play, &|_, _| (), &mut || {
        std::thread::sleep(time);
        stop.store(true, Ordering::Relaxed);
    });
    counters.evaluations.load(Ordering::Relaxed) as f64 / begun.elapsed().as_secs_f64()
}

/// Evaluations a second by all evaluators.
fn evaluations(
    variant: &Variant,
    device: &Device,
    network: &NetworkSettings,
    (evaluators, batch): (usize, usize),
    time: Duration,
) -> Result<f64> {
    let network = initialize(Network::new(&Board::of(variant), network, device), 0);
    let evaluator = PlayEvaluator::new(network, &infer::Settings::default())?;
    let positions = random_play::positions(variant, batch);
    let work = |mut evaluator: PlayEvaluator| {
        let mut policy = vec![0.0; batch * variant.spec().actions()];
        let mut wdl = vec![[0.0; 3]; batch];
        // The first batch may wait for memory, or for kernels to be chosen.
        evaluator.evaluate(&positions, &mut policy, &mut wdl);
        let (begun, mut done) = (Instant::now(), 0);
        while begun.elapsed() < time {
            evaluator.evaluate(&positions, &mut policy, &mut wdl);
            done += batch;
        }
        done as f64 / begun.elapsed().as_secs_f64()
    };
    Ok(map_workers(vec![evaluator; evaluators], work, || {}).iter().sum())
}

/// Positions a second that the learner trains on.
fn learning(
    variant: &Variant,
    device: &Device,
    network: &NetworkSettings,
    games: &Buffer,
    time: Duration,
) -> Result<f64> {
    let settings = LearnerSettings::default();
    let mut learner = Learner::on(device, &Board::of(variant), network, settings, 0)?;
    let mut batch = Batch::default();
    games.draw(settings.batch, &mut stream(0, 0, 0, Purpose::Sampling), &mut batch);
    learner.step(&batch, 1e-4)?;
    let (begun, mut done) = (Instant::now(), 0);
    while begun.elapsed() < time {
        learner.step(&batch, 1e-4)?;
        done += settings.batch;
    }
    Ok(done as f64 / begun.elapsed().as_secs_f64())
}
