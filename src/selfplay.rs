//! Self-play: games in flight, searched together.
//!
//! Every game is a small state machine that asks for evaluations; a worker advances many of them
//! to their next leaf, has all leaves evaluated at once, and goes on. When a game ends, the next
//! one takes its place at once, so that batches stay full until the last games of the iteration.
//! All games that are started are played to their end: taking the first to finish would prefer
//! short games.

use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};

use rand::RngExt;
use serde::{Deserialize, Serialize};

use crate::checks::{Fault, within};
use crate::evaluator::{Evaluator, Wdl};
use crate::game::{Action, Game};
use crate::games::Variant;
use crate::record::{Choice, GameRecord};
use crate::rng::{Purpose, Rng, stream};
use crate::search::{self, Batch, Candidate, Gathered, Leaf, Tree};

/// Settings of self-play, the `[selfplay]` table of a config.
#[derive(Clone, Copy, PartialEq, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct Settings {
    /// Games an iteration.
    pub games: u64,
    /// Games played at the same time by each thread: the size of a batch of evaluations.
    pub batch: usize,
    /// Simulations for each action, the evaluation of the root among them.
    pub simulations: u32,
    /// Temperature of the choice among visited actions at the beginning of a game.
    pub temperature: f32,
    /// Turns after which the most visited action is played.
    pub temperature_plies: u32,
}

impl Default for Settings {
    fn default() -> Self {
        Self { games: 256, batch: 64, simulations: 48, temperature: 1.0, temperature_plies: 12 }
    }
}

impl Settings {
    /// Checks every value.
    ///
    /// # Errors
    ///
    /// The first that makes no sense.
    pub fn check(&self) -> Result<(), Fault> {
        within("games", self.games, [1, 1_000_000])?;
        within("batch", self.batch, [1, 4096])?;
        within("simulations", self.simulations, [2, 1_000_000])?;
        within("temperature", self.temperature, [0.0, 10.0])
    }
}

/// The games of an iteration that are to be played.
#[derive(Clone, Copy, Debug)]
pub struct Order<'a, G: Game> {
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
}

/// What happens while games are played, for progress bars.
#[derive(Debug, Default)]
pub struct Counters {
    /// Games finished.
    pub games: AtomicU64,
    /// Evaluations made.
    pub evaluations: AtomicU64,
    /// Calls of the evaluator.
    pub batches: AtomicU64,
    /// Actions played.
    pub actions: AtomicU64,
}

/// Plays all games of an order, by one worker for each evaluator, each on a thread of its own.
///
/// The games, in the order of their numbers, depend on the order and what the evaluators compute,
/// not on how many of those there are. `None` if `stop` was set before the last was finished.
pub fn play<G: Game, E: Evaluator<G> + Send>(
    order: &Order<'_, G>,
    evaluators: &mut [E],
    counters: &Counters,
    stop: &AtomicBool,
) -> Option<Vec<GameRecord>> {
    let next = AtomicU64::new(0);
    let mut games: Vec<GameRecord> = std::thread::scope(|scope| {
        let workers: Vec<_> = evaluators
            .iter_mut()
            .map(|evaluator| {
                let worker = || Worker::new(order).run(evaluator, &next, counters, stop);
                // A pool of one keeps the tensor library, where there is one, on this thread.
                scope.spawn(|| single_threaded(worker))
            })
            .collect();
        workers
            .into_iter()
            .flat_map(|worker| worker.join().expect("a worker does not panic"))
            .collect()
    });
    games.sort_unstable_by_key(|game| game.index);
    (games.len() as u64 == order.settings.games).then_some(games)
}

/// Runs `work` where rayon has no other thread to give tasks to.
fn single_threaded<T: Send>(work: impl FnOnce() -> T + Send) -> T {
    let pool = rayon::ThreadPoolBuilder::new()
        .num_threads(1)
        .build()
        .expect("one more thread can be started");
    pool.install(work)
}

/// Plays games on one thread, a batch of them at a time.
struct Worker<'a, G: Game> {
    order: &'a Order<'a, G>,
    flights: Vec<Flight<G>>,
    batch: Batch<G>,
}

impl<'a, G: Game> Worker<'a, G> {
    fn new(order: &'a Order<'a, G>) -> Self {
        Self { order, flights: Vec::new(), batch: Batch::default() }
    }

    fn run(
        mut self,
        evaluator: &mut impl Evaluator<G>,
        next: &AtomicU64,
        counters: &Counters,
        stop: &AtomicBool,
    ) -> Vec<GameRecord> {
        let mut finished = Vec::new();
        loop {
            self.take_off(next);
            self.advance(&mut finished, next, counters);
            if self.flights.is_empty() || stop.load(Ordering::Relaxed) {
                return finished;
            }
            self.evaluate(evaluator, counters);
        }
    }

    /// Starts games until the batch is full or none are left to start.
    fn take_off(&mut self, next: &AtomicU64) {
        while self.flights.len() < self.order.settings.batch {
            match self.next_game(next) {
                Some(flight) => self.flights.push(flight),
                None => break,
            }
        }
    }

    fn next_game(&self, next: &AtomicU64) -> Option<Flight<G>> {
        let index = next.fetch_add(1, Ordering::Relaxed);
        (index < self.order.settings.games).then(|| Flight::new(self.order, index))
    }

    /// Brings every game to a leaf; finished ones make room for the next.
    fn advance(&mut self, finished: &mut Vec<GameRecord>, next: &AtomicU64, counters: &Counters) {
        let mut slot = 0;
        while slot < self.flights.len() {
            if self.flights[slot].advance(self.order, counters) == Progress::Leaf {
                slot += 1;
                continue;
            }
            counters.games.fetch_add(1, Ordering::Relaxed);
            let landed = match self.next_game(next) {
                Some(flight) => std::mem::replace(&mut self.flights[slot], flight),
                None => self.flights.swap_remove(slot),
            };
            finished.push(landed.into_record());
        }
    }

    fn evaluate(&mut self, evaluator: &mut impl Evaluator<G>, counters: &Counters) {
        self.batch.clear();
        self.flights.iter().for_each(|flight| self.batch.push(&flight.leaf));
        counters.evaluations.fetch_add(self.batch.len() as u64, Ordering::Relaxed);
        counters.batches.fetch_add(1, Ordering::Relaxed);
        let results = self.batch.evaluate(evaluator);
        for (flight, (policy, wdl)) in self.flights.iter_mut().zip(results) {
            flight.apply(self.order, policy, wdl);
        }
    }
}

/// What a game in flight came to.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Progress {
    /// It waits for an evaluation.
    Leaf,
    /// It is over.
    Over,
}

/// A game in flight.
struct Flight<G> {
    game: G,
    tree: Tree<G>,
    leaf: Leaf<G>,
    noise: Rng,
    selection: Rng,
    index: u64,
    choices: Vec<Choice>,
}

impl<G: Game> Flight<G> {
    fn new(order: &Order<'_, G>, index: u64) -> Self {
        let game = order.variant.initial();
        let mut tree = Tree::default();
        tree.begin(game);
        let stream = |purpose| stream(order.seed, order.iteration, index, purpose);
        Self {
            game,
            tree,
            leaf: Leaf::default(),
            noise: stream(Purpose::Noise),
            selection: stream(Purpose::Selection),
            index,
            choices: Vec::new(),
        }
    }

    /// Searches and plays until an evaluation is needed or the game is over.
    fn advance(&mut self, order: &Order<'_, G>, counters: &Counters) -> Progress {
        loop {
            while self.tree.simulations() < order.settings.simulations {
                if self.tree.gather(order.search, &mut self.leaf) == Gathered::Leaf {
                    return Progress::Leaf;
                }
            }
            self.choose(order.settings);
            counters.actions.fetch_add(1, Ordering::Relaxed);
            if self.game.outcome().is_some() {
                return Progress::Over;
            }
            self.tree.begin(self.game);
        }
    }

    fn apply(&mut self, order: &Order<'_, G>, policy: &[f32], wdl: Wdl) {
        self.tree.apply(&self.leaf, policy, wdl);
        if self.leaf.is_root() {
            self.tree.add_noise(order.search, &mut self.noise);
        }
    }

    /// Plays an action by the visits of the search, and notes both.
    fn choose(&mut self, settings: &Settings) {
        let early = self.game.ply() < settings.temperature_plies;
        let temperature = if early { settings.temperature } else { 0.0 };
        let candidates: Vec<Candidate> =
            self.tree.candidates().filter(|found| found.visits > 0).collect();
        let action = pick(&candidates, temperature, &mut self.selection);
        let visits = candidates.iter().map(|found| (found.action, found.visits)).collect();
        self.choices.push(Choice { action, visits, value: self.tree.value() });
        self.game.play(action);
    }

    fn into_record(self) -> GameRecord {
        GameRecord {
            index: self.index,
            choices: self.choices,
            outcome: self.game.outcome().expect("only finished games are recorded"),
            plies: self.game.ply(),
        }
    }
}

/// Chooses with probability proportional to `visits ^ (1 / temperature)`; at temperature 0 the
/// preferred candidate.
///
/// # Panics
///
/// If there are no candidates.
pub fn pick(candidates: &[Candidate], temperature: f32, rng: &mut Rng) -> Action {
    let best = search::best_of(candidates.iter().copied());
    let best = best.expect("a search visits at least one action");
    if temperature <= 0.0 {
        return best.action;
    }
    // Relative to the best, so that no power overflows however low the temperature.
    let weight = |found: &Candidate| {
        (f64::from(found.visits) / f64::from(best.visits)).powf(1.0 / f64::from(temperature))
    };
    let total: f64 = candidates.iter().map(weight).sum();
    let mut rest = rng.random::<f64>() * total;
    for found in candidates {
        rest -= weight(found);
        if rest < 0.0 {
            return found.action;
        }
    }
    best.action
}
