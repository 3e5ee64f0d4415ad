//! What a process that trains a run is doing, for those who look at the run meanwhile.
//!
//! The process writes `activity.json` while it trains, at least every [`PERIOD`], and removes it in
//! the end. A file that is older than [`STALE`] was left by a process that was killed.

#[cfg(feature = "serve")]
use std::path::Path;
#[cfg(feature = "net")]
use std::path::PathBuf;
use std::time::{Duration, SystemTime, UNIX_EPOCH};

#[cfg(feature = "net")]
use anyhow::{Context, Result};
use serde::{Deserialize, Serialize};

#[cfg(feature = "net")]
use super::checkpoint::Run;
#[cfg(feature = "net")]
use crate::base::durable::{remove_file, write_whole};
use crate::base::foreign;

/// The longest time from one writing to the next.
#[cfg(feature = "net")]
pub(crate) const PERIOD: Duration = Duration::from_secs(10);

/// The age from which the file tells nothing: some writings may have failed.
#[cfg(feature = "serve")]
const STALE: Duration = Duration::from_secs(35);

/// The largest file that is read: a worker takes about 150 bytes.
#[cfg(feature = "serve")]
const MOST_BYTES: u64 = 256 << 10;

/// What a training process is doing.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub(crate) struct Activity {
    /// `start` while the run is loaded, then as in the metrics: `selfplay`, `learn` or
    /// `evaluation`.
    pub phase: String,
    /// The iteration in progress; in an evaluation, the one that is evaluated.
    pub iteration: u64,
    /// The iteration after which the process stops.
    pub goal: u64,
    /// Games or steps of the phase that are done.
    pub done: u64,
    /// Games or steps of the phase.
    pub total: u64,
    /// When this was written, in seconds since 1970.
    pub time: u64,
    /// The workers that play for the run, if they are on a cluster.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cluster: Option<ClusterActivity>,
}

/// The workers of a run on a cluster.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub(crate) struct ClusterActivity {
    /// The workers that play for the run.
    pub workers: Vec<WorkerActivity>,
    /// Tasks that wait for a worker or are held by one.
    pub tasks: u64,
    /// The share of its time in which the learner waited for games.
    pub waiting: f64,
}

/// A worker of a run.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub(crate) struct WorkerActivity {
    /// Its computer.
    pub host: String,
    /// The fastest engine of its CPU.
    pub engine: String,
    /// Its threads.
    pub threads: u64,
    /// Games finished a second, over its last period.
    pub games_per_s: f64,
    /// Seconds since its last sign of life, compared with the newest one of all.
    pub silent: f64,
}

impl Activity {
    /// The name of the file in the run's folder.
    pub(crate) const FILE: &str = "activity.json";

    /// Writes it into the run's folder.
    ///
    /// # Errors
    ///
    /// If it cannot be written.
    #[cfg(feature = "net")]
    pub(crate) fn write(&self, run: &Run) -> Result<()> {
        let path = path(run);
        let text = serde_json::to_vec(self).context("a number has no JSON")?;
        write_whole(&path, &text).with_context(|| format!("cannot write {}", path.display()))
    }

    /// Removes what a process wrote.
    ///
    /// # Errors
    ///
    /// If there is a file that cannot be removed.
    #[cfg(feature = "net")]
    pub(crate) fn remove(run: &Run) -> Result<()> {
        let path = path(run);
        remove_file(&path).with_context(|| format!("cannot remove {}", path.display()))
    }

    /// Reads what a process that trains at this moment is doing; `None` if none trains.
    #[cfg(feature = "serve")]
    pub(crate) fn read(path: &Path) -> Option<Self> {
        let found = Self::parse(&foreign::read(path, MOST_BYTES).ok()?)?;
        (now().abs_diff(found.time) <= STALE.as_secs()).then_some(found)
    }

    /// Parses the contents of the file, however old they are.
    #[cfg(feature = "serve")]
    pub(crate) fn parse(text: &[u8]) -> Option<Self> {
        serde_json::from_slice(text).ok()
    }
}

#[cfg(feature = "net")]
fn path(run: &Run) -> PathBuf {
    run.folder().join(Activity::FILE)
}

/// The time in seconds since 1970.
pub(crate) fn now() -> u64 {
    SystemTime::now().duration_since(UNIX_EPOCH).map_or(0, |time| time.as_secs())
}

#[cfg(feature = "serve")]
#[cfg(test)]
mod tests {
    use std::fs;

    use super::*;
    use crate::tests::common::folder::Folder;

    #[test]
    fn old_and_damaged_files_tell_nothing() {
        let folder = Folder::new();
        let path = folder.file(Activity::FILE);
        let read = |text: &str| {
            fs::write(&path, text).unwrap();
            Activity::read(&path)
        };
        let at = |time: u64| Activity {
            phase: "learn".into(),
            iteration: 3,
            goal: 9,
            done: 1,
            total: 2,
            time,
            cluster: None,
        };
        let text = |activity: &Activity| serde_json::to_string(activity).unwrap();
        assert_eq!(Activity::read(&path), None);
        let fresh = at(now());
        assert_eq!(read(&text(&fresh)), Some(fresh.clone()));
        assert_eq!(read(&text(&at(now() - 60))), None);
        assert_eq!(read("{"), None);
        assert_eq!(read(&format!("{}{}", text(&fresh), " ".repeat(MOST_BYTES as usize))), None);
    }
}
