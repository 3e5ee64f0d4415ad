//! The worker's end of a run's queue of tasks.

use std::collections::BTreeSet;
use std::time::Duration;

use anyhow::{Result, anyhow};
use async_nats::jetstream::Message;
use async_nats::jetstream::consumer::{Consumer, pull};
use async_nats::jetstream::message::AckKind;
use futures_util::StreamExt;
use futures_util::future::BoxFuture;
use tokio::sync::mpsc::{UnboundedReceiver, UnboundedSender, unbounded_channel};
use tokio::time::timeout;

use crate::base::progress;
use crate::train::cluster::wire::Task;

/// How long a request for tasks stays with the server.
const REQUEST: Duration = Duration::from_secs(2);

/// How long the server may take to confirm what became of a task.
const PATIENCE: Duration = Duration::from_secs(5);

/// A task that the worker holds.
pub(super) struct Held {
    pub task: Task,
    pub message: Message,
    /// Its games that are not published yet.
    pub left: BTreeSet<u64>,
}

/// The queue of tasks, and the request that is under way. A request is never dropped, because the
/// tasks that it brings would be lost for a while. It may outlast a job.
pub(super) struct Queue {
    tasks: Consumer<pull::Config>,
    request: Option<BoxFuture<'static, Result<()>>>,
    sender: UnboundedSender<Held>,
    received: UnboundedReceiver<Held>,
}

impl Queue {
    pub(super) fn new(tasks: Consumer<pull::Config>) -> Self {
        let (sender, received) = unbounded_channel();
        Self { tasks, request: None, sender, received }
    }

    /// Whether a request is under way.
    pub(super) fn is_asked(&self) -> bool {
        self.request.is_some()
    }

    /// Asks for tasks, if no request is under way.
    pub(super) fn ask(&mut self, count: usize) {
        if self.request.is_none() {
            let request = request(self.tasks.clone(), count, REQUEST, self.sender.clone());
            self.request = Some(Box::pin(request));
        }
    }

    /// The next task; `None` when a request is over and all its tasks were taken. Waits for ever if
    /// none is under way. May be dropped at any point.
    pub(super) async fn next(&mut self) -> Result<Option<Held>> {
        let Some(request) = &mut self.request else {
            return Ok(self.received.recv().await);
        };
        tokio::select! {
            biased;
            held = self.received.recv() => Ok(held),
            done = request => {
                self.request = None;
                // It may have sent a task and ended in the same moment.
                done.map(|()| self.received.try_recv().ok())
            }
        }
    }

    /// Gives back what comes until the request is over.
    pub(super) async fn close(mut self) {
        while self.is_asked() || !self.received.is_empty() {
            if let Ok(Some(held)) = self.next().await {
                give_back(&held).await;
            }
        }
    }
}

/// Gives a task back, so that another worker plays it at once. If that fails, the server gives it
/// to others after a while.
pub(super) async fn give_back(held: &Held) {
    let _ = acked(&held.message, AckKind::Nak(None)).await;
}

/// Tells the server what became of a task, and waits until it knows.
pub(super) async fn acked(message: &Message, kind: AckKind) -> Result<()> {
    match timeout(PATIENCE, message.double_ack_with(kind)).await {
        // A server that does not answer gives the task to another worker; its games are the same.
        Err(_) => Ok(()),
        Ok(told) => told.map_err(|error| anyhow!(error)),
    }
}

/// Asks for tasks, and sends those that come within `patience` to `received`.
async fn request(
    tasks: Consumer<pull::Config>,
    count: usize,
    patience: Duration,
    received: UnboundedSender<Held>,
) -> Result<()> {
    let mut batch = tasks.batch().max_messages(count).expires(patience).messages().await?;
    while let Some(message) = batch.next().await {
        let message = message.map_err(|error| anyhow!(error))?;
        match Task::read(&message.payload) {
            // The receiver is gone if the session has failed.
            Ok(task) => {
                let left = (task.first..task.first + task.count).collect();
                _ = received.send(Held { task, message, left });
            }
            Err(error) => {
                progress::say(&format!("dropped what is no task: {error:#}"));
                acked(&message, AckKind::Term).await?;
            }
        }
    }
    Ok(())
}
