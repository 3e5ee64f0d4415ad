//! The values of positions of a game and of its turns, from a solution.

use anyhow::{Context, Result};

use super::file::Solution;
use super::values::Value;
use crate::games::{Outcome, Turn, legal_turns};
use crate::registry::Position;

/// The value of a finished game for the side that would move. A draw is neither won nor lost.
pub(crate) fn ended(game: &Position, outcome: Outcome) -> Value {
    match outcome {
        Outcome::Draw => Value::Neither,
        Outcome::Win(side) if side == game.to_move() => Value::Win(0),
        Outcome::Win(_) => Value::Loss(0),
    }
}

impl Solution {
    /// The value of a position at the beginning of a turn, for the side to move. One that the
    /// solution does not number, such as the start of Neutron, is looked at a turn ahead.
    ///
    /// # Errors
    ///
    /// If the file is damaged there.
    pub(crate) fn value_of(&self, game: &Position) -> Result<Value> {
        if let Some(outcome) = game.outcome() {
            return Ok(ended(game, outcome));
        }
        if let Some(placement) = game.placement() {
            let value = self.value(&placement)?;
            return value
                .with_context(|| format!("{} is not in the solution", game.position_text()));
        }
        let turns = self.turns(game)?;
        Ok(turns.first().map_or(Value::Loss(0), |(_, value)| *value))
    }

    /// The legal turns with their values for the side to move, best first, then by their text.
    ///
    /// # Errors
    ///
    /// If the file is damaged there.
    pub(crate) fn turns(&self, game: &Position) -> Result<Vec<(Turn, Value)>> {
        let value = |turn: Turn| {
            let value = self.value_of(&turn.after(game))?.before();
            Ok((turn, value))
        };
        let mut turns: Vec<_> = legal_turns(game).into_iter().map(value).collect::<Result<_>>()?;
        turns.sort_by_key(|(_, value)| std::cmp::Reverse(value.merit()));
        Ok(turns)
    }
}
