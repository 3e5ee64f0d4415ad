//! Everything that is counted of a match.

use super::{Effort, Played, Tally};
use crate::game::{Outcome, Side};

/// The sums over the games of a match.
#[derive(Clone, Copy, Default, PartialEq, Eq, Debug)]
pub struct Totals {
    /// The results.
    pub tally: Tally,
    /// Games won by the side that moves first in the start position, whoever had it.
    pub won_by_first_mover: u64,
    /// Turns of all games, those of the openings too.
    pub turns: u64,
    /// What the two players spent.
    pub efforts: [Effort; 2],
}

impl Totals {
    /// Adds the two games from an opening, that in which the first player moves first in front.
    pub fn add(&mut self, pair: &[Played; 2]) {
        self.tally.add([pair[0].outcome, pair[1].outcome]);
        for game in pair {
            self.won_by_first_mover += u64::from(game.outcome == Outcome::Win(Side::P1));
            self.turns += game.moves.len() as u64;
            for (sum, effort) in self.efforts.iter_mut().zip(&game.efforts) {
                sum.add(effort);
            }
        }
    }

    /// The share of games won by the side that moves first.
    pub fn first_mover_share(&self) -> f64 {
        self.won_by_first_mover as f64 / self.tally.games() as f64
    }

    /// Mean turns of a game.
    pub fn mean_turns(&self) -> f64 {
        self.turns as f64 / self.tally.games() as f64
    }
}
