//! Self-play: plays the games of an iteration, with batched evaluations, and records them.
//!
//! In comes an [`IterationJob`] and one or more evaluators; [`play_by`] returns
//! [records](record::GameRecord). [`replay`] samples positions from records for training,
//! [`held_out`] measures losses on them.
//!
//! Every game is a small state machine (`game`). A worker (`worker`) advances many games to their
//! next leaf, evaluates all leaves at once, and repeats. A finished game makes room for the next,
//! so that batches stay full until the last games of the iteration, which all workers share
//! (`exchange`). Every game that was started is played to its end: keeping the first games to
//! finish would prefer short ones.
//!
//! The way of a game from `tavoliere train` to a file: `cli/train.rs`, `train/trainer`,
//! `train/actors/local.rs`, [`play_by`], `worker`, `search/slots.rs`, `game` (which plays on
//! [positions](crate::registry::Position)), and back through `assignment` to the trainer, which
//! writes the [records](record::RecordFile).

mod assignment;
mod bootstrap;
mod choice;
mod counters;
mod exchange;
mod game;
pub(crate) mod held_out;
mod past;
pub(crate) mod placement;
#[cfg(not(target_family = "wasm"))]
mod progress;
mod queue;
pub(crate) mod random_play;
pub(crate) mod record;
pub(crate) mod replay;
mod resignation;
mod settings;
mod variety;
mod worker;

use assignment::AllGames;
pub(crate) use assignment::Assignment;
pub(crate) use bootstrap::is_bootstrapped;
pub(crate) use choice::pick;
pub(crate) use counters::Counters;
#[cfg(not(target_family = "wasm"))]
pub(crate) use progress::watch;
pub(crate) use resignation::threshold;
pub(crate) use settings::Settings;
pub(crate) use variety::Variety;

use std::sync::atomic::AtomicBool;

use crate::base::parallel::map_workers;
use crate::registry::Variant;
use crate::search::{self, Cache, Evaluator};
use crate::selfplay::record::GameRecord;
use exchange::GameExchange;
use worker::SelfplayWorker;

/// The games of an iteration: game, settings, seed and number.
#[derive(Clone, Copy, Debug)]
pub(crate) struct IterationJob<'a> {
    /// The game.
    pub variant: &'a Variant,
    /// Settings of the search.
    pub search: &'a search::Settings,
    /// Settings of self-play.
    pub settings: &'a Settings,
    /// The seed of the run; with the iteration it names the streams of random numbers.
    pub seed: u64,
    /// The number of the iteration.
    pub iteration: u64,
    /// Earlier games, from whose positions some games restart.
    pub past: &'a [GameRecord],
    /// The expected score, from 0 to 1, below which a side resigns; `None` for no resignation.
    pub resign_below: Option<f32>,
    /// Evaluations by the same network, shared by all games.
    pub cache: &'a Cache,
}

impl<'a> IterationJob<'a> {
    /// The first iteration of a run with seed 0, without restarts and resignation.
    pub(crate) fn new(
        variant: &'a Variant,
        search: &'a search::Settings,
        settings: &'a Settings,
        cache: &'a Cache,
    ) -> Self {
        let (seed, iteration, past, resign_below) = (0, 0, [].as_slice(), None);
        Self { variant, search, settings, seed, iteration, past, resign_below, cache }
    }
}

/// Plays all games of a job, with a worker thread for each evaluator. Returns the games in the
/// order of their numbers, or `None` if `stop` was set before the last game was finished.
///
/// The games depend on the job and on the evaluations only, not on the number of evaluators or of
/// games in progress.
pub(crate) fn play<E: Evaluator + Send>(
    job: &IterationJob<'_>,
    evaluators: &mut [E],
    counters: &Counters,
    stop: &AtomicBool,
) -> Option<Vec<GameRecord>> {
    let games = AllGames::new(job.settings.games, counters, stop);
    play_assigned(job, &games, evaluators);
    games.complete()
}

/// An evaluator behind a pointer, so that the games are not compiled for each evaluator.
type DynEvaluator<'a> = dyn Evaluator + Send + 'a;

/// Plays the games of a job that `assignment` assigns, with a worker thread for each evaluator,
/// until no more are to come or it is stopped.
pub(crate) fn play_assigned<E: Evaluator + Send>(
    job: &IterationJob<'_>,
    assignment: &dyn Assignment,
    evaluators: &mut [E],
) {
    let exchange = GameExchange::new();
    let enter = |evaluator| (evaluator as &mut DynEvaluator<'_>, exchange.enter());
    // All take part before any of them begins.
    let workers = evaluators.iter_mut().map(enter).collect();
    let run = |(evaluator, others): (&mut DynEvaluator<'_>, _)| {
        SelfplayWorker::new(job, assignment, job.settings.batch).run(evaluator, &others);
    };
    map_workers(workers, run, || {});
}

/// As [`play`], but `workers` threads share one evaluator, which runs on the calling thread. While
/// it evaluates one batch, the workers prepare others.
pub(crate) fn play_queued(
    job: &IterationJob<'_>,
    evaluator: &mut dyn Evaluator,
    workers: usize,
    counters: &Counters,
    stop: &AtomicBool,
) -> Option<Vec<GameRecord>> {
    // Few games are divided among the groups, so that groups can overlap.
    let share = job.settings.games.div_ceil((workers * queue::GROUPS).max(1) as u64);
    let batch = job.settings.batch.min(share as usize);
    let games = AllGames::new(job.settings.games, counters, stop);
    let group = || SelfplayWorker::new(job, &games, batch);
    queue::play(&group, evaluator, workers, counters);
    games.complete()
}

/// Plays all games of a job on `threads` threads: by [`play_queued`] if the settings have `queue`,
/// otherwise by [`play`].
pub(crate) fn play_by<E: Evaluator + Clone + Send>(
    mut evaluator: E,
    job: &IterationJob<'_>,
    threads: usize,
    counters: &Counters,
    stop: &AtomicBool,
) -> Option<Vec<GameRecord>> {
    if job.settings.queue {
        play_queued(job, &mut evaluator, threads, counters, stop)
    } else {
        play(job, &mut vec![evaluator; threads], counters, stop)
    }
}
