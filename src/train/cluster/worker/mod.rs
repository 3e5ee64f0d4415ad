//! The worker's side: plays games for whatever runs are on the server.

mod held_games;
mod matches;
mod queue;
mod session;

use std::cell::Cell;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use anyhow::{Context as _, Result};
use async_nats::jetstream::consumer::{Consumer, pull};

use super::link::Link;
use super::names::RunName;
use super::presence::{Heartbeat, Presence, RunEntry, WorkerEntry, host};
use super::streams::CONSUMER;
use super::wire;
use crate::base::progress;
use crate::nn::infer::EngineName;
use session::Session;

/// How long the worker waits before it looks for runs again.
const PAUSE: Duration = Duration::from_millis(500);

/// A worker that is connected to a server.
pub(crate) struct Worker {
    link: Link,
    presence: Presence,
    name: String,
    heartbeat: Heartbeat<WorkerEntry>,
    threads: usize,
    /// The only run to play for.
    only: Option<RunName>,
    /// The last line on standard error, which is not repeated.
    said: String,
    /// The run of the last session; the others come first next time.
    last: Option<String>,
}

impl Worker {
    /// Registers a worker with `threads` threads, for all runs or for one.
    ///
    /// # Errors
    ///
    /// If the server refuses.
    pub(crate) fn new(link: Link, threads: usize, only: Option<RunName>) -> Result<Self> {
        let presence = link.wait(Presence::open(&link.jetstream))?;
        let name = format!("{}-{}", host_key(), std::process::id());
        let entry = WorkerEntry {
            version: wire::version(),
            host: host(),
            threads: threads as u64,
            engine: EngineName::Auto.instruction_set()?.map_or("burn", |set| set.text()).to_owned(),
            run: None,
            held: 0,
            games: 0,
            games_per_s: 0.0,
        };
        let (key, putting) = (name.clone(), presence.clone());
        let heartbeat = Heartbeat::start(&link, entry, move |entry| {
            let (key, presence) = (key.clone(), putting.clone());
            async move { presence.put_worker(&key, &entry).await }
        });
        let (said, last) = (String::new(), None);
        Ok(Self { link, presence, name, heartbeat, threads, only, said, last })
    }

    /// Plays games until the flag is set. A run that is gone, a server that is away and a job that
    /// cannot be played are told on standard error.
    pub(crate) fn serve(mut self, stop: &AtomicBool) {
        while !stop.load(Ordering::Relaxed) {
            if let Err(error) = self.look(stop) {
                self.say(format!("{error:#}"));
                std::thread::sleep(PAUSE);
            }
        }
        // The server forgets us in any case.
        let _ = self.link.wait(self.presence.remove_worker(&self.name));
    }

    /// Looks for a run with work and plays for it.
    fn look(&mut self, stop: &AtomicBool) -> Result<()> {
        let runs = self.link.wait(self.presence.runs())?;
        let mut wanted: Vec<_> =
            runs.into_iter().filter(|(name, _)| self.is_wanted(name)).collect();
        wanted.sort_by_key(|(name, _)| self.last.as_ref() == Some(name));
        if wanted.is_empty() {
            self.say(match &self.only {
                Some(run) => format!("waiting for the run {run}"),
                None => "waiting for a run".to_owned(),
            });
            std::thread::sleep(PAUSE);
        }
        let is_alone = wanted.len() == 1;
        for (name, entry) in wanted {
            if stop.load(Ordering::Relaxed) {
                break;
            }
            if let Some(reason) = unfit(&entry) {
                self.say(format!("run {name} is left alone: {reason}"));
                std::thread::sleep(PAUSE);
                continue;
            }
            self.serve_run(&name, &entry, is_alone, stop).with_context(|| format!("run {name}"))?;
        }
        Ok(())
    }

    fn is_wanted(&self, name: &str) -> bool {
        self.only.as_ref().is_none_or(|only| only.to_string() == name)
    }

    /// Plays for a run as long as it has work.
    fn serve_run(
        &mut self,
        name: &str,
        entry: &RunEntry,
        is_alone: bool,
        stop: &AtomicBool,
    ) -> Result<()> {
        let run: RunName = name.parse()?;
        let stream = self.link.wait(self.link.jetstream.get_stream(run.tasks_stream()))?;
        let tasks: Consumer<pull::Config> = self
            .link
            .wait(stream.get_consumer(CONSUMER))
            .map_err(|error| anyhow::anyhow!(error))
            .context("its queue has no end for workers")?;
        self.say(format!("playing {} for {name} of {}", entry.game, entry.host));
        self.last = Some(name.to_owned());
        self.heartbeat.change(|worker| worker.run = Some(name.to_owned()));
        let session = Session {
            link: &self.link,
            presence: &self.presence,
            heartbeat: &self.heartbeat,
            run: &run,
            tasks: &tasks,
            threads: self.threads,
            is_alone,
            stop,
            cache: Cell::default(),
        };
        let played = session.play();
        self.heartbeat.change(|worker| (worker.run, worker.held) = (None, 0));
        match played {
            Err(_) if self.is_over(name) => {
                self.say(format!("{name} is over"));
                Ok(())
            }
            played => played,
        }
    }

    /// Whether a run has left the server.
    fn is_over(&self, name: &str) -> bool {
        self.link.wait(self.presence.run(name)).is_ok_and(|entry| entry.is_none())
    }

    /// Says a line on standard error, once.
    fn say(&mut self, line: String) {
        if line != self.said {
            progress::say(&line);
            self.said = line;
        }
    }
}

/// Why this worker cannot play the games of a run, if it cannot.
fn unfit(run: &RunEntry) -> Option<String> {
    let ours = wire::version();
    if run.version != ours {
        let theirs = &run.version;
        return Some(format!("its learner has version {theirs}, this worker {ours}"));
    }
    match EngineName::find(&run.engine).ok().map(EngineName::instruction_set) {
        None => Some(format!("its engine {} is not known here", run.engine)),
        Some(Err(unsupported)) => Some(format!(
            "{unsupported}; the learner's --any-engine, or --set inference.engine, lets others play"
        )),
        Some(Ok(_)) => None,
    }
}

/// The name of this computer as a part of a key: ASCII letters, digits and `-`.
fn host_key() -> String {
    let plain = |c: char| if c.is_ascii_alphanumeric() { c } else { '-' };
    host().chars().map(plain).collect()
}
