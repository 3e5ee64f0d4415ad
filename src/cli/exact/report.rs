//! The accuracy of a player as text and as JSON.

use std::io::{self, Write};

use serde_json::{Map, Value, json};

use crate::base::printable::stdout;
use crate::play::positions::accuracy::Score;
use crate::runs::ladder::Training;
use crate::stats::Estimate;
use crate::stats::proportion::wilson;

/// The accuracy of a player on all kinds of positions.
pub(super) struct ExactReport {
    pub game: &'static str,
    pub name: String,
    /// For each turn; `None` if the player's name states its limit.
    pub simulations: Option<u32>,
    /// The checkpoint, if the player was trained.
    pub training: Option<Training>,
    /// By kind of positions, with `value_matters`.
    pub scores: Vec<(String, Score)>,
}

impl ExactReport {
    /// Returns the accuracy in a measure, from 0 to 1, with its interval.
    pub(super) fn share(&self, measure: &str) -> Option<Estimate> {
        let score = self.scores.iter().find(|(name, _)| name == measure)?.1;
        wilson(score.solved, score.positions)
    }

    /// Returns the player's name with its simulations.
    pub(super) fn title(&self) -> String {
        self.title_of(&self.name)
    }

    /// Returns this name with the simulations.
    pub(super) fn title_of(&self, name: &str) -> String {
        match self.simulations {
            None => name.to_owned(),
            Some(1) => format!("{name} at 1 simulation"),
            Some(number) => format!("{name} at {number} simulations"),
        }
    }

    pub(super) fn print(&self, as_json: bool) -> std::io::Result<()> {
        if as_json {
            return writeln!(io::stdout(), "{}", self.json());
        }
        let mut out = stdout();
        writeln!(out, "{}, {}:", self.title(), self.game)?;
        for (measure, score) in &self.scores {
            let Score { solved, positions } = *score;
            let Some(share) = wilson(solved, positions) else { continue };
            let [value, low, high] = [share.value, share.low, share.high].map(|it| 100.0 * it);
            writeln!(
                out,
                "  {measure:<14} {solved:>5} of {positions:>5}  {value:5.1} %  (95 % interval \
                 {low:.1} to {high:.1} %)"
            )?;
        }
        Ok(())
    }

    fn json(&self) -> Value {
        let measured = |(measure, score): &(String, Score)| {
            let Score { solved, positions } = *score;
            let share = wilson(solved, positions);
            let interval = share.map(|share| [share.low, share.high]);
            let share = share.map(|share| share.value);
            let value = json!({
                "positions": positions, "solved": solved, "share": share, "interval": interval,
            });
            (measure.clone(), value)
        };
        let measures: Map<String, Value> = self.scores.iter().map(measured).collect();
        json!({
            "game": self.game, "player": self.name, "simulations": self.simulations,
            "measures": measures,
        })
    }
}
