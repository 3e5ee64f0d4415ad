//! What the players of a row are worth against those of the config as it is.

use std::path::{Path, PathBuf};

use anyhow::{Context, Result};
use serde_json::Value;

use super::programs::Programs;
use super::trial::{Reached, Trial};
use crate::base::foreign;
use crate::stats::Estimate;
use crate::stats::elo_of_score;
use crate::stats::means::mean_of_table;

/// Scores count as no closer to 0 and 1 than this, so that the Elo difference is finite.
const CLOSEST: f64 = 0.001;

/// How players are compared.
pub(super) struct Conditions {
    /// The options of `tavoliere match`.
    pub matches: Vec<String>,
    /// The test of accuracy, if there is one.
    pub exact: Option<Exact>,
}

/// A test of accuracy.
pub(super) struct Exact {
    /// The name of the measure.
    pub measure: String,
    /// The options of `tavoliere exact`.
    pub options: Vec<String>,
}

/// The checkpoint of a training at the end of a stage.
#[derive(Clone, Copy)]
pub(super) struct Player<'a> {
    pub trial: &'a Trial<'a>,
    pub reached: &'a Reached,
}

impl Player<'_> {
    fn spec(&self) -> String {
        self.trial.player(self.reached.iteration)
    }

    /// Plays a match, if that was not done before. Returns whether it is done.
    pub(super) fn play(
        &self,
        other: &Player<'_>,
        conditions: &Conditions,
        programs: &Programs<'_>,
    ) -> Result<bool> {
        let mut arguments =
            vec!["match".to_owned(), self.spec(), other.spec(), "--json".to_owned()];
        arguments.extend(conditions.matches.clone());
        self.make(&self.match_file(other), &arguments, programs)
    }

    /// Measures the accuracy, if that was not done before. Returns whether it is done.
    pub(super) fn test(&self, exact: &Exact, programs: &Programs<'_>) -> Result<bool> {
        let mut arguments = vec!["exact".to_owned(), self.spec(), "--json".to_owned()];
        arguments.extend(exact.options.clone());
        self.make(&self.exact_file(), &arguments, programs)
    }

    fn make(&self, file: &Path, arguments: &[String], programs: &Programs<'_>) -> Result<bool> {
        Ok(file.is_file() || programs.write(arguments, file)?)
    }

    /// Score of the match, from 0 to 1.
    fn score(&self, other: &Player<'_>) -> Result<f64> {
        number(&self.match_file(other), "/score")
    }

    /// The share of positions in which the player is right.
    pub(super) fn accuracy(&self, exact: &Exact) -> Result<f64> {
        number(&self.exact_file(), &format!("/measures/{}/share", exact.measure))
    }

    fn match_file(&self, other: &Player<'_>) -> PathBuf {
        let (mine, its) = (self.reached.iteration, other.reached.iteration);
        self.trial.file(&format!("at-{mine}-against-{}-at-{its}.json", other.trial.seed))
    }

    fn exact_file(&self) -> PathBuf {
        self.trial.file(&format!("at-{}-exact.json", self.reached.iteration))
    }
}

/// The Elo difference between the players of a row and those of the config as it is, with an interval
/// that covers the seeds of both. All their matches must have been played.
pub(super) fn elo(row: &[Player<'_>], base: &[Player<'_>]) -> Result<Estimate> {
    let scores = |player: &Player<'_>| base.iter().map(|other| player.score(other)).collect();
    let table: Vec<Vec<f64>> = row.iter().map(scores).collect::<Result<_>>()?;
    let finite = |score: f64| score.clamp(CLOSEST, 1.0 - CLOSEST);
    Ok(mean_of_table(&table).map(|score| elo_of_score(finite(score))))
}

/// Reads a number of a JSON file.
fn number(path: &Path, pointer: &str) -> Result<f64> {
    let name = || path.display().to_string();
    let bytes = foreign::read(path, foreign::LIST).with_context(name)?;
    let value: Value = serde_json::from_slice(&bytes).with_context(name)?;
    let number = value.pointer(pointer).and_then(Value::as_f64);
    number.with_context(|| format!("{} has no number {pointer}", path.display()))
}
