//! Signs of life: which runs and workers there are. The server forgets those that are silent.

use std::path::Path;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use anyhow::{Context as _, Result, anyhow};
use async_nats::datetime::DateTime;
use async_nats::jetstream::Context;
use async_nats::jetstream::consumer::{AckPolicy, DeliverPolicy, pull};
use async_nats::jetstream::kv::Store;
use async_nats::jetstream::stream::{self, DiscardPolicy};
use futures_util::StreamExt;
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};
use tokio::sync::oneshot;
use tokio::time::{sleep, timeout};

use super::link::Link;
use super::wire::version;
use crate::runs::digest::sha256;

/// The time after which the server forgets an entry.
const MEMORY: Duration = Duration::from_secs(60);

/// The time from one sign of life to the next.
pub(super) const PERIOD: Duration = Duration::from_secs(10);

/// The largest entry, in bytes.
const MAX_ENTRY: i32 = 4096;

/// How long the server may take to list who is there.
const LISTING: Duration = Duration::from_secs(5);

/// How long a bucket may take that others create just now.
const CREATION: Duration = Duration::from_millis(500);

const RUNS: &str = "tavoliere_runs";
const WORKERS: &str = "tavoliere_workers";

/// What a run is.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum RunKind {
    /// The training of a network.
    Training,
    /// A ladder.
    Ladder,
}

/// A run on the server.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub(crate) struct RunEntry {
    /// What it is.
    pub kind: RunKind,
    /// The version of the learner.
    pub version: String,
    /// A number of the folder of the run, the same whenever its training goes on.
    pub owner: String,
    /// The computer of the learner.
    pub host: String,
    /// The game.
    pub game: String,
    /// The engine that workers need; `auto` if they may use any.
    pub engine: String,
    /// The iteration in progress; 0 in a ladder.
    pub iteration: u64,
    /// The iteration after which the training stops; 0 in a ladder.
    pub goal: u64,
    /// The games of an iteration, or of the ladder.
    pub games: u64,
    /// Those of the present iteration, or of the ladder, that are finished.
    pub finished: u64,
    /// The share of its time in which the learner waited for games.
    pub waiting: f64,
    /// The threads of the workers that play for it, or will.
    pub threads: u64,
}

impl RunEntry {
    /// The entry of a run that begins, in `folder`; `engine` is what its workers need.
    pub(super) fn new(kind: RunKind, folder: &Path, game: &str, engine: &str) -> Self {
        Self {
            kind,
            version: version(),
            owner: owner(folder),
            host: host(),
            game: game.to_owned(),
            engine: engine.to_owned(),
            iteration: 0,
            goal: 0,
            games: 0,
            finished: 0,
            waiting: 0.0,
            threads: 0,
        }
    }
}

/// A number of the folder on this computer.
fn owner(folder: &Path) -> String {
    let whole = folder.canonicalize().unwrap_or_else(|_| folder.to_owned());
    sha256(format!("{}:{}", host(), whole.display()).as_bytes())
}

/// A worker.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub(crate) struct WorkerEntry {
    /// Its version.
    pub version: String,
    /// Its computer.
    pub host: String,
    /// Its threads.
    pub threads: u64,
    /// Its fastest engine.
    pub engine: String,
    /// The run that it plays for.
    pub run: Option<String>,
    /// Games in progress and not yet begun.
    pub held: u64,
    /// Games finished since it was started.
    pub games: u64,
    /// Games finished a second, over the last period.
    pub games_per_s: f64,
}

/// The two buckets with the entries.
#[derive(Clone)]
pub(super) struct Presence {
    runs: Store,
    workers: Store,
}

impl Presence {
    /// Opens the buckets, and creates them on a server that has none.
    ///
    /// # Errors
    ///
    /// If the server refuses.
    pub(super) async fn open(jetstream: &Context) -> Result<Self> {
        Ok(Self {
            runs: bucket(jetstream, RUNS).await?,
            workers: bucket(jetstream, WORKERS).await?,
        })
    }

    /// Writes the entry of a run.
    ///
    /// # Errors
    ///
    /// If the server refuses.
    pub(super) async fn put_run(&self, name: &str, entry: &RunEntry) -> Result<()> {
        put(&self.runs, name, entry).await
    }

    /// Writes the entry of a worker.
    ///
    /// # Errors
    ///
    /// If the server refuses.
    pub(super) async fn put_worker(&self, name: &str, entry: &WorkerEntry) -> Result<()> {
        put(&self.workers, name, entry).await
    }

    /// Takes the name of a run for the folder that `entry` names as its owner. Returns the entry of
    /// another owner if there is one.
    ///
    /// # Errors
    ///
    /// If the server refuses.
    pub(super) async fn claim(&self, name: &str, entry: &RunEntry) -> Result<Option<RunEntry>> {
        let bytes = to_json(entry);
        if self.runs.create(name, bytes.into()).await.is_ok() {
            return Ok(None);
        }
        let there = self.run(name).await?.filter(|there| there.owner != entry.owner);
        if there.is_none() {
            self.put_run(name, entry).await?;
        }
        Ok(there)
    }

    /// The entry of a run.
    ///
    /// # Errors
    ///
    /// If the server does not answer.
    pub(super) async fn run(&self, name: &str) -> Result<Option<RunEntry>> {
        let bytes = self.runs.get(name).await.context("cannot read the runs on the server")?;
        Ok(bytes.and_then(|bytes| serde_json::from_slice(&bytes).ok()))
    }

    /// Removes the entry of a run.
    ///
    /// # Errors
    ///
    /// If the server refuses.
    pub(super) async fn remove_run(&self, name: &str) -> Result<()> {
        self.runs.purge(name).await.context("cannot remove the run from the server")
    }

    /// Removes the entry of a worker.
    ///
    /// # Errors
    ///
    /// If the server refuses.
    pub(super) async fn remove_worker(&self, name: &str) -> Result<()> {
        self.workers.purge(name).await.context("cannot remove the worker from the server")
    }

    /// All runs by name.
    ///
    /// # Errors
    ///
    /// If the server does not answer.
    pub(super) async fn runs(&self) -> Result<Vec<(String, RunEntry)>> {
        Ok(all(&self.runs).await?.into_iter().map(|(name, entry, _)| (name, entry)).collect())
    }

    /// All workers by name, with the seconds since they were heard of. These are counted from the
    /// newest sign of life of all, by the server's clock: ours may differ.
    ///
    /// # Errors
    ///
    /// If the server does not answer.
    pub(super) async fn workers(&self) -> Result<Vec<(String, WorkerEntry, f64)>> {
        let all = all(&self.workers).await?;
        let newest = all.iter().map(|(_, _, time)| *time).max();
        let silent = |time: DateTime| newest.map_or(0.0, |newest| (newest - time).as_seconds_f64());
        Ok(all.into_iter().map(|(name, entry, time)| (name, entry, silent(time))).collect())
    }
}

/// An entry that is written again and again until this is dropped.
pub(super) struct Heartbeat<T> {
    entry: Arc<Mutex<T>>,
    /// Ends the writing when it is dropped.
    _end: oneshot::Sender<()>,
}

impl<T: Clone + Send + 'static> Heartbeat<T> {
    /// Begins to write `entry` every [`PERIOD`], by `put`.
    pub(super) fn start<F>(link: &Link, entry: T, put: impl Fn(T) -> F + Send + 'static) -> Self
    where
        F: Future<Output = Result<()>> + Send,
    {
        let entry = Arc::new(Mutex::new(entry));
        let shared = Arc::clone(&entry);
        let (end, mut ended) = oneshot::channel();
        link.spawn(async move {
            loop {
                // A server that is away hears of us when it is back.
                let now = locked(&shared).clone();
                let _ = put(now).await;
                if timeout(PERIOD, &mut ended).await.is_ok() {
                    return;
                }
            }
        });
        Self { entry, _end: end }
    }

    /// Changes the entry, from its next writing on.
    pub(super) fn change(&self, change: impl FnOnce(&mut T)) {
        change(&mut locked(&self.entry));
    }
}

fn locked<T>(entry: &Mutex<T>) -> MutexGuard<'_, T> {
    entry.lock().unwrap_or_else(PoisonError::into_inner)
}

/// The name of this computer.
pub(super) fn host() -> String {
    #[cfg(unix)]
    let name = nix::unistd::gethostname().ok().and_then(|name| name.into_string().ok());
    #[cfg(not(unix))]
    let name = std::env::var("COMPUTERNAME").ok();
    name.unwrap_or_else(|| "?".to_owned()).chars().take(64).collect()
}

/// Opens a bucket, and creates it on a server that has none. The stream behind it is made here:
/// `create_key_value` asks for the account first, and cannot read what servers before 2.10 answer.
async fn bucket(jetstream: &Context, name: &str) -> Result<Store> {
    let stream = stream::Config {
        name: format!("KV_{name}"),
        subjects: vec![format!("$KV.{name}.>")],
        max_messages_per_subject: 1,
        max_age: MEMORY,
        max_message_size: MAX_ENTRY,
        max_bytes: 4 << 20,
        discard: DiscardPolicy::New,
        allow_rollup: true,
        deny_delete: true,
        allow_direct: true,
        num_replicas: 1,
        ..Default::default()
    };
    let mut created = jetstream.get_or_create_stream(stream.clone()).await;
    if created.is_err() {
        // Of several that create it at once, the server may refuse those that are not the first.
        sleep(CREATION).await;
        created = jetstream.get_or_create_stream(stream).await;
    }
    created.with_context(|| format!("cannot create the bucket {name}"))?;
    jetstream.get_key_value(name).await.with_context(|| format!("cannot open the bucket {name}"))
}

fn to_json(entry: &impl Serialize) -> Vec<u8> {
    serde_json::to_vec(entry).expect("an entry is plain values")
}

async fn put(bucket: &Store, name: &str, entry: &impl Serialize) -> Result<()> {
    let put = bucket.put(name, to_json(entry).into()).await;
    put.map(drop).context("cannot tell the server that we are here")
}

/// The entries that can be read, with the time of their writing; others are of other versions. They
/// come by one consumer: to ask for each by its key takes a round trip for every worker.
async fn all<T: DeserializeOwned>(bucket: &Store) -> Result<Vec<(String, T, DateTime)>> {
    let config = pull::Config {
        deliver_policy: DeliverPolicy::LastPerSubject,
        filter_subject: format!("{}>", bucket.prefix),
        ack_policy: AckPolicy::None,
        inactive_threshold: LISTING,
        memory_storage: true,
        ..pull::Config::default()
    };
    let consumer =
        bucket.stream.create_consumer(config).await.context("cannot list who is there")?;
    let count = consumer.cached_info().num_pending as usize;
    let mut found = Vec::new();
    if count > 0 {
        let fetch = consumer.fetch().max_messages(count).expires(LISTING).messages();
        let mut messages = fetch.await.context("cannot read who is there")?;
        while let Some(message) = messages.next().await {
            let message =
                message.map_err(|error| anyhow!(error)).context("cannot read who is there")?;
            let time = message.info().map_err(|error| anyhow!(error))?.published;
            // What was removed is an empty message.
            let key = message.subject.strip_prefix(&bucket.prefix);
            if let (Some(key), Ok(entry)) = (key, serde_json::from_slice(&message.payload)) {
                found.push((key.to_owned(), entry, time));
            }
        }
    }
    // The server removes it in any case, a little later.
    let _ = bucket.stream.delete_consumer(&consumer.cached_info().name).await;
    found.sort_by(|(a, ..), (b, ..)| a.cmp(b));
    Ok(found)
}
