//! The learner's side: publishes the games of an iteration as tasks, and gathers them.

use std::collections::BTreeMap;
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant, SystemTime, UNIX_EPOCH};

use anyhow::{Context as _, Result, bail, ensure};
use async_nats::jetstream::consumer::pull::OrderedConfig;
use async_nats::jetstream::consumer::{AckPolicy, pull};
use async_nats::jetstream::message::PublishMessage;
use async_nats::jetstream::stream::{self, DiscardPolicy, RetentionPolicy, Stream};
use async_nats::jetstream::{Message, consumer};
use futures_util::StreamExt;
use tokio::time::timeout;

use super::blobs::Blobs;
use super::link::{Link, check_full};
use super::names::RunName;
use super::presence::{Heartbeat, Presence, RunEntry, host};
use super::wire::{self, Job, TASK_GAMES, Task, WORK, Work};
use crate::base::progress;
use crate::games::{Game, Variant};
use crate::nn::infer::EngineName;
use crate::runs::config::Config;
use crate::runs::digest::sha256;
use crate::selfplay::record::{GameRecord, Header, RecordFile};
use crate::selfplay::{self, Counters};
use crate::train::actors::{Actors, Games, SelfplayJob};

/// How long a worker may be silent before its tasks are given to others.
const ACK_WAIT: Duration = Duration::from_secs(30);

/// How often an interruption is looked for.
const TICK: Duration = Duration::from_millis(100);

/// The time from one attempt to reach the server to the next.
const PAUSE: Duration = Duration::from_secs(1);

/// The time without a game after which the learner looks what is wrong.
const PATIENCE: Duration = Duration::from_secs(15);

/// The largest size of the stream of games, in bytes.
const MAX_GAMES_BYTES: i64 = 1 << 30;

/// The largest size of the work queue, in bytes.
const MAX_TASKS_BYTES: i64 = 16 << 20;

/// The room of the object store, in bytes, besides several sets of weights.
const MAX_BLOBS_BYTES: i64 = 256 << 20;

/// What nobody asks for any more is removed after this time, should the learner never return.
const MAX_AGE: Duration = Duration::from_secs(7 * 24 * 3600);

/// The time within which the server recognises a message that was sent twice. The learner does so
/// at any time.
const DUPLICATES: Duration = Duration::from_secs(600);

/// Workers of a cluster as the place where games are played.
pub(crate) struct ClusterActors<G: Game> {
    link: Link,
    run: RunName,
    variant: Variant<G>,
    /// What the games depend on.
    config: Config,
    streams: Streams,
    presence: Presence,
    heartbeat: Heartbeat<RunEntry>,
    running: Option<Running>,
    /// Jobs whose games are still on the server, with the digests of their blobs.
    kept: Vec<Kept>,
    begun: Instant,
    waited: Duration,
}

/// A job whose games are on the server.
struct Kept {
    iteration: u64,
    job: String,
    blobs: Vec<String>,
}

/// A job in progress.
struct Running {
    digest: String,
    /// The job and what it names, by their digests.
    blobs: Vec<(String, Vec<u8>)>,
    header: Header,
    finished: BTreeMap<u64, GameRecord>,
    counters: Arc<Counters>,
    /// The number of the last publication of its missing games.
    attempt: u64,
    /// Whether the server has the job and the tasks of its missing games.
    is_published: bool,
}

/// Where things of the run are on the server.
struct Streams {
    tasks: Stream,
    games: Stream,
    blobs: Blobs,
}

impl<G: Game> ClusterActors<G> {
    /// Registers the run in `folder` on the server. With `any_engine`, workers whose CPU computes
    /// in another way are welcome, and the games may differ.
    ///
    /// # Errors
    ///
    /// If another run has this name, the engine is burn, or the server refuses.
    pub(crate) fn new(
        link: Link,
        run: RunName,
        variant: Variant<G>,
        config: &Config,
        folder: &Path,
        goal: u64,
        any_engine: bool,
    ) -> Result<Self> {
        let engine = if any_engine { EngineName::Auto } else { resolved(config)? };
        let config = wire::config_of_games(config, engine);
        let presence = link.wait(Presence::open(&link.jetstream))?;
        let entry = RunEntry {
            version: wire::version(),
            owner: owner(folder),
            host: host(),
            game: variant.name.to_owned(),
            engine: engine.text().to_owned(),
            iteration: 0,
            goal,
            games: config.selfplay.games,
            finished: 0,
            waiting: 0.0,
        };
        if let Some(other) = link.wait(presence.claim(&run.to_string(), &entry))? {
            bail!(
                "the server at {} has a run `{run}` already, by {}; choose another name with \\
                 --run DIR, or wait a minute if that one was stopped",
                link.address,
                other.host
            );
        }
        let streams = Streams::create(&link, &run)?;
        let (name, putting) = (run.to_string(), presence.clone());
        let heartbeat = Heartbeat::start(&link, entry, move |entry| {
            let (name, presence) = (name.clone(), putting.clone());
            async move { presence.put_run(&name, &entry).await }
        });
        Ok(Self {
            link,
            run,
            variant,
            config,
            streams,
            presence,
            heartbeat,
            running: None,
            kept: Vec::new(),
            begun: Instant::now(),
            waited: Duration::ZERO,
        })
    }

    /// A job and what it names, by their digests; the job is the first.
    fn described(&self, job: &SelfplayJob) -> Result<Vec<(String, Vec<u8>)>> {
        let named = |bytes: Vec<u8>| (sha256(&bytes), bytes);
        let weights = named(job.weights.bytes.to_vec());
        let past = self.past(job)?.map(named);
        let past_name = past.as_ref().map(|(name, _)| name.clone());
        let described = Job::new::<G>(&self.config, job, weights.0.clone(), past_name);
        let job = named(described.bytes());
        Ok([Some(job), Some(weights), past].into_iter().flatten().collect())
    }

    /// The file of earlier games, if games restart from them.
    fn past(&self, job: &SelfplayJob) -> Result<Option<Vec<u8>>> {
        if self.config.selfplay.restart_share <= 0.0 || job.past.is_empty() {
            return Ok(None);
        }
        let header = Header::new(&self.variant, job.iteration - 1, self.config.seed, 0);
        Some(RecordFile { header, games: job.past.to_vec() }.encode()).transpose()
    }

    /// Publishes the games of a job that are not finished.
    async fn publish(&self, running: &Running) -> Result<()> {
        let missing = missing(self.config.selfplay.games, &running.finished);
        let (subject, digest) = (self.run.tasks(), &running.digest);
        let mut sent = Vec::new();
        for (first, count) in missing {
            let task = Task { job: digest.clone(), first, count, attempt: running.attempt };
            let bytes = serde_json::to_vec(&task).expect("a task is plain values");
            let message = PublishMessage::build()
                .payload(bytes.into())
                .message_id(format!("{digest}.{first}.{count}.{}", running.attempt));
            sent.push(self.link.jetstream.send_publish(subject.clone(), message).await?);
        }
        for ack in sent {
            ack.await.map_err(|error| {
                let text = format!("{error:?}");
                check_full(&text, "tasks").err().unwrap_or_else(|| error.into())
            })?;
        }
        Ok(())
    }

    /// The games of a job that the server has, and will have.
    async fn messages(&self, digest: &str) -> Result<(u64, pull::Ordered)> {
        let config =
            OrderedConfig { filter_subject: self.run.games(digest), ..OrderedConfig::default() };
        let consumer: consumer::Consumer<OrderedConfig> =
            self.streams.games.create_consumer(config).await?;
        let there = consumer.cached_info().num_pending;
        Ok((there, consumer.messages().await?))
    }

    /// Takes a message with a game. What is no game of the job is said and dropped.
    fn take(&self, running: &mut Running, message: &Message) {
        let games = self.config.selfplay.games;
        match wire::read_game(&message.payload, &self.variant, &running.header, games) {
            Err(error) => progress::say(&format!("dropped what is no game of this run: {error:#}")),
            Ok(game) => {
                let work = message.headers.as_ref().and_then(|headers| headers.get(WORK));
                let work = work.and_then(|text| text.as_str().parse::<Work>().ok());
                if running.finished.insert(game.index, game).is_none() {
                    running.counters.games.fetch_add(1, Ordering::Relaxed);
                    work.unwrap_or_default().add_to(&running.counters);
                    let finished = running.finished.len() as u64;
                    self.heartbeat.change(|entry| entry.finished = finished);
                }
            }
        }
    }

    /// Puts the job on the server, takes its games that are there, and publishes the others.
    fn start(&self, running: &mut Running) -> Result<()> {
        self.link.wait(async {
            for (name, bytes) in &running.blobs {
                self.streams.blobs.put(name, bytes).await?;
            }
            // Tasks of a learner that was killed may be for games that are finished by now.
            self.streams.tasks.purge().await?;
            let (there, mut messages) = self.messages(&running.digest).await?;
            for _ in 0..there {
                let message = timeout(PATIENCE, messages.next()).await;
                let message = message.context("the server does not send its games")?;
                let Some(message) = message else { break };
                self.take(running, &message?);
            }
            running.attempt = new_attempt();
            self.publish(running).await
        })?;
        running.is_published = true;
        Ok(())
    }

    /// Gathers games until all are there, the flag is set, or the connection fails. Publishes the
    /// missing ones again if nobody has them.
    fn gather(&self, running: &mut Running, stop: &AtomicBool) -> Result<()> {
        if !running.is_published {
            self.start(running)?;
        }
        let total = self.config.selfplay.games;
        let (_, mut messages) = self.link.wait(self.messages(&running.digest))?;
        let mut last = Instant::now();
        while (running.finished.len() as u64) < total && !stop.load(Ordering::Relaxed) {
            match self.link.wait(async { timeout(TICK, messages.next()).await }) {
                Ok(Some(message)) => {
                    self.take(running, &message?);
                    last = Instant::now();
                }
                Ok(None) => bail!("the server has ended the stream of games"),
                Err(_) if last.elapsed() > PATIENCE => {
                    self.look_for_lost_games(running)?;
                    last = Instant::now();
                }
                Err(_) => {}
            }
        }
        Ok(())
    }

    /// Publishes the missing games again if no task is waiting or held by a worker.
    fn look_for_lost_games(&self, running: &mut Running) -> Result<()> {
        let state = self.link.wait(self.streams.tasks.get_info())?.state;
        let games = self.link.wait(self.streams.games.get_info())?;
        ensure!(
            games.state.bytes < MAX_GAMES_BYTES as u64 / 10 * 9,
            "the games of an iteration fill the stream of games on the server ({} MiB): lower \
             `selfplay.games`",
            games.state.bytes >> 20
        );
        if state.messages == 0 {
            running.is_published = false;
            self.start(running)?;
        } else if self.link.wait(self.presence.workers())?.is_empty() {
            progress::say(&format!(
                "no worker is there; start one with `tavoliere worker nats://{}`",
                self.link.address
            ));
        }
        Ok(())
    }

    /// As [`gather`](Self::gather), and goes on when the server was away, was full or has lost its
    /// streams.
    fn gather_patiently(&mut self, running: &mut Running, stop: &AtomicBool) {
        let mut said = String::new();
        while let Err(error) = self.gather(running, stop) {
            let line = format!("{error:#}; trying again");
            if stop.load(Ordering::Relaxed) {
                break;
            }
            if line != said {
                progress::say(&line);
                said = line;
            }
            std::thread::sleep(PAUSE);
            if let Ok(streams) = Streams::create(&self.link, &self.run) {
                self.streams = streams;
                running.is_published = false;
            }
        }
    }

    /// Removes the games and the blobs of jobs that nobody asks for again.
    async fn remove(&self, done: &[Kept]) -> Result<()> {
        for Kept { job, blobs, .. } in done {
            self.streams.games.purge().filter(self.run.games(job)).await?;
            for blob in blobs {
                if !self.kept.iter().any(|kept| kept.blobs.contains(blob)) {
                    self.streams.blobs.remove(blob).await?;
                }
            }
        }
        Ok(())
    }
}

impl<G: Game> Actors for ClusterActors<G> {
    fn begin(&mut self, job: SelfplayJob) -> Result<()> {
        let (iteration, seed) = (job.iteration, self.config.seed);
        let blobs = self.described(&job)?;
        let names: Vec<String> = blobs.iter().map(|(name, _)| name.clone()).collect();
        let digest = names[0].clone();
        self.kept.push(Kept { iteration, job: digest.clone(), blobs: names });
        let header = Header::new(&self.variant, iteration, seed, job.weights.checksum);
        let mut running = Running {
            digest,
            blobs,
            header,
            finished: BTreeMap::new(),
            counters: Arc::default(),
            attempt: 0,
            is_published: false,
        };
        self.heartbeat.change(|entry| (entry.iteration, entry.finished) = (iteration, 0));
        // If the server is away, it is tried again when the games are asked for.
        if let Err(error) = self.start(&mut running) {
            progress::say(&format!("{error:#}; it is tried again"));
        }
        self.running = Some(running);
        Ok(())
    }

    fn finish(&mut self, title: &str, interrupted: &AtomicBool) -> Result<Option<Games>> {
        let begun = Instant::now();
        let mut running = self.running.take().expect("a job was begun before");
        let counters = Arc::clone(&running.counters);
        let games = self.config.selfplay.games;
        selfplay::watch(games, title, &counters, || {
            self.gather_patiently(&mut running, interrupted);
        });
        self.waited += begun.elapsed();
        let waiting = self.waited.as_secs_f64() / self.begun.elapsed().as_secs_f64();
        self.heartbeat.change(|entry| entry.waiting = waiting);
        let records: Vec<GameRecord> = running.finished.into_values().collect();
        Ok((records.len() as u64 == games).then_some(Games { records, counters }))
    }

    fn committed(&mut self, iteration: u64) -> Result<()> {
        let (done, kept): (Vec<_>, Vec<_>) =
            std::mem::take(&mut self.kept).into_iter().partition(|it| it.iteration <= iteration);
        self.kept = kept;
        // What cannot be removed now is removed after the next iteration, or by its age.
        if self.link.wait(self.remove(&done)).is_err() {
            self.kept.extend(done);
        }
        Ok(())
    }

    fn close(&mut self, is_done: bool) -> Result<()> {
        self.link.wait(async {
            let jetstream = &self.link.jetstream;
            self.presence.remove_run(&self.run.to_string()).await?;
            if is_done {
                jetstream.delete_stream(self.run.tasks_stream()).await?;
                jetstream.delete_stream(self.run.games_stream()).await?;
                jetstream.delete_object_store(self.run.bucket()).await?;
            } else {
                // Nobody needs to play on. The finished games stay for the learner's return.
                self.streams.tasks.purge().await?;
            }
            Ok(())
        })
    }
}

impl Streams {
    fn create(link: &Link, run: &RunName) -> Result<Self> {
        let tasks = stream::Config {
            name: run.tasks_stream(),
            subjects: vec![run.tasks()],
            retention: RetentionPolicy::WorkQueue,
            max_bytes: MAX_TASKS_BYTES,
            max_message_size: wire::MAX_TASK as i32 * 2,
            ..limited()
        };
        let games = stream::Config {
            name: run.games_stream(),
            subjects: vec![run.games("*")],
            max_bytes: MAX_GAMES_BYTES,
            ..limited()
        };
        let create = async |config: stream::Config| {
            let name = config.name.clone();
            let created = link.jetstream.get_or_create_stream(config).await;
            created.map_err(|error| {
                let full = check_full(&format!("{error:?}"), &name).err();
                full.unwrap_or_else(|| {
                    anyhow::Error::new(error).context(format!("cannot create {name}"))
                })
            })
        };
        let (tasks, games) = link
            .wait(async { Ok::<_, anyhow::Error>((create(tasks).await?, create(games).await?)) })?;
        let workers = pull::Config {
            durable_name: Some(CONSUMER.to_owned()),
            ack_policy: AckPolicy::Explicit,
            ack_wait: ACK_WAIT,
            max_ack_pending: 100_000,
            ..pull::Config::default()
        };
        link.wait(tasks.get_or_create_consumer(CONSUMER, workers))
            .context("cannot create the workers' end of the queue of tasks")?;
        Ok(Self { tasks, games, blobs: Blobs::create(link, run, MAX_BLOBS_BYTES)? })
    }
}

/// The end of the work queue that all workers of a run share.
pub(super) const CONSUMER: &str = "workers";

/// How often a worker tells the server that it still plays the games of a task.
pub(super) const STILL_PLAYING: Duration = Duration::from_secs(10);

fn limited() -> stream::Config {
    stream::Config {
        discard: DiscardPolicy::New,
        max_age: MAX_AGE,
        duplicate_window: DUPLICATES,
        num_replicas: 1,
        ..stream::Config::default()
    }
}

/// The games that are missing, as ranges of at most [`TASK_GAMES`].
fn missing(games: u64, finished: &BTreeMap<u64, GameRecord>) -> Vec<(u64, u64)> {
    let mut ranges: Vec<(u64, u64)> = Vec::new();
    for index in (0..games).filter(|index| !finished.contains_key(index)) {
        match ranges.last_mut() {
            Some((first, count)) if *first + *count == index && *count < TASK_GAMES => *count += 1,
            _ => ranges.push((index, 1)),
        }
    }
    ranges
}

/// The engine of self-play on this CPU.
fn resolved(config: &Config) -> Result<EngineName> {
    let path = config.inference.engine.path()?;
    let path = path.context("workers do not play by the engine `burn`; choose another")?;
    let named = EngineName::ALL.into_iter().find(|engine| engine.text() == path.text());
    named.context("every instruction set is an engine")
}

/// A number that no attempt had before.
fn new_attempt() -> u64 {
    let time = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
    time.as_nanos() as u64
}

/// A number of the folder on this computer.
fn owner(folder: &Path) -> String {
    let whole = folder.canonicalize().unwrap_or_else(|_| folder.to_owned());
    sha256(format!("{}:{}", host(), whole.display()).as_bytes())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::games::Outcome;

    fn record(index: u64) -> (u64, GameRecord) {
        let outcome = Outcome::Draw;
        let (plies, resigned, played_out, choices) = (0, false, false, Vec::new());
        (index, GameRecord { index, choices, outcome, plies, resigned, played_out })
    }

    #[test]
    fn missing_games_are_published_in_ranges() {
        assert_eq!(missing(0, &BTreeMap::new()), []);
        assert_eq!(missing(20, &BTreeMap::new()), [(0, 8), (8, 8), (16, 4)]);
        let finished = [0, 1, 5, 19].map(record).into();
        assert_eq!(missing(20, &finished), [(2, 3), (6, 8), (14, 5)]);
        assert_eq!(missing(4, &[0, 1, 2, 3].map(record).into()), []);
    }
}
