//! Who is on a server: for `tavoliere cluster`.

use anyhow::Result;
use serde::Serialize;

use super::link::Link;
use super::names::RunName;
use super::presence::{Presence, RunEntry, WorkerEntry};

/// The runs and workers on a server.
#[derive(Clone, PartialEq, Debug, Serialize)]
pub(crate) struct Status {
    /// The runs.
    pub runs: Vec<RunStatus>,
    /// The workers.
    pub workers: Vec<WorkerStatus>,
}

/// A run and its queue.
#[derive(Clone, PartialEq, Debug, Serialize)]
pub(crate) struct RunStatus {
    /// Its name.
    pub name: String,
    #[serde(flatten)]
    pub entry: RunEntry,
    /// Tasks that wait for a worker or are held by one; none if the queue is gone.
    pub tasks: Option<u64>,
    /// The bytes of the games on the server.
    pub game_bytes: Option<u64>,
}

/// A worker.
#[derive(Clone, PartialEq, Debug, Serialize)]
pub(crate) struct WorkerStatus {
    /// Its name.
    pub name: String,
    #[serde(flatten)]
    pub entry: WorkerEntry,
    /// Seconds since its last sign of life, compared with the newest one of all workers.
    pub silent: f64,
}

impl Status {
    /// Asks the server.
    ///
    /// # Errors
    ///
    /// If it does not answer.
    pub(crate) fn of(link: &Link) -> Result<Self> {
        link.wait(async {
            let presence = Presence::open(&link.jetstream).await?;
            let mut runs = Vec::new();
            for (name, entry) in presence.runs().await? {
                let Ok(run) = name.parse::<RunName>() else { continue };
                let tasks = link.jetstream.get_stream(run.tasks_stream()).await;
                let games = link.jetstream.get_stream(run.games_stream()).await;
                let tasks = tasks.ok().map(|stream| stream.cached_info().state.messages);
                let game_bytes = games.ok().map(|stream| stream.cached_info().state.bytes);
                runs.push(RunStatus { name, entry, tasks, game_bytes });
            }
            let workers = presence.workers().await?.into_iter();
            let workers =
                workers.map(|(name, entry, silent)| WorkerStatus { name, entry, silent }).collect();
            Ok(Self { runs, workers })
        })
    }
}
