//! What a classical program knows of each game beyond its rules: a judgement in a few lines.

mod checkers_gomoku;
mod connect_four;
mod entropy;
mod neutron;
mod susan;
mod tic_tac_toe;

use crate::base::rng::mix;
use crate::games::{Game, Repeating};

/// A game that a classical program can judge.
pub trait Heuristic: Game {
    /// How good an unfinished position at the beginning of a turn looks for the side to move:
    /// above 0 good, a few hundred a clear advantage. Judgements beyond 20,000 are cut off.
    fn heuristic(&self) -> i32;

    /// A key of everything that the rest of the game depends on. Unlike
    /// [`position_key`](Game::position_key) it tells apart positions that differ only in the turns
    /// left, or in what came before where that matters: what was proven of one need not be true of
    /// the other.
    fn full_key(&self) -> u64 {
        mix(self.position_key() ^ mix(u64::from(self.ply())))
    }
}

impl<G: Heuristic> Heuristic for Repeating<G> {
    fn heuristic(&self) -> i32 {
        self.without_rule().heuristic()
    }

    /// Of the past it matters which positions came up and how often, not in which order.
    fn full_key(&self) -> u64 {
        let past = self.past().iter().fold(0_u64, |sum, &key| sum.wrapping_add(mix(key)));
        mix(self.without_rule().full_key() ^ mix(past))
    }
}

/// How much more one side has of something than the other.
fn difference(own: u32, other: u32) -> i32 {
    own as i32 - other as i32
}
