//! Entropy: friends side by side are what has to go.

use super::difference;
use crate::games::Entropy;
use crate::games::board::Grid;

type Board = Grid<5, 5>;

impl Entropy {
    /// The [heuristic](crate::games::Game::heuristic).
    pub(in crate::games) fn static_evaluation(&self) -> i32 {
        let [own, other] = self.pieces();
        let all = own | other;
        // Pieces with a friend, pairs of friends, and pieces that have to be rescued.
        let joined = |pieces: u64| (pieces & Board::neighbours(pieces)).count_ones();
        let isolated = |pieces: u64| (pieces & !Board::neighbours(all)).count_ones();
        40 * difference(joined(other), joined(own))
            + 10 * difference(pairs(other), pairs(own))
            + 30 * difference(isolated(other), isolated(own))
    }
}

/// Pairs of pieces side by side or corner to corner.
fn pairs(pieces: u64) -> u32 {
    let along = |neighbours: u64| (pieces & neighbours).count_ones();
    along(Board::shift(pieces, 1, 0))
        + along(Board::shift(pieces, 0, 1))
        + along(Board::shift(pieces, 1, 1))
        + along(Board::shift(pieces, -1, 1))
}
