//! A finished game of a match.

use std::time::Duration;

use crate::games::{Outcome, Side, Text};
use crate::play::players::Forfeit;
use crate::registry::Position;

/// A finished game of a match.
#[derive(Clone, Debug)]
pub(crate) struct Played {
    /// All turns from the position that the match began in, including the opening.
    pub moves: Vec<Text>,
    /// The side that the match's first player had.
    pub first: Side,
    /// The result.
    pub outcome: Outcome,
    /// The effort of both players, the match's first one first.
    pub efforts: [Effort; 2],
    /// Why the side to move lost before the rules ended the game; `None` if the rules ended it.
    pub forfeit: Option<Forfeit>,
}

impl Played {
    /// A game that the side to move loses by forfeit.
    pub(super) fn forfeited(
        position: &Position,
        moves: Vec<Text>,
        first: Side,
        efforts: [Effort; 2],
        forfeit: Forfeit,
    ) -> Self {
        let outcome = Outcome::Win(position.to_move().other());
        Self { moves, first, outcome, efforts, forfeit: Some(forfeit) }
    }

    /// The index of the player who lost by forfeit, 0 for the match's first one, and the reason.
    pub(crate) fn forfeit(&self) -> Option<(usize, &Forfeit)> {
        let forfeit = self.forfeit.as_ref()?;
        let first_won = self.outcome == Outcome::Win(self.first);
        Some((usize::from(first_won), forfeit))
    }
}

/// The work and time of a player's turns.
#[derive(Clone, Copy, Default, PartialEq, Eq, Debug)]
pub(crate) struct Effort {
    /// Turns it chose.
    pub turns: u64,
    /// Simulations, rollouts or nodes; 0 if not counted.
    pub work: u64,
    /// Time; zero if not measured.
    pub time: Duration,
}

impl Effort {
    /// Mean work of a turn, if it was counted.
    pub(crate) fn work_per_turn(&self) -> Option<f64> {
        (self.work > 0 && self.turns > 0).then(|| self.work as f64 / self.turns as f64)
    }

    /// Mean seconds of a turn, if they were measured.
    pub(crate) fn seconds_per_turn(&self) -> Option<f64> {
        let measured = !self.time.is_zero() && self.turns > 0;
        measured.then(|| self.time.as_secs_f64() / self.turns as f64)
    }

    pub(super) fn add(&mut self, other: &Self) {
        self.turns += other.turns;
        self.work += other.work;
        self.time += other.time;
    }
}
