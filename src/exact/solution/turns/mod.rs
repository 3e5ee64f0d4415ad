//! The turns of a game on sets of cells, for the retrograde analysis.
//!
//! This is a second formulation of the rules, for speed: a function answers for all places of the
//! neutral piece at once. `tavoliere solve --recheck` and the tests compare it with [`Game`].
//!
//! A *row* is a pair of sets, the pieces of the side to move and of the other side. A *lane* is a
//! place of the neutral piece in it; a game without such a piece has one lane.
//!
//! [`Game`]: crate::games::Game

mod entropy;
mod neutron;
mod steps;
mod tic_tac_toe;

pub(crate) use entropy::EntropyTurns;
pub(crate) use neutron::NeutronTurns;
pub(crate) use tic_tac_toe::TicTacToeTurns;

use super::words::Word;

/// Two sets of lanes in one number, so that both take one pass over the turns: in the low half the
/// lanes where the side that has just moved wins, in the high half those where it is not lost.
pub(crate) type Lanes = u32;

/// All lanes in both halves.
pub(crate) const ALL_LANES: Lanes = u32::MAX;

/// The lanes of a row in which the game is over and won.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub(crate) struct Ended {
    /// The side to move has won.
    pub won: u16,
    /// The side to move has lost.
    pub lost: u16,
}

/// The turns of a game with its rules. A turn never moves pieces of the other side.
pub(crate) trait Turns: Sync {
    /// The numbers in which the solver keeps a row of this game.
    type Word: Word;

    /// The lanes of a row that are positions of the game, given those whose cell is free.
    fn possible(&self, own: u64, other: u64, free: u16) -> u16 {
        let _ = (own, other);
        free
    }

    /// The lanes of a row in which the game is drawn.
    fn drawn(&self, own: u64, other: u64) -> u16 {
        let _ = (own, other);
        0
    }

    /// The lanes of a row in which the game is over and won.
    fn ended(&self, own: u64, other: u64) -> Ended;

    /// The lanes with a turn to a good position. `good` gives the good lanes after a turn, by the
    /// own pieces after it. A turn that wins at once is good, one that loses at once is not. Lanes
    /// in which the game is over, or whose cell is not free, are arbitrary.
    fn some_turn(&self, own: u64, other: u64, good: impl Fn(u64) -> Lanes) -> Lanes;

    /// Calls `mark` with the own pieces before every turn that may lead to the own pieces `after`.
    /// Others may be among them.
    fn sources(&self, after: u64, other: u64, mark: impl FnMut(u64));
}
