//! What was removed from a run: `pruned.jsonl`, one line for each iteration of which something was.
//!
//! The digests of the removed files are kept, so that the digest of a run does not change.

use std::collections::HashMap;

use anyhow::{Context, Result};
use serde::{Deserialize, Serialize};

use crate::base::json_log;
use crate::runs::checkpoint::Run;

/// What was removed of an iteration.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub(super) struct Entry {
    pub iteration: u64,
    /// The digest of the file of games.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub games: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub checkpoint: Option<RemovedCheckpoint>,
}

/// What is left of a checkpoint that was removed.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub(crate) struct RemovedCheckpoint {
    /// Seconds of training until then.
    pub seconds: f64,
    /// The digest of the weights.
    pub weights: String,
    /// The digest of the state, without what is measured.
    pub state: String,
}

/// All that was removed from a run.
#[derive(Clone, Default, Debug)]
pub(crate) struct Pruned {
    games: HashMap<u64, String>,
    checkpoints: HashMap<u64, RemovedCheckpoint>,
}

impl Pruned {
    /// Reads what was removed from a run; nothing if it was never pruned.
    ///
    /// # Errors
    ///
    /// If the file is there and cannot be read.
    pub(crate) fn of(run: &Run) -> Result<Self> {
        let mut pruned = Self::default();
        let path = run.pruned_path();
        json_log::each_line(&path, |_, line| {
            // A line that was cut off belongs to files that are still there.
            if let Ok(Entry { iteration, games, checkpoint }) = serde_json::from_slice(line) {
                pruned.games.extend(games.map(|games| (iteration, games)));
                pruned.checkpoints.extend(checkpoint.map(|it| (iteration, it)));
            }
        })
        .with_context(|| format!("cannot read {}", path.display()))?;
        Ok(pruned)
    }

    /// The digest of the games of an iteration, if they were removed.
    pub(crate) fn games(&self, iteration: u64) -> Option<&str> {
        self.games.get(&iteration).map(String::as_str)
    }

    /// What is left of the checkpoint of an iteration, if it was removed.
    pub(crate) fn checkpoint(&self, iteration: u64) -> Option<&RemovedCheckpoint> {
        self.checkpoints.get(&iteration)
    }
}

/// Appends what is about to be removed.
pub(super) fn append(run: &Run, entries: &[Entry]) -> Result<()> {
    let path = run.pruned_path();
    let lines = entries.iter().map(serde_json::to_value).collect::<Result<Vec<_>, _>>()?;
    json_log::append(&path, &lines).with_context(|| format!("cannot write {}", path.display()))
}
