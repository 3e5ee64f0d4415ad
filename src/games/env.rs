//! The batched environment: many games of one kind, stepped together.
//!
//! Observations, legal actions, sides to move and outcomes are in flat arrays, which are allocated
//! once and refilled in place. The games are spread over rayon's threads. The results do not depend
//! on the number of threads.

use rand::RngExt;
use rayon::prelude::*;
use thiserror::Error;

use crate::base::rng::{Purpose, stream};
use crate::games::{Action, Game, Outcome, Side};

/// The minimum number of games per rayon task.
const GAMES_PER_TASK: usize = 16;

/// Why a step was rejected. The environment is then unchanged.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Error)]
pub enum EnvError {
    /// A step needs an action for every game, finished or not.
    #[error("got {given} actions for {batch} games: give one for each game")]
    Count {
        /// The number of actions that were given.
        given: usize,
        /// The number of games in the environment.
        batch: usize,
    },
    /// An action is not legal in its game.
    #[error("action {action} is not legal in game {game}")]
    Illegal {
        /// The first game with an illegal action.
        game: usize,
        /// That action.
        action: Action,
    },
}

/// A batch of games with the same rules.
///
/// A finished game stays in its final position, without legal actions, and ignores the actions
/// given for it until [`reset_finished`](Self::reset_finished) restarts it. A step is an action,
/// not a turn: after it the same side may be to move again.
///
/// ```
/// use tavoliere::games::env::BatchEnv;
/// use tavoliere::games::{TicTacToe, TicTacToeRules};
///
/// let mut env = BatchEnv::<TicTacToe>::new(&TicTacToeRules {}, 32, 1);
/// let mut actions = Vec::new();
/// while !env.is_finished() {
///     env.random_actions(&mut actions);
///     env.step(&actions)?;
/// }
/// assert!(env.outcomes().iter().all(|outcome| outcome.is_some()));
/// # Ok::<(), tavoliere::games::env::EnvError>(())
/// ```
pub struct BatchEnv<G: Game> {
    start: G,
    seed: u64,
    steps: u64,
    games: Vec<G>,
    /// The legal actions of each game. The lists have room for all actions, so they never grow.
    lists: Vec<Vec<Action>>,
    observations: Vec<f32>,
    legal: Vec<bool>,
    to_move: Vec<Side>,
    outcomes: Vec<Option<Outcome>>,
}

impl<G: Game> BatchEnv<G> {
    /// Starts `batch` games. `seed` is the seed of [`random_actions`](Self::random_actions).
    pub fn new(rules: &G::Rules, batch: usize, seed: u64) -> Self {
        let start = G::initial(rules);
        let mut env = Self {
            start,
            seed,
            steps: 0,
            games: vec![start; batch],
            lists: (0..batch).map(|_| Vec::with_capacity(G::SPEC.actions())).collect(),
            observations: vec![0.0; batch * G::SPEC.observation()],
            legal: vec![false; batch * G::SPEC.actions()],
            to_move: vec![start.to_move(); batch],
            outcomes: vec![None; batch],
        };
        env.change(|_, _| true);
        env
    }

    /// Plays one action in every game, `[batch]`. Actions for finished games are ignored.
    ///
    /// # Errors
    ///
    /// If the number of actions is wrong or one of them is illegal. Then none is played.
    pub fn step(&mut self, actions: &[Action]) -> Result<(), EnvError> {
        self.check(actions)?;
        self.steps += 1;
        self.change(|index, game| {
            let plays = game.outcome().is_none();
            if plays {
                game.play(actions[index]);
            }
            plays
        });
        Ok(())
    }

    /// Restarts all games.
    pub fn reset(&mut self) {
        let start = self.start;
        self.change(|_, game| {
            *game = start;
            true
        });
    }

    /// Restarts the finished games.
    pub fn reset_finished(&mut self) {
        let start = self.start;
        self.change(|_, game| {
            let finished = game.outcome().is_some();
            if finished {
                *game = start;
            }
            finished
        });
    }

    /// Fills `actions` with uniformly random legal actions, `[batch]`, and 0 for finished games.
    ///
    /// The action of a game depends on the seed, the number of steps so far, the index of the game
    /// in the batch and the position.
    pub fn random_actions(&self, actions: &mut Vec<Action>) {
        let lists = self.lists.par_iter().with_min_len(GAMES_PER_TASK).enumerate();
        let choices = lists.map(|(index, legal)| {
            let mut rng = stream(self.seed, self.steps, index as u64, Purpose::Playout);
            if legal.is_empty() { 0 } else { legal[rng.random_range(0..legal.len())] }
        });
        choices.collect_into_vec(actions);
    }

    /// The games, `[batch]`.
    pub fn games(&self) -> &[G] {
        &self.games
    }

    /// The observations of the sides to move, `[batch, planes, height, width]`.
    pub fn observations(&self) -> &[f32] {
        &self.observations
    }

    /// Which actions are legal, `[batch, actions]`. None is in a finished game.
    pub fn legal(&self) -> &[bool] {
        &self.legal
    }

    /// The legal actions of one game, ascending.
    ///
    /// # Panics
    ///
    /// If `game` is not less than the size of the batch.
    pub fn legal_actions(&self, game: usize) -> &[Action] {
        &self.lists[game]
    }

    /// The sides to move, `[batch]`. Unspecified for finished games.
    pub fn to_move(&self) -> &[Side] {
        &self.to_move
    }

    /// The outcomes, `[batch]`, `None` for unfinished games.
    pub fn outcomes(&self) -> &[Option<Outcome>] {
        &self.outcomes
    }

    /// Whether all games are over.
    pub fn is_finished(&self) -> bool {
        self.outcomes.iter().all(Option::is_some)
    }

    /// The number of steps since the environment was created.
    pub fn steps(&self) -> u64 {
        self.steps
    }

    fn check(&self, actions: &[Action]) -> Result<(), EnvError> {
        let batch = self.games.len();
        if actions.len() != batch {
            return Err(EnvError::Count { given: actions.len(), batch });
        }
        let masks = self.legal.chunks_exact(G::SPEC.actions());
        for (game, (&action, mask)) in actions.iter().zip(masks).enumerate() {
            let legal = mask.get(usize::from(action)).copied().unwrap_or(false);
            if !legal && self.outcomes[game].is_none() {
                return Err(EnvError::Illegal { game, action });
            }
        }
        Ok(())
    }

    /// Calls `change` with the index and the state of every game. Where it returns true, the arrays
    /// are updated.
    fn change(&mut self, change: impl Fn(usize, &mut G) -> bool + Sync) {
        let views = (
            &mut self.lists,
            self.observations.par_chunks_exact_mut(G::SPEC.observation()),
            self.legal.par_chunks_exact_mut(G::SPEC.actions()),
            &mut self.to_move,
            &mut self.outcomes,
        );
        self.games
            .par_iter_mut()
            .zip(views.into_par_iter())
            .with_min_len(GAMES_PER_TASK)
            .enumerate()
            .for_each(|(index, (game, (list, observation, legal, to_move, outcome)))| {
                if change(index, game) {
                    game.legal_actions(list);
                    game.observe(observation);
                    legal.fill(false);
                    list.iter().for_each(|&action| legal[usize::from(action)] = true);
                    (*to_move, *outcome) = (game.to_move(), game.outcome());
                }
            });
    }
}
