//! The card of a run: what its newest network is worth, what would make it better, and what to do
//! with it. A training prints it where it ends and keeps it as `card.json`.

mod advice;
#[cfg(feature = "net")]
mod proven;
mod text;

use std::path::Path;

use anyhow::{Context, Result};
use serde::{Deserialize, Serialize};

use crate::base::durable::write_whole;
use crate::base::foreign;
use crate::runs::checkpoint::Run;
use crate::runs::evaluation::{History, OpponentResults};
#[cfg(feature = "net")]
use crate::runs::trained::NamedCheckpoint;
use crate::stats::Estimate;
use crate::stats::proportion::wilson;
#[cfg(feature = "net")]
use crate::train::alarms;

/// The card of a run.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Card {
    /// The name of the game.
    pub game: String,
    /// The iteration whose network it describes.
    pub iteration: u64,
    /// Seconds of training, games and positions until then.
    pub seconds: f64,
    pub games: u64,
    pub positions: u64,
    /// Simulations of the evaluations' searches.
    pub simulations: u32,
    /// The scores against the panel.
    pub scores: Vec<Scored>,
    /// The share of proven positions in which it finds a correct turn; `None` if there are none.
    pub proven: Option<Accuracy>,
    /// The ratings of the evaluated networks over the training.
    pub ratings: Vec<Rated>,
    /// What may make it better.
    pub advice: Vec<String>,
}

/// The score against an opponent.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Scored {
    pub opponent: String,
    pub games: u64,
    pub score: Estimate,
}

/// The accuracy on proven positions.
#[derive(Clone, Copy, PartialEq, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Accuracy {
    pub positions: u64,
    pub correct: u64,
    pub share: Estimate,
    /// Simulations of each search.
    pub simulations: u32,
}

/// The rating of an evaluated network.
#[derive(Clone, Copy, PartialEq, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Rated {
    pub iteration: u64,
    pub seconds: f64,
    pub elo: Estimate,
}

impl Card {
    /// Its file in the folder of a run.
    pub(crate) const FILE: &str = "card.json";

    /// Reads the card of a run; `None` if there is none, or one that cannot be read.
    pub(crate) fn read(folder: &Path) -> Option<Self> {
        let text = foreign::read_text(&folder.join(Self::FILE), foreign::TEXT).ok()?;
        serde_json::from_str(&text).ok()
    }

    /// Writes it into the folder of its run.
    ///
    /// # Errors
    ///
    /// If it cannot be written.
    pub(crate) fn write(&self, run: &Run) -> Result<()> {
        let path = run.folder().join(Self::FILE);
        let text = serde_json::to_string(self).context("a card is plain values")? + "\n";
        write_whole(&path, text.as_bytes())
            .with_context(|| format!("cannot write {}", path.display()))
    }
}

/// The card of a run's newest network.
///
/// # Errors
///
/// If the files of the run cannot be read.
#[cfg(feature = "net")]
pub(crate) fn make(run: &Run) -> Result<Card> {
    let info = run.info()?;
    let iteration = run.latest()?.context("the run has no checkpoint yet")?;
    let state = run.state(iteration)?;
    let history = History::of(run)?;
    let config = crate::runs::config::Config::load(&run.config_path(), &[])?;
    let folder = run.folder().display().to_string();
    let checkpoint = NamedCheckpoint { folder, run: run.clone(), iteration };
    let mut card = Card {
        game: info.game.clone(),
        iteration,
        seconds: state.seconds,
        games: state.games,
        positions: state.positions,
        simulations: config.evaluation.simulations,
        scores: scores(history.met_by(iteration)),
        proven: proven::accuracy(checkpoint, &info.variant()?)?,
        ratings: ratings(run, &history),
        advice: Vec::new(),
    };
    let gain = |from, to| history.gain(from, to);
    card.advice = advice::advice(&card, &alarms::names_in(&state), gain);
    Ok(card)
}

/// The scores against the opponents that are no networks of the run.
fn scores(met: &[OpponentResults]) -> Vec<Scored> {
    let scored = |met: &OpponentResults| {
        let results = [0, 1, 2].map(|result| met.first[result] + met.second[result]);
        let games = results.iter().sum::<u64>();
        // A draw is half a win. The interval is that of games without draws, which is no narrower.
        let halves = 2 * results[0] + results[1];
        let score = met.score();
        let [low, high] = [halves / 2, halves.div_ceil(2)].map(|wins| wilson(wins, games));
        let share = Estimate { value: score, low: low?.low, high: high?.high };
        Some(Scored { opponent: met.opponent.clone(), games, score: share })
    };
    let panel = met.iter().filter(|met| !met.opponent.starts_with('@'));
    panel.filter_map(scored).collect()
}

/// The ratings over the training, of checkpoints that are there.
fn ratings(run: &Run, history: &History) -> Vec<Rated> {
    let standing = history.standing().ok();
    let rated = standing.into_iter().flat_map(|standing| standing.ratings);
    rated
        .filter_map(|(iteration, elo)| {
            let seconds = run.state(iteration).ok()?.seconds;
            Some(Rated { iteration, seconds, elo })
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn met(opponent: &str, first: [u64; 3], second: [u64; 3]) -> OpponentResults {
        OpponentResults { opponent: opponent.to_owned(), weights: None, first, second }
    }

    #[test]
    fn scores_have_intervals_that_draws_do_not_narrow() {
        let found = scores(&[
            met("uct", [10, 0, 0], [10, 0, 0]),
            met("alphabeta", [0, 10, 0], [0, 10, 0]),
            met("@10", [5, 0, 5], [5, 0, 5]),
        ]);
        assert_eq!(found.len(), 2);
        assert_eq!((found[0].games, found[0].score.value, found[0].score.high), (20, 1.0, 1.0));
        assert!((found[0].score.low - 0.839).abs() < 0.001);
        assert_eq!(found[1].score.value, 0.5);
        assert!((found[1].score.low - 0.299).abs() < 0.001, "{found:?}");
        assert!((found[1].score.high - 0.701).abs() < 0.001);
        assert_eq!(scores(&[met("uct", [0; 3], [0; 3])]), []);
    }
}
