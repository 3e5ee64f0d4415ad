//! Tells what a training is doing while it lasts: `activity.json` in the run's folder for the
//! server, and lines on the console until the first iteration is done, where no bar is shown.

use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender, channel};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::thread::{self, JoinHandle};
use std::time::{Duration, Instant};

use anyhow::{Context, Result};

use super::report;
use crate::base::progress;
use crate::runs::activity::{Activity, PERIOD, now};
use crate::runs::checkpoint::Run;
use crate::train::actors::ClusterWatch;

/// How often the thread looks. What lasts less is not told.
const TICK: Duration = Duration::from_secs(1);

/// The time from one line of the first iteration to the next.
const PATIENCE: Duration = Duration::from_secs(10);

/// The phase of a training.
#[derive(Clone, Copy, PartialEq, Eq)]
struct Stage {
    phase: &'static str,
    iteration: u64,
}

/// A thread that tells what the training is doing.
pub(super) struct Reporter {
    run: Run,
    stage: Arc<Mutex<Option<Stage>>>,
    cluster: Arc<Mutex<Option<ClusterWatch>>>,
    goal: Arc<AtomicU64>,
    /// Ends the thread when it is dropped.
    ended: Option<Sender<()>>,
    thread: Option<JoinHandle<()>>,
}

/// What the thread knows.
struct Watcher {
    run: Run,
    /// The iteration after which it stops, or is expected to.
    goal: Arc<AtomicU64>,
    stage: Arc<Mutex<Option<Stage>>>,
    cluster: Arc<Mutex<Option<ClusterWatch>>>,
    written: Option<(Stage, Instant)>,
    said: Instant,
    /// The first iteration of this process, whose progress is printed.
    first: u64,
}

impl Reporter {
    /// Starts to report on a run from its iteration `first` to `goal`, after which it stops.
    pub(super) fn start(run: &Run, first: u64, goal: u64) -> Result<Self> {
        // To load a large run takes a while.
        let begun = Stage { phase: "start", iteration: first };
        let stage = Arc::new(Mutex::new(Some(begun)));
        let (cluster, goal) = (Arc::default(), Arc::new(AtomicU64::new(goal)));
        let (ended, end) = channel();
        let mut watcher = Watcher {
            run: run.clone(),
            goal: Arc::clone(&goal),
            stage: Arc::clone(&stage),
            cluster: Arc::clone(&cluster),
            written: None,
            said: Instant::now(),
            first,
        };
        watcher.write(begun, [0, 0]);
        let thread = thread::Builder::new().name("reporter".to_owned());
        let thread = thread.spawn(move || watcher.watch(&end)).context("cannot start a thread")?;
        let (run, ended, thread) = (run.clone(), Some(ended), Some(thread));
        Ok(Self { run, stage, cluster, goal, ended, thread })
    }

    /// Reports on the workers of a cluster too.
    pub(super) fn watch(&self, cluster: Option<ClusterWatch>) {
        *locked(&self.cluster) = cluster;
    }

    /// Notes which iteration is expected to be the last.
    pub(super) fn expect(&self, goal: u64) {
        self.goal.store(goal, Ordering::Relaxed);
    }

    /// Notes that a phase of an iteration begins.
    pub(super) fn enter(&self, phase: &'static str, iteration: u64) {
        *locked(&self.stage) = Some(Stage { phase, iteration });
    }

    /// Ends it in order.
    ///
    /// # Errors
    ///
    /// If the file cannot be removed.
    pub(super) fn finish(&mut self) -> Result<()> {
        self.ended = None;
        if let Some(thread) = self.thread.take() {
            // It does not panic; if it did, there would be nothing to tell.
            let _ = thread.join();
        }
        Activity::remove(&self.run)
    }
}

impl Drop for Reporter {
    fn drop(&mut self) {
        let _ = self.finish();
    }
}

impl Watcher {
    fn watch(&mut self, end: &Receiver<()>) {
        while end.recv_timeout(TICK) == Err(RecvTimeoutError::Timeout) {
            let stage = *locked(&self.stage);
            let Some(stage) = stage else { continue };
            let [done, total] = progress::position().unwrap_or_default();
            self.write(stage, [done, total]);
            self.say(stage, [done, total]);
        }
    }

    fn write(&mut self, stage: Stage, [done, total]: [u64; 2]) {
        let is_known = |&(known, at): &(Stage, Instant)| known == stage && at.elapsed() < PERIOD;
        if self.written.as_ref().is_some_and(is_known) {
            return;
        }
        let Stage { phase, iteration } = stage;
        let (phase, time) = (phase.to_owned(), now());
        let cluster = locked(&self.cluster).as_ref().and_then(|watch| locked(watch).clone());
        let goal = self.goal.load(Ordering::Relaxed);
        let activity = Activity { phase, iteration, goal, done, total, time, cluster };
        // The training does not need it: it fails itself if nothing can be written.
        let _ = activity.write(&self.run);
        self.written = Some((stage, Instant::now()));
    }

    fn say(&mut self, stage: Stage, [done, total]: [u64; 2]) {
        let is_due = stage.iteration <= self.first && self.said.elapsed() >= PATIENCE;
        // Between two phases there is nothing to count yet.
        if is_due && total > 0 && !progress::is_shown() {
            let goal = self.goal.load(Ordering::Relaxed);
            report::progress(stage.phase, stage.iteration, goal, [done, total]);
            self.said = Instant::now();
        }
    }
}

fn locked<T>(shared: &Mutex<T>) -> MutexGuard<'_, T> {
    shared.lock().unwrap_or_else(PoisonError::into_inner)
}

#[cfg(all(test, feature = "serve"))]
mod tests {
    use serde_json::Map;

    use super::*;
    use crate::nn::settings::NetworkSettings;
    use crate::registry;
    use crate::runs::checkpoint::RunInfo;
    use crate::tests::common::folder::Folder;

    /// A run that is resumed is known to be trained before its first phase begins.
    #[test]
    fn a_start_is_told_at_once() {
        let folder = Folder::new();
        let variant = registry::find("tic_tac_toe", &Map::new()).unwrap();
        let info = RunInfo::new(&variant, 1, NetworkSettings::default());
        let (run, _lock) = Run::begin(&folder.file("run"), &info).unwrap();
        let read = || Activity::read(&run.folder().join(Activity::FILE));
        let mut reporter = Reporter::start(&run, 13, 100).unwrap();
        let told = read().unwrap();
        assert_eq!((told.phase.as_str(), told.iteration, told.goal), ("start", 13, 100));
        reporter.finish().unwrap();
        assert_eq!(read(), None);
    }
}
