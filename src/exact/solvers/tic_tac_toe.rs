//! A solver of tic-tac-toe by exhaustive search.

use super::{Solution, best_of};
use crate::games::{Action, Game, Outcome, TicTacToe, TicTacToeRules};

/// The size of the table: an index is 9 bits for the stones of each side.
const POSITIONS: usize = 1 << 18;

/// A table of the solutions of all reachable positions.
#[derive(Clone, Debug)]
pub(crate) struct TicTacToeSolver {
    solutions: Vec<Option<Solution>>,
}

impl Default for TicTacToeSolver {
    fn default() -> Self {
        Self::new()
    }
}

impl TicTacToeSolver {
    /// Solves the game, in some milliseconds.
    pub(crate) fn new() -> Self {
        let mut solver = Self { solutions: vec![None; POSITIONS] };
        solver.solve_from(&TicTacToe::initial(&TicTacToeRules {}));
        solver
    }

    /// The solution of a position. It is `Some` for all positions that are reachable from the
    /// start.
    pub(crate) fn solve(&self, game: &TicTacToe) -> Option<Solution> {
        self.solutions[number(game)]
    }

    /// The solution of every legal action, ascending by action.
    pub(crate) fn actions(&self, game: &TicTacToe) -> Vec<(Action, Solution)> {
        let mut legal = Vec::new();
        game.legal_actions(&mut legal);
        let solution = |action: Action| Some((action, self.solve(&after(game, action))?));
        legal.into_iter().filter_map(solution).collect()
    }

    /// The best action, the lowest in a tie. `None` if the game is over.
    pub(crate) fn best(&self, game: &TicTacToe) -> Option<Action> {
        best_of(&self.actions(game), game.to_move())
    }

    fn solve_from(&mut self, game: &TicTacToe) -> Solution {
        if let Some(known) = self.solutions[number(game)] {
            return known;
        }
        let mut legal = Vec::new();
        game.legal_actions(&mut legal);
        let mover = game.to_move();
        let solved = legal.into_iter().map(|action| self.solve_from(&after(game, action)));
        let best = solved.max_by_key(|solution| solution.merit(mover));
        let solution = match best {
            Some(best) => Solution { turns_left: best.turns_left + 1, ..best },
            None => Solution { outcome: game.outcome().unwrap_or(Outcome::Draw), turns_left: 0 },
        };
        self.solutions[number(game)] = Some(solution);
        solution
    }
}

fn after(game: &TicTacToe, action: Action) -> TicTacToe {
    let mut next = *game;
    next.play(action);
    next
}

fn number(game: &TicTacToe) -> usize {
    let [own, other] = game.stones();
    (own | other << 9) as usize
}
