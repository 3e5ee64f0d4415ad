//! Gives the games of a job to workers, and gathers what they send back.

use std::collections::BTreeMap;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, PoisonError};
use std::time::{Duration, Instant, SystemTime, UNIX_EPOCH};

use anyhow::{Context as _, Result, bail, ensure};
use async_nats::jetstream::Message;
use async_nats::jetstream::consumer::pull::OrderedConfig;
use async_nats::jetstream::consumer::{self, pull};
use async_nats::jetstream::message::PublishMessage;
use async_nats::jetstream::stream::Stream;
use futures_util::StreamExt;
use tokio::sync::oneshot;
use tokio::time::timeout;

use super::blobs::Blob;
use super::link::{Link, check_full};
use super::names::RunName;
use super::presence::{Heartbeat, Presence, RunEntry, WorkerEntry};
use super::streams::{MAX_GAMES_BYTES, Streams};
use super::wire::{Job, Task};
use crate::base::progress;
use crate::runs::activity::{ClusterActivity, WorkerActivity};
use crate::train::actors::ClusterWatch;

/// How often an interruption is looked for.
const TICK: Duration = Duration::from_millis(100);

/// The time from one attempt to reach the server to the next.
const PAUSE: Duration = Duration::from_secs(1);

/// The time without a game after which the learner looks what is wrong.
const PATIENCE: Duration = Duration::from_secs(15);

/// The time from one look for workers to the next.
const LOOK: Duration = Duration::from_secs(3);

/// A run on the server, as its learner sees it.
pub(super) struct Dispatcher {
    link: Link,
    run: RunName,
    streams: Streams,
    presence: Presence,
    heartbeat: Arc<Heartbeat<RunEntry>>,
    /// What is known of the workers.
    watch: ClusterWatch,
    /// Ends to look for workers when it is dropped.
    _end: oneshot::Sender<()>,
    /// Jobs whose games are still on the server.
    kept: Vec<Kept>,
    /// The number of orders that were begun and are not gathered.
    in_progress: usize,
}

/// A job whose games are on the server.
struct Kept {
    /// Until when: a number that the owner gives.
    label: u64,
    job: String,
    blobs: Vec<String>,
}

/// A job in progress, whose games are `T`.
pub(super) struct Order<T> {
    /// The digest of the job.
    digest: String,
    /// The job and what it names.
    blobs: Vec<Blob>,
    /// The number of games.
    count: u64,
    /// The most games of a task.
    part: u64,
    read: Reader<T>,
    finished: BTreeMap<u64, T>,
    /// The number of the last publication of its missing games.
    attempt: u64,
    /// Whether the server has the job and the tasks of its missing games.
    is_published: bool,
}

/// Reads a game and its number from what a worker sent.
pub(super) type Reader<T> = Arc<dyn Fn(&[u8]) -> Result<(u64, T)> + Send + Sync>;

/// What is called for each game of an order that was not there before, with the number of finished
/// ones.
pub(super) type News<'a> = &'a (dyn Fn(&Message, u64) + Sync);

impl<T> Order<T> {
    /// An order for `count` games of a job that names these blobs, in tasks of at most `part`.
    pub(super) fn new(job: &Job, named: Vec<Blob>, count: u64, part: u64, read: Reader<T>) -> Self {
        let job = Blob::new(job.bytes());
        let digest = job.name.clone();
        let blobs = std::iter::once(job).chain(named).collect();
        let (finished, attempt, is_published) = (BTreeMap::new(), 0, false);
        Self { digest, blobs, count, part, read, finished, attempt, is_published }
    }

    /// The games by their numbers, if all are there.
    pub(super) fn complete(self) -> Option<Vec<T>> {
        let is_complete = self.is_complete();
        is_complete.then(|| self.finished.into_values().collect())
    }

    /// The games by their numbers; those that are not there are `None`.
    pub(super) fn into_games(mut self) -> Vec<Option<T>> {
        (0..self.count).map(|index| self.finished.remove(&index)).collect()
    }

    /// The number of games that are there.
    pub(super) fn finished(&self) -> u64 {
        self.finished.len() as u64
    }

    fn is_complete(&self) -> bool {
        self.finished.len() as u64 == self.count
    }

    /// Takes a message with a game. What is no game of the job is said and dropped.
    fn take(&mut self, message: &Message, news: News<'_>) {
        match (self.read)(&message.payload) {
            Err(error) => progress::say(&format!("dropped what is no game of this run: {error:#}")),
            Ok((index, game)) => {
                if index < self.count && self.finished.insert(index, game).is_none() {
                    news(message, self.finished.len() as u64);
                }
            }
        }
    }

    /// The tasks of the games that are missing.
    fn tasks(&self) -> impl Iterator<Item = Task> {
        let ranges = missing(self.count, self.part, |index| self.finished.contains_key(&index));
        let (job, attempt) = (self.digest.clone(), self.attempt);
        ranges.into_iter().map(move |(first, count)| Task {
            job: job.clone(),
            first,
            count,
            attempt,
        })
    }
}

impl Dispatcher {
    /// Registers a run on the server.
    ///
    /// # Errors
    ///
    /// If another run has this name, or the server refuses.
    pub(super) fn open(link: Link, run: RunName, entry: RunEntry) -> Result<Self> {
        let presence = link.wait(Presence::open(&link.jetstream))?;
        if let Some(other) = link.wait(presence.claim(&run.to_string(), &entry))? {
            bail!(
                "the server at {} has a run `{run}` already, by {}; choose another name with \
                 --run DIR, or wait a minute if that one was stopped",
                link.address,
                other.host
            );
        }
        let streams = Streams::create(&link, &run)?;
        // What a learner left that was killed, it asks for again, or nobody does.
        link.wait(async { streams.tasks.purge().await })?;
        let (name, putting) = (run.to_string(), presence.clone());
        let heartbeat = Heartbeat::start(&link, entry, move |entry| {
            let (name, presence) = (name.clone(), putting.clone());
            async move { presence.put_run(&name, &entry).await }
        });
        let heartbeat = Arc::new(heartbeat);
        let (watch, (end, ended)) = (ClusterWatch::default(), oneshot::channel());
        let look = Look {
            run: run.clone(),
            presence: presence.clone(),
            tasks: streams.tasks.clone(),
            heartbeat: Arc::clone(&heartbeat),
            watch: Arc::clone(&watch),
        };
        link.spawn(look.again_and_again(ended));
        Ok(Self {
            link,
            run,
            streams,
            presence,
            heartbeat,
            watch,
            _end: end,
            kept: Vec::new(),
            in_progress: 0,
        })
    }

    /// What others are told of the run.
    pub(super) fn heartbeat(&self) -> Arc<Heartbeat<RunEntry>> {
        Arc::clone(&self.heartbeat)
    }

    /// What is known of the workers, as long as this lasts.
    pub(super) fn watch(&self) -> ClusterWatch {
        Arc::clone(&self.watch)
    }

    /// Publishes an order, whose games are kept on the server until [`forget`](Self::forget) is
    /// called for its label.
    pub(super) fn begin<T>(&mut self, order: &mut Order<T>, label: u64, news: News<'_>) {
        let blobs = order.blobs.iter().map(|blob| blob.name.clone()).collect();
        self.kept.push(Kept { label, job: order.digest.clone(), blobs });
        self.in_progress += 1;
        // If the server is away, it is tried again when the games are asked for.
        if let Err(error) = self.start(order, news) {
            progress::say(&format!("{error:#}; it is tried again"));
        }
    }

    /// Gathers the games of an order until all are there or the flag is set. Goes on when the
    /// server was away, was full or has lost its streams.
    pub(super) fn gather<T>(&mut self, order: &mut Order<T>, news: News<'_>, stop: &AtomicBool) {
        let mut said = String::new();
        while let Err(error) = self.try_to_gather(order, news, stop) {
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
                order.is_published = false;
            }
        }
        self.in_progress -= 1;
    }

    /// Removes the games and the blobs of the orders whose labels are at most `label`. Nobody asks
    /// for them again.
    pub(super) fn forget(&mut self, label: u64) {
        let (done, kept): (Vec<_>, Vec<_>) =
            std::mem::take(&mut self.kept).into_iter().partition(|it| it.label <= label);
        self.kept = kept;
        // What cannot be removed now is removed the next time, or by its age.
        if self.link.wait(self.remove(&done)).is_err() {
            self.kept.extend(done);
        }
    }

    /// Takes the run from the list of runs. If it is done, everything of it is removed; otherwise
    /// the finished games stay for its return.
    ///
    /// # Errors
    ///
    /// If the server is away.
    pub(super) fn close(&self, is_done: bool) -> Result<()> {
        self.link.wait(async {
            self.presence.remove_run(&self.run.to_string()).await?;
            match is_done {
                true => Streams::delete(&self.link, &self.run).await,
                // Nobody needs to play on.
                false => self.streams.tasks.purge().await.map(drop).map_err(Into::into),
            }
        })
    }

    /// Puts the job on the server, takes its games that are there, and publishes the others.
    fn start<T>(&self, order: &mut Order<T>, news: News<'_>) -> Result<()> {
        self.link.wait(async {
            for blob in &order.blobs {
                self.streams.blobs.put(blob).await?;
            }
            // What was published before may be for games that are finished by now. The tasks of one
            // order alone cannot be purged: servers of version 2.9 then pass over those of others.
            // Games that are played twice are counted once.
            if self.in_progress <= 1 {
                self.streams.tasks.purge().await?;
            }
            let (there, mut messages) = self.messages(&order.digest).await?;
            for _ in 0..there {
                let message = timeout(PATIENCE, messages.next()).await;
                let message = message.context("the server does not send its games")?;
                let Some(message) = message else { break };
                order.take(&message?, news);
            }
            order.attempt = new_attempt();
            self.publish(order).await
        })?;
        order.is_published = true;
        Ok(())
    }

    /// Publishes the games of an order that are not finished.
    async fn publish<T>(&self, order: &Order<T>) -> Result<()> {
        let subject = self.run.tasks(&order.digest);
        let mut sent = Vec::new();
        for task in order.tasks() {
            let bytes = serde_json::to_vec(&task).expect("a task is plain values");
            let Task { job, first, count, attempt } = task;
            let message = PublishMessage::build()
                .payload(bytes.into())
                .message_id(format!("{job}.{first}.{count}.{attempt}"));
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

    /// Gathers games until all are there, the flag is set, or the connection fails. Publishes the
    /// missing ones again if nobody has them.
    fn try_to_gather<T>(
        &self,
        order: &mut Order<T>,
        news: News<'_>,
        stop: &AtomicBool,
    ) -> Result<()> {
        if !order.is_published {
            self.start(order, news)?;
        }
        let (_, mut messages) = self.link.wait(self.messages(&order.digest))?;
        let mut last = Instant::now();
        while !order.is_complete() && !stop.load(Ordering::Relaxed) {
            match self.link.wait(async { timeout(TICK, messages.next()).await }) {
                Ok(Some(message)) => {
                    order.take(&message?, news);
                    last = Instant::now();
                }
                Ok(None) => bail!("the server has ended the stream of games"),
                Err(_) if last.elapsed() > PATIENCE => {
                    self.look_for_lost_games(order, news)?;
                    last = Instant::now();
                }
                Err(_) => {}
            }
        }
        Ok(())
    }

    /// Publishes the missing games again if no task is waiting or held by a worker.
    fn look_for_lost_games<T>(&self, order: &mut Order<T>, news: News<'_>) -> Result<()> {
        let state = self.link.wait(self.streams.tasks.get_info())?.state;
        let games = self.link.wait(self.streams.games.get_info())?;
        ensure!(
            games.state.bytes < MAX_GAMES_BYTES as u64 / 10 * 9,
            "the games of an iteration fill the stream of games on the server ({} MiB): lower \
             `selfplay.games`",
            games.state.bytes >> 20
        );
        if state.messages == 0 {
            order.is_published = false;
            self.start(order, news)?;
        } else if self.link.wait(self.presence.workers())?.is_empty() {
            progress::say(&format!(
                "no worker is there; start one with `tavoliere worker nats://{}`",
                self.link.address
            ));
        }
        Ok(())
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

/// Looks for the workers of a run.
struct Look {
    run: RunName,
    presence: Presence,
    tasks: Stream,
    heartbeat: Arc<Heartbeat<RunEntry>>,
    watch: ClusterWatch,
}

impl Look {
    async fn again_and_again(mut self, mut ended: oneshot::Receiver<()>) {
        while timeout(LOOK, &mut ended).await.is_err() {
            // A server that is away is asked again.
            let _ = self.once().await;
        }
    }

    /// Looks for workers, and tells them how many threads they are together.
    async fn once(&mut self) -> Result<()> {
        let run = self.run.to_string();
        let workers = self.presence.workers().await?;
        // A worker that has just come may not have told for whom it plays.
        let may_be_ours = |entry: &WorkerEntry| entry.run.as_ref().is_none_or(|its| *its == run);
        let threads = workers.iter().filter(|(_, entry, _)| may_be_ours(entry));
        let threads = threads.map(|(_, entry, _)| entry.threads).sum();
        let mut waiting = 0.0;
        self.heartbeat.change(|entry| {
            entry.threads = threads;
            waiting = entry.waiting;
        });
        let ours = workers.into_iter().filter(|(_, entry, _)| entry.run.as_ref() == Some(&run));
        let ours = ours.map(|(_, entry, silent)| WorkerActivity {
            host: entry.host,
            engine: entry.engine,
            threads: entry.threads,
            games_per_s: entry.games_per_s,
            silent,
        });
        let tasks = self.tasks.info().await?.state.messages;
        let activity = ClusterActivity { workers: ours.collect(), tasks, waiting };
        *self.watch.lock().unwrap_or_else(PoisonError::into_inner) = Some(activity);
        Ok(())
    }
}

/// The games that are missing, as ranges of at most `part`.
fn missing(count: u64, part: u64, is_there: impl Fn(u64) -> bool) -> Vec<(u64, u64)> {
    let mut ranges: Vec<(u64, u64)> = Vec::new();
    for index in (0..count).filter(|index| !is_there(*index)) {
        match ranges.last_mut() {
            Some((first, count)) if *first + *count == index && *count < part => *count += 1,
            _ => ranges.push((index, 1)),
        }
    }
    ranges
}

/// A number that no attempt had before.
fn new_attempt() -> u64 {
    let time = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
    time.as_nanos() as u64
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn missing_games_are_published_in_ranges() {
        let missing = |count, finished: &[u64]| missing(count, 8, |it| finished.contains(&it));
        assert_eq!(missing(0, &[]), []);
        assert_eq!(missing(20, &[]), [(0, 8), (8, 8), (16, 4)]);
        assert_eq!(missing(20, &[0, 1, 5, 19]), [(2, 3), (6, 8), (14, 5)]);
        assert_eq!(missing(4, &[0, 1, 2, 3]), []);
    }
}
