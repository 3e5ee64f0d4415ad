//! `tavoliere sweep`: which settings of a config train better players.

mod budget;
mod comparison;
mod kept;
mod programs;
mod report;
mod rows;
mod trial;

use std::io::{Write, stdout};
use std::path::{Path, PathBuf};
use std::time::Duration;

use anyhow::{Context, Result, anyhow};
use indicatif::ProgressBar;
use serde_json::{Value, json};

use self::budget::Budget;
use self::comparison::{Conditions, Exact, Player};
use self::kept::Kept;
use self::programs::Programs;
use self::report::Outcome;
use self::rows::Row;
use self::trial::{Plan, Reached, Trial};
use super::picture::Picture;
use super::{Failure, interrupt, match_conditions, train, usage};
use crate::base::device::DeviceName;
use crate::base::{duration, progress};
use crate::runs::config::{Config, MOST_ITERATIONS};
use crate::stats::Estimate;
use crate::stats::means::{mean, median};

/// Compare settings of a config by training with each
///
///   tavoliere sweep connect_four --vary replay.reuse=2,8 --iterations 40
///   tavoliere sweep neutron5 --vary selfplay.simulations=16,64 --time 10m --seeds 5
///   tavoliere sweep my-game.toml --vary learner.batch=64,256 \
///       --vary learner.learning_rate=0.001,0.004 --grid --halve --picture sweep.svg
///
/// Every row is trained with several seeds, each on one thread, several at a time, and so is the
/// config as it is. Then all players of a row play all those of the config. The interval of the Elo
/// difference covers the seeds of both. The trainings have the same number of iterations, or with
/// --time the same time, which only means something on a machine that does nothing else.
///
/// --halve compares after a quarter and after half of the training, and drops the worse half of the
/// rows each time.
///
/// The folder keeps all runs and matches. Ctrl-C stops, and the same command goes on; it may then
/// have more rows or more seeds. docs/sweep.md is the guide.
#[derive(Debug, clap::Args)]
#[command(verbatim_doc_comment)]
pub(super) struct Args {
    /// Config file, or the name of a preset
    config: PathBuf,
    /// Values of a key to compare; may be repeated
    #[arg(long, value_name = "SECTION.KEY=V1,V2")]
    vary: Vec<String>,
    /// Compare all combinations of the values
    #[arg(long, requires = "vary")]
    grid: bool,
    /// TOML file of more rows: "name" = ["section.key=value", ...]
    #[arg(long, value_name = "FILE")]
    rows: Option<PathBuf>,
    /// Name of a row of the file, instead of all; may be repeated
    #[arg(long, value_name = "NAME", requires = "rows")]
    only: Vec<String>,
    /// Setting of all trainings, as in `train`; may be repeated
    #[arg(long = "set", value_name = "SECTION.KEY=VALUE")]
    settings: Vec<String>,
    /// Folder of the sweep [default: checkpoints/sweep-<config>]
    #[arg(long, value_name = "DIR")]
    out: Option<PathBuf>,
    /// Number of trainings of each row, from 2 to 100
    #[arg(long, default_value_t = 3, value_parser = clap::value_parser!(u64).range(2..=100))]
    seeds: u64,
    /// Iterations of each training [default: those of the config]
    ///
    /// The learning rate schedule spans them.
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u64).range(1..=MOST_ITERATIONS))]
    iterations: Option<u64>,
    /// Time of each training instead, as in 10m
    ///
    /// The learning rate schedule spans this time.
    #[arg(long, value_parser = duration::parse, conflicts_with = "iterations")]
    time: Option<Duration>,
    /// Drop the worse half of the rows, twice
    ///
    /// After a quarter and after half of the training.
    #[arg(long)]
    halve: bool,
    /// Games between two players
    #[arg(long, default_value_t = 100, value_parser = clap::value_parser!(u64).range(1..=1_000_000))]
    games: u64,
    #[command(flatten)]
    conditions: match_conditions::Conditions,
    /// Also measure the accuracy, as in --exact value
    ///
    /// See `tavoliere exact --help`.
    #[arg(long, value_name = "MEASURE")]
    exact: Option<String>,
    /// Draw these positions from a solution, as in --exact kept
    #[arg(long, value_name = "DIR", requires = "exact")]
    solution: Option<PathBuf>,
    /// Number of positions to draw from it
    #[arg(long, default_value_t = 2000, value_name = "N", requires = "solution")]
    #[arg(value_parser = clap::value_parser!(u64).range(1..=1_000_000))]
    positions: u64,
    /// Trainings at a time [default: one for each core]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u64).range(1..=1024))]
    workers: Option<u64>,
    /// Print the result as a JSON object
    #[arg(long)]
    json: bool,
    /// Draw the Elo differences to FILE.svg or FILE.png; may be repeated
    #[arg(long, value_name = "FILE")]
    picture: Vec<Picture>,
    /// Draw PNG pictures dark; SVG pictures follow the viewer's setting
    #[arg(long)]
    dark: bool,
}

/// What a sweep says that the user has stopped.
const STOPPED: &str = "what is finished is kept; the same command goes on";

impl Args {
    pub(super) fn run(self) -> Result<(), Failure> {
        let rows = rows::read(&self.vary, self.grid, self.rows.as_deref(), &self.only);
        let rows = usage(rows)?;
        let plan = usage(self.plan())?;
        let base = usage(self.check(&plan, &rows))?;
        let conditions = usage(self.conditions())?;
        let exact = conditions.exact.as_ref().map_or(Vec::new(), |exact| exact.options.clone());
        let options = [conditions.matches.clone(), exact];
        let folder = self.folder();
        let kept = Kept::new(base.to_toml(), plan.budget, options, &rows);
        let lock = usage(kept::hold(&folder))?;
        let workers = self.workers.map_or_else(rayon::current_num_threads, |it| it as usize);
        let programs = Programs::new(workers, &lock, interrupt::listen());
        let seeds = self.seeds;
        let sweep = Sweep { plan, conditions, folder, seeds, programs };
        usage(sweep.try_exact(&base))?;
        usage(kept.join(&sweep.folder))?;
        let Some(outcomes) = sweep.run(&rows, self.halve)? else {
            return Err(interrupt::failure(STOPPED));
        };
        report::draw(&self.picture, self.dark, &base.game, &outcomes)?;
        if self.json {
            let result = json!({ "game": base.game, "rows": outcomes });
            writeln!(stdout(), "{result}")?;
        } else {
            report::print(&outcomes)?;
        }
        Ok(())
    }

    fn plan(&self) -> Result<Plan> {
        let config = self.config.to_str().context("the name of the config is no text")?.to_owned();
        let settings = self.settings.clone();
        let budget = match (self.iterations, self.time) {
            (Some(iterations), _) => Budget::Iterations(iterations),
            (None, Some(time)) => Budget::from(time),
            (None, None) => {
                let config = train::read_config(DeviceName::Cpu, &self.config, &settings)?;
                Budget::Iterations(config.iterations)
            }
        };
        Ok(Plan { config, settings, budget })
    }

    /// Checks the settings of all rows, and returns the config as it is.
    fn check(&self, plan: &Plan, rows: &[Row]) -> Result<Config> {
        let read = |row: &Row| {
            let settings = plan.all_settings(&row.settings, 1);
            train::read_config(DeviceName::Cpu, &self.config, &settings)
        };
        let base = read(&Row::base())?;
        for row in rows {
            let config = read(row).with_context(|| format!("the row `{}`", row.name))?;
            if config.game != base.game {
                return Err(anyhow!("the row `{}` is another game", row.name));
            }
        }
        Ok(base)
    }

    fn conditions(&self) -> Result<Conditions> {
        let mut matches = vec!["--games".to_owned(), self.games.to_string()];
        matches.extend(self.conditions.arguments());
        let exact = self.exact.as_ref().map(|measure| self.exact(measure)).transpose()?;
        Ok(Conditions { matches, exact })
    }

    /// The test of accuracy, with as many simulations as in matches.
    fn exact(&self, measure: &str) -> Result<Exact> {
        let simulations = self.conditions.simulations.to_string();
        let mut options = vec!["--simulations".to_owned(), simulations];
        match &self.solution {
            Some(folder) => {
                let folder = folder.to_str().context("the solution's folder is no text")?;
                let positions = self.positions.to_string();
                options
                    .extend(["--solution", folder, "--positions", &positions].map(str::to_owned));
            }
            None => options.extend(["--kinds".to_owned(), measure.to_owned()]),
        }
        Ok(Exact { measure: measure.to_owned(), options })
    }

    fn folder(&self) -> PathBuf {
        self.out.clone().unwrap_or_else(|| {
            let name = self.config.file_stem().unwrap_or_default().to_string_lossy();
            Path::new("checkpoints").join(format!("sweep-{name}"))
        })
    }
}

/// A sweep at work.
struct Sweep<'a> {
    plan: Plan,
    conditions: Conditions,
    folder: PathBuf,
    seeds: u64,
    programs: Programs<'a>,
}

/// A row with its trainings, and where these are at the end of a stage.
struct PlanLine<'a> {
    row: &'a Row,
    trials: Vec<Trial<'a>>,
    reached: Vec<Option<Reached>>,
}

impl PlanLine<'_> {
    fn players(&self) -> Vec<Player<'_>> {
        let players = self.trials.iter().zip(&self.reached);
        players.filter_map(|(trial, it)| Some(Player { trial, reached: it.as_ref()? })).collect()
    }
}

impl Sweep<'_> {
    /// Makes the test of accuracy with a random player: what is wrong with it shows before anything is
    /// trained.
    fn try_exact(&self, base: &Config) -> Result<()> {
        let Some(exact) = &self.conditions.exact else { return Ok(()) };
        let rules = base.rules.iter().map(|(option, value)| match value {
            Value::String(text) => format!("{option}={text}"),
            value => format!("{option}={value}"),
        });
        let mut arguments =
            ["exact", "random", "--game", &base.game, "--require"].map(str::to_owned).to_vec();
        arguments.push(format!("{}>=0%", exact.measure));
        arguments.extend(rules.flat_map(|rule| ["--rule".to_owned(), rule]));
        arguments.extend(exact.options.clone());
        self.programs.run(&arguments, &self.folder.join("exact.log")).map(drop)
    }

    /// Trains and compares all rows. Returns none if the user wants to stop.
    fn run(&self, rows: &[Row], halve: bool) -> Result<Option<Vec<Outcome>>> {
        let base_row = Row::base();
        let mut base = self.entry(&base_row);
        let mut alive: Vec<PlanLine<'_>> = rows.iter().map(|row| self.entry(row)).collect();
        let mut dropped = Vec::new();
        let stages = self.plan.budget.stages(halve);
        let (last, early) = stages.split_last().expect("the whole training is a stage");
        for &stage in early {
            let Some(outcomes) = self.stage(stage, &mut base, &mut alive)? else { return Ok(None) };
            let (better, worse) = outcomes.split_at(outcomes.len().div_ceil(2));
            for outcome in worse {
                let elo = outcome.elo.map_or(String::new(), report::elo);
                progress::say(&format!("dropped after {stage}: {} ({elo} Elo)", outcome.name));
            }
            alive.retain(|entry| better.iter().any(|outcome| outcome.name == entry.row.name));
            // Those that were dropped later come first.
            dropped = [worse.to_vec(), dropped].concat();
        }
        let Some(outcomes) = self.stage(*last, &mut base, &mut alive)? else { return Ok(None) };
        let first = self.outcome(&base, None, *last)?;
        Ok(Some([vec![first], outcomes, dropped].concat()))
    }

    /// Trains to the end of a stage and compares. Returns the rows, the best first, or none if the user
    /// wants to stop.
    fn stage<'a>(
        &self,
        stage: Budget,
        base: &mut PlanLine<'a>,
        alive: &mut [PlanLine<'a>],
    ) -> Result<Option<Vec<Outcome>>> {
        if !self.train(stage, base, alive)? || !self.compare(base, alive)? {
            return Ok(None);
        }
        let others = base.players();
        let outcome = |entry: &PlanLine<'_>| {
            self.outcome(entry, Some(comparison::elo(&entry.players(), &others)?), stage)
        };
        Ok(Some(best_first(alive.iter().map(outcome).collect::<Result<_>>()?)))
    }

    fn entry<'a>(&'a self, row: &'a Row) -> PlanLine<'a> {
        let trial = |seed| {
            let folder = self.folder.join(row.folder());
            Trial { plan: &self.plan, settings: &row.settings, seed, folder }
        };
        let trials: Vec<Trial<'_>> = (1..=self.seeds).map(trial).collect();
        let reached = trials.iter().map(|_| None).collect();
        PlanLine { row, trials, reached }
    }

    /// Trains all rows to the end of a stage. Returns false if the user wants to stop.
    fn train<'a>(
        &self,
        stage: Budget,
        base: &mut PlanLine<'a>,
        alive: &mut [PlanLine<'a>],
    ) -> Result<bool> {
        let mut entries: Vec<&mut PlanLine<'a>> = [base].into_iter().chain(alive).collect();
        // Seed by seed, so that all rows meet the same disturbances of the machine.
        let jobs: Vec<(usize, usize)> = (0..self.seeds as usize)
            .flat_map(|seed| (0..entries.len()).map(move |entry| (entry, seed)))
            .collect();
        let bar = progress::bar(jobs.len() as u64, "sweep", "trainings");
        let trained = std::sync::Mutex::new(Vec::new());
        self.programs.each(&jobs, |&(entry, seed)| {
            let trial = &entries[entry].trials[seed];
            let reached = match trial.known(stage)? {
                Some(reached) => reached,
                None => {
                    let Some(reached) = trial.train(stage, &self.programs)? else { return Ok(()) };
                    progress::say(&line(&entries[entry].row.name, trial.seed, &reached));
                    reached
                }
            };
            bar.inc(1);
            trained.lock().expect("no job panics").push(((entry, seed), reached));
            Ok(())
        })?;
        bar.finish_and_clear();
        let trained = trained.into_inner().expect("no job panics");
        let is_complete = trained.len() == jobs.len();
        for ((entry, seed), reached) in trained {
            entries[entry].reached[seed] = Some(reached);
        }
        Ok(is_complete)
    }

    /// Plays all matches and makes all tests. Returns false if the user wants to stop.
    fn compare(&self, base: &PlanLine<'_>, alive: &[PlanLine<'_>]) -> Result<bool> {
        let others = base.players();
        let players: Vec<Player<'_>> = alive.iter().flat_map(PlanLine::players).collect();
        let pairs: Vec<(Player<'_>, Player<'_>)> = players
            .iter()
            .flat_map(|player| others.iter().map(move |other| (*player, *other)))
            .collect();
        let bar = progress::bar(pairs.len() as u64, "sweep", "matches");
        self.programs.each(&pairs, |(player, other)| {
            count(&bar, player.play(other, &self.conditions, &self.programs)?);
            Ok(())
        })?;
        bar.finish_and_clear();
        if let Some(exact) = &self.conditions.exact {
            let tested: Vec<Player<'_>> = others.iter().chain(&players).copied().collect();
            let bar = progress::bar(tested.len() as u64, "sweep", "tests");
            self.programs.each(&tested, |player| {
                count(&bar, player.test(exact, &self.programs)?);
                Ok(())
            })?;
            bar.finish_and_clear();
        }
        Ok(!self.programs.are_stopped())
    }

    fn outcome(
        &self,
        entry: &PlanLine<'_>,
        elo: Option<Estimate>,
        until: Budget,
    ) -> Result<Outcome> {
        let players = entry.players();
        let accuracy = self.conditions.exact.as_ref().map(|exact| accuracy(&players, exact));
        let all = |number: fn(&Reached) -> Option<f64>| -> Vec<f64> {
            entry.reached.iter().flatten().filter_map(number).collect()
        };
        let loss = |number| Some(all(number)).filter(|all| !all.is_empty()).map(|all| mean(&all));
        Ok(Outcome {
            name: entry.row.name.clone(),
            settings: entry.row.settings.clone(),
            until,
            elo,
            accuracy: accuracy.transpose()?,
            policy_loss: loss(|it| it.policy_loss),
            value_loss: loss(|it| it.value_loss),
            fresh_value_loss: loss(|it| it.fresh_value_loss),
            iterations: mean(&all(|it| Some(it.iteration as f64))),
            seconds: median(&all(|it| Some(it.seconds))),
        })
    }
}

/// The mean accuracy of players, the lowest and the highest.
fn accuracy(players: &[Player<'_>], exact: &Exact) -> Result<[f64; 3]> {
    let shares = players.iter().map(|player| player.accuracy(exact));
    let shares = shares.collect::<Result<Vec<f64>>>()?;
    let low = shares.iter().copied().fold(1.0, f64::min);
    Ok([mean(&shares), low, shares.iter().copied().fold(0.0, f64::max)])
}

fn best_first(mut outcomes: Vec<Outcome>) -> Vec<Outcome> {
    let value = |outcome: &Outcome| outcome.elo.map_or(0.0, |elo| elo.value);
    outcomes.sort_by(|a, b| value(b).total_cmp(&value(a)));
    outcomes
}

/// Counts what is done.
fn count(bar: &ProgressBar, is_done: bool) {
    bar.inc(is_done.into());
}

/// The line of a finished training.
fn line(name: &str, seed: u64, reached: &Reached) -> String {
    let Reached { iteration, seconds, policy_loss, value_loss, .. } = *reached;
    let loss = |loss: Option<f64>| loss.map_or("-".to_owned(), |loss| format!("{loss:.3}"));
    let (policy, value) = (loss(policy_loss), loss(value_loss));
    format!(
        "{name}, seed {seed}: iteration {iteration} after {seconds:.0} s, policy {policy} value {value}"
    )
}
