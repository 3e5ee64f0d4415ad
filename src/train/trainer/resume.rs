//! Starts a new run, or resumes one from its latest checkpoint.

use std::path::Path;
use std::time::Duration;

use anyhow::{Context, Result, ensure};
use burn::tensor::Device;
use serde_json::Value;

use super::length::spent_before;
use super::origin::Origin;
use super::report::Console;
use super::reporter::Reporter;
use super::{Stop, Trainer};
use crate::nn::Board;
use crate::nn::burn_net::Learner;
use crate::registry::{self, Variant};
use crate::runs::checkpoint::{Checkpoint, OPTIMIZERS_KEPT, Run, RunState};
use crate::runs::config::{self, Config};
use crate::runs::pruning::{Pruned, Pruner};
use crate::runs::{evaluation, metrics};
use crate::selfplay::record::RecordFile;
use crate::selfplay::replay::Buffer;
use crate::train::actors::{Actors, Weights};
use crate::train::alarms::History;
use crate::train::clock::Clock;

impl<'a> Trainer<'a> {
    /// Loads the latest checkpoint; writes checkpoint 0 if there is none.
    pub(super) fn start_or_resume(
        variant: Variant,
        config: &'a Config,
        run: Run,
        device: &Device,
        actors: impl FnOnce() -> Result<Box<dyn Actors>>,
        stop: &Stop<'_>,
        origin: Option<Origin>,
    ) -> Result<Self> {
        let latest = run.latest()?;
        let first = latest.unwrap_or(0) + 1;
        let goal = stop.iterations.unwrap_or(config.iterations);
        let reporter = Reporter::start(&run, first, goal)?;
        let learner = Learner::on(
            device,
            &Board::of(&variant),
            &config.network,
            config.learner,
            config.seed,
        )?;
        let console = Console::new(&variant, &learner);
        let (learner, state, weights) = match latest {
            Some(iteration) => resumed(learner, &run, iteration)?,
            None => started(learner, &run, origin)?,
        };
        let buffer = refilled(variant, config, &run, &state)?;
        let abandoned = append_missing_metrics(&run, &state)?;
        if abandoned.is_some() || run.marked_best()? > Some(state.iteration) {
            run.mark_best(evaluation::best_by_ratings(&run)?)?;
        }
        let is_drawn = registry::all().iter().any(|game| game.name == variant.name && game.drawn);
        let history = History::read(&run.metrics()?, state.iteration).of_game(is_drawn);
        let (clock, spent_on_evaluation) = match stop.time {
            Some(time) => {
                let [spent, on_evaluation] = spent_before(&run, &state)?;
                (Some(Clock::new(stop.begun, spent, time, stop.stage)), on_evaluation)
            }
            None => (None, Duration::ZERO),
        };
        let time = clock.map(|clock| clock.whole());
        console.start(&run, &state, goal, time, &config.init_from, buffer.positions());
        let last = abandoned.unwrap_or(state.iteration);
        console.changed(state.iteration, &config::history::keep(&run, config, last)?);
        abandoned.inspect(|&last| console.set_back(&state, last));
        let pruner = Pruner::of(&run, &config.replay)?;
        let mean = state.seconds / state.iteration.max(1) as f64;
        let last = Duration::try_from_secs_f64(mean).unwrap_or_default();
        let actors = actors()?;
        reporter.watch(actors.cluster());
        Ok(Self {
            variant,
            config,
            run,
            goal,
            last_wanted: stop.iterations,
            clock,
            learner,
            buffer,
            state,
            weights,
            abandoned,
            actors,
            playing: None,
            device: device.clone(),
            history,
            pruner,
            first,
            last,
            spent_on_evaluation,
            evaluated: None,
            console,
            reporter,
        })
    }
}

/// The learner, the state and the weights of a checkpoint.
fn resumed(learner: Learner, run: &Run, iteration: u64) -> Result<(Learner, RunState, Weights)> {
    let Checkpoint { state, weights, optimizer } = run.load(iteration)?;
    ensure!(
        !optimizer.is_empty(),
        "checkpoint {iteration} has no optimizer.bpk, which only the newest {OPTIMIZERS_KEPT} \
         checkpoints keep{}",
        run.earlier(iteration)
    );
    // A run that was killed may still have one more than it keeps.
    run.remove_old_optimizer(iteration);
    let learner = learner.restore(&weights, &optimizer);
    Ok((learner.context("cannot resume from the checkpoint")?, state, Weights::new(&weights)))
}

/// The learner, the state and the weights of a new run, whose checkpoint 0 it writes.
fn started(
    learner: Learner,
    run: &Run,
    origin: Option<Origin>,
) -> Result<(Learner, RunState, Weights)> {
    let learner = match origin {
        Some(origin) => origin.load_into(learner)?,
        None => learner,
    };
    let checkpoint = checkpoint_of(&learner, first_state())?;
    run.commit(&checkpoint)?;
    let weights = Weights::new(&checkpoint.weights);
    Ok((learner, checkpoint.state, weights))
}

fn first_state() -> RunState {
    RunState { iteration: 0, steps: 0, games: 0, positions: 0, seconds: 0.0, metrics: Vec::new() }
}

pub(super) fn checkpoint_of(learner: &Learner, state: RunState) -> Result<Checkpoint> {
    Ok(Checkpoint { state, weights: learner.weights()?, optimizer: learner.optimizer()? })
}

/// Refills the replay buffer from the newest files of games that its window needs.
fn refilled(variant: Variant, config: &Config, run: &Run, state: &RunState) -> Result<Buffer> {
    let mut buffer = Buffer::new(variant, &config.replay);
    buffer.resize(config.replay.window_after(state.positions));
    let pruned = Pruned::of(run)?;
    for number in (1..=state.iteration).rev() {
        let path = run.games_path(number);
        if !path.exists() && pruned.games(number).is_some() {
            // The window is larger than that for which the run was pruned.
            break;
        }
        let file = read_games(&path, &variant, number, config.seed).with_context(|| {
            format!("cannot refill the replay buffer{}", run.earlier(state.iteration))
        })?;
        buffer.push_older(file.games);
        if buffer.is_full() {
            break;
        }
    }
    Ok(buffer)
}

/// Reads the games of an iteration and checks that they are of this run.
fn read_games(path: &Path, variant: &Variant, iteration: u64, seed: u64) -> Result<RecordFile> {
    let file = RecordFile::read_checked(path, variant)?;
    let (found, of) = (file.header.iteration, file.header.seed);
    ensure!(
        (found, of) == (iteration, seed),
        "{} holds the games of iteration {found} of a run with seed {of}, not of iteration \
         {iteration} with seed {seed}",
        path.display()
    );
    Ok(file)
}

/// Appends the metrics of the latest checkpoint if the process was killed before it wrote them.
/// Returns the last iteration with metrics if the run was set back to an earlier one.
fn append_missing_metrics(run: &Run, state: &RunState) -> Result<Option<u64>> {
    let there = run.metrics_of_all_checkpoints()?;
    let is_missing = |line: &&Value| !there.contains(line);
    let missing: Vec<Value> = state.metrics.iter().filter(is_missing).cloned().collect();
    let last = there.iter().filter_map(metrics::iteration).max();
    let is_whole = missing.len() == state.metrics.len();
    match &missing[..] {
        [] => return Ok(last.filter(|&last| last > state.iteration)),
        // The process was killed in the first iteration after the run was set back, or no metrics
        // of the iteration were written.
        _ if is_whole => append_iteration(run, &missing, last)?,
        _ => run.append_metrics(&missing)?,
    }
    Ok(None)
}

/// Appends the metrics of an iteration. If there are metrics of an abandoned iteration `last`, they
/// are superseded by it.
pub(super) fn append_iteration(run: &Run, lines: &[Value], last: Option<u64>) -> Result<()> {
    let iteration = lines.first().and_then(metrics::iteration);
    let mark = iteration.zip(last).filter(|(iteration, last)| last >= iteration);
    let mark = mark.map(|(iteration, last)| metrics::set_back(iteration.saturating_sub(1), last));
    run.append_metrics(&mark.into_iter().chain(lines.iter().cloned()).collect::<Vec<_>>())
}
