//! Exact solvers of tic-tac-toe and Connect Four, as perfect opponents and to measure other
//! players.

mod connect_four;
mod tic_tac_toe;

pub(crate) use connect_four::ConnectFourSolver;
pub(crate) use tic_tac_toe::TicTacToeSolver;

use crate::games::{Action, ConnectFour, Outcome, Side, TicTacToe};
use crate::registry::{GameType, Position};

/// The result of a position, or of an action, with best play: the winner wins as soon as possible,
/// the loser loses as late as possible.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Solution {
    /// The outcome of the game.
    pub outcome: Outcome,
    /// The number of turns until the end of the game. The turn of an action itself does not count.
    pub turns_left: u32,
}

impl Solution {
    /// A number that orders solutions by their value for `side`: wins above draws above losses,
    /// earlier wins above later ones, and later losses above earlier ones.
    pub(crate) fn merit(&self, side: Side) -> i64 {
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

/// The names of the games that have a solver.
pub(crate) const GAMES: [&str; 2] = ["connect_four", "tic_tac_toe"];

/// A solver of one of these games. In all of them a turn is one action.
#[derive(Clone, Debug)]
pub(crate) enum Solver {
    /// The solver of tic-tac-toe.
    TicTacToe(Box<TicTacToeSolver>),
    /// The solver of Connect Four.
    ConnectFour(Box<ConnectFourSolver>),
}

impl Solver {
    /// The solver of a game, or `None` if it has none.
    pub(crate) fn of(game: GameType) -> Option<Self> {
        if game == GameType::of::<TicTacToe>() {
            Some(Self::TicTacToe(Box::default()))
        } else if game == GameType::of::<ConnectFour>() {
            Some(Self::ConnectFour(Box::default()))
        } else {
            None
        }
    }

    /// The outcome of every legal action with best play, ascending by action. `None` if the
    /// position is of another game.
    pub(crate) fn outcomes(&mut self, position: &Position) -> Option<Vec<(Action, Outcome)>> {
        Some(match self {
            Self::TicTacToe(solver) => {
                let solved = solver.actions(position.typed()?).into_iter();
                solved.map(|(action, solution)| (action, solution.outcome)).collect()
            }
            Self::ConnectFour(solver) => solver.outcomes(position.typed()?),
        })
    }
}

/// The best action for `side`, the lowest in a tie. `None` if `actions` is empty.
pub(crate) fn best_of(actions: &[(Action, Solution)], side: Side) -> Option<Action> {
    let merit = |(action, solution): &&(Action, Solution)| (solution.merit(side), !action);
    actions.iter().max_by_key(merit).map(|(action, _)| *action)
}
