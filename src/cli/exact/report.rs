//! The accuracy of a player as text and as JSON.

use std::io::{Write, stdout};

use serde_json::{Map, Value, json};

use crate::play::positions::accuracy::Score;
use crate::stats::proportion::wilson;

/// The accuracy of a player on all kinds of positions.
pub(super) struct Report {
    pub game: &'static str,
    pub name: String,
    /// For each action; `None` if the player's name states its limit.
    pub simulations: Option<u32>,
    /// By kind of positions, with `value_matters`.
    pub scores: Vec<(String, Score)>,
}

impl Report {
    /// Returns the accuracy of a measure, from 0 to 1.
    pub(super) fn accuracy(&self, measure: &str) -> Option<f64> {
        let score = self.scores.iter().find(|(name, _)| name == measure)?.1;
        wilson(score.solved, score.positions).map(|share| share.value)
    }

    /// Returns the player's name with its simulations.
    pub(super) fn title(&self) -> String {
        let simulations = self.simulations.map(|number| format!(" at {number} simulations"));
        format!("{}{}", self.name, simulations.unwrap_or_default())
    }

    pub(super) fn print(&self, as_json: bool) -> std::io::Result<()> {
        if as_json {
            return writeln!(stdout(), "{}", self.json());
        }
        let mut out = stdout().lock();
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
