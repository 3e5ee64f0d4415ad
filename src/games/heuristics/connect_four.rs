//! Connect Four: the open lines of four, by the number of stones in them.

use crate::games::ConnectFour;
use crate::games::open_lines::open_lines;

impl ConnectFour {
    /// The score of [`Game::heuristic`](crate::games::Game::heuristic).
    pub(in crate::games) fn static_evaluation(&self) -> i32 {
        let [own, other] = self.stones();
        let score = |own, other| {
            let [_, ones, twos, threes, ..] = open_lines::<7, 6, 4>(own, other);
            (ones + 4 * twos + 24 * threes) as i32
        };
        score(own, other) - score(other, own)
    }
}
