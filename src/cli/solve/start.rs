//! What a solution says about the start position: who wins, and by which first turns.

use std::fmt;
use std::path::Path;

use anyhow::Result;
use serde_json::{Value as Json, json};

use crate::exact::solution::{About, Solution, Value};
use crate::games::Turn;
use crate::registry::Position;

/// The most first turns that are printed.
const MOST: usize = 12;

/// The value of the start position and of its turns.
pub(super) struct Start {
    position: Position,
    value: Value,
    /// All turns, best first.
    turns: Vec<(Turn, Value)>,
}

impl Start {
    pub(super) fn of(folder: &Path, about: &About) -> Result<Self> {
        let variant = about.variant()?;
        let (solution, position) = (Solution::open(folder, &variant)?, variant.initial());
        let (value, turns) = (solution.value_of(&position)?, solution.turns(&position)?);
        Ok(Self { position, value, turns })
    }

    /// The best turns, as texts.
    fn best(&self) -> Vec<&str> {
        let best = self.turns.first().map(|(_, value)| value.merit());
        let best = self.turns.iter().filter(|(_, value)| Some(value.merit()) == best);
        best.map(|(turn, _)| turn.text.as_str()).collect()
    }

    pub(super) fn json(&self) -> Json {
        let (value, distance) = match self.value {
            Value::Win(turns) => ("win", Some(turns)),
            Value::Loss(turns) => ("loss", Some(turns)),
            Value::Neither => ("neither", None),
        };
        json!({ "value": value, "in": distance, "best": self.best() })
    }
}

impl fmt::Display for Start {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let first = self.position.to_move();
        let [mover, other] = [first, first.other()].map(|side| side.name(self.position.first()));
        match self.value {
            Value::Win(turns) => write!(f, "{mover}, who moves first, wins in {turns} turns")?,
            Value::Loss(turns) => write!(f, "{other} wins in {turns} turns; {mover} moves first")?,
            Value::Neither => write!(f, "neither side can force a win")?,
        }
        let best = self.best();
        let which = match (self.value, best.len() == self.turns.len()) {
            (_, true) => return write!(f, ", after any first turn"),
            (Value::Win(_), _) => "the fastest first turns",
            (Value::Loss(_), _) => "the first turns that last longest",
            (Value::Neither, _) => "the first turns that keep it so",
        };
        write!(f, "\n{which}: {}", best[..best.len().min(MOST)].join("  "))?;
        match best.len().saturating_sub(MOST) {
            0 => Ok(()),
            more => write!(f, "  and {more} more"),
        }
    }
}
