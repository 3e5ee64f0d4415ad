//! Plays solved games without a mistake.

use std::any::{Any, TypeId};

use super::{Chosen, Forfeit, Opponent, turn_by};
use crate::game::{Action, Game, Outcome, Text};
use crate::games::{ConnectFour, TicTacToe};
use crate::solvers::{ConnectFourSolver, TicTacToeSolver};

/// A solver of one of the games that have one.
pub(super) enum Perfect {
    TicTacToe(Box<TicTacToeSolver>),
    ConnectFour(Box<ConnectFourSolver>),
}

/// With fewer stones only the result counts: how soon it comes takes much longer to find out.
const ALL_BUT_RESULT: u32 = 14;

impl Perfect {
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

    fn best(&mut self, position: &dyn Any) -> Option<Action> {
        match self {
            Self::TicTacToe(solver) => solver.best(position.downcast_ref()?),
            Self::ConnectFour(solver) => best_drop(solver, position.downcast_ref()?),
        }
    }
}

/// A drop with the best result; late in the game also the soonest win or the latest loss.
fn best_drop(solver: &mut ConnectFourSolver, position: &ConnectFour) -> Option<Action> {
    if position.ply() >= ALL_BUT_RESULT {
        return solver.best(position);
    }
    let side = position.to_move();
    let outcomes = solver.outcomes(position).into_iter();
    let worth = |outcome: Outcome| outcome.value_for(side) as i8;
    let best = outcomes.max_by_key(|&(action, outcome)| (worth(outcome), !action));
    best.map(|(action, _)| action)
}

impl<G: Game> Opponent<G> for Perfect {
    fn unit(&self) -> Option<&'static str> {
        None
    }

    fn begin(&mut self, _: u64) {}

    fn choose(&mut self, position: &G, _: &[Text]) -> Result<Chosen, Forfeit> {
        let best = |position: &G| self.best(position).expect("an open position of a solved game");
        Ok(Chosen { turn: turn_by(position, best), work: 0 })
    }
}
