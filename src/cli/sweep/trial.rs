//! One training of a sweep.

use std::fs;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result, ensure};
use serde::{Deserialize, Serialize};

use super::budget::Budget;
use super::programs::Programs;
use crate::base::durable::write_whole;
use crate::base::foreign;
use crate::runs::checkpoint::{Run, RunState};

/// What is the same for all trainings of a sweep.
pub(super) struct Plan {
    /// The config file or the name of a preset.
    pub config: String,
    /// `--set` of all trainings.
    pub settings: Vec<String>,
    /// How long the whole training is.
    pub budget: Budget,
}

/// A training: the settings of a row, and a seed.
pub(super) struct Trial<'a> {
    pub plan: &'a Plan,
    pub settings: &'a [String],
    pub seed: u64,
    /// The folder of the row.
    pub folder: PathBuf,
}

/// The checkpoint of a training at the end of a stage.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Reached {
    pub iteration: u64,
    /// Seconds of training on one thread.
    pub seconds: f64,
    /// Losses of the iteration, in nats.
    pub policy_loss: Option<f64>,
    pub value_loss: Option<f64>,
    /// The value loss on games that the network was not trained on.
    pub fresh_value_loss: Option<f64>,
}

impl Trial<'_> {
    /// The checkpoint at the end of a stage, if the training got there before.
    pub(super) fn known(&self, stage: Budget) -> Result<Option<Reached>> {
        let note = self.note(stage);
        let Ok(bytes) = foreign::read(&note, foreign::FEW) else { return Ok(None) };
        serde_json::from_slice(&bytes).with_context(|| note.display().to_string())
    }

    /// Trains up to the end of a stage, from wherever it stands. Returns the checkpoint there, or none
    /// if the user wants to stop.
    pub(super) fn train(&self, stage: Budget, programs: &Programs<'_>) -> Result<Option<Reached>> {
        fs::create_dir_all(&self.folder)
            .with_context(|| format!("cannot create {}", self.folder.display()))?;
        if !programs.run(&self.arguments(stage)?, &self.file("log"))? {
            return Ok(None);
        }
        let reached = self.reached(stage)?;
        let (note, text) = (self.note(stage), serde_json::to_vec(&reached)?);
        write_whole(&note, &text).with_context(|| format!("cannot write {}", note.display()))?;
        Ok(Some(reached))
    }

    /// The player of a checkpoint, without the root prover, which would hide differences.
    pub(super) fn player(&self, iteration: u64) -> String {
        format!("{}@{iteration}?proof_nodes=0", self.run().display())
    }

    fn note(&self, stage: Budget) -> PathBuf {
        self.file(&format!("at-{}.json", stage.to_string().replace(' ', "-")))
    }

    /// A file beside the run.
    pub(super) fn file(&self, ending: &str) -> PathBuf {
        self.folder.join(format!("seed-{}.{ending}", self.seed))
    }

    fn run(&self) -> PathBuf {
        self.folder.join(format!("seed-{}", self.seed))
    }

    /// The arguments of `tavoliere train`.
    fn arguments(&self, stage: Budget) -> Result<Vec<String>> {
        let run = self.run();
        let mut arguments = vec!["train".to_owned(), self.plan.config.clone()];
        arguments.extend(["--run".to_owned(), text_of(&run)?, "--threads".to_owned(), "1".into()]);
        match stage {
            Budget::Iterations(iterations) => {
                arguments.extend(["--iterations".to_owned(), iterations.to_string()]);
            }
            Budget::Seconds(seconds) => {
                let whole = self.plan.budget.seconds().unwrap_or(seconds);
                let times = ["--time".to_owned(), format!("{whole}s")];
                arguments.extend(times);
                arguments.extend(["--stage".to_owned(), format!("{seconds}s")]);
            }
        }
        for setting in self.plan.all_settings(self.settings, self.seed) {
            arguments.extend(["--set".to_owned(), setting]);
        }
        Ok(arguments)
    }

    /// The checkpoint at the end of a stage: that of the iteration, or the one nearest to the time.
    fn reached(&self, stage: Budget) -> Result<Reached> {
        let folder = self.run();
        let run = Run::open(&folder)?;
        let iteration = match stage {
            Budget::Iterations(iterations) => iterations,
            Budget::Seconds(seconds) => {
                let times = times(&folder);
                let trained = times.into_iter().filter(|&(iteration, _)| iteration > 0);
                let distance = |time: f64| (time - seconds).abs();
                let nearest = trained.min_by(|a, b| distance(a.1).total_cmp(&distance(b.1)));
                nearest.map_or(0, |(iteration, _)| iteration)
            }
        };
        ensure!(
            iteration > 0,
            "{} has finished no iteration in {stage}; give it more time",
            folder.display()
        );
        Ok(Reached::of(&run.state(iteration)?))
    }
}

impl Plan {
    /// The settings of a training, the later ones in force. The learning rate schedule spans the
    /// whole training, whatever the stage.
    pub(super) fn all_settings(&self, row: &[String], seed: u64) -> Vec<String> {
        let iterations = match self.budget {
            Budget::Iterations(iterations) => Some(format!("iterations={iterations}")),
            Budget::Seconds(_) => None,
        };
        let own = [format!("seed={seed}"), "evaluation.every=0".to_owned()];
        own.into_iter().chain(iterations).chain(self.settings.clone()).chain(row.to_vec()).collect()
    }
}

impl Reached {
    fn of(state: &RunState) -> Self {
        let learnt = state.metrics.iter().find(|line| line["phase"] == "learn");
        let number = |key: &str| learnt.and_then(|line| line[key].as_f64());
        Self {
            iteration: state.iteration,
            seconds: state.seconds,
            policy_loss: number("policy_loss"),
            value_loss: number("value_loss"),
            fresh_value_loss: number("fresh_value_loss"),
        }
    }
}

/// The checkpoints of a run with the seconds of training; none if there is no run.
fn times(folder: &Path) -> Vec<(u64, f64)> {
    let Ok(run) = Run::open(folder) else { return Vec::new() };
    let time = |iteration| Some((iteration, run.state(iteration).ok()?.seconds));
    run.checkpoints().into_iter().filter_map(time).collect()
}

fn text_of(path: &Path) -> Result<String> {
    path.to_str().map(str::to_owned).with_context(|| format!("{} is no text", path.display()))
}
