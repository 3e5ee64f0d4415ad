//! Workers of a cluster as the place where the games of a training are played.

use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use anyhow::Result;
use async_nats::jetstream::Message;
use burn::tensor::Device;

use super::blobs::Blob;
use super::dispatcher::{Dispatcher, Order};
use super::link::Link;
use super::matches::{self, Contestant, resolved};
use super::names::RunName;
use super::presence::{RunEntry, RunKind};
use super::wire::{self, Job, JobKind, SentSelfplay, TASK_GAMES, WORK, Work};
use crate::nn::Board;
use crate::nn::burn_net::{Network, cpu, fold, load_weights};
use crate::nn::infer::EngineName;
use crate::play::arena::Played;
use crate::registry::Variant;
use crate::runs::config::Config;
use crate::selfplay::record::{GameRecord, Header, RecordFile};
use crate::selfplay::{self, Counters};
use crate::train::actors::{
    Actors, ClusterWatch, EvaluationJob, EvaluationWatch, Games, Opponent, PairOutcomes,
    SelfplayJob, Weights, openings_of_evaluation, search_of_evaluation,
};

/// Workers of a cluster as the place where games are played.
pub(crate) struct ClusterActors {
    dispatcher: Dispatcher,
    variant: Variant,
    /// The config of the run.
    config: Config,
    /// What the games of self-play depend on.
    games: Config,
    running: Option<Running>,
    begun: Instant,
    waited: Duration,
}

/// An iteration of self-play in progress.
struct Running {
    order: Order<GameRecord>,
    counters: Arc<Counters>,
}

impl ClusterActors {
    /// Registers the run in `folder` on the server. With `any_engine`, workers whose CPU computes
    /// in another way are welcome, and the games may differ.
    ///
    /// # Errors
    ///
    /// If another run has this name, the engine is burn, or the server refuses.
    pub(crate) fn new(
        link: Link,
        run: RunName,
        variant: Variant,
        config: &Config,
        folder: &Path,
        goal: u64,
        any_engine: bool,
    ) -> Result<Self> {
        let engine = if any_engine { EngineName::Auto } else { resolved(config.inference.engine)? };
        let games = wire::config_of_games(config, engine);
        let entry = RunEntry {
            goal,
            games: games.selfplay.games,
            ..RunEntry::new(RunKind::Training, folder, variant.name, engine.text())
        };
        let dispatcher = Dispatcher::open(link, run, entry)?;
        let (begun, waited, config) = (Instant::now(), Duration::ZERO, config.clone());
        Ok(Self { dispatcher, variant, config, games, running: None, begun, waited })
    }

    /// The order for a job of self-play.
    fn order(&self, job: &SelfplayJob) -> Result<Order<GameRecord>> {
        let weights = Blob::new(Arc::clone(&job.weights.bytes));
        let past = self.past(job)?.map(Blob::new);
        let past_name = past.as_ref().map(|past| past.name.clone());
        let sent =
            SentSelfplay::new(&self.variant, &self.games, job, weights.name.clone(), past_name);
        let header =
            Header::new(&self.variant, job.iteration, self.config.seed, job.weights.checksum);
        let (variant, count) = (self.variant, self.games.selfplay.games);
        let read = move |bytes: &[u8]| {
            let game = wire::read_game(bytes, &variant, &header, count)?;
            Ok((game.index, game))
        };
        let blobs = [Some(weights), past].into_iter().flatten().collect();
        let job = Job::new(JobKind::Selfplay(sent));
        Ok(Order::new(&job, blobs, count, TASK_GAMES, Arc::new(read)))
    }

    /// The file of earlier games, if games begin in their positions or with their pieces.
    fn past(&self, job: &SelfplayJob) -> Result<Option<Vec<u8>>> {
        if !self.games.selfplay.needs_past() || job.past.is_empty() {
            return Ok(None);
        }
        let header = Header::new(&self.variant, job.iteration - 1, self.config.seed, 0);
        Some(RecordFile { header, games: job.past.to_vec() }.encode()).transpose()
    }

    /// A network of the run as a player of an evaluation.
    fn contestant(&self, weights: &Weights) -> Result<Contestant> {
        let device: Device = cpu();
        let network = Network::new(&Board::of(&self.variant), &self.config.network, &device);
        let weights = fold(&load_weights(network, &weights.bytes)?);
        let (size, engine) = (self.config.network, self.games.inference.engine);
        Contestant::of_network(&weights, size, engine, search_of_evaluation(&self.config))
    }

    /// Notes that the learner waited since `begun`.
    fn has_waited(&mut self, begun: Instant) {
        self.waited += begun.elapsed();
        let waiting = self.waited.as_secs_f64() / self.begun.elapsed().as_secs_f64();
        self.dispatcher.heartbeat().change(|entry| entry.waiting = waiting);
    }
}

impl Actors for ClusterActors {
    fn begin(&mut self, job: SelfplayJob) -> Result<()> {
        let mut running = Running { order: self.order(&job)?, counters: Arc::default() };
        let iteration = job.iteration;
        self.dispatcher
            .heartbeat()
            .change(|entry| (entry.iteration, entry.finished) = (iteration, 0));
        let counters = Arc::clone(&running.counters);
        self.dispatcher.begin(&mut running.order, iteration, &|message, _| {
            count(&counters, message);
        });
        self.running = Some(running);
        Ok(())
    }

    fn finish(&mut self, title: &str, interrupted: &AtomicBool) -> Result<Option<Games>> {
        let begun = Instant::now();
        let Running { mut order, counters } = self.running.take().expect("a job was begun before");
        let heartbeat = self.dispatcher.heartbeat();
        selfplay::watch(self.games.selfplay.games, title, &counters, || {
            let news = |message: &Message, finished| {
                count(&counters, message);
                heartbeat.change(|entry| entry.finished = finished);
            };
            self.dispatcher.gather(&mut order, &news, interrupted);
        });
        self.has_waited(begun);
        Ok(order.complete().map(|records| Games { records, counters }))
    }

    fn evaluate(
        &mut self,
        job: &EvaluationJob,
        watch: EvaluationWatch<'_>,
        interrupted: &AtomicBool,
    ) -> Result<Option<Vec<Vec<PairOutcomes>>>> {
        let begun = Instant::now();
        let own = self.contestant(&job.own)?;
        let openings = openings_of_evaluation(&self.variant, &self.config)?;
        let (seed, simulations) = (self.config.seed, self.config.evaluation.simulations);
        let each = 2 * openings.len() as u64;
        // All are begun, so that no worker waits for the end of one.
        let mut orders = Vec::new();
        for opponent in &job.opponents {
            let other = match opponent {
                Opponent::Baseline(baseline) => Contestant::of_baseline(baseline),
                Opponent::Network(weights) => self.contestant(weights)?,
            };
            let (players, openings) = ([own.clone(), other], openings.clone());
            let mut order = matches::order(&self.variant, players, seed, simulations, openings);
            self.dispatcher.begin(&mut order, job.iteration, &|_, _| {});
            orders.push(order);
        }
        let all = each * orders.len() as u64;
        let mut outcomes = Vec::new();
        for (mut order, opponent) in orders.into_iter().zip(0..) {
            let news = |_: &Message, pairs| watch([opponent * each + 2 * pairs, all]);
            self.dispatcher.gather(&mut order, &news, interrupted);
            let played = order.complete();
            outcomes.push(played.map(|pairs| pairs.into_iter().map(outcomes_of).collect()));
        }
        self.has_waited(begun);
        Ok(outcomes.into_iter().collect())
    }

    fn cluster(&self) -> Option<ClusterWatch> {
        Some(self.dispatcher.watch())
    }

    fn committed(&mut self, iteration: u64) -> Result<()> {
        self.dispatcher.forget(iteration);
        Ok(())
    }

    fn close(&mut self, is_done: bool) -> Result<()> {
        self.dispatcher.close(is_done)
    }
}

/// The outcomes of the games of a pair.
fn outcomes_of(pair: [Played; 2]) -> PairOutcomes {
    pair.map(|game| game.outcome)
}

/// Counts a game and the work that it took.
fn count(counters: &Counters, message: &Message) {
    let work = message.headers.as_ref().and_then(|headers| headers.get(WORK));
    let work = work.and_then(|text| text.as_str().parse::<Work>().ok());
    counters.games.fetch_add(1, Ordering::Relaxed);
    work.unwrap_or_default().add_to(counters);
}
