//! Games that can be solved exactly: opponents that make no mistake, and a measure of those that
//! do.

mod connect_four;
mod tic_tac_toe;

pub use connect_four::ConnectFourSolver;
pub use tic_tac_toe::TicTacToeSolver;

use std::any::{Any, TypeId};

use crate::games::{Action, Game, Outcome, Side};
use crate::games::{ConnectFour, TicTacToe};

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

/// The games that have a solver.
pub const GAMES: [&str; 2] = ["connect_four", "tic_tac_toe"];

/// A solver of one of the games that have one, in which every turn is one action.
#[derive(Clone, Debug)]
pub enum Solver {
    /// Of tic-tac-toe.
    TicTacToe(Box<TicTacToeSolver>),
    /// Of Connect Four.
    ConnectFour(Box<ConnectFourSolver>),
}

impl Solver {
    /// The solver of a game, if it has one.
    pub fn of<G: Game>() -> Option<Self> {
        let game = TypeId::of::<G>();
        if game == TypeId::of::<TicTacToe>() {
            Some(Self::TicTacToe(Box::default()))
        } else if game == TypeId::of::<ConnectFour>() {
            Some(Self::ConnectFour(Box::default()))
        } else {
            None
        }
    }

    /// The result of every legal action with best play, ascending by action; none of a position
    /// of another game.
    pub fn outcomes(&mut self, position: &dyn Any) -> Option<Vec<(Action, Outcome)>> {
        Some(match self {
            Self::TicTacToe(solver) => {
                let solved = solver.actions(position.downcast_ref()?).into_iter();
                solved.map(|(action, solution)| (action, solution.outcome)).collect()
            }
            Self::ConnectFour(solver) => solver.outcomes(position.downcast_ref()?),
        })
    }
}

/// The best of some solved actions for `side`, the lowest of several; none of none.
pub fn best_of(actions: &[(Action, Solution)], side: Side) -> Option<Action> {
    let merit = |(action, solution): &&(Action, Solution)| (solution.merit(side), !action);
    actions.iter().max_by_key(merit).map(|(action, _)| *action)
}
