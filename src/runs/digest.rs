//! The digest of a run: one number for all that config, seed and program determine.
//!
//! Equal runs have equal digests, on any number of threads, at any time, and whether or not they
//! were killed and resumed, set back and repeated, or pruned on the way. So times, rates and what
//! depends on the number of threads are left out, and so are evaluations where a training was
//! stopped, and what lies beyond the latest checkpoint.
//!
//! The hash is SHA-256, so that `sha256sum` can check a file of the list.

use anyhow::{Context, Result, anyhow, ensure};
use serde::Serialize;
use serde_json::Value;
use sha2::{Digest as _, Sha256};

use super::checkpoint::{Checkpoint, Run, RunInfo, RunState};
use super::config::Config;
use super::evaluation;
use super::pruning::{Pruned, RemovedCheckpoint};
use crate::selfplay::record::RecordFile;

/// Keys of the metrics and of the state that are measured: they differ between equal runs.
/// Evaluations, batches and hits of the cache depend on how many threads share the work.
const MEASURED: [&str; 9] = [
    "time",
    "seconds",
    "cores",
    "evaluations",
    "evaluations_per_s",
    "positions_per_s",
    "busy",
    "batch_fill",
    "cache_hits",
];

/// The digest of a run and of its parts.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct Digest {
    /// The latest iteration.
    pub iterations: u64,
    /// The digests of the parts, in hexadecimal digits, and their names.
    pub parts: Vec<(String, String)>,
}

impl Digest {
    /// Computes the digest of a run up to its latest checkpoint.
    ///
    /// # Errors
    ///
    /// If there is no checkpoint, or a part is missing or damaged.
    pub(crate) fn of(run: &Run) -> Result<Self> {
        let folder = run.folder().display();
        let latest = run.latest()?.with_context(|| format!("{folder} has no checkpoint yet"))?;
        Self::up_to(run, latest).map_err(|error| match run.latest() {
            Ok(Some(now)) if now != latest => anyhow!(
                "{folder} is in training: it went on from iteration {latest} to {now} while it was \
                 read; stop the training, or try again ({error:#})"
            ),
            _ => error,
        })
    }

    fn up_to(run: &Run, latest: u64) -> Result<Self> {
        let mut list = List(Vec::new());
        // The version of the program that began the run may differ from that which finished it.
        list.json("run.json", &RunInfo { version: String::new(), ..run.info()? })?;
        let mut config = Config::load(&run.config_path(), &[])?;
        // It changes nothing that is computed.
        config.train.prune = false;
        list.add("config.toml", config.to_toml().as_bytes());
        let pruned = Pruned::of(run)?;
        for iteration in 0..=latest {
            list.iteration(run, &pruned, iteration, latest)?;
        }
        let mut metrics = metrics(run)?;
        let at_ends = metrics.extract_if(.., |line| line["at_end"] == true);
        let at_ends: Vec<_> = at_ends.filter_map(|line| line["iteration"].as_u64()).collect();
        list.json("metrics.jsonl", &metrics)?;
        // Where a training was stopped does not count, nor the network that was evaluated there.
        let best = evaluation::best(run)?;
        let is_at_end = best.is_some_and(|best| at_ends.contains(&best));
        let regular = metrics.iter().rev().find_map(|line| line["best"].as_u64());
        list.json("best", &if is_at_end { regular } else { best })?;
        Ok(Self { iterations: latest, parts: list.0 })
    }

    /// The list of the parts, as `sha256sum` prints it.
    pub(crate) fn list(&self) -> String {
        self.parts.iter().map(|(digest, name)| format!("{digest}  {name}\n")).collect()
    }

    /// The digest of the whole run: that of the list.
    pub(crate) fn total(&self) -> String {
        sha256(self.list().as_bytes())
    }
}

/// The parts so far: their digests and names.
struct List(Vec<(String, String)>);

impl List {
    fn add(&mut self, name: &str, bytes: &[u8]) {
        self.known(name, sha256(bytes));
    }

    /// Adds a part whose digest is known.
    fn known(&mut self, name: &str, digest: String) {
        self.0.push((digest, name.to_owned()));
    }

    /// Adds a value as JSON, whose keys are sorted.
    fn json(&mut self, name: &str, value: &impl Serialize) -> Result<()> {
        self.add(name, json(value)?.as_bytes());
        Ok(())
    }

    /// Adds the games and the checkpoint of an iteration. Only the newest checkpoints keep the
    /// optimizer; the last one depends on all earlier ones.
    fn iteration(&mut self, run: &Run, pruned: &Pruned, iteration: u64, latest: u64) -> Result<()> {
        if iteration > 0 {
            let gone = pruned.games(iteration).filter(|_| !run.games_path(iteration).exists());
            let digest = gone.map_or_else(|| games(run, iteration), |it| Ok(it.to_owned()))?;
            self.known(&format!("games/{iteration:06}.games"), digest);
        }
        let gone =
            pruned.checkpoint(iteration).filter(|_| !run.checkpoint_path(iteration).exists());
        let (remains, optimizer) = match gone {
            Some(gone) => (gone.clone(), Vec::new()),
            None => {
                let checkpoint = run.load(iteration)?;
                (remains_of(&checkpoint)?, checkpoint.optimizer)
            }
        };
        self.known(&format!("{iteration:06}/weights.bpk"), remains.weights);
        if iteration == latest {
            let name = format!("{iteration:06}/optimizer.bpk");
            ensure!(!optimizer.is_empty(), "{} has no {name}", run.folder().display());
            self.add(&name, &optimizer);
        }
        self.known(&format!("{iteration:06}/state.json"), remains.state);
        Ok(())
    }
}

/// The digest of the games of an iteration.
pub(super) fn games(run: &Run, iteration: u64) -> Result<String> {
    let (_, bytes) = RecordFile::read_with_bytes(&run.games_path(iteration))?;
    Ok(sha256(&bytes))
}

/// The digests of the checkpoint of an iteration.
pub(super) fn remains(run: &Run, iteration: u64) -> Result<RemovedCheckpoint> {
    remains_of(&run.load(iteration)?)
}

fn remains_of(checkpoint: &Checkpoint) -> Result<RemovedCheckpoint> {
    let Checkpoint { state, weights, .. } = checkpoint;
    // Its metrics are part of those of the run.
    let constant = RunState { seconds: 0.0, metrics: Vec::new(), ..state.clone() };
    Ok(RemovedCheckpoint {
        seconds: state.seconds,
        weights: sha256(weights),
        state: sha256(json(&constant)?.as_bytes()),
    })
}

/// A value as JSON, whose keys are sorted.
fn json(value: &impl Serialize) -> Result<String> {
    Ok(serde_json::to_value(value).context("a number has no JSON")?.to_string())
}

/// The metrics that count, without what is measured.
fn metrics(run: &Run) -> Result<Vec<Value>> {
    let mut lines = run.metrics()?;
    for line in lines.iter_mut().filter_map(Value::as_object_mut) {
        MEASURED.iter().for_each(|&key| drop(line.remove(key)));
    }
    Ok(lines)
}

/// The SHA-256 of some bytes in hexadecimal digits.
pub(crate) fn sha256(bytes: &[u8]) -> String {
    Sha256::digest(bytes).iter().map(|byte| format!("{byte:02x}")).collect()
}
