//! The perfect player of solved games.

use super::{Chosen, Forfeit, Player, turn_by};
use crate::exact::solvers::{ConnectFourSolver, Solver};
use crate::games::{Action, ConnectFour, Game, Outcome, Text};
use crate::registry::{GameType, Position};

/// Plays by a solver.
pub(super) struct Perfect(Solver);

/// From this ply on it prefers soon wins and late losses. Before, only the result counts, because
/// distances take much longer to solve.
const DISTANCE_FROM_PLY: u32 = 14;

impl Perfect {
    /// The player of a game; `None` if the game has no solver.
    pub(super) fn of(game: GameType) -> Option<Self> {
        Solver::of(game).map(Self)
    }

    fn best(&mut self, position: &Position, keep_going: &dyn Fn() -> bool) -> Option<Action> {
        match &mut self.0 {
            Solver::TicTacToe(solver) => solver.best(position.typed()?),
            Solver::ConnectFour(solver) => best_drop(solver, position.typed()?, keep_going),
        }
    }
}

/// A column with the best result; late in the game also the soonest win or the latest loss.
fn best_drop(
    solver: &mut ConnectFourSolver,
    position: &ConnectFour,
    keep_going: &dyn Fn() -> bool,
) -> Option<Action> {
    if position.ply() >= DISTANCE_FROM_PLY {
        return solver.best(position);
    }
    let side = position.to_move();
    let outcomes = solver.outcomes_while(position, keep_going)?.into_iter();
    let value = |outcome: Outcome| outcome.value_for(side) as i8;
    let best = outcomes.max_by_key(|&(action, outcome)| (value(outcome), !action));
    best.map(|(action, _)| action)
}

impl Player for Perfect {
    fn unit(&self) -> Option<&'static str> {
        None
    }

    fn begin_game(&mut self, _: u64) {}

    fn choose_while(
        &mut self,
        position: &Position,
        _: &[Text],
        keep_going: &dyn Fn() -> bool,
    ) -> Result<Chosen, Forfeit> {
        // A turn of these games is one action.
        let best = self.best(position, keep_going).ok_or_else(|| {
            let reason = "the time is too short to solve a position this early in the game";
            Forfeit::Failed(reason.to_owned())
        })?;
        Ok(Chosen { turn: turn_by(position, |_| best), work: 0 })
    }
}
