//! The batched environment: many games of a kind, stepped together.
//!
//! Everything a learner or a player of another program wants to know of the games lies in flat
//! arrays, allocated once and refilled in place. The games are spread over rayon's threads, which
//! changes nothing in the results.

use rand::RngExt;
use rayon::prelude::*;
use thiserror::Error;

use crate::base::rng::{Purpose, stream};
use crate::games::{Action, Game, Outcome, Side};

/// The fewest games worth another thread.
const GAMES_PER_TASK: usize = 16;

/// Why a step was refused. The environment is then as it was.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Error)]
pub enum EnvError {
    /// There has to be an action for every game, finished or not.
    #[error("{given} actions for {batch} games")]
    Count {
        /// Actions given.
        given: usize,
        /// Games of the environment.
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

/// A batch of games, all under the same rules.
///
/// A finished game stays as it ended, with no legal action, and ignores the actions given for it,
/// until [`reset_finished`](Self::reset_finished) begins it anew. A step is an action, not a turn:
/// after it the same side may be to move again.
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
    /// The legal actions of each game: room for all there are, so that none is ever added.
    lists: Vec<Vec<Action>>,
    observations: Vec<f32>,
    legal: Vec<bool>,
    to_move: Vec<Side>,
    outcomes: Vec<Option<Outcome>>,
}

impl<G: Game> BatchEnv<G> {
    /// `batch` games at their start. `seed` is that of [`random_actions`](Self::random_actions).
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

    /// Plays an action in every game, `[batch]`; those for finished games are ignored.
    ///
    /// # Errors
    ///
    /// If there are too many or too few actions, or one is illegal. Nothing is played then.
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

    /// Begins the finished games anew.
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

    /// Fills `actions` with uniformly random legal actions, `[batch]`; 0 for a finished game.
    ///
    /// That of a game depends on the seed, the steps taken so far, and the index of the game in
    /// the batch, by which its stream of random numbers is named.
    pub fn random_actions(&self, actions: &mut Vec<Action>) {
        actions.clear();
        actions.extend((0..).zip(&self.lists).map(|(index, legal)| {
            let mut rng = stream(self.seed, self.steps, index, Purpose::Playout);
            if legal.is_empty() { 0 } else { legal[rng.random_range(0..legal.len())] }
        }));
    }

    /// The games, `[batch]`.
    pub fn games(&self) -> &[G] {
        &self.games
    }

    /// What the sides to move see, `[batch, planes, height, width]`.
    pub fn observations(&self) -> &[f32] {
        &self.observations
    }

    /// Which actions are legal, `[batch, actions]`; none in a finished game.
    pub fn legal(&self) -> &[bool] {
        &self.legal
    }

    /// The legal actions of one game, ascending.
    ///
    /// # Panics
    ///
    /// If there is no such game in the batch.
    pub fn legal_actions(&self, game: usize) -> &[Action] {
        &self.lists[game]
    }

    /// The sides to move, `[batch]`; of no meaning in a finished game.
    pub fn to_move(&self) -> &[Side] {
        &self.to_move
    }

    /// The results, `[batch]`.
    pub fn outcomes(&self) -> &[Option<Outcome>] {
        &self.outcomes
    }

    /// Whether all games are over.
    pub fn is_finished(&self) -> bool {
        self.outcomes.iter().all(Option::is_some)
    }

    /// Steps taken since the environment was made.
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

    /// Changes the games one by one, given their indices, and writes anew what is known of those
    /// for which `change` says so.
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
