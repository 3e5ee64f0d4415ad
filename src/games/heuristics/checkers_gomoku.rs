//! Checkers Gomoku: the material difference counts most, then the open lines of five.

use super::difference;
use crate::games::CheckersGomoku;
use crate::games::open_lines::open_lines;

impl CheckersGomoku {
    /// The score of [`Game::heuristic`](crate::games::Game::heuristic).
    pub(in crate::games) fn static_evaluation(&self) -> i32 {
        let [own, other] = self.pieces();
        let score = |own, other| {
            let [_, ones, twos, threes, fours, fives, ..] = open_lines::<8, 8, 5>(own, other);
            (ones + 4 * twos + 16 * threes + 50 * fours + 60 * fives) as i32
        };
        let [own_total, other_total] = self.totals();
        400 * difference(own_total, other_total) + score(own, other) - score(other, own)
    }
}
