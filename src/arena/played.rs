//! What is left of a finished game.

use std::time::Duration;

use crate::game::{Outcome, Side, Text};

/// A finished game of a match.
#[derive(Clone, Debug)]
pub struct Played {
    /// All its turns from the start position, those of the opening too.
    pub moves: Vec<Text>,
    /// The side that the match's first player had.
    pub first: Side,
    /// How it ended.
    pub outcome: Outcome,
    /// What the two players spent, the match's first one first.
    pub efforts: [Effort; 2],
}

/// What a player spent on its turns.
#[derive(Clone, Copy, Default, PartialEq, Eq, Debug)]
pub struct Effort {
    /// Turns it chose.
    pub turns: u64,
    /// Simulations, rollouts or nodes; 0 if nobody counted.
    pub work: u64,
    /// Time; zero if nobody measured it.
    pub time: Duration,
}

impl Effort {
    /// Work for each turn, if it was counted.
    pub fn work_per_turn(&self) -> Option<f64> {
        (self.work > 0 && self.turns > 0).then(|| self.work as f64 / self.turns as f64)
    }

    /// Seconds for each turn, if they were measured.
    pub fn seconds_per_turn(&self) -> Option<f64> {
        let measured = !self.time.is_zero() && self.turns > 0;
        measured.then(|| self.time.as_secs_f64() / self.turns as f64)
    }

    pub(super) fn add(&mut self, other: &Self) {
        self.turns += other.turns;
        self.work += other.work;
        self.time += other.time;
    }
}
