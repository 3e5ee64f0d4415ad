//! The metrics of a run.

use anyhow::{Context, Result};
use serde::de::DeserializeOwned;
use serde_json::Value;

use super::Run;
use crate::base::json_log;
use crate::runs::metrics;

impl Run {
    /// The lines of the run's metrics that count, up to the latest iteration; none if the file does
    /// not exist.
    ///
    /// # Errors
    ///
    /// If it cannot be read; the error has its path.
    pub(crate) fn metrics(&self) -> Result<Vec<Value>> {
        let (mut lines, reached) = (self.metrics_of_all_checkpoints()?, self.reached());
        lines.retain(|line| metrics::iteration(line).is_none_or(|it| it <= reached));
        Ok(lines)
    }

    /// The lines of a phase that count, up to the latest iteration, without those of another form.
    /// The others are not kept in memory.
    ///
    /// # Errors
    ///
    /// As [`metrics`](Self::metrics).
    pub(crate) fn metrics_of<T: DeserializeOwned>(&self, phase: &str) -> Result<Vec<T>> {
        let path = self.metrics_path();
        let lines = metrics::read_phase(&path, phase, self.reached());
        lines.with_context(|| format!("cannot read {}", path.display()))
    }

    /// The latest iteration, up to which lines count.
    fn reached(&self) -> u64 {
        self.latest().ok().flatten().unwrap_or(u64::MAX)
    }

    /// As [`metrics`](Self::metrics), with those of abandoned checkpoints that have not been
    /// superseded yet.
    ///
    /// # Errors
    ///
    /// As [`metrics`](Self::metrics).
    pub(crate) fn metrics_of_all_checkpoints(&self) -> Result<Vec<Value>> {
        let path = self.metrics_path();
        let lines = json_log::read(&path);
        let lines = lines.with_context(|| format!("cannot read {}", path.display()))?;
        Ok(metrics::current(lines))
    }

    /// Appends lines to the run's metrics.
    ///
    /// # Errors
    ///
    /// If they cannot be written; the error has the path.
    pub(crate) fn append_metrics(&self, lines: &[Value]) -> Result<()> {
        let path = self.metrics_path();
        let written = json_log::append(&path, lines);
        written.with_context(|| format!("cannot write {}", path.display()))
    }
}
