//! Neutron and its variants: access of the neutron to the home rows, and mobility of the pieces.

use super::difference;
use crate::games::Neutron;
use crate::games::board::Grid;

impl<const W: usize, const H: usize> Neutron<W, H> {
    /// The score of [`Game::heuristic`](crate::games::Game::heuristic).
    pub(in crate::games) fn static_evaluation(&self) -> i32 {
        let [winning, losing] = self.goals();
        let (reach, empty) = (self.neutron_reach(), self.empty());
        let [own, other] = self.pieces();
        // The side to move wins if the neutron can reach its winning row, and loses if the neutron
        // can only reach the other home row or cannot move. Where that row does not end the game,
        // the opponent mostly wins from there.
        let at_once = if reach & winning != 0 {
            5000
        } else if reach & !losing == 0 {
            -5000
        } else {
            0
        };
        let ways = |goal: u64| (goal & empty).count_ones();
        at_once
            + 20 * difference(ways(winning), ways(losing))
            + 15 * self.nearness(winning, losing)
            + 3 * difference(mobility::<W, H>(own, empty), mobility::<W, H>(other, empty))
    }
}

impl<const W: usize, const H: usize> Neutron<W, H> {
    /// The neutron's distance in rows to the losing home row minus that to the winning one.
    fn nearness(&self, winning: u64, losing: u64) -> i32 {
        let row = |cells: u64| (cells.trailing_zeros() as usize / W) as i32;
        let at = row(self.neutron());
        (at - row(losing)).abs() - (at - row(winning)).abs()
    }
}

/// The number of slides of all pieces in all directions.
fn mobility<const W: usize, const H: usize>(pieces: u64, empty: u64) -> u32 {
    let free = |neighbours: u64| (neighbours & empty).count_ones();
    free(Grid::<W, H>::shift(pieces, 1, 0))
        + free(Grid::<W, H>::shift(pieces, 1, 1))
        + free(Grid::<W, H>::shift(pieces, 0, 1))
        + free(Grid::<W, H>::shift(pieces, -1, 1))
        + free(Grid::<W, H>::shift(pieces, -1, 0))
        + free(Grid::<W, H>::shift(pieces, -1, -1))
        + free(Grid::<W, H>::shift(pieces, 0, -1))
        + free(Grid::<W, H>::shift(pieces, 1, -1))
}
