//! The folder of a run: its config, its games and its checkpoints.
//!
//! ```text
//! checkpoints/<run>/
//!   config.toml            the whole config
//!   run.json               what the run is of: format, game, rules, network
//!   games/000120.games     records of one iteration
//!   000120/                weights.bpk, optimizer.bpk, state.json, checksums.json
//!   latest                 "000120", written last
//!   best                   the strongest, as far as networks have been evaluated
//!   metrics.jsonl
//! ```
//!
//! A checkpoint is written aside, synced and renamed, and `latest` the same way after it. Killing
//! the process at any moment loses at most the iteration in hand.

use std::fs::{self, File};
use std::path::{Path, PathBuf};

use anyhow::{Context, Result, anyhow, bail, ensure};
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use crate::base::durable::{checksum, lock, rename_whole, sync_folder_of, write_whole};
use crate::games::Game;
use crate::games::{self, AnyVariant, Variant};
use crate::nn::learning::NetworkSettings;
use crate::runs::config::removed;

/// Version of the layout of a run's folder.
const FORMAT: u32 = 2;

/// What learning goes on with beside the weights, in the folder of a checkpoint.
const OPTIMIZER: &str = "optimizer.bpk";

/// For how many of the newest checkpoints is kept what learning goes on with; one that is damaged
/// must not be the only one to go on from.
pub const OPTIMIZERS_KEPT: u64 = 3;

/// What a run is of; nothing of it changes while the run lasts.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct RunInfo {
    /// Version of the folder's layout.
    pub format: u32,
    /// Version of the program that began the run.
    pub version: String,
    /// Name of the game.
    pub game: String,
    /// All its options.
    pub rules: Map<String, Value>,
    /// Version of its rules.
    pub rules_version: u32,
    /// Names the randomness of the run.
    pub seed: u64,
    /// Size of the network.
    pub network: NetworkSettings,
    /// The checkpoint whose weights the run began with; empty if it began with weights of its own.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub init_from: String,
}

impl RunInfo {
    /// What a new run of `variant` is of.
    pub fn new<G: Game>(variant: &Variant<G>, seed: u64, network: NetworkSettings) -> Self {
        let Ok(Value::Object(rules)) = serde_json::to_value(variant.rules) else {
            unreachable!("options are written as a table")
        };
        Self {
            format: FORMAT,
            version: env!("CARGO_PKG_VERSION").to_owned(),
            game: variant.name.to_owned(),
            rules,
            rules_version: G::RULES_VERSION,
            seed,
            network,
            init_from: String::new(),
        }
    }

    /// The game that was trained.
    ///
    /// # Errors
    ///
    /// If this program does not know it, or knows it under other rules.
    pub fn variant(&self) -> Result<AnyVariant> {
        let variant = games::find(&self.game, &self.rules)?;
        let version = with_variant!(&variant, variant => variant.rules_version());
        ensure!(
            self.rules_version == version,
            "it was trained under version {} of the rules of {}, this program has version {version}; \
             train it anew",
            self.rules_version,
            self.game
        );
        Ok(variant)
    }

    /// What differs from `other` so that one cannot go on where the other stopped.
    fn difference(&self, other: &Self) -> Option<String> {
        let pairs = [
            ("game", Value::from(&*self.game), Value::from(&*other.game)),
            ("rules", self.rules.clone().into(), other.rules.clone().into()),
            ("rules version", self.rules_version.into(), other.rules_version.into()),
            ("seed", self.seed.into(), other.seed.into()),
            ("init_from", Value::from(&*self.init_from), Value::from(&*other.init_from)),
            ("network", network_value(&self.network), network_value(&other.network)),
        ];
        let (what, own, other) = pairs.into_iter().find(|(_, own, other)| own != other)?;
        Some(format!("{what} {own} instead of {other}"))
    }
}

fn network_value(network: &NetworkSettings) -> Value {
    serde_json::to_value(network).expect("settings are plain values")
}

/// The state of a run after an iteration, beside the weights.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct State {
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
    /// The metrics of the iteration, appended to the run's once the checkpoint is there.
    pub metrics: Vec<Value>,
}

/// The checksums of a checkpoint's files.
#[derive(Clone, Copy, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Checksums {
    state: u32,
    weights: u32,
    /// Set in checkpoints of earlier versions that averaged weights: learning went on with others
    /// than those that play.
    #[serde(default, skip_serializing)]
    learnt: Option<u32>,
    optimizer: u32,
}

/// A checkpoint in memory.
#[derive(Clone, Debug)]
pub struct Checkpoint {
    /// Where the run stands.
    pub state: State,
    /// The weights, in burn's format.
    pub weights: Vec<u8>,
    /// The optimizer's state, in burn's format; empty where it is no longer kept.
    pub optimizer: Vec<u8>,
}

/// The folder of a run.
#[derive(Clone, Debug)]
pub struct Run {
    folder: PathBuf,
}

impl Run {
    /// The run in `folder`, for reading.
    ///
    /// # Errors
    ///
    /// If there is none.
    pub fn open(folder: &Path) -> Result<Self> {
        let run = Self { folder: folder.to_owned() };
        ensure!(
            run.info_path().is_file(),
            "there is no run in {}: it has no run.json",
            folder.display()
        );
        Ok(run)
    }

    /// The run in `folder`, which is begun there if there is none yet. Other processes are kept
    /// from training there for as long as the file given with it is open.
    ///
    /// # Errors
    ///
    /// If the folder holds a run of something else, another process trains in it, or it cannot
    /// be written.
    pub fn begin(folder: &Path, info: &RunInfo) -> Result<(Self, File)> {
        let run = Self { folder: folder.to_owned() };
        fs::create_dir_all(run.folder.join("games"))
            .and_then(|()| sync_folder_of(folder))
            .with_context(|| format!("cannot create the run's folder {}", folder.display()))?;
        let lock = run.lock()?;
        if run.info_path().is_file() {
            let difference = run.info()?.difference(info);
            ensure!(
                difference.is_none(),
                "the run in {} was begun with {}; give a new run another folder with --run DIR",
                folder.display(),
                difference.unwrap_or_default()
            );
        } else {
            ensure!(
                run.checkpoints().is_empty(),
                "{} is missing, but there are checkpoints beside it; put it back, or give a new \
                 run another folder with --run DIR",
                run.info_path().display()
            );
            write_file(&run.info_path(), &to_json(info))?;
        }
        Ok((run, lock))
    }

    fn lock(&self) -> Result<File> {
        let path = self.folder.join("lock");
        let lock = lock(&path).with_context(|| format!("cannot lock {}", path.display()))?;
        lock.with_context(|| format!("another process is training in {}", self.folder.display()))
    }

    /// Its folder.
    pub fn folder(&self) -> &Path {
        &self.folder
    }

    /// The file of its config.
    pub fn config_path(&self) -> PathBuf {
        self.folder.join("config.toml")
    }

    /// What the run is of.
    ///
    /// # Errors
    ///
    /// If that cannot be read, or is of another format.
    pub fn info(&self) -> Result<RunInfo> {
        let path = self.info_path();
        let remedy = || {
            format!(
                "{} is damaged; put back a copy, or give a new run another folder with --run DIR",
                path.display()
            )
        };
        let mut value: Value = parse_json(&read(&path)?).with_context(remedy)?;
        let format = value.get("format").and_then(Value::as_u64);
        if let Some(format) = format.filter(|&format| format != u64::from(FORMAT)) {
            bail!("{} has format {format}, this program reads {FORMAT}", path.display());
        }
        removed::drop_from(&mut value, "network")
            .map_err(|reason| anyhow!("{}: {reason}", path.display()))?;
        serde_json::from_value(value).with_context(remedy)
    }

    /// Writes the config the run goes on with.
    ///
    /// # Errors
    ///
    /// If it cannot be written.
    pub fn write_config(&self, toml: &str) -> Result<()> {
        write_file(&self.config_path(), toml.as_bytes())
    }

    /// The newest iteration with a checkpoint, if there is any.
    ///
    /// # Errors
    ///
    /// If the file that names it makes no sense.
    pub fn latest(&self) -> Result<Option<u64>> {
        let path = self.folder.join("latest");
        if !path.is_file() {
            // The very first checkpoint may have been cut off before it was made the latest.
            ensure!(
                self.checkpoints().iter().all(|&iteration| iteration == 0),
                "{} is missing; write the number of the checkpoint to go on from into it{}",
                path.display(),
                self.others()
            );
            return Ok(None);
        }
        read_number(&path).map(Some)
    }

    /// The iteration whose network was strongest when last evaluated, if any was.
    ///
    /// # Errors
    ///
    /// If the file that names it makes no sense.
    pub fn best(&self) -> Result<Option<u64>> {
        let path = self.folder.join("best");
        if path.is_file() { read_number(&path).map(Some) } else { Ok(None) }
    }

    /// Marks the strongest network.
    ///
    /// # Errors
    ///
    /// If that cannot be written.
    pub fn mark_best(&self, iteration: u64) -> Result<()> {
        write_file(&self.folder.join("best"), format!("{iteration:06}\n").as_bytes())
    }

    /// The checkpoint of an iteration, verified.
    ///
    /// # Errors
    ///
    /// If there is none, or it is damaged.
    pub fn load(&self, iteration: u64) -> Result<Checkpoint> {
        self.read_from(iteration, |folder, checksums| {
            let state = read_state(folder, checksums)?;
            ensure!(state.iteration == iteration, "it is that of iteration {}", state.iteration);
            ensure!(
                checksums.learnt.is_none(),
                "its weights are averaged (`learner.averaging`, which was removed): they can play, but \
                 only an earlier version can go on learning from here"
            );
            let weights = read_verified(&folder.join("weights.bpk"), checksums.weights)?;
            let path = folder.join(OPTIMIZER);
            let optimizer = match path.exists() {
                true => read_verified(&path, checksums.optimizer)?,
                false => Vec::new(),
            };
            Ok(Checkpoint { state, weights, optimizer })
        })
    }

    /// The weights of an iteration alone, verified: all that a player needs.
    ///
    /// # Errors
    ///
    /// If there are none, or they are damaged.
    pub fn weights(&self, iteration: u64) -> Result<Vec<u8>> {
        self.read_from(iteration, |folder, checksums| {
            read_verified(&folder.join("weights.bpk"), checksums.weights)
        })
    }

    /// The state of an iteration alone, verified.
    ///
    /// # Errors
    ///
    /// If there is none, or it is damaged.
    pub fn state(&self, iteration: u64) -> Result<State> {
        self.read_from(iteration, read_state)
    }

    /// Reads from the folder of a checkpoint; errors say how to do without it.
    fn read_from<T>(
        &self,
        iteration: u64,
        read_files: impl FnOnce(&Path, &Checksums) -> Result<T>,
    ) -> Result<T> {
        let folder = self.checkpoint_path(iteration);
        if !folder.is_dir() {
            bail!("{} has no checkpoint {iteration}{}", self.folder.display(), self.others());
        }
        let path = folder.join("checksums.json");
        let damaged = || format!("{} is damaged", path.display());
        read(&path)
            .and_then(|text| parse_json(&text).with_context(damaged))
            .and_then(|checksums| read_files(&folder, &checksums))
            .with_context(|| {
                format!(
                    "checkpoint {} cannot be used; to go on from an earlier one, write its number \
                     into {}{}",
                    folder.display(),
                    self.folder.join("latest").display(),
                    self.others()
                )
            })
    }

    /// Writes a checkpoint and makes it the latest. The weights are kept, the rest only for the
    /// newest few.
    ///
    /// # Errors
    ///
    /// If it cannot be written; the run then stands where it stood.
    pub fn commit(&self, checkpoint: &Checkpoint) -> Result<()> {
        let iteration = checkpoint.state.iteration;
        let folder = self.checkpoint_path(iteration);
        let aside = folder.with_extension("part");
        for left_over in [&aside, &folder] {
            if left_over.exists() {
                fs::remove_dir_all(left_over)
                    .with_context(|| format!("cannot remove {}", left_over.display()))?;
            }
        }
        fs::create_dir_all(&aside).with_context(|| format!("cannot create {}", aside.display()))?;
        write_file(&aside.join("weights.bpk"), &checkpoint.weights)?;
        write_file(&aside.join(OPTIMIZER), &checkpoint.optimizer)?;
        let state = to_json(&checkpoint.state);
        write_file(&aside.join("state.json"), &state)?;
        let checksums = Checksums {
            state: checksum(&state),
            weights: checksum(&checkpoint.weights),
            learnt: None,
            optimizer: checksum(&checkpoint.optimizer),
        };
        write_file(&aside.join("checksums.json"), &to_json(&checksums))?;
        rename_whole(&aside, &folder)
            .with_context(|| format!("cannot complete {}", folder.display()))?;
        write_file(&self.folder.join("latest"), format!("{iteration:06}\n").as_bytes())?;
        if let Some(old) = iteration.checked_sub(OPTIMIZERS_KEPT) {
            // Not needed any more; if it cannot be removed it only takes up room.
            let _ = fs::remove_file(self.checkpoint_path(old).join(OPTIMIZER));
        }
        Ok(())
    }

    /// The file of an iteration's games.
    pub fn games_path(&self, iteration: u64) -> PathBuf {
        self.folder.join("games").join(format!("{iteration:06}.games"))
    }

    /// The file of the run's metrics.
    pub fn metrics_path(&self) -> PathBuf {
        self.folder.join("metrics.jsonl")
    }

    fn info_path(&self) -> PathBuf {
        self.folder.join("run.json")
    }

    fn checkpoint_path(&self, iteration: u64) -> PathBuf {
        self.folder.join(format!("{iteration:06}"))
    }

    /// The iterations that have a checkpoint, ascending.
    pub fn checkpoints(&self) -> Vec<u64> {
        let entries = fs::read_dir(&self.folder).into_iter().flatten().flatten();
        let mut numbers: Vec<u64> =
            entries.filter_map(|entry| entry.file_name().to_str()?.parse().ok()).collect();
        numbers.sort_unstable();
        numbers
    }

    /// The same in words.
    fn others(&self) -> String {
        match self.checkpoints()[..] {
            [] => String::new(),
            [first, .., last] => format!(" (there are {first} to {last})"),
            [only] => format!(" (there is {only})"),
        }
    }
}

/// The number that a file consists of.
fn read_number(path: &Path) -> Result<u64> {
    let text = read_text(path)?;
    text.trim().parse().map_err(|_| {
        anyhow!(
            "{} should hold the number of a checkpoint, not {:?}",
            path.display(),
            text.chars().take(20).collect::<String>()
        )
    })
}

fn read_state(folder: &Path, checksums: &Checksums) -> Result<State> {
    let path = folder.join("state.json");
    let text = read_verified(&path, checksums.state)?;
    parse_json(&text).with_context(|| format!("{} is damaged", path.display()))
}

fn read_text(path: &Path) -> Result<String> {
    fs::read_to_string(path).with_context(|| format!("cannot read {}", path.display()))
}

fn read(path: &Path) -> Result<Vec<u8>> {
    fs::read(path).with_context(|| format!("cannot read {}", path.display()))
}

fn read_verified(path: &Path, expected: u32) -> Result<Vec<u8>> {
    let bytes = read(path)?;
    ensure!(
        checksum(&bytes) == expected,
        "{} is truncated or damaged: its checksum does not match",
        path.display()
    );
    Ok(bytes)
}

fn parse_json<T: DeserializeOwned>(bytes: &[u8]) -> serde_json::Result<T> {
    serde_json::from_slice(bytes)
}

fn to_json(value: &impl Serialize) -> Vec<u8> {
    let mut text = serde_json::to_vec_pretty(value).expect("plain values are JSON");
    text.push(b'\n');
    text
}

fn write_file(path: &Path, bytes: &[u8]) -> Result<()> {
    write_whole(path, bytes).with_context(|| format!("cannot write {}", path.display()))
}
