//! The totals of a match: results, turns, efforts and forfeits.

use super::{Effort, Played, Tally};
use crate::games::{Outcome, Side};
use crate::play::players::Forfeit;

/// The sums over the games of a match.
#[derive(Clone, Default, PartialEq, Eq, Debug)]
pub(crate) struct Totals {
    /// The results.
    pub tally: Tally,
    /// Games won by the side that moves first in the start position.
    pub won_by_first_mover: u64,
    /// Turns of all games, including the openings.
    pub turns: u64,
    /// The efforts of both players.
    pub efforts: [Effort; 2],
    /// The forfeits of both players.
    pub forfeits: [Forfeits; 2],
}

/// Games that a player lost by forfeit.
#[derive(Clone, Default, PartialEq, Eq, Debug)]
pub(crate) struct Forfeits {
    /// Games that it resigned.
    pub resigned: u64,
    /// Games in which it failed.
    pub failed: u64,
    /// The reason of its first failure.
    pub reason: Option<String>,
}

impl Forfeits {
    fn add(&mut self, forfeit: &Forfeit) {
        match forfeit {
            Forfeit::Resigned => self.resigned += 1,
            Forfeit::Failed(reason) => {
                self.failed += 1;
                self.reason.get_or_insert_with(|| reason.clone());
            }
        }
    }
}

impl Totals {
    /// Adds the two games of a pair; in the first one the first player moves first.
    pub(crate) fn add(&mut self, pair: &[Played; 2]) {
        self.tally.add([pair[0].outcome, pair[1].outcome]);
        for game in pair {
            self.won_by_first_mover += u64::from(game.outcome == Outcome::Win(Side::P1));
            self.turns += game.moves.len() as u64;
            for (sum, effort) in self.efforts.iter_mut().zip(&game.efforts) {
                sum.add(effort);
            }
            if let Some((loser, forfeit)) = game.forfeit() {
                self.forfeits[loser].add(forfeit);
            }
        }
    }

    /// The share of games won by the side that moves first.
    pub(crate) fn first_mover_share(&self) -> f64 {
        self.won_by_first_mover as f64 / self.tally.games() as f64
    }

    /// The mean number of turns of a game.
    pub(crate) fn mean_turns(&self) -> f64 {
        self.turns as f64 / self.tally.games() as f64
    }
}
