//! The folder of a training run: config, games and checkpoints.
//!
//! ```text
//! checkpoints/<run>/
//!   config.toml            the whole config
//!   config-000012.toml     the config up to iteration 12, if the settings were changed after it
//!   run.json               what is fixed for the run: format, game, rules, network
//!   games/000120.games     records of one iteration
//!   000120/                weights.bpk, optimizer.bpk, state.json, checksums.json
//!   latest                 "000120", written last
//!   best                   the checkpoint with the highest rating, if any was evaluated
//!   metrics.jsonl
//!   pruned.jsonl           what was removed of the run, if it is pruned
//!   activity.json          what the process that trains is doing
//! ```
//!
//! A checkpoint is written to a temporary folder, synced and renamed; then `latest` is written in
//! the same way. Killing the process loses at most the current iteration.

mod files;
mod info;
mod run_metrics;

use std::fs::{self, File};
use std::path::{Path, PathBuf};

use anyhow::{Context, Result, anyhow, bail, ensure};
use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::base::durable::{checksum, lock, remove_file, rename_whole, sync_folder_of};
use crate::base::foreign;
use files::{
    is_number, names_in, parse_json, ranges, read, read_text, read_verified, remove_folder,
    to_json, write_file,
};
use info::FORMAT;
pub(crate) use info::RunInfo;

/// File of the optimizer's state in the folder of a checkpoint; training needs it to resume.
pub(crate) const OPTIMIZER: &str = "optimizer.bpk";

/// Number of the newest checkpoints that keep the optimizer's state. With several, a run can still
/// resume if one is damaged.
pub(crate) const OPTIMIZERS_KEPT: u64 = 3;

/// The extension of a checkpoint that is being written or removed.
const ASIDE: &str = "part";

/// The highest number of an iteration that is read from a file.
const MOST_ITERATIONS: u64 = 999_999_999;

/// The most seconds of training that are read from a file: ten thousand years.
const MOST_SECONDS: f64 = 3.2e11;

/// The state of a run after an iteration, without weights and optimizer.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct RunState {
    /// The iteration, 0 before the first.
    pub iteration: u64,
    /// Steps of the optimizer so far.
    pub steps: u64,
    /// Games played so far.
    pub games: u64,
    /// Positions recorded so far.
    pub positions: u64,
    /// Seconds of training so far.
    pub seconds: f64,
    /// Metrics of the iteration; appended to the run's metrics after the checkpoint is written.
    pub metrics: Vec<Value>,
}

impl RunState {
    /// When the iteration was finished, in Unix seconds; `None` before the first.
    #[cfg(feature = "serve")]
    pub(crate) fn time(&self) -> Option<u64> {
        self.metrics.iter().filter_map(|line| line.get("time")?.as_u64()).max()
    }

    /// Checks that the numbers can be reckoned with.
    fn check(&self) -> Result<()> {
        let Self { iteration, steps, games, positions, seconds, .. } = *self;
        ensure!(iteration <= MOST_ITERATIONS, "`iteration` is {iteration}");
        for (key, count) in [("steps", steps), ("games", games), ("positions", positions)] {
            ensure!(count <= 1 << 53, "`{key}` is {count}");
        }
        ensure!((0.0..=MOST_SECONDS).contains(&seconds), "`seconds` is {seconds}");
        Ok(())
    }
}

/// The checksums of a checkpoint's files.
#[derive(Clone, Copy, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Checksums {
    state: u32,
    weights: u32,
    optimizer: u32,
}

/// A checkpoint in memory.
#[derive(Clone, Debug)]
pub struct Checkpoint {
    /// State of the run.
    pub state: RunState,
    /// The weights, in burn's format.
    pub weights: Vec<u8>,
    /// The optimizer's state, in burn's format; empty if it is no longer kept.
    pub optimizer: Vec<u8>,
}

/// The folder of a run.
#[derive(Clone, Debug)]
pub struct Run {
    folder: PathBuf,
}

impl Run {
    /// Opens the run in `folder` for reading.
    ///
    /// # Errors
    ///
    /// If the folder has no run.
    pub fn open(folder: &Path) -> Result<Self> {
        let run = Self { folder: folder.to_owned() };
        ensure!(
            run.info_path().is_file(),
            "there is no run in {}: it has no run.json",
            folder.display()
        );
        Ok(run)
    }

    /// Opens the run in `folder` for training, or starts one if there is none. As long as the
    /// returned lock file is open, no other process can train in the folder.
    ///
    /// # Errors
    ///
    /// If the run in the folder differs from `info`, another process is training in it, or it
    /// cannot be written.
    pub fn begin(folder: &Path, info: &RunInfo) -> Result<(Self, File)> {
        let run = Self { folder: folder.to_owned() };
        let games = run.folder.join("games");
        foreign::expect_no_link(&games)
            .and_then(|()| fs::create_dir_all(&games))
            .and_then(|()| sync_folder_of(folder))
            .with_context(|| format!("cannot create the run's folder {}", folder.display()))?;
        let lock = run.lock()?;
        run.remove_unfinished();
        if run.info_path().is_file() {
            let there = run.info()?;
            let difference = there.difference(info);
            ensure!(
                difference.is_none(),
                "the run in {} was started with {}, which cannot change; for a new run, choose \
                 another folder with --run DIR",
                folder.display(),
                difference.unwrap_or_default()
            );
            let variant = there.variant();
            variant.with_context(|| format!("the run in {} cannot go on", folder.display()))?;
        } else {
            ensure!(
                run.all_checkpoints().is_empty(),
                "{} is missing, but the folder has checkpoints; restore the file, or choose \
                 another folder for a new run with --run DIR",
                run.info_path().display()
            );
            write_file(&run.info_path(), &to_json(info))?;
        }
        Ok((run, lock))
    }

    /// Locks the run, as a training does: nothing else may change it meanwhile.
    ///
    /// # Errors
    ///
    /// If another process trains it, or the file cannot be written.
    pub(crate) fn lock(&self) -> Result<File> {
        let path = self.folder.join("lock");
        let lock = lock(&path).with_context(|| format!("cannot lock {}", path.display()))?;
        lock.with_context(|| format!("another process is training in {}", self.folder.display()))
    }

    /// The folder of the run.
    pub fn folder(&self) -> &Path {
        &self.folder
    }

    /// Path of the run's config.
    pub fn config_path(&self) -> PathBuf {
        self.folder.join("config.toml")
    }

    /// Reads what is fixed for the run.
    ///
    /// # Errors
    ///
    /// If `run.json` cannot be read or has another format.
    pub fn info(&self) -> Result<RunInfo> {
        let path = self.info_path();
        let remedy = || {
            format!(
                "{} is damaged; restore a copy of it, or choose another folder for a new run with \
                 --run DIR",
                path.display()
            )
        };
        let value: Value = parse_json(&read(&path, foreign::FEW)?).with_context(remedy)?;
        let format = value.get("format").and_then(Value::as_u64);
        if let Some(format) = format.filter(|&format| format != u64::from(FORMAT)) {
            bail!("{} has format {format}, this program reads format {FORMAT}", path.display());
        }
        let info: RunInfo = serde_json::from_value(value).with_context(remedy)?;
        let checked = info.network.check();
        checked
            .map_err(|(key, reason)| anyhow!("`network.{key}`: {reason}"))
            .with_context(remedy)?;
        Ok(info)
    }

    /// Writes the config with which the run continues.
    ///
    /// # Errors
    ///
    /// If it cannot be written.
    pub fn write_config(&self, toml: &str) -> Result<()> {
        write_file(&self.config_path(), toml.as_bytes())
    }

    /// The newest iteration with a checkpoint, or `None` if there is no checkpoint.
    ///
    /// # Errors
    ///
    /// If the file `latest` is missing beside checkpoints or invalid.
    pub fn latest(&self) -> Result<Option<u64>> {
        let path = self.folder.join("latest");
        if !path.is_file() {
            // The process may have been killed between writing the first checkpoint and `latest`.
            ensure!(
                self.all_checkpoints().iter().all(|&iteration| iteration == 0),
                "{} is missing; to resume, write the number of a checkpoint into it{}",
                path.display(),
                self.others()
            );
            return Ok(None);
        }
        read_number(&path).map(Some)
    }

    /// The iteration with the highest rating, or `None` if none was evaluated. After the run was
    /// set back it may be an abandoned one until training goes on.
    ///
    /// # Errors
    ///
    /// If the file `best` is invalid.
    pub(crate) fn marked_best(&self) -> Result<Option<u64>> {
        let path = self.folder.join("best");
        if path.is_file() { read_number(&path).map(Some) } else { Ok(None) }
    }

    /// Records the iteration with the highest rating; `None` if none was evaluated.
    ///
    /// # Errors
    ///
    /// If the file `best` cannot be written or removed.
    pub(crate) fn mark_best(&self, iteration: Option<u64>) -> Result<()> {
        let path = self.folder.join("best");
        match iteration {
            Some(iteration) => write_file(&path, format!("{iteration:06}\n").as_bytes()),
            None => remove_file(&path).with_context(|| format!("cannot remove {}", path.display())),
        }
    }

    /// Reads the checkpoint of an iteration and verifies its checksums.
    ///
    /// # Errors
    ///
    /// If it is missing or damaged.
    pub fn load(&self, iteration: u64) -> Result<Checkpoint> {
        let most = self.info()?.network.most_bytes();
        self.read_from(iteration, |folder, checksums| {
            let state = read_state(folder, checksums)?;
            ensure!(state.iteration == iteration, "it holds iteration {}", state.iteration);
            let weights = read_verified(&folder.join("weights.bpk"), most, checksums.weights)?;
            let path = folder.join(OPTIMIZER);
            let optimizer = match path.exists() {
                // Two moments for each weight.
                true => read_verified(&path, 3 * most, checksums.optimizer)?,
                false => Vec::new(),
            };
            Ok(Checkpoint { state, weights, optimizer })
        })
    }

    /// Reads and verifies only the weights of an iteration, which is all that a player needs.
    ///
    /// # Errors
    ///
    /// If they are missing or damaged.
    pub fn weights(&self, iteration: u64) -> Result<Vec<u8>> {
        let most = self.info()?.network.most_bytes();
        self.read_from(iteration, |folder, checksums| {
            read_verified(&folder.join("weights.bpk"), most, checksums.weights)
        })
    }

    /// Reads and verifies only the state of an iteration.
    ///
    /// # Errors
    ///
    /// If it is missing or damaged.
    pub fn state(&self, iteration: u64) -> Result<RunState> {
        self.read_from(iteration, read_state)
    }

    /// Reads from the folder of a checkpoint; errors say how to resume from another one.
    fn read_from<T>(
        &self,
        iteration: u64,
        read_files: impl FnOnce(&Path, &Checksums) -> Result<T>,
    ) -> Result<T> {
        let folder = self.checkpoint_path(iteration);
        if !folder.is_dir() {
            let is_pruned = self.pruned_path().exists() && self.latest()? > Some(iteration);
            let why = if is_pruned { ", it was pruned" } else { "" };
            let name = self.folder.display();
            bail!("{name} has no checkpoint {iteration}{why}{}", self.others());
        }
        foreign::expect_no_link(&folder)?;
        ensure!(
            !self.is_abandoned(iteration),
            "the checkpoint {} was abandoned when the run was set back to an earlier one; to return \
             to it, write its number into {}",
            folder.display(),
            self.folder.join("latest").display()
        );
        self.checksums(iteration)
            .and_then(|checksums| read_files(&folder, &checksums))
            .with_context(|| {
                format!("cannot use the checkpoint {}{}", folder.display(), self.earlier(iteration))
            })
    }

    /// Reads the checksums of a checkpoint.
    fn checksums(&self, iteration: u64) -> Result<Checksums> {
        let path = self.checkpoint_path(iteration).join("checksums.json");
        parse_json(&read(&path, foreign::FEW)?)
            .with_context(|| format!("{} is damaged", path.display()))
    }

    /// The checksum of an iteration's weights; `None` if it has no readable checkpoint.
    pub(crate) fn weights_checksum(&self, iteration: u64) -> Option<u32> {
        self.checksums(iteration).ok().map(|checksums| checksums.weights)
    }

    /// Whether an iteration has a readable checkpoint that was not abandoned.
    pub(crate) fn has_checkpoint(&self, iteration: u64) -> bool {
        !self.is_abandoned(iteration) && self.weights_checksum(iteration).is_some()
    }

    /// Writes a checkpoint and makes it the latest. The optimizer's state of the checkpoint
    /// [`OPTIMIZERS_KEPT`] iterations before is removed.
    ///
    /// # Errors
    ///
    /// If it cannot be written; the previous checkpoint then stays the latest.
    pub fn commit(&self, checkpoint: &Checkpoint) -> Result<()> {
        let iteration = checkpoint.state.iteration;
        let folder = self.checkpoint_path(iteration);
        let aside = folder.with_extension(ASIDE);
        remove_folder(&aside)?;
        fs::create_dir_all(&aside).with_context(|| format!("cannot create {}", aside.display()))?;
        write_file(&aside.join("weights.bpk"), &checkpoint.weights)?;
        write_file(&aside.join(OPTIMIZER), &checkpoint.optimizer)?;
        let state = to_json(&checkpoint.state);
        write_file(&aside.join("state.json"), &state)?;
        let checksums = Checksums {
            state: checksum(&state),
            weights: checksum(&checkpoint.weights),
            optimizer: checksum(&checkpoint.optimizer),
        };
        write_file(&aside.join("checksums.json"), &to_json(&checksums))?;
        // A checkpoint that was abandoned stays until the new one is whole.
        remove_folder(&folder)?;
        rename_whole(&aside, &folder)
            .with_context(|| format!("cannot complete {}", folder.display()))?;
        write_file(&self.folder.join("latest"), format!("{iteration:06}\n").as_bytes())?;
        self.remove_old_optimizer(iteration);
        Ok(())
    }

    /// Removes the optimizer's state that is not kept any more once `iteration` is the latest.
    pub(crate) fn remove_old_optimizer(&self, iteration: u64) {
        if let Some(old) = iteration.checked_sub(OPTIMIZERS_KEPT) {
            let folder = self.checkpoint_path(old);
            // Ignore a failure: the file is no longer needed and only takes up space.
            let _ = foreign::expect_no_link(&folder)
                .and_then(|()| fs::remove_file(folder.join(OPTIMIZER)));
        }
    }

    /// Removes the checkpoint of an iteration. A process that is killed meanwhile leaves all of it
    /// or nothing that counts.
    ///
    /// # Errors
    ///
    /// If it cannot be removed, or is a link.
    pub(crate) fn remove_checkpoint(&self, iteration: u64) -> Result<()> {
        let folder = self.checkpoint_path(iteration);
        let aside = folder.with_extension(ASIDE);
        foreign::expect_no_link(&folder)?;
        remove_folder(&aside)?;
        fs::rename(&folder, &aside)
            .with_context(|| format!("cannot remove {}", folder.display()))?;
        remove_folder(&aside)
    }

    /// Removes what a process that was killed left of checkpoints that it wrote or removed. The run
    /// must be locked.
    pub(crate) fn remove_unfinished(&self) {
        let is_aside = |name: &str| {
            name.strip_suffix(ASIDE).and_then(|name| name.strip_suffix('.')).is_some_and(is_number)
        };
        for name in names_in(&self.folder).filter(|name| is_aside(name)) {
            // Ignore a failure: it only takes up space.
            let _ = remove_folder(&self.folder.join(name));
        }
    }

    /// The iterations with games, ascending.
    pub(crate) fn iterations_with_games(&self) -> Vec<u64> {
        let folder = self.folder.join("games");
        let number = |name: String| name.strip_suffix(".games")?.parse().ok();
        let mut numbers: Vec<u64> = names_in(&folder).filter_map(number).collect();
        numbers.retain(|&number| number <= MOST_ITERATIONS);
        numbers.sort_unstable();
        numbers
    }

    /// Path of the games of an iteration.
    pub fn games_path(&self, iteration: u64) -> PathBuf {
        self.folder.join("games").join(format!("{iteration:06}.games"))
    }

    /// Path of the run's metrics.
    pub fn metrics_path(&self) -> PathBuf {
        self.folder.join("metrics.jsonl")
    }

    /// Path of the list of what was removed of the run.
    pub(crate) fn pruned_path(&self) -> PathBuf {
        self.folder.join("pruned.jsonl")
    }

    fn info_path(&self) -> PathBuf {
        self.folder.join("run.json")
    }

    /// Path of the folder of an iteration's checkpoint.
    pub(crate) fn checkpoint_path(&self, iteration: u64) -> PathBuf {
        self.folder.join(format!("{iteration:06}"))
    }

    /// The iterations with a checkpoint, ascending, without those that were abandoned when the run
    /// was set back to an earlier one.
    pub fn checkpoints(&self) -> Vec<u64> {
        let mut numbers = self.all_checkpoints();
        numbers.retain(|&iteration| !self.is_abandoned(iteration));
        numbers
    }

    /// Whether an iteration is later than the latest: the run was set back to an earlier one.
    pub(crate) fn is_abandoned(&self, iteration: u64) -> bool {
        matches!(self.latest(), Ok(Some(latest)) if iteration > latest)
    }

    /// The iterations with a folder, ascending.
    fn all_checkpoints(&self) -> Vec<u64> {
        let mut numbers: Vec<u64> =
            names_in(&self.folder).filter_map(|name| name.parse().ok()).collect();
        numbers.retain(|&number| number <= MOST_ITERATIONS);
        numbers.sort_unstable();
        numbers
    }

    /// How to resume from another checkpoint than this one, as the end of an error message; empty if
    /// there is none that can be resumed from.
    pub(crate) fn earlier(&self, iteration: u64) -> String {
        let mut others = self.all_checkpoints();
        others.retain(|&other| {
            other != iteration && self.checkpoint_path(other).join(OPTIMIZER).is_file()
        });
        match ranges(&others) {
            ranges if ranges.is_empty() => String::new(),
            ranges => format!(
                "; to resume from an earlier one, write its number into {} (possible: {ranges})",
                self.folder.join("latest").display()
            ),
        }
    }

    /// The available checkpoints as the end of an error message; empty if there are none.
    fn others(&self) -> String {
        match ranges(&self.all_checkpoints()) {
            ranges if ranges.is_empty() => String::new(),
            ranges => format!(" (available: {ranges})"),
        }
    }
}

/// Reads a file that consists of one number.
fn read_number(path: &Path) -> Result<u64> {
    let text = read_text(path)?;
    let number = text.trim().parse().ok().filter(|&number| number <= MOST_ITERATIONS);
    number.with_context(|| {
        format!(
            "{}: expected the number of a checkpoint, found {:?}",
            path.display(),
            text.chars().take(20).collect::<String>()
        )
    })
}

fn read_state(folder: &Path, checksums: &Checksums) -> Result<RunState> {
    let path = folder.join("state.json");
    let text = read_verified(&path, foreign::LIST, checksums.state)?;
    let damaged = || format!("{} is damaged", path.display());
    let state: RunState = parse_json(&text).with_context(damaged)?;
    state.check().with_context(damaged)?;
    Ok(state)
}
