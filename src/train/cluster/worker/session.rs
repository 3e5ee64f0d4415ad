//! A worker's session: the games of one job after another, for one run.

use std::cell::Cell;
use std::collections::{BTreeMap, BTreeSet};
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;
use std::time::Duration;

use anyhow::{Context as _, Result, ensure};
use async_nats::jetstream::consumer::{Consumer, pull};
use async_nats::jetstream::message::{AckKind, PublishMessage};
use tokio::sync::mpsc::{UnboundedReceiver, unbounded_channel};
use tokio::time::{Instant, interval, sleep, timeout};

use super::held_games::HeldGames;
use super::queue::{Held, Queue, acked, give_back};
use crate::base::parallel::spawn;
use crate::base::progress;
use crate::nn::burn_net::cpu;
use crate::registry::Variant;
use crate::runs::config::Config;
use crate::search::Cache;
use crate::selfplay::record::{GameRecord, Header, RecordFile};
use crate::selfplay::{self, Assignment, IterationJob};
use crate::train::actors::{SelfplayEvaluator, SelfplayJob, Weights};
use crate::train::cluster::blobs::Blobs;
use crate::train::cluster::link::Link;
use crate::train::cluster::names::RunName;
use crate::train::cluster::presence::{Heartbeat, Presence, WorkerEntry};
use crate::train::cluster::streams::STILL_PLAYING;
use crate::train::cluster::wire::{
    Job, JobKind, MAX_BLOB, MAX_JOB, SentSelfplay, TASK_GAMES, WORK, Work,
};

/// The time from a failure of the server to the next attempt.
pub(super) const PAUSE: Duration = Duration::from_secs(1);

/// How often the worker looks whether it needs tasks or has to stop.
pub(super) const TICK: Duration = Duration::from_millis(50);

/// How long a worker with other runs to serve stays without work.
const IDLE: Duration = Duration::from_secs(4);

/// The most attempts to publish a game. An attempt at a server that is away takes about ten
/// seconds, so that it may be away for an hour.
const ATTEMPTS: u32 = 360;

/// A session for a run.
pub(super) struct Session<'a> {
    pub link: &'a Link,
    pub presence: &'a Presence,
    pub heartbeat: &'a Heartbeat<WorkerEntry>,
    pub run: &'a RunName,
    pub tasks: &'a Consumer<pull::Config>,
    pub threads: usize,
    /// Whether this is the only run, so that there is no hurry to leave it.
    pub is_alone: bool,
    pub stop: &'a AtomicBool,
    /// The cache of the last job of self-play, with its size in MiB and the number of actions.
    pub cache: Cell<Option<((u32, usize), Cache)>>,
}

impl Session<'_> {
    /// Plays the games of one job after another until there are no more tasks.
    pub(super) fn play(&self) -> Result<()> {
        let mut queue = Queue::new(self.tasks.clone());
        let played = self.play_jobs(&mut queue);
        self.link.wait(queue.close());
        played
    }

    fn play_jobs(&self, queue: &mut Queue) -> Result<()> {
        let blobs = self.link.wait(Blobs::open(self.link, self.run))?;
        let mut next = self.first_tasks(queue)?;
        while let Some(held) = next.first() {
            let digest = held.task.job.clone();
            let bytes = self.link.wait(blobs.get(&digest, MAX_JOB));
            let played = bytes.and_then(|bytes| Job::read(&bytes)).and_then(|job| {
                let first = std::mem::take(&mut next);
                match &job.kind {
                    JobKind::Selfplay(sent) => self.play_games(sent, &blobs, first, queue),
                    JobKind::Match(sent) => self.play_match(sent, &blobs, first, queue),
                }
            });
            next = played.inspect_err(|_| self.give_back(&next))?;
        }
        Ok(())
    }

    /// Plays games of self-play, beginning with the first tasks. Returns tasks of another job, if
    /// some came.
    fn play_games(
        &self,
        sent: &SentSelfplay,
        blobs: &Blobs,
        first: Vec<Held>,
        queue: &mut Queue,
    ) -> Result<Vec<Held>> {
        let config = sent.checked_config().inspect_err(|_| self.give_back(&first))?;
        self.play_job(&config.variant()?, &config, sent, blobs, first, queue)
    }

    /// Waits for a task, not for long if there are other runs.
    pub(super) fn first_tasks(&self, queue: &mut Queue) -> Result<Vec<Held>> {
        loop {
            queue.ask(1);
            let held = self.link.wait(queue.next())?;
            if held.is_some() || self.stop.load(Ordering::Relaxed) || !self.is_alone {
                return Ok(held.into_iter().collect());
            }
            // The run may be over, or others may have come.
            if self.link.wait(self.presence.runs())?.len() != 1 {
                return Ok(Vec::new());
            }
        }
    }

    pub(super) fn give_back<'a>(&self, tasks: impl IntoIterator<Item = &'a Held>) {
        tasks.into_iter().for_each(|held| self.link.wait(give_back(held)));
    }

    fn play_job(
        &self,
        variant: &Variant,
        config: &Config,
        job: &SentSelfplay,
        blobs: &Blobs,
        first: Vec<Held>,
        queue: &mut Queue,
    ) -> Result<Vec<Held>> {
        let fetched = self.link.wait(fetched(variant, config, job, blobs));
        let (job, evaluator) = fetched.inspect_err(|_| self.give_back(&first))?;
        let cache = self.empty_cache(config.search.cache_mib, variant.spec().actions());
        let header = Header::new(variant, job.iteration, config.seed, job.weights.checksum);
        let borrowed = job.borrowed(variant, config, &cache);
        let played = self.with_threads(&borrowed, evaluator, &header, first, queue);
        let size = (config.search.cache_mib, variant.spec().actions());
        self.cache.set(Some((size, cache)));
        played
    }

    /// A cache without evaluations: that of the job before, if it has this size. Its memory is
    /// there already, which takes time otherwise.
    fn empty_cache(&self, mebibytes: u32, actions: usize) -> Cache {
        match self.cache.take() {
            Some((size, mut cache)) if size == (mebibytes, actions) => {
                cache.renew();
                cache
            }
            _ => Cache::new(mebibytes, actions),
        }
    }

    /// Starts the threads that play, and exchanges tasks and games with the server meanwhile.
    fn with_threads(
        &self,
        job: &IterationJob<'_>,
        evaluator: SelfplayEvaluator,
        header: &Header,
        first: Vec<Held>,
        queue: &mut Queue,
    ) -> Result<Vec<Held>> {
        let (sender, finished) = unbounded_channel();
        let board = HeldGames::new(sender);
        thread::scope(|scope| {
            let mut evaluators = vec![evaluator; self.threads];
            let played = &board;
            spawn(scope, move || selfplay::play_assigned(job, played, &mut evaluators));
            let mut exchange = ServerExchange {
                session: self,
                queue,
                board: &board,
                sent: Work::default(),
                header,
                job: first[0].task.job.clone(),
                limit: self.threads * job.settings.batch,
                games: job.settings.games,
                held: BTreeMap::new(),
                in_hand: BTreeSet::new(),
                next: Vec::new(),
            };
            first.into_iter().for_each(|held| exchange.hold(held));
            let done = self.link.wait(exchange.run(finished));
            if done.is_ok() && !self.stop.load(Ordering::Relaxed) {
                board.close();
            } else {
                board.abandon();
                let held = exchange.held.values().chain(&exchange.next);
                self.give_back(held);
                exchange.next.clear();
            }
            done.map(|()| exchange.next)
        })
    }

    /// The number of games to hold, of all those of a job: enough to fill the batches, which
    /// `limit` games do, but no more than half of our part, so that all workers are done at about
    /// the same time.
    pub(super) async fn share(&self, games: u64, limit: usize) -> usize {
        let mine = self.threads as u64;
        let run = self.run.to_string();
        let entry =
            timeout(TICK, self.presence.run(&run)).await.ok().and_then(Result::ok).flatten();
        let all = entry.map_or(mine, |entry| entry.threads.max(mine));
        let part = if all > mine { games * mine / all / 2 } else { games };
        (part as usize).clamp(TASK_GAMES as usize, limit.max(TASK_GAMES as usize))
    }

    /// Sends a message with games of a job until the server has it.
    pub(super) async fn send(&self, job: &str, message: PublishMessage) -> Result<()> {
        let subject = self.run.games(job);
        for attempt in 1.. {
            let sent = async {
                let ack = self.link.jetstream.send_publish(subject.clone(), message.clone());
                ack.await?.await
            };
            let Err(error) = sent.await else { break };
            let stopped = self.stop.load(Ordering::Relaxed) || attempt == ATTEMPTS;
            ensure!(!stopped, "a game could not be published: {error}");
            if attempt == 1 {
                progress::say(&format!("a game could not be published: {error}; trying again"));
            }
            sleep(PAUSE).await;
        }
        Ok(())
    }
}

/// Fetches what a job names, and makes its evaluator.
async fn fetched(
    variant: &Variant,
    config: &Config,
    job: &SentSelfplay,
    blobs: &Blobs,
) -> Result<(SelfplayJob, SelfplayEvaluator)> {
    ensure!(
        job.rules_version == variant.rules_version(),
        "the learner has version {} of the rules of {}, this worker has {}",
        job.rules_version,
        variant.name,
        variant.rules_version()
    );
    let weights = Weights::new(&blobs.get(&job.weights, MAX_BLOB).await?);
    let past = match &job.past {
        None => Vec::new(),
        Some(past) => {
            let file = RecordFile::decode(&blobs.get(past, MAX_BLOB).await?)?;
            file.check(variant).context("the earlier games")?;
            file.games
        }
    };
    let (iteration, resign_below) = (job.iteration, job.resign_below());
    let job = SelfplayJob { iteration, weights, past: past.into(), resign_below };
    let evaluator = SelfplayEvaluator::new(&job, variant, config, &cpu())?;
    Ok((job, evaluator))
}

/// The exchange with the server while threads play the games of a job.
struct ServerExchange<'a> {
    session: &'a Session<'a>,
    queue: &'a mut Queue,
    board: &'a HeldGames,
    /// The work that the server was told of.
    sent: Work,
    header: &'a Header,
    /// The digest of the job.
    job: String,
    /// The most games that fill the batches of all threads.
    limit: usize,
    /// The games of the iteration.
    games: u64,
    /// The tasks by their first games and their sizes.
    held: BTreeMap<(u64, u64), Held>,
    /// The games to start and in progress.
    in_hand: BTreeSet<u64>,
    /// Tasks of the next job.
    next: Vec<Held>,
}

impl ServerExchange<'_> {
    /// Takes a task, or keeps it for later if it is of another job.
    fn hold(&mut self, held: Held) {
        if held.task.job != self.job {
            self.next.push(held);
            return;
        }
        // The learner may publish games again that are in progress here.
        let new: Vec<u64> =
            held.left.iter().copied().filter(|game| self.in_hand.insert(*game)).collect();
        self.board.add(new.into_iter());
        // The server may have given us up, and give a task to us again.
        self.held.insert((held.task.first, held.task.count), held);
    }

    /// Plays until there are no more tasks of this job.
    async fn run(&mut self, mut finished: UnboundedReceiver<GameRecord>) -> Result<()> {
        let mut alive = interval(STILL_PLAYING);
        let mut share = self.session.share(self.games, self.limit).await;
        let (mut idle, mut begun, mut played) = (Instant::now(), Instant::now(), 0_u64);
        loop {
            let stop = self.session.stop.load(Ordering::Relaxed);
            if stop || (self.held.is_empty() && self.is_over(idle)) {
                return Ok(());
            }
            ensure!(!self.board.is_stopped(), "a thread that played has panicked");
            self.ask(share);
            tokio::select! {
                game = finished.recv() => {
                    let Some(game) = game else { return Ok(()) };
                    self.publish(game).await?;
                    played += 1;
                    idle = Instant::now();
                }
                _ = alive.tick() => {
                    for held in self.held.values() {
                        // If the server is away, it will give the task to others.
                        let _ = held.message.ack_with(AckKind::Progress).await;
                    }
                    share = self.session.share(self.games, self.limit).await;
                    self.report(played, begun.elapsed());
                    (begun, played) = (Instant::now(), 0);
                }
                held = self.queue.next() => match held {
                    Ok(None) => {}
                    Ok(Some(held)) => {
                        self.hold(held);
                        idle = Instant::now();
                    }
                    Err(error) if self.held.is_empty() => return Err(error),
                    // What is in hand is finished first, whatever became of the queue.
                    Err(_) => sleep(PAUSE).await,
                },
                () = sleep(TICK) => {}
            }
        }
    }

    /// Whether to leave the job: a task of another one is there, or nothing comes any more.
    fn is_over(&self, idle: Instant) -> bool {
        !self.next.is_empty()
            || (!self.session.is_alone && idle.elapsed() > IDLE)
            || idle.elapsed() > 15 * IDLE
    }

    /// Asks for tasks if there is room for their games.
    fn ask(&mut self, share: usize) {
        let room = share.saturating_sub(self.board.len()) as u64 / TASK_GAMES;
        if self.next.is_empty() && (room > 0 || self.held.is_empty()) {
            self.queue.ask(room.max(1) as usize);
        }
    }

    /// Tells what was played in the last period.
    fn report(&self, played: u64, time: Duration) {
        let held = self.board.len() as u64;
        self.session.heartbeat.change(|worker| {
            worker.held = held;
            worker.games += played;
            worker.games_per_s = played as f64 / time.as_secs_f64().max(1e-3);
        });
    }

    /// Publishes a finished game; once the server has all games of its task, it is told so.
    async fn publish(&mut self, game: GameRecord) -> Result<()> {
        let index = game.index;
        let file = RecordFile { header: self.header.clone(), games: vec![game] };
        let now = Work::of(self.board.counters());
        let work = now.since(std::mem::replace(&mut self.sent, now));
        let having = self.held.values().filter(|held| held.left.contains(&index));
        let attempt = having.map(|held| held.task.attempt).max().unwrap_or_default();
        let message = PublishMessage::build()
            .payload(file.encode()?.into())
            .message_id(format!("{}.{index}.{attempt}", self.job))
            .header(WORK, work.text().as_str());
        self.session.send(&self.job, message).await?;
        self.in_hand.remove(&index);
        for held in self.held.values_mut() {
            if held.left.remove(&index) && held.left.is_empty() {
                acked(&held.message, AckKind::Ack).await?;
            }
        }
        self.held.retain(|_, held| !held.left.is_empty());
        Ok(())
    }
}
