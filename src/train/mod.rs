//! The training loop: self-play, learning, a checkpoint, and again.

mod evaluate;
mod report;

use std::collections::VecDeque;
use std::path::Path;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use anyhow::{Context, Result, ensure};
use burn::tensor::Device;
use serde_json::{Value, json};

use crate::checkpoint::{Checkpoint, OPTIMIZERS_KEPT, Run, RunInfo, State};
use crate::classical::Heuristic;
use crate::config::Config;
use crate::cores::{Spent, Watch};
use crate::durable::checksum;
use crate::game::Game;
use crate::games::Variant;
use crate::metrics;
use crate::net::{self, Learner, StepReport};
use crate::progress;
use crate::record::{GameRecord, Header, RecordFile};
use crate::replay::{Batch, Buffer, positions_of};
use crate::rng::{Purpose, stream};
use crate::rollouts::Rollouts;
use crate::search::Cache;
use crate::selfplay::{self, Counters, Order};
use crate::trained::PlayEvaluator;
use report::{Console, Played};

/// When to stop.
#[derive(Clone, Copy, Debug, Default)]
pub struct Stop<'a> {
    /// After this iteration, counted from the start of the run, instead of the config's last.
    pub iterations: Option<u64>,
    /// After this much time, at the end of the iteration that comes nearest to it.
    pub time: Option<Duration>,
    /// As soon as this is set; the iteration in hand is given up.
    pub interrupted: Option<&'a AtomicBool>,
}

/// Why training ended.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Ended {
    /// All iterations are done.
    Finished,
    /// The time is up.
    TimeUp,
    /// It was interrupted.
    Interrupted,
}

/// Trains in the run of `folder`, which is begun if there is none, and otherwise gone on with. The
/// network is on `device`; what is saved can be gone on with on any other.
///
/// # Errors
///
/// If the run is of something else, damaged, or cannot be written, the device lacks the precision
/// that is asked for, or training diverges.
pub fn train<G: Heuristic>(
    variant: Variant<G>,
    config: &Config,
    folder: &Path,
    device: &Device,
    stop: Stop<'_>,
) -> Result<Ended> {
    net::float(config.inference.precision, device)?;
    let info = RunInfo::new(&variant, config.seed, config.network);
    let (run, _lock) = Run::begin(folder, &info)?;
    let goal = stop.iterations.unwrap_or(config.iterations);
    let mut trainer = Trainer::resume(variant, config, run, device, goal)?;
    trainer.check_panel()?;
    trainer.run.write_config(&config.to_toml())?;
    let begun = Instant::now();
    let never = AtomicBool::new(false);
    let interrupted = stop.interrupted.unwrap_or(&never);
    let ended = loop {
        if !trainer.evaluate(interrupted)? {
            break Ended::Interrupted;
        }
        if trainer.state.iteration >= goal {
            break Ended::Finished;
        }
        // Half an iteration too long is nearer than half an iteration too short.
        let expected = begun.elapsed() + trainer.last / 2;
        if stop.time.is_some_and(|time| expected >= time) {
            break Ended::TimeUp;
        }
        if !trainer.iterate(interrupted)? {
            break Ended::Interrupted;
        }
    };
    trainer.console.finish(ended, &trainer.state, goal, folder);
    Ok(ended)
}

/// A run in memory.
struct Trainer<'a, G: Game> {
    variant: Variant<G>,
    config: &'a Config,
    run: Run,
    /// The iteration to stop after.
    goal: u64,
    learner: Learner,
    buffer: Buffer<G>,
    state: State,
    /// Checksum of the weights that play.
    weights: u32,
    /// What they said of positions.
    cache: Cache,
    /// How long the last iteration took.
    last: Duration,
    console: Console,
}

impl<'a, G: Heuristic> Trainer<'a, G> {
    /// Takes up the run where its last checkpoint left it, or begins with iteration 0.
    fn resume(
        variant: Variant<G>,
        config: &'a Config,
        run: Run,
        device: &Device,
        goal: u64,
    ) -> Result<Self> {
        let learner = Learner::on(device, G::SPEC, &config.network, config.learner, config.seed)?;
        let console = Console::new(variant.name, &learner);
        let (learner, state, weights) = match run.latest()? {
            Some(iteration) => {
                let Checkpoint { state, weights, optimizer } = run.load(iteration)?;
                ensure!(
                    !optimizer.is_empty(),
                    "checkpoint {iteration} has no optimizer.bpk, which is kept for the newest \
                     {OPTIMIZERS_KEPT} only; write the number of one that has it into {}",
                    run.folder().join("latest").display()
                );
                let learner = learner.restore(&weights, &optimizer);
                (learner.context("cannot go on from the checkpoint")?, state, checksum(&weights))
            }
            None => {
                let state = first_state();
                let checkpoint = checkpoint_of(&learner, state)?;
                run.commit(&checkpoint)?;
                (learner, checkpoint.state, checksum(&checkpoint.weights))
            }
        };
        let buffer = refilled(variant, config, &run, state.iteration)?;
        append_missing_metrics(&run, &state)?;
        console.greet(&run, &state, goal, buffer.positions());
        let last = Duration::ZERO;
        let cache = Cache::new(config.search.cache_mib, G::SPEC.actions());
        Ok(Self {
            variant,
            config,
            run,
            goal,
            learner,
            buffer,
            state,
            weights,
            cache,
            last,
            console,
        })
    }

    /// One iteration: games, steps, checkpoint. False if it was interrupted and given up.
    fn iterate(&mut self, interrupted: &AtomicBool) -> Result<bool> {
        let (begun, threads) = (Instant::now(), rayon::current_num_threads());
        let iteration = self.state.iteration + 1;
        let watch = Watch::begin();
        let Some((games, played)) = self.play(iteration, interrupted)? else { return Ok(false) };
        let playing = watch.spent(threads);

        let header = Header::new(&self.variant, iteration, self.config.seed, self.weights);
        let file = RecordFile { header, games };
        file.write(&self.run.games_path(iteration))?;
        self.buffer.push(file.games);
        let watch = Watch::begin();
        let Some(learnt) = self.learn(iteration, played.positions, interrupted)? else {
            return Ok(false);
        };
        let learning = watch.spent(threads);

        self.state = State {
            iteration,
            steps: self.state.steps + learnt.steps,
            games: self.state.games + played.games as u64,
            positions: self.state.positions + played.positions as u64,
            seconds: self.state.seconds + begun.elapsed().as_secs_f64(),
            metrics: vec![
                metrics::line(iteration, "selfplay", played.metrics(playing)),
                metrics::line(
                    iteration,
                    "learn",
                    learnt.metrics(learning, self.buffer.positions()),
                ),
            ],
        };
        let checkpoint = checkpoint_of(&self.learner, self.state.clone())?;
        self.run.commit(&checkpoint)?;
        self.weights = checksum(&checkpoint.weights);
        self.cache.renew();
        metrics::append(&self.run.metrics_path(), &self.state.metrics)
            .context("cannot write the metrics")?;
        self.last = begun.elapsed();
        self.console.line(&self.state, self.goal, &played, &learnt, [playing, learning]);
        Ok(true)
    }

    /// What judges positions by the newest weights.
    fn evaluator(&self) -> Result<PlayEvaluator> {
        PlayEvaluator::new(self.learner.network(), &G::SPEC, &self.config.inference)
    }

    /// The games of an iteration. `None` if interrupted.
    fn play(&self, iteration: u64, stop: &AtomicBool) -> Result<Option<(Vec<GameRecord>, Played)>> {
        let settings = &self.config.selfplay;
        let order = Order {
            variant: &self.variant,
            search: &self.config.search,
            settings,
            seed: self.config.seed,
            iteration,
            done: (iteration - 1) as f32 / self.config.iterations as f32,
            past: self.buffer.newest(),
            resign_below: selfplay::threshold(&self.variant, self.buffer.games(), settings),
            cache: &self.cache,
        };
        let counters = Counters::default();
        let name = format!("{iteration}/{} self-play", self.goal);
        let threads = rayon::current_num_threads();
        let network = (iteration > settings.rollout_iterations).then(|| self.evaluator());
        let network = network.transpose()?;
        let games = progress::watch(settings.games, &name, &counters, || match network {
            Some(network) => selfplay::play_by(network, &order, threads, &counters, stop),
            None => {
                let rollouts = Rollouts::new(self.config.seed);
                selfplay::play_by(rollouts, &order, threads, &counters, stop)
            }
        });
        Ok(games.map(|games| {
            let played = Played::new(&games, &counters, &order);
            (games, played)
        }))
    }

    /// As many steps as the new positions call for. `None` if interrupted.
    fn learn(&mut self, iteration: u64, new: usize, stop: &AtomicBool) -> Result<Option<Learnt>> {
        let (settings, replay) = (&self.config.learner, &self.config.replay);
        let wanted = (new as f32 * replay.reuse / settings.batch as f32).ceil().max(1.0) as u64;
        // Short searches and openings alone teach nothing.
        let steps = if self.buffer.positions() == 0 { 0 } else { wanted };
        let mut learnt = Learnt { steps, batch: settings.batch, ..Learnt::default() };
        let name = format!("{iteration}/{} learning", self.goal);
        let bar = progress::bar(steps, &name, "steps");
        let (learner, buffer) = (&mut self.learner, &self.buffer);
        let draw = |step, batch: &mut Batch| {
            let mut rng = stream(self.config.seed, iteration, step, Purpose::Sampling);
            if step < steps {
                buffer.draw(settings.batch, &mut rng, batch);
            }
        };
        let (mut batch, mut next) = (Batch::default(), Batch::default());
        draw(0, &mut batch);
        for step in 0..steps {
            if stop.load(Ordering::Relaxed) {
                return Ok(None);
            }
            learnt.rate = settings.rate(self.state.steps + step, iteration, self.config.iterations);
            // One thread draws the next batch while the others begin with this one.
            let learn = || learner.step(&batch, learnt.rate);
            let (report, ()) = rayon::join(learn, || draw(step + 1, &mut next));
            learnt.add(&report?);
            std::mem::swap(&mut batch, &mut next);
            bar.inc(1);
        }
        bar.finish_and_clear();
        Ok(Some(learnt))
    }
}

/// What the steps of an iteration report, summed up.
#[derive(Clone, Debug, Default)]
struct Learnt {
    steps: u64,
    batch: usize,
    rate: f64,
    sum: StepReport,
}

impl Learnt {
    fn add(&mut self, report: &StepReport) {
        self.sum.policy += report.policy;
        self.sum.value += report.value;
        self.sum.moves_left += report.moves_left;
        self.sum.entropy += report.entropy;
        self.sum.gradient_norm += report.gradient_norm;
    }

    fn mean(&self, of: impl Fn(&StepReport) -> f32) -> f32 {
        of(&self.sum) / self.steps.max(1) as f32
    }

    fn positions_per_second(&self, time: Duration) -> f64 {
        self.steps as f64 * self.batch as f64 / time.as_secs_f64().max(1e-9)
    }

    fn metrics(&self, spent: Spent, buffer: usize) -> Value {
        json!({
            "steps": self.steps,
            "learning_rate": self.rate,
            "policy_loss": self.mean(|report| report.policy),
            "value_loss": self.mean(|report| report.value),
            "moves_left_loss": self.mean(|report| report.moves_left),
            "entropy": self.mean(|report| report.entropy),
            "gradient_norm": self.mean(|report| report.gradient_norm),
            "positions_per_s": self.positions_per_second(spent.time),
            "buffer_positions": buffer,
            "seconds": spent.time.as_secs_f64(),
            "cores": spent.cores,
        })
    }
}

fn first_state() -> State {
    State { iteration: 0, steps: 0, games: 0, positions: 0, seconds: 0.0, metrics: Vec::new() }
}

fn checkpoint_of(learner: &Learner, state: State) -> Result<Checkpoint> {
    Ok(Checkpoint { state, weights: learner.weights()?, optimizer: learner.optimizer()? })
}

/// The replay buffer as it was after `iteration`: its newest files, as many as the window needs.
fn refilled<G: Game>(
    variant: Variant<G>,
    config: &Config,
    run: &Run,
    iteration: u64,
) -> Result<Buffer<G>> {
    let mut newest = VecDeque::new();
    let mut positions = 0;
    for number in (1..=iteration).rev() {
        let path = run.games_path(number);
        let file = read_games(&path, &variant, number, config.seed).with_context(|| {
            format!(
                "cannot refill the replay buffer; to go on from an earlier iteration, write its \
                 number into {}",
                run.folder().join("latest").display()
            )
        })?;
        positions += file.games.iter().map(positions_of).sum::<usize>();
        newest.push_front(file.games);
        if positions >= config.replay.window {
            break;
        }
    }
    let mut buffer = Buffer::new(variant, &config.replay);
    newest.into_iter().for_each(|games| buffer.push(games));
    Ok(buffer)
}

/// The games of an iteration of this run.
fn read_games<G: Game>(
    path: &Path,
    variant: &Variant<G>,
    iteration: u64,
    seed: u64,
) -> Result<RecordFile> {
    let file = RecordFile::read_checked(path, variant)?;
    let (found, of) = (file.header.iteration, file.header.seed);
    ensure!(
        (found, of) == (iteration, seed),
        "{} holds the games of iteration {found} of a run of seed {of}, not of iteration \
         {iteration} of seed {seed}",
        path.display()
    );
    Ok(file)
}

/// A process killed between its checkpoint and its metrics leaves them to the next one.
fn append_missing_metrics(run: &Run, state: &State) -> Result<()> {
    let path = run.metrics_path();
    let there = metrics::read(&path).context("cannot read the metrics")?;
    let same = |a: &Value, b: &Value| a["iteration"] == b["iteration"] && a["phase"] == b["phase"];
    let is_missing = |line: &&Value| !there.iter().any(|other| same(other, line));
    let missing: Vec<Value> = state.metrics.iter().filter(is_missing).cloned().collect();
    if missing.is_empty() {
        return Ok(());
    }
    metrics::append(&path, &missing).context("cannot write the metrics")
}
