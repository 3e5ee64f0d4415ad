//! Checkers Gomoku: pieces above all, then lines on the way to five.

use super::{Heuristic, difference};
use crate::base::rng::mix;
use crate::games::CheckersGomoku;
use crate::games::Game;
use crate::games::open_lines::open_lines;

impl Heuristic for CheckersGomoku {
    fn heuristic(&self) -> i32 {
        let [own, other] = self.pieces();
        let worth = |own, other| {
            let [_, ones, twos, threes, fours, fives, ..] = open_lines::<8, 8, 5>(own, other);
            (ones + 4 * twos + 16 * threes + 50 * fours + 60 * fives) as i32
        };
        let [own_total, other_total] = self.totals();
        400 * difference(own_total, other_total) + worth(own, other) - worth(other, own)
    }

    /// The steps since the last capture count too: enough of them are a draw.
    fn full_key(&self) -> u64 {
        let counters = u64::from(self.ply()) << 16 | u64::from(self.quiet());
        mix(self.position_key() ^ mix(counters))
    }
}
