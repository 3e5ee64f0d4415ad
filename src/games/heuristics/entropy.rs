//! Entropy: contacts between own pieces are bad, and so are isolated pieces.

use super::difference;
use crate::games::Entropy;
use crate::games::board::Grid;

type Board = Grid<5, 5>;

impl Entropy {
    /// The score of [`Game::heuristic`](crate::games::Game::heuristic).
    pub(in crate::games) fn static_evaluation(&self) -> i32 {
        let [own, other] = self.pieces();
        let all = own | other;
        // Pieces with a friendly neighbour, pairs of friendly neighbours, and isolated pieces.
        let joined = |pieces: u64| (pieces & Board::neighbours(pieces)).count_ones();
        let isolated = |pieces: u64| (pieces & !Board::neighbours(all)).count_ones();
        40 * difference(joined(other), joined(own))
            + 10 * difference(pairs(other), pairs(own))
            + 30 * difference(isolated(other), isolated(own))
    }
}

/// The number of orthogonally or diagonally adjacent pairs of pieces.
fn pairs(pieces: u64) -> u32 {
    let along = |neighbours: u64| (pieces & neighbours).count_ones();
    along(Board::shift(pieces, 1, 0))
        + along(Board::shift(pieces, 0, 1))
        + along(Board::shift(pieces, 1, 1))
        + along(Board::shift(pieces, -1, 1))
}
