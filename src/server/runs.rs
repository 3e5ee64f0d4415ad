//! The training runs of the served folder. Every request reads the files again.

use std::path::{Path, PathBuf};

use anyhow::Result;
use serde::Serialize;
use serde_json::{Map, Value};

use super::refusal::Refusal;
use super::tail::Tail;
use crate::games::{Game, Text, Variant};
use crate::nn::settings::NetworkSettings;
use crate::play::analysis::{Chances, colour_of_winner, winner_name};
use crate::runs::checkpoint::{Run, RunInfo};
use crate::runs::config::Config;
use crate::runs::evaluation;
use crate::selfplay::record::{GameRecord, RecordFile};

/// The folder of the runs.
#[derive(Clone, Debug)]
pub(super) struct Runs {
    folder: PathBuf,
}

/// A run in the list of runs.
#[derive(Serialize)]
struct Summary {
    name: String,
    game: String,
    rules: Map<String, Value>,
    /// Number of completed iterations.
    iterations: u64,
    /// Number of iterations in the config; `None` if it cannot be read.
    planned: Option<u64>,
}

/// A run, without its metrics.
#[derive(Serialize)]
struct Report {
    #[serde(flatten)]
    summary: Summary,
    seed: u64,
    version: String,
    network: NetworkSettings,
    /// The iteration with the strongest network by the run's evaluations.
    best: Option<u64>,
}

#[derive(Serialize)]
struct GameSummary {
    index: u64,
    turns: u32,
    outcome: &'static str,
    resigned: bool,
}

/// A game of a run, turn by turn.
#[derive(Serialize)]
struct Replay<'a> {
    game: &'a str,
    rules: Value,
    moves: Vec<Text>,
    /// The value by the search at each turn, for the side that played it; `None` without a search.
    values: Vec<Option<Chances>>,
    outcome: &'static str,
    winner: &'static str,
}

impl Runs {
    pub(super) fn new(folder: PathBuf) -> Self {
        Self { folder }
    }

    /// Returns all runs, sorted by name, as a JSON array. Folders that cannot be read as runs are
    /// skipped.
    pub(super) fn list(&self) -> Result<String, Refusal> {
        let entries = std::fs::read_dir(&self.folder).into_iter().flatten().flatten();
        let name = |entry: std::fs::DirEntry| entry.file_name().into_string().ok();
        let mut names: Vec<String> = entries.filter_map(name).collect();
        names.sort_unstable();
        let summary = |name: &String| {
            let run = self.open(name).ok()?;
            let info = run.info().ok()?;
            Some(self.summary(name, &run, info))
        };
        to_json(&names.iter().filter_map(summary).collect::<Vec<_>>())
    }

    /// Returns a run as a JSON object, and its metrics, if there are any.
    pub(super) fn report(&self, name: &str) -> Result<(String, Option<Tail>), Refusal> {
        let run = self.open(name)?;
        let info = run.info().map_err(unreadable)?;
        let metrics = self.inside(&run.metrics_path());
        let metrics = metrics.map(|path| Tail::new(path, 0, latest(&run)));
        let text = to_json(&Report {
            seed: info.seed,
            version: info.version.clone(),
            network: info.network,
            best: evaluation::best(&run).ok().flatten(),
            summary: self.summary(name, &run, info),
        })?;
        Ok((text, metrics))
    }

    /// Returns a run's metrics after line `seen`, which may not exist yet.
    pub(super) fn metrics(&self, name: &str, seen: u64) -> Result<Tail, Refusal> {
        let run = self.open(name)?;
        let path = run.metrics_path();
        let path = match path.exists() {
            true => self.inside(&path).ok_or_else(|| no_run(name))?,
            false => path,
        };
        Ok(Tail::new(path, seen, latest(&run)))
    }

    /// Returns the games of an iteration as a JSON array.
    pub(super) fn games(&self, name: &str, iteration: u64) -> Result<String, Refusal> {
        let (run, path) = self.games_path(name, iteration)?;
        let variant = run.info().and_then(|info| info.variant()).map_err(unreadable)?;
        with_variant!(&variant, variant => {
            let file = RecordFile::read_checked(&path, variant).map_err(unreadable)?;
            to_json(&file.games.iter().map(|game| game_summary(game, variant)).collect::<Vec<_>>())
        })
    }

    /// Returns a game of an iteration as a JSON object.
    pub(super) fn game(&self, name: &str, iteration: u64, index: u64) -> Result<String, Refusal> {
        let (run, path) = self.games_path(name, iteration)?;
        let variant = run.info().and_then(|info| info.variant()).map_err(unreadable)?;
        with_variant!(&variant, variant => {
            let file = RecordFile::read_checked(&path, variant).map_err(unreadable)?;
            let found = file.games.iter().find(|game| game.index == index);
            let game = found.ok_or_else(|| {
                Refusal::not_found(format!("iteration {iteration} has no game {index}"))
            })?;
            to_json(&replay(game, variant)?)
        })
    }

    fn games_path(&self, name: &str, iteration: u64) -> Result<(Run, PathBuf), Refusal> {
        let run = self.open(name)?;
        let path = self.inside(&run.games_path(iteration));
        let path = path.filter(|_| !run.is_abandoned(iteration)).ok_or_else(|| {
            Refusal::not_found(format!("there are no games of iteration {iteration}"))
        })?;
        Ok((run, path))
    }

    /// Opens the run with this name. Names and links that lead out of the folder are refused.
    fn open(&self, name: &str) -> Result<Run, Refusal> {
        let is_plain = !name.starts_with('.') && !name.contains(['/', '\\', ':', '\0']);
        let folder = is_plain.then(|| self.folder.join(name)).ok_or_else(|| no_run(name))?;
        for file in ["run.json", "config.toml", "latest", "best"] {
            let file = folder.join(file);
            if file.exists() && self.inside(&file).is_none() {
                return Err(no_run(name));
            }
        }
        Run::open(&folder).map_err(|_| no_run(name))
    }

    /// Returns the path with links resolved; `None` if it does not exist or is outside the folder.
    fn inside(&self, path: &Path) -> Option<PathBuf> {
        let (root, real) = (self.folder.canonicalize().ok()?, path.canonicalize().ok()?);
        real.starts_with(root).then_some(real)
    }

    fn summary(&self, name: &str, run: &Run, info: RunInfo) -> Summary {
        let config = Config::load(&run.config_path(), &[]);
        Summary {
            name: name.to_owned(),
            game: info.game,
            rules: info.rules,
            iterations: run.latest().ok().flatten().unwrap_or(0),
            planned: config.ok().map(|config| config.iterations),
        }
    }
}

fn game_summary<G: Game>(game: &GameRecord, _: &Variant<G>) -> GameSummary {
    GameSummary {
        index: game.index,
        turns: game.plies,
        outcome: colour_of_winner::<G>(game.outcome),
        resigned: game.resigned,
    }
}

fn replay<'a, G: Game>(
    record: &GameRecord,
    variant: &'a Variant<G>,
) -> Result<Replay<'a>, Refusal> {
    let (moves, values): (_, Vec<_>) = record.turns(variant).into_iter().unzip();
    Ok(Replay {
        game: variant.name,
        rules: Value::Object(variant.options()),
        moves,
        values: values.into_iter().map(|value| value.map(Chances::from)).collect(),
        outcome: colour_of_winner::<G>(record.outcome),
        winner: winner_name(record.outcome),
    })
}

/// The latest iteration; if it cannot be read, all count.
fn latest(run: &Run) -> u64 {
    run.latest().ok().flatten().unwrap_or(u64::MAX)
}

fn to_json(value: &impl Serialize) -> Result<String, Refusal> {
    serde_json::to_string(value).map_err(Refusal::internal)
}

fn no_run(name: &str) -> Refusal {
    let name: String = name.chars().take(60).collect();
    Refusal::not_found(format!("there is no run `{name}`; /api/runs lists the runs"))
}

fn unreadable(error: anyhow::Error) -> Refusal {
    Refusal::internal(format!("{error:#}"))
}
