//! Benchmarks of the rules and of the search, without a network.

use std::sync::atomic::AtomicBool;

use anyhow::Result;

use super::{Finding, Options, Unit, measure};
use crate::base::rng::{Purpose, mix, stream};
use crate::registry::Variant;
use crate::search::{Cache, Plan, Search, Settings, Solo, Uniform};
use crate::selfplay::{self, Counters, IterationJob, pick};

/// Games of a unit: enough that counting costs nothing, few enough to stop in time.
const PLAYOUTS: u64 = 256;

/// Simulations of the benchmark `memory`.
const LARGE: u32 = 10_000_000;

/// Simulations for each action in the benchmark `tree`.
const SIMULATIONS: u32 = 64;

/// Uniformly random games from the start to the end.
pub(super) fn playouts(variant: &Variant, options: &Options) -> Finding {
    let threads = options.threads.unwrap_or(1);
    let worker = || {
        let mut actions = Vec::new();
        move |unit: u64| {
            let mut rng = stream(0, 0, unit, Purpose::Playout);
            let checksum = variant.initial().playouts(PLAYOUTS, &mut actions, &mut rng);
            Unit { amount: PLAYOUTS, checksum }
        }
    };
    let (value, signature) = measure(threads, options.time, worker);
    let (bench, game, unit) = ("playouts", variant.name, "games/s");
    Finding { bench, game, threads, value, unit, moves_per_s: None, signature }
}

/// Steps of a unit of the benchmark `env`: whole games of most kinds.
const STEPS: u64 = 128;

/// The batched environment with random actions: legal actions, masks, observations and outcomes of
/// every game after every step; finished games begin anew.
pub(super) fn env(variant: &Variant, options: &Options) -> Result<Finding> {
    let threads = options.threads.unwrap_or(1);
    let batch = options.batch.unwrap_or(1024);
    let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build()?;
    let unit = |number: u64| {
        let mut env = variant.env(batch, number);
        let (mut actions, mut checksum) = (Vec::new(), 0);
        for _ in 0..STEPS {
            env.random_actions(&mut actions);
            env.step(&actions).expect("random actions are legal");
            // No chain of them, so that the signature costs little beside the steps.
            let chosen =
                (0..).zip(&actions).map(|(game, &action)| mix(game << 16 | u64::from(action)));
            checksum = chosen.fold(mix(checksum), u64::wrapping_add);
            env.reset_finished();
        }
        Unit { amount: STEPS * batch as u64, checksum }
    };
    let worker = || |number: u64| pool.install(|| unit(number));
    let (value, signature) = measure(1, options.time, worker);
    let (bench, game, unit) = ("env", variant.name, "steps/s");
    Ok(Finding { bench, game, threads, value, unit, moves_per_s: None, signature })
}

/// Whole games by plain PUCT with the uniform evaluator: 64 simulations and a fresh tree for each
/// action.
pub(super) fn tree(variant: &Variant, options: &Options) -> Finding {
    let threads = options.threads.unwrap_or(1);
    let worker = || {
        let mut solo = Solo::new(Search::new(Settings::plain()));
        let (cache, mut policy) = (Cache::new(0, 0), Vec::new());
        move |unit: u64| {
            let mut rng = stream(0, 0, unit, Purpose::Playout);
            let mut game = variant.initial();
            let mut done = Unit::default();
            while game.outcome().is_none() {
                solo.search.begin(game, Plan::simulations(SIMULATIONS));
                solo.run(&mut Uniform, &cache);
                solo.search.policy(&mut policy);
                game.play(pick(&policy, 1.0, &mut rng));
                done.amount += u64::from(SIMULATIONS);
                done.checksum = mix(done.checksum ^ game.position_key());
            }
            done
        }
    };
    let (value, signature) = measure(threads, options.time, worker);
    let (bench, game, unit) = ("tree", variant.name, "simulations/s");
    Finding { bench, game, threads, value, unit, moves_per_s: None, signature }
}

/// Bytes for each simulation of one tree of ten million simulations, by plain PUCT with the uniform
/// evaluator from the start position.
pub(super) fn memory(variant: &Variant) -> Finding {
    let mut solo = Solo::new(Search::new(Settings::plain()));
    solo.search.begin(variant.initial(), Plan::simulations(LARGE));
    solo.run(&mut Uniform, &Cache::new(0, 0));
    let visits = solo.search.candidates().map(|found| u64::from(found.visits));
    let signature = format!("{:016x}", visits.fold(0, |sum, visits| mix(sum ^ visits)));
    let value = solo.search.bytes() as f64 / f64::from(LARGE);
    let (bench, game, unit, threads) = ("memory", variant.name, "bytes/simulation", 1);
    Finding { bench, game, threads, value, unit, moves_per_s: None, signature }
}

/// Self-play by the default settings with the uniform evaluator: the cost of games, search and
/// records without a network.
pub(super) fn slots(variant: &Variant, options: &Options) -> Finding {
    let threads = options.threads.unwrap_or(1);
    let (games, batch) = (PLAYOUTS, options.batch.unwrap_or(64));
    let defaults = selfplay::Settings::default().without_openings();
    let settings = selfplay::Settings { games, batch, ..defaults };
    let search = Settings { cache_mib: 0, ..Settings::default() };
    let worker = || {
        move |unit: u64| {
            let cache = Cache::new(0, 0);
            let job = IterationJob {
                iteration: unit,
                ..IterationJob::new(variant, &search, &settings, &cache)
            };
            let (counters, stop) = (Counters::default(), AtomicBool::new(false));
            let games = selfplay::play(&job, &mut [Uniform], &counters, &stop);
            let games = games.unwrap_or_default();
            let actions = games.iter().flat_map(|game| &game.choices).map(|choice| choice.action);
            let checksum = actions.fold(0, |sum, action| mix(sum ^ u64::from(action)));
            Unit { amount: counters.evaluations.into_inner(), checksum }
        }
    };
    let (value, signature) = measure(threads, options.time, worker);
    let (bench, game, unit) = ("slots", variant.name, "evaluations/s");
    Finding { bench, game, threads, value, unit, moves_per_s: None, signature }
}
