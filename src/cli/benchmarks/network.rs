//! Benchmarks of the network: inference, self-play and training.

use std::io;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use anyhow::Result;
use burn::tensor::Device;

use super::{Finding, Options, Unit, measure};
use crate::base::parallel::{no_thread, on_threads};
use crate::base::rng::{Purpose, mix, stream};
use crate::nn::burn_net::{Learner, Network, cpu, fold, initialize, open};
use crate::nn::infer::EngineName;
use crate::nn::settings::{LearnerSettings, NetworkSettings};
use crate::nn::{Batch, Board};
use crate::registry::Variant;
use crate::runs::trained::PlayEvaluator;
use crate::search::{self, Cache, Evaluator};
use crate::selfplay::replay::{self, Buffer};
use crate::selfplay::{self, Counters, IterationJob, random_play};

/// The network of all benchmarks.
const NETWORK: NetworkSettings =
    NetworkSettings { channels: 64, blocks: 5, global_pooling: false, value_hidden: 64 };

/// Simulations for each action of self-play.
const SIMULATIONS: u32 = 64;

/// How long the self-play benchmark waits for its first evaluation.
const LATEST: Duration = Duration::from_secs(30);

fn network(variant: &Variant, device: &Device) -> Network {
    initialize(Network::new(&Board::of(variant), &NETWORK, device), 0)
}

fn evaluator(variant: &Variant, options: &Options) -> Result<PlayEvaluator> {
    let network = network(variant, &open(options.device)?);
    PlayEvaluator::new(network, &options.inference)
}

/// Returns the number of multiplications in an evaluation.
pub(super) fn products(variant: &Variant) -> usize {
    fold(&network(variant, &cpu())).products()
}

/// Returns a checksum that does not depend on the last bits of the arithmetic.
fn rounded(values: impl IntoIterator<Item = f32>) -> u64 {
    values
        .into_iter()
        .fold(0, |sum, value| mix(sum ^ (f64::from(value) * 100.0).round() as i64 as u64))
}

/// Forward passes over positions of random games, each thread with its own batch.
pub(super) fn inference(variant: &Variant, options: &Options) -> Result<Finding> {
    let threads = options.threads.unwrap_or(1);
    let batch = options.batch.unwrap_or(64);
    let positions = random_play::positions(variant, batch);
    let evaluator = evaluator(variant, options)?;
    let worker = || {
        let (positions, mut evaluator) = (&positions, evaluator.clone());
        // A pool of one thread keeps the tensor library, which uses rayon, on one thread.
        let alone = (options.inference.engine == EngineName::Burn).then(|| pool(1));
        let mut policy = vec![0.0; batch * variant.spec().actions()];
        let mut wdl = vec![[0.0; 3]; batch];
        move |_| {
            let mut evaluate = || evaluator.evaluate(positions, &mut policy, &mut wdl);
            match &alone {
                Some(alone) => alone.install(evaluate),
                None => evaluate(),
            }
            let checksum = rounded(wdl.as_flattened().iter().take(24).copied());
            Unit { amount: batch as u64, checksum }
        }
    };
    let (value, signature) = measure(threads, options.time, worker);
    let (bench, game, unit) = ("inference", variant.name, "evaluations/s");
    Ok(Finding { bench, game, threads, value, unit, moves_per_s: None, signature })
}

fn pool(threads: usize) -> rayon::ThreadPool {
    let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build();
    pool.unwrap_or_else(|error| no_thread(io::Error::other(error)))
}

/// Self-play of many games with exactly 64 simulations for each action.
pub(super) fn selfplay(variant: &Variant, options: &Options) -> Result<Finding> {
    let threads = options.threads.unwrap_or_else(rayon::current_num_threads);
    let defaults = selfplay::Settings::on(options.device).without_openings();
    let settings = selfplay::Settings {
        games: 1_000_000,
        batch: options.batch.unwrap_or(defaults.batch),
        simulations: SIMULATIONS,
        ..defaults
    };
    let (search, cache) = (search::Settings::plain(), Cache::new(0, 0));
    let job = IterationJob::new(variant, &search, &settings, &cache);
    let evaluator = evaluator(variant, options)?;
    let (counters, stop) = (Counters::default(), AtomicBool::new(false));
    let begun = Instant::now();
    let play = |_| _ = selfplay::play_by(evaluator.clone(), &job, threads, &counters, &stop);
    on_threads(1, &play, &|_, _| (), &mut || {
        std::thread::sleep(options.time);
        // On a busy machine the first batch may come late, and a rate of none tells nothing.
        while counters.evaluations.load(Ordering::Relaxed) == 0 && begun.elapsed() < LATEST {
            std::thread::sleep(Duration::from_millis(1));
        }
        stop.store(true, Ordering::Relaxed);
    });
    let seconds = begun.elapsed().as_secs_f64();
    let rate =
        |counter: &std::sync::atomic::AtomicU64| counter.load(Ordering::Relaxed) as f64 / seconds;
    Ok(Finding {
        bench: "selfplay",
        game: variant.name,
        threads,
        value: rate(&counters.evaluations),
        unit: "evaluations/s",
        moves_per_s: Some(rate(&counters.actions)),
        signature: format!("{:016x}", selfplay_signature(variant, evaluator, threads)),
    })
}

/// Returns a checksum of two games of four simulations an action, played by the code that is timed.
fn selfplay_signature(variant: &Variant, evaluator: PlayEvaluator, threads: usize) -> u64 {
    let defaults = selfplay::Settings::default().without_openings();
    let settings = selfplay::Settings { games: 2, batch: 1, simulations: 4, ..defaults };
    let (search, cache) = (search::Settings::plain(), Cache::new(0, 0));
    let job = IterationJob::new(variant, &search, &settings, &cache);
    let (counters, never) = (Counters::default(), AtomicBool::new(false));
    let games = selfplay::play_by(evaluator, &job, threads, &counters, &never);
    let actions = games.iter().flatten().flat_map(|game| &game.choices).map(|choice| choice.action);
    actions.fold(0, |sum, action| mix(sum ^ u64::from(action)))
}

/// Optimizer steps on positions of random games.
pub(super) fn training(variant: &Variant, options: &Options) -> Result<Finding> {
    let threads = options.threads.unwrap_or_else(rayon::current_num_threads);
    let size = options.batch.unwrap_or(256);
    let mut batch = Batch::default();
    random_games(variant).draw(size, &mut stream(0, 0, 0, Purpose::Sampling), &mut batch);
    let engine = options.inference.engine;
    let engine = if engine.check_training().is_ok() { engine } else { EngineName::Auto };
    let settings = LearnerSettings { engine, ..Default::default() };
    let device = open(options.device)?;
    let mut learner = Learner::on(&device, &Board::of(variant), &NETWORK, settings, 0)?;
    let (value, signature) = pool(threads).install(|| -> Result<(f64, u64)> {
        let first = learner.step(&batch, 1e-3)?;
        let signature = rounded([first.policy, first.value, first.entropy]);
        let (begun, mut done) = (Instant::now(), 0);
        while begun.elapsed() < options.time {
            learner.step(&batch, 1e-3)?;
            done += size;
        }
        Ok((done as f64 / begun.elapsed().as_secs_f64(), signature))
    })?;
    let (bench, game, unit) = ("training", variant.name, "positions/s");
    let signature = format!("{signature:016x}");
    Ok(Finding { bench, game, threads, value, unit, moves_per_s: None, signature })
}

/// Returns a replay buffer of random games.
fn random_games(variant: &Variant) -> Buffer {
    let mut buffer = Buffer::new(*variant, &replay::Settings::default());
    buffer.push(random_play::games(variant, 16));
    buffer
}
