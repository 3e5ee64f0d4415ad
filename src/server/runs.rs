//! The training runs of the served folder. Every request reads the files again.
//!
//! [`networks`](super::networks) offers their networks as players.

use std::path::{Path, PathBuf};

use anyhow::Result;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use super::refusal::Refusal;
use super::tail::Tail;
use crate::base::{foreign, json_log};
use crate::games::Text;
use crate::nn::settings::NetworkSettings;
use crate::play::analysis::{Chances, winner_name};
use crate::registry::Variant;
use crate::runs::activity::{Activity, ClusterActivity};
use crate::runs::checkpoint::{Run, RunInfo, RunState};
use crate::runs::config::Config;
use crate::runs::config::history;
use crate::runs::evaluation;
use crate::runs::exported::Changed;
use crate::selfplay::record::{GameRecord, RecordFile};
use crate::train::alarms;
use crate::train::card::Card;

/// The folder of the runs.
#[derive(Clone, Debug)]
pub(super) struct Runs {
    folder: PathBuf,
}

/// A run in the list of runs.
#[derive(Default, Serialize)]
struct Summary {
    name: String,
    /// `None` if the run is damaged.
    game: Option<String>,
    rules: Map<String, Value>,
    /// Number of completed iterations.
    iterations: u64,
    /// Number of iterations in the config; `None` if it cannot be read.
    planned: Option<u64>,
    /// What is being done: `start`, `selfplay`, `learn`, `evaluation`; or `finished` or `idle`.
    phase: String,
    /// What is wrong with the run, or with its newest network.
    problem: Option<String>,
}

/// A run, without its metrics.
#[derive(Serialize)]
struct RunAnswer {
    #[serde(flatten)]
    summary: Summary,
    seed: u64,
    version: String,
    network: NetworkSettings,
    /// The iteration with the strongest network by the run's evaluations.
    best: Option<u64>,
    /// The name of the newest network as a player; `None` if it cannot play.
    player: Option<String>,
    /// The config as TOML; `None` if it cannot be read.
    config: Option<String>,
    /// The keys of the config that differ from the defaults, as `section.key`.
    config_changed: Vec<String>,
    /// The settings that were changed on the way.
    settings_changed: Vec<Changed>,
    /// What the network was worth where the training ended last; `None` if it has not.
    card: Option<Card>,
}

/// What a run is doing, and how far it is.
#[derive(Serialize)]
struct Progress {
    phase: String,
    /// The iteration in progress, or in evaluation; `None` if no process trains the run.
    iteration: Option<u64>,
    /// The workers of the run, if a cluster plays its games.
    cluster: Option<ClusterActivity>,
    /// Games or steps of the phase that are done, and all of them.
    done: Option<u64>,
    total: Option<u64>,
    /// Number of completed iterations.
    iterations: u64,
    /// The iteration after which the training stops, or was to stop by its config.
    goal: Option<u64>,
    /// Seconds of training so far; `None` if there is no checkpoint.
    seconds: Option<f64>,
    /// When the newest iteration was finished, in Unix seconds.
    time: Option<u64>,
    /// Estimated seconds to the end; `None` if no process trains the run.
    seconds_left: Option<f64>,
    /// The iteration with the strongest network by the run's evaluations.
    best: Option<u64>,
    /// Its rating when it was evaluated.
    rating: Option<f64>,
    /// The alarms in force.
    alarms: Vec<Warning>,
}

/// The phase of the lines of evaluations, as metrics are written.
const PHASE: &[u8] = b"\"phase\":\"evaluation\"";

/// What is wanted of such a line.
#[derive(Deserialize)]
struct RatedLine {
    iteration: u64,
    rating: Option<f64>,
}

/// An alarm in force.
#[derive(Serialize)]
struct Warning {
    name: &'static str,
    hint: &'static str,
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
    /// The text of the position that the game began in; `None` for the start position.
    position: Option<String>,
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

    /// The names of the folders of all runs, sorted.
    pub(super) fn names(&self) -> Vec<String> {
        let entries = std::fs::read_dir(&self.folder).into_iter().flatten().flatten();
        let name = |entry: std::fs::DirEntry| entry.file_name().into_string().ok();
        let mut names: Vec<String> = entries.filter_map(name).collect();
        names.sort_unstable();
        names
    }

    /// The name of the folder, for names of players.
    pub(super) fn folder_name(&self) -> String {
        let name = self.folder.file_name().and_then(|name| name.to_str());
        name.unwrap_or("runs").to_owned()
    }

    /// Returns all runs, sorted by name, as a JSON array. Folders that are no runs are skipped;
    /// damaged runs say so.
    pub(super) fn list(&self) -> Result<String, Refusal> {
        let summary = |name: &String| {
            let run = self.open(name).ok()?;
            Some(match run.info() {
                Ok(info) => self.summary(name, &run, info),
                Err(error) => Summary {
                    name: name.clone(),
                    phase: "idle".to_owned(),
                    problem: Some(format!("{error:#}")),
                    ..Summary::default()
                },
            })
        };
        to_json(&self.names().iter().filter_map(summary).collect::<Vec<_>>())
    }

    /// Returns a run as a JSON object, and its metrics, if there are any.
    pub(super) fn report(&self, name: &str) -> Result<(String, Option<Tail>), Refusal> {
        let run = self.open(name)?;
        let info = run.info().map_err(unreadable)?;
        let metrics = self.inside(&run.metrics_path());
        let metrics = metrics.map(|path| Tail::new(path, 0, latest(&run)));
        let (seed, version, network) = (info.seed, info.version.clone(), info.network);
        let summary = self.summary(name, &run, info);
        let can_play = summary.problem.is_none() && run.latest().is_ok_and(|it| it.is_some());
        let text = to_json(&RunAnswer {
            seed,
            version,
            network,
            best: self.best(&run),
            player: can_play.then(|| self.player_name(name)),
            config: foreign::read_text(&run.config_path(), foreign::TEXT).ok(),
            config_changed: Config::load(&run.config_path(), &[])
                .map(|config| config.changed_keys())
                .unwrap_or_default(),
            settings_changed: self.changes(&run),
            card: self.card(&run),
            summary,
        })?;
        Ok((text, metrics))
    }

    /// The card of a run, if it has one that is inside the folder.
    fn card(&self, run: &Run) -> Option<Card> {
        self.inside(&run.folder().join(Card::FILE))?;
        Card::read(run.folder())
    }

    /// The settings that were changed; none if a config leads out of the folder or is unreadable.
    fn changes(&self, run: &Run) -> Vec<Changed> {
        let is_inside = history::paths(run).iter().all(|path| self.inside(path).is_some());
        let changes = || history::changes(run, latest(run).saturating_add(1)).unwrap_or_default();
        if is_inside { changes() } else { Vec::new() }
    }

    /// Returns what a run is doing and how far it is, as a JSON object.
    pub(super) fn progress(&self, name: &str) -> Result<String, Refusal> {
        let run = self.open(name)?;
        let summary = self.summary(name, &run, run.info().map_err(unreadable)?);
        let activity = self.activity(&run);
        let state = self.state(&run);
        let best = self.best(&run);
        let goal = activity.as_ref().map(|it| it.goal).or(summary.planned);
        let left = |state: &RunState| {
            let iterations = goal?.saturating_sub(state.iteration);
            (state.iteration > 0)
                .then(|| state.seconds / state.iteration as f64 * iterations as f64)
        };
        to_json(&Progress {
            phase: summary.phase,
            iteration: activity.as_ref().map(|it| it.iteration),
            cluster: activity.as_ref().and_then(|it| it.cluster.clone()),
            done: activity.as_ref().map(|it| it.done),
            total: activity.as_ref().map(|it| it.total),
            iterations: summary.iterations,
            goal,
            seconds: state.as_ref().map(|state| state.seconds),
            time: state.as_ref().and_then(RunState::time),
            seconds_left: activity.and(state.as_ref()).and_then(left),
            best,
            rating: best.and_then(|best| self.rating(&run, best)),
            alarms: state.as_ref().map(warnings).unwrap_or_default(),
        })
    }

    /// What the process that trains the run is doing; `None` if there is none.
    fn activity(&self, run: &Run) -> Option<Activity> {
        Activity::read(&self.inside(&run.folder().join(Activity::FILE))?)
    }

    /// The iteration with the strongest network, if any was evaluated.
    pub(super) fn best(&self, run: &Run) -> Option<u64> {
        let metrics = run.metrics_path();
        let is_inside = !metrics.exists() || self.inside(&metrics).is_some();
        is_inside.then(|| evaluation::best(run).ok()).flatten().flatten()
    }

    /// The rating of an iteration when it was evaluated, if it was.
    fn rating(&self, run: &Run, iteration: u64) -> Option<f64> {
        let path = self.inside(&run.metrics_path())?;
        let mut rating = None;
        // Only the lines of evaluations are parsed: a long run has many others.
        let read = json_log::each_line(&path, |_, line| {
            if line.windows(PHASE.len()).any(|part| part == PHASE) {
                let line = serde_json::from_slice::<RatedLine>(line).ok();
                rating =
                    line.filter(|line| line.iteration == iteration).map_or(rating, |it| it.rating);
            }
        });
        read.ok().and(rating)
    }

    /// The state of the newest checkpoint, if it can be read.
    fn state(&self, run: &Run) -> Option<RunState> {
        let newest = run.latest().ok().flatten()?;
        self.check_files(run, newest).ok()?;
        run.state(newest).ok()
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
        let file = RecordFile::read_checked(&path, &variant).map_err(unreadable)?;
        to_json(&file.games.iter().map(|game| game_summary(game, &variant)).collect::<Vec<_>>())
    }

    /// Returns a game of an iteration as a JSON object.
    pub(super) fn game(&self, name: &str, iteration: u64, index: u64) -> Result<String, Refusal> {
        let (run, path) = self.games_path(name, iteration)?;
        let variant = run.info().and_then(|info| info.variant()).map_err(unreadable)?;
        let file = RecordFile::read_checked(&path, &variant).map_err(unreadable)?;
        let found = file.games.iter().find(|game| game.index == index);
        let game = found.ok_or_else(|| {
            Refusal::not_found(format!("iteration {iteration} has no game {index}"))
        })?;
        to_json(&replay(game, &variant)?)
    }

    fn games_path(&self, name: &str, iteration: u64) -> Result<(Run, PathBuf), Refusal> {
        let run = self.open(name)?;
        let path = self.inside(&run.games_path(iteration));
        let path = path.filter(|_| !run.is_abandoned(iteration)).ok_or_else(|| {
            let is_pruned = run.pruned_path().exists() && iteration <= latest(&run);
            let why = if is_pruned { ", they were pruned" } else { "" };
            Refusal::not_found(format!("there are no games of iteration {iteration}{why}"))
        })?;
        Ok((run, path))
    }

    /// Opens the run with this name. Names and links that lead out of the folder are refused.
    pub(super) fn open(&self, name: &str) -> Result<Run, Refusal> {
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
    pub(super) fn inside(&self, path: &Path) -> Option<PathBuf> {
        let (root, real) = (self.folder.canonicalize().ok()?, path.canonicalize().ok()?);
        real.starts_with(root).then_some(real)
    }

    fn summary(&self, name: &str, run: &Run, info: RunInfo) -> Summary {
        let planned = Config::load(&run.config_path(), &[]).ok().map(|config| config.iterations);
        let iterations = run.latest().ok().flatten().unwrap_or(0);
        let is_finished = planned.is_some_and(|planned| iterations >= planned);
        let rest = if is_finished { "finished" } else { "idle" };
        Summary {
            name: name.to_owned(),
            game: Some(info.game),
            rules: info.rules,
            iterations,
            planned,
            phase: self.activity(run).map_or_else(|| rest.to_owned(), |activity| activity.phase),
            problem: self.problem(run),
        }
    }
}

/// The alarms in force after the iteration of a state.
fn warnings(state: &RunState) -> Vec<Warning> {
    let known = alarms::names_in(state).into_iter().filter_map(alarms::named);
    known.map(|alarm| Warning { name: alarm.name, hint: alarm.hint }).collect()
}

fn game_summary(game: &GameRecord, variant: &Variant) -> GameSummary {
    GameSummary {
        index: game.index,
        turns: game.plies,
        outcome: game.outcome.colour(variant.game().first()),
        resigned: game.resigned,
    }
}

fn replay<'a>(record: &GameRecord, variant: &'a Variant) -> Result<Replay<'a>, Refusal> {
    let (moves, values): (_, Vec<_>) = record.turns(variant).into_iter().unzip();
    Ok(Replay {
        game: variant.name,
        rules: Value::Object(variant.options()),
        position: record.position.clone(),
        moves,
        values: values.into_iter().map(|value| value.map(Chances::from)).collect(),
        outcome: record.outcome.colour(variant.game().first()),
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
