//! The batched environment of a game whose name is known only when the program runs.

use crate::games::env::{BatchEnv, EnvError};
use crate::games::{Action, Game, Outcome, Side, Spec};

/// A [`BatchEnv`] of any game. The shapes of the arrays follow from [`spec`](Self::spec) and
/// [`batch`](Self::batch).
pub trait AnyEnv: Send + Sync {
    /// Planes, height, width and actions of the game.
    fn spec(&self) -> Spec;

    /// The number of games.
    fn batch(&self) -> usize;

    /// Plays one action in every game, `[batch]`. Actions for finished games are ignored.
    ///
    /// # Errors
    ///
    /// If the number of actions is wrong or one of them is illegal. Then none is played.
    fn step(&mut self, actions: &[Action]) -> Result<(), EnvError>;

    /// Restarts all games.
    fn reset(&mut self);

    /// Restarts the finished games.
    fn reset_finished(&mut self);

    /// Fills `actions` with random legal actions, `[batch]`, and 0 for finished games.
    fn random_actions(&self, actions: &mut Vec<Action>);

    /// The observations of the sides to move, `[batch, planes, height, width]`. They stay at their
    /// place in memory.
    fn observations(&self) -> &[f32];

    /// Which actions are legal, `[batch, actions]`. They stay at their place in memory.
    fn legal(&self) -> &[bool];

    /// The sides to move, `[batch]`. Unspecified for finished games.
    fn to_move(&self) -> &[Side];

    /// The outcomes, `[batch]`, `None` for unfinished games.
    fn outcomes(&self) -> &[Option<Outcome>];

    /// The board of a game as text.
    ///
    /// # Panics
    ///
    /// If `game` is not less than the size of the batch.
    fn board(&self, game: usize) -> String;

    /// The position of a game in the notation of positions.
    ///
    /// # Panics
    ///
    /// If `game` is not less than the size of the batch.
    fn position(&self, game: usize) -> String;

    /// An action of a game in the notation of turns, of which it may be a part.
    ///
    /// # Panics
    ///
    /// If `game` is not less than the size of the batch.
    fn action_text(&self, game: usize, action: Action) -> String;
}

impl<G: Game> AnyEnv for BatchEnv<G> {
    fn spec(&self) -> Spec {
        G::SPEC
    }

    fn batch(&self) -> usize {
        self.games().len()
    }

    fn step(&mut self, actions: &[Action]) -> Result<(), EnvError> {
        self.step(actions)
    }

    fn reset(&mut self) {
        self.reset();
    }

    fn reset_finished(&mut self) {
        self.reset_finished();
    }

    fn random_actions(&self, actions: &mut Vec<Action>) {
        self.random_actions(actions);
    }

    fn observations(&self) -> &[f32] {
        self.observations()
    }

    fn legal(&self) -> &[bool] {
        self.legal()
    }

    fn to_move(&self) -> &[Side] {
        self.to_move()
    }

    fn outcomes(&self) -> &[Option<Outcome>] {
        self.outcomes()
    }

    fn board(&self, game: usize) -> String {
        self.games()[game].to_string()
    }

    fn position(&self, game: usize) -> String {
        self.games()[game].position_text()
    }

    fn action_text(&self, game: usize, action: Action) -> String {
        self.games()[game].action_text(action).to_string()
    }
}
