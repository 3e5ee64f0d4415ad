//! Self-play: games in play, searched together.
//!
//! Every game is a small state machine (`game`) that asks for evaluations; a worker
//! advances many of them to their next leaf, has all leaves evaluated at once, and goes on. When a
//! game ends, the next one takes its place at once, so that batches stay full until the last games
//! of the iteration. All games that are started are played to their end: taking the first to
//! finish would prefer short games.

mod choice;
mod counters;
mod game;
pub mod held_out;
pub mod progress;
mod queue;
pub mod record;
pub mod replay;
mod resignation;
mod settings;
mod variety;
mod worker;

pub use choice::pick;
pub use counters::Counters;
pub use resignation::threshold;
pub use settings::{Bootstrap, Settings};
pub use variety::Variety;

use std::sync::atomic::{AtomicBool, AtomicU64};

use crate::base::parallel::map_workers;
use crate::games::Game;
use crate::games::Variant;
use crate::search::Evaluator;
use crate::search::{self, Cache};
use crate::selfplay::record::GameRecord;
use worker::Worker;

/// The games of an iteration that are to be played.
#[derive(Clone, Copy, Debug)]
pub struct IterationJob<'a, G: Game> {
    /// The game.
    pub variant: &'a Variant<G>,
    /// How to search.
    pub search: &'a search::Settings,
    /// How to play.
    pub settings: &'a Settings,
    /// Names the streams of randomness, with the iteration.
    pub seed: u64,
    /// The iteration.
    pub iteration: u64,
    /// Earlier games, from the middle of which some of these may begin.
    pub past: &'a [GameRecord],
    /// The expected score below which a side resigns.
    pub resign_below: Option<f32>,
    /// Evaluations by the same network, kept for all games.
    pub cache: &'a Cache,
}

impl<'a, G: Game> IterationJob<'a, G> {
    /// The first games of a run of seed 0, without earlier games or resignation.
    pub fn new(
        variant: &'a Variant<G>,
        search: &'a search::Settings,
        settings: &'a Settings,
        cache: &'a Cache,
    ) -> Self {
        let (seed, iteration, past, resign_below) = (0, 0, [].as_slice(), None);
        Self { variant, search, settings, seed, iteration, past, resign_below, cache }
    }
}

/// Plays all games of an job, by one worker for each evaluator, each on a thread of its own.
///
/// The games, in the order of their numbers, depend on the order and what the evaluators compute,
/// not on how many of those there are or how many games are in play. `None` if `stop` was set
/// before the last was finished.
pub fn play<G: Game, E: Evaluator<G> + Send>(
    job: &IterationJob<'_, G>,
    evaluators: &mut [E],
    counters: &Counters,
    stop: &AtomicBool,
) -> Option<Vec<GameRecord>> {
    let evaluators = evaluators.iter_mut().map(|evaluator| evaluator as &mut Shared<G>);
    play_dyn(job, evaluators.collect(), counters, stop)
}

/// An evaluator that is called once a batch, so that the games need not be compiled anew for each.
type Shared<'a, G> = dyn Evaluator<G> + Send + 'a;

fn play_dyn<G: Game>(
    job: &IterationJob<'_, G>,
    evaluators: Vec<&mut Shared<'_, G>>,
    counters: &Counters,
    stop: &AtomicBool,
) -> Option<Vec<GameRecord>> {
    let context = WorkerContext::new(job, job.settings.batch, counters, stop);
    let games = map_workers(evaluators, |evaluator| Worker::new(&context).run(evaluator), || {});
    complete(games, job.settings.games)
}

/// As [`play`], but by so many workers that share one evaluator, which has this thread to itself:
/// while it works on one batch, others are made ready.
pub fn play_queued<G: Game>(
    job: &IterationJob<'_, G>,
    evaluator: &mut dyn Evaluator<G>,
    workers: usize,
    counters: &Counters,
    stop: &AtomicBool,
) -> Option<Vec<GameRecord>> {
    // Where there are few games, each group gets its share, so that one can overlap with another.
    let share = job.settings.games.div_ceil((workers * queue::GROUPS).max(1) as u64);
    let batch = job.settings.batch.min(share as usize);
    let context = WorkerContext::new(job, batch, counters, stop);
    let games = queue::play(&context, evaluator, workers);
    complete(games, job.settings.games)
}

/// Plays all games of an order on so many threads, by [`play`] or [`play_queued`] as its settings
/// say.
pub fn play_by<G: Game, E: Evaluator<G> + Clone + Send>(
    mut evaluator: E,
    job: &IterationJob<'_, G>,
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

/// What all workers have in common.
struct WorkerContext<'a, G: Game> {
    job: &'a IterationJob<'a, G>,
    counters: &'a Counters,
    stop: &'a AtomicBool,
    /// The most games of a batch.
    batch: usize,
    /// The number of the next game to be started.
    next: AtomicU64,
}

impl<'a, G: Game> WorkerContext<'a, G> {
    fn new(
        job: &'a IterationJob<'a, G>,
        batch: usize,
        counters: &'a Counters,
        stop: &'a AtomicBool,
    ) -> Self {
        Self { job, counters, stop, batch, next: AtomicU64::new(0) }
    }
}

/// The games of all workers by their numbers, if there are `count` of them.
fn complete(games: Vec<Vec<GameRecord>>, count: u64) -> Option<Vec<GameRecord>> {
    let mut games = games.concat();
    games.sort_unstable_by_key(|game| game.index);
    (games.len() as u64 == count).then_some(games)
}
