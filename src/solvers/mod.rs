//! Games that can be solved exactly: opponents that make no mistake, and a measure of those that
//! do.

mod connect_four;
mod tic_tac_toe;

pub use connect_four::ConnectFourSolver;
pub use tic_tac_toe::TicTacToeSolver;

use crate::game::{Action, Outcome, Side};

/// What a position, or an action in it, leads to if both sides play their best from there: the
/// winner as soon, the loser as late as possible.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Solution {
    /// The result.
    pub outcome: Outcome,
    /// Turns until the end of the game; of an action, those after it.
    pub turns_left: u32,
}

impl Solution {
    /// How good this is for `side`: wins above draws above losses, sooner wins above later ones,
    /// and later losses above sooner ones.
    pub fn merit(&self, side: Side) -> i64 {
        const MORE_THAN_ANY_GAME: i64 = 1 << 32;
        match self.outcome {
            Outcome::Draw => 0,
            Outcome::Win(winner) => {
                let merit = MORE_THAN_ANY_GAME - i64::from(self.turns_left);
                if winner == side { merit } else { -merit }
            }
        }
    }
}

/// The best of some solved actions for `side`, the lowest of several; none of none.
pub fn best_of(actions: &[(Action, Solution)], side: Side) -> Option<Action> {
    let merit = |(action, solution): &&(Action, Solution)| (solution.merit(side), !action);
    actions.iter().max_by_key(merit).map(|(action, _)| *action)
}
