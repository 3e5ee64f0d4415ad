//! The training loop: iterations of self-play, training, checkpoint and evaluation.

mod evaluate;
mod learn_summary;
mod length;
mod origin;
mod report;
mod reporter;
mod resume;
mod selfplay_summary;
mod space;

use std::path::Path;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use anyhow::{Context, Result};
use burn::tensor::Device;
use serde_json::{Value, json};

use crate::base::cores::Watch;
use crate::base::progress;
use crate::base::rng::{Purpose, stream};
use crate::nn::Batch;
use crate::nn::burn_net::{self, Learner};
use crate::registry::Variant;
use crate::runs::checkpoint::{Run, RunInfo, RunState};
use crate::runs::config::{Config, history};
use crate::runs::metrics;
use crate::runs::pruning::Pruner;
use crate::selfplay;
use crate::selfplay::held_out::{self, Losses};
use crate::selfplay::record::{Header, RecordFile};
use crate::selfplay::replay::Buffer;
use crate::train::actors::{Actors, Games, SelfplayJob, Weights};
use crate::train::alarms::{self, AlarmReport, History, Notice};
use crate::train::card;
use crate::train::clock::{Allowance, Clock};
use learn_summary::LearnSummary;
use origin::Origin;
pub(crate) use origin::initial_network;
use report::Console;
use reporter::Reporter;
use resume::{append_iteration, checkpoint_of};
use selfplay_summary::SelfplaySummary;

/// Number of new positions on which the fresh losses are measured.
const HELD_OUT: usize = 1024;

/// When a training stops.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Stop<'a> {
    /// Stop after this iteration, counted from the start of the run, instead of the config's last.
    pub iterations: Option<u64>,
    /// The time of the run, which its schedules span instead of the config's iterations.
    pub time: Option<Allowance>,
    /// Stop after this time of the run.
    pub stage: Option<Duration>,
    /// When this process began.
    pub begun: Instant,
    /// Stop as soon as this is set; the current iteration is discarded.
    pub interrupted: Option<&'a AtomicBool>,
}

/// Why a training ended.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Ended {
    /// All iterations are done.
    Finished,
    /// The time is up.
    TimeUp,
    /// It was interrupted.
    Interrupted,
}

/// Starts a run in `folder`, or resumes the one that is there. The network is on `device`; the
/// checkpoints resume on any device. `actors` says where games are played, once the folder is
/// there. `is_verbose` adds a line of speeds to each iteration and of the CPU's instructions.
///
/// # Errors
///
/// If the run in the folder does not match the config, is damaged or cannot be written; if the
/// device lacks the configured precision; if the initial weights cannot be loaded; or if the
/// training diverges.
pub(crate) fn train(
    variant: Variant,
    config: &Config,
    folder: &Path,
    device: &Device,
    actors: impl FnOnce() -> Result<Box<dyn Actors>>,
    stop: Stop<'_>,
    is_verbose: bool,
) -> Result<Ended> {
    burn_net::float(config.inference.precision, device)?;
    evaluate::check_panel(config)?;
    let init_from = config.init_from.clone();
    let info = RunInfo { init_from, ..RunInfo::new(&variant, config.seed, config.network) };
    let origin = Origin::of_new_run(folder, config)?;
    let (run, _lock) = Run::begin(folder, &info)?;
    let mut trainer =
        Trainer::start_or_resume(variant, config, run, device, actors, &stop, origin)?;
    trainer.console.is_verbose = is_verbose;
    trainer.console.instructions();
    let never = AtomicBool::new(false);
    let interrupted = stop.interrupted.unwrap_or(&never);
    let mut ended = loop {
        if !trainer.evaluate(interrupted)? {
            break Ended::Interrupted;
        }
        trainer.prune()?;
        if let Some(ended) = trainer.ended() {
            break ended;
        }
        if !trainer.iterate(interrupted)? {
            break Ended::Interrupted;
        }
    };
    // Games of an iteration that does not come are not waited for.
    trainer.playing = None;
    trainer.actors.abandon();
    if ended != Ended::Interrupted && !trainer.evaluate_at_end(interrupted)? {
        ended = Ended::Interrupted;
    }
    trainer.actors.close(ended != Ended::Interrupted)?;
    trainer.reporter.finish()?;
    trainer.keep_length(ended)?;
    let has_card =
        ended != Ended::Interrupted && config.evaluation.every > 0 && trainer.state.iteration > 0;
    let card = if has_card { trainer.make_card() } else { Ok(()) };
    let time = trainer.clock.map(|clock| clock.whole());
    let is_more = matches!(stop.time, Some(Allowance::More(_)));
    trainer.console.finish(ended, &trainer.state, trainer.goal, time, is_more, folder);
    // All else is done and said. The same command tries the card again.
    card.context("cannot make the card of the run")?;
    Ok(ended)
}

/// A training in progress.
struct Trainer<'a> {
    variant: Variant,
    config: &'a Config,
    run: Run,
    /// The iteration after which the training stops; where its time is limited, the one expected to
    /// be the last.
    goal: u64,
    /// The last iteration that is wanted, if one was named.
    last_wanted: Option<u64>,
    /// The time of the run, if it is limited.
    clock: Option<Clock>,
    learner: Learner,
    buffer: Buffer,
    state: RunState,
    /// The newest weights.
    weights: Weights,
    /// The last iteration of those that were abandoned when the run was set back to an earlier
    /// checkpoint. The next iteration supersedes them.
    abandoned: Option<u64>,
    actors: Box<dyn Actors>,
    /// The job that the actors play.
    playing: Option<SelfplayJob>,
    /// Where the network is.
    device: Device,
    /// The metrics of the newest iterations.
    history: History,
    /// What the run's pruning depends on.
    pruner: Pruner,
    /// The first iteration of this process.
    first: u64,
    /// Duration of the last iteration.
    last: Duration,
    /// Duration of the last evaluation.
    spent_on_evaluation: Duration,
    /// When it ended.
    evaluated: Option<Instant>,
    console: Console,
    reporter: Reporter,
}

impl Trainer<'_> {
    /// Runs one iteration: games, training steps, checkpoint. Returns false if it was interrupted
    /// and discarded.
    fn iterate(&mut self, interrupted: &AtomicBool) -> Result<bool> {
        let (begun, threads) = (Instant::now(), rayon::current_num_threads());
        let iteration = self.state.iteration + 1;
        self.reporter.enter("selfplay", iteration);
        let watch = Watch::begin();
        let job = match self.playing.take() {
            Some(job) => job,
            None => self.begin(iteration)?,
        };
        let title = format!("{iteration}/{} self-play", self.goal);
        let games = self.actors.finish(&title, interrupted)?;
        let Some(Games { records: games, counters }) = games else { return Ok(false) };
        let played = SelfplaySummary::new(&games, &counters, self.variant, self.config, &job);
        let playing = watch.spent(threads);

        let header = Header::new(&self.variant, iteration, self.config.seed, job.weights.checksum);
        let file = RecordFile { header, games };
        file.write(&self.run.games_path(iteration))?;
        let positions = self.state.positions + played.positions as u64;
        self.buffer.resize(self.config.replay.window_after(positions));
        self.buffer.push(file.games);
        let fresh = self.fresh_losses(iteration)?;
        if self.config.train.lag > 0 && iteration < self.goal {
            self.playing = Some(self.begin(iteration + 1)?);
        }
        self.reporter.enter("learn", iteration);
        let watch = Watch::begin();
        let Some(learnt) = self.learn(iteration, interrupted)? else { return Ok(false) };
        let learning = watch.spent(threads);

        let metrics =
            [played.metrics(playing), learnt.metrics(learning, self.buffer.positions(), fresh)];
        let changes = self.conclude(iteration, metrics, &played, &learnt, begun)?;
        self.last = begun.elapsed();
        self.expect_end();
        let left = self.clock.map(|clock| clock.left());
        let spent = [playing, learning];
        self.console.line(&self.state, self.goal, left, &played, &learnt, spent);
        changes.iter().for_each(|notice| self.console.alarm(iteration, notice));
        if iteration == self.first {
            self.tell_space();
        }
        Ok(true)
    }

    /// Checks the alarms and writes the checkpoint and the metrics of an iteration. Returns the
    /// alarms that were raised or ended.
    fn conclude(
        &mut self,
        iteration: u64,
        metrics: [Value; 2],
        played: &SelfplaySummary,
        learnt: &LearnSummary,
        begun: Instant,
    ) -> Result<Vec<Notice>> {
        let [selfplay, mut learn] = metrics;
        self.history.add(iteration, selfplay.clone(), learn.clone());
        let AlarmReport { in_force, changes } = alarms::check(&self.history);
        learn["alarms"] = json!(in_force);
        self.history.set_alarms(in_force);
        self.state = RunState {
            iteration,
            steps: self.state.steps + learnt.steps,
            games: self.state.games + played.games as u64,
            positions: self.state.positions + played.positions as u64,
            seconds: self.state.seconds + begun.elapsed().as_secs_f64(),
            metrics: vec![
                metrics::line(iteration, "selfplay", selfplay),
                metrics::line(iteration, "learn", learn),
            ],
        };
        if self.abandoned.is_some() {
            history::forget_after(&self.run, iteration - 1)?;
        }
        let checkpoint = checkpoint_of(&self.learner, self.state.clone())?;
        self.run.commit(&checkpoint)?;
        self.weights = Weights::new(&checkpoint.weights);
        self.actors.committed(iteration)?;
        append_iteration(&self.run, &self.state.metrics, self.abandoned.take())?;
        self.pruner.played(iteration, played.positions as u64);
        Ok(changes)
    }

    /// Begins to play the games of an iteration.
    fn begin(&mut self, iteration: u64) -> Result<SelfplayJob> {
        let settings = &self.config.selfplay;
        let job = SelfplayJob {
            iteration,
            weights: self.weights_after(self.config.train.playing(iteration))?,
            past: self.buffer.newest(),
            resign_below: selfplay::threshold(&self.variant, self.buffer.games(), settings),
        };
        self.actors.begin(job.clone())?;
        Ok(job)
    }

    /// Writes and shows the card of the run.
    fn make_card(&self) -> Result<()> {
        let card = card::make(&self.run)?;
        card.write(&self.run)?;
        self.console.card(&card);
        Ok(())
    }

    /// The weights after an iteration.
    fn weights_after(&self, iteration: u64) -> Result<Weights> {
        if iteration == self.state.iteration {
            return Ok(self.weights.clone());
        }
        let weights = self.run.weights(iteration);
        let weights = weights.context(
            "`train.lag` needs older weights than the newest; to do without, resume with \
             --set train.lag=0",
        )?;
        Ok(Weights::new(&weights))
    }

    /// The held-out losses of the newest weights, on positions of the newest games; called before
    /// the network is trained on them.
    fn fresh_losses(&self, iteration: u64) -> Result<Option<Losses>> {
        let network = self.weights.evaluator(self.config, &self.device)?;
        let mut rng = stream(self.config.seed, iteration, 0, Purpose::HeldOut);
        let examples = self.buffer.newest_examples(HELD_OUT, &mut rng);
        let threads = if self.config.selfplay.queue { 1 } else { rayon::current_num_threads() };
        Ok(held_out::losses(&mut vec![network; threads], &examples))
    }

    /// Trains for the number of steps that `replay.reuse` gives for the new positions. `None` if
    /// interrupted.
    fn learn(&mut self, iteration: u64, stop: &AtomicBool) -> Result<Option<LearnSummary>> {
        let (settings, done) = (&self.config.learner, self.done());
        let drawn = self.buffer.newest_positions() as f32 * self.config.replay.reuse;
        let wanted = (drawn / settings.batch as f32).ceil().max(1.0) as u64;
        // The buffer has no positions to train on if all games ended within their openings.
        let steps = if self.buffer.positions() == 0 { 0 } else { wanted };
        let mut learnt = LearnSummary::new(steps, settings.batch);
        let name = format!("{iteration}/{} training", self.goal);
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
            learnt.rate = settings.rate(self.state.steps + step, done);
            // One thread samples the next batch while the others train on this one.
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
