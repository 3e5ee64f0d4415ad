//! The streams of a run on the server: tasks, games and blobs.

use std::time::Duration;

use anyhow::{Context as _, Result};
use async_nats::jetstream::consumer::{AckPolicy, pull};
use async_nats::jetstream::stream::{self, DiscardPolicy, RetentionPolicy, Stream};

use super::blobs::Blobs;
use super::link::{Link, check_full};
use super::names::RunName;
use super::wire;

/// The end of the work queue that all workers of a run share.
pub(super) const CONSUMER: &str = "workers";

/// How long a worker may be silent before its tasks are given to others.
const ACK_WAIT: Duration = Duration::from_secs(30);

/// How often a worker tells the server that it still plays the games of a task.
pub(super) const STILL_PLAYING: Duration = Duration::from_secs(10);

/// The largest size of the stream of games, in bytes.
pub(super) const MAX_GAMES_BYTES: i64 = 1 << 30;

/// The largest size of the work queue, in bytes.
const MAX_TASKS_BYTES: i64 = 16 << 20;

/// The room of the object store, in bytes, besides several sets of weights.
const MAX_BLOBS_BYTES: i64 = 256 << 20;

/// What nobody asks for any more is removed after this time, should the learner never return.
const MAX_AGE: Duration = Duration::from_secs(7 * 24 * 3600);

/// The time within which the server recognises a message that was sent twice. The learner does so
/// at any time.
const DUPLICATES: Duration = Duration::from_secs(600);

/// Where things of a run are on the server.
pub(super) struct Streams {
    pub tasks: Stream,
    pub games: Stream,
    pub blobs: Blobs,
}

impl Streams {
    /// Creates what is not there yet.
    ///
    /// # Errors
    ///
    /// If the server refuses or is full.
    pub(super) fn create(link: &Link, run: &RunName) -> Result<Self> {
        let tasks = stream::Config {
            name: run.tasks_stream(),
            subjects: vec![run.tasks("*")],
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
        Ok(Self { tasks, games, blobs: Blobs::create(link, run, MAX_BLOBS_BYTES, MAX_AGE)? })
    }

    /// Deletes everything of a run.
    ///
    /// # Errors
    ///
    /// If the server refuses.
    pub(super) async fn delete(link: &Link, run: &RunName) -> Result<()> {
        link.jetstream.delete_stream(run.tasks_stream()).await?;
        link.jetstream.delete_stream(run.games_stream()).await?;
        link.jetstream.delete_object_store(run.bucket()).await?;
        Ok(())
    }
}

fn limited() -> stream::Config {
    stream::Config {
        discard: DiscardPolicy::New,
        max_age: MAX_AGE,
        duplicate_window: DUPLICATES,
        num_replicas: 1,
        ..stream::Config::default()
    }
}
