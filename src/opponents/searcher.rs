//! Plays by the search of this program, guided by an evaluator.

use super::{Chosen, Opponent};
use crate::evaluator::Evaluator;
use crate::game::{Game, Turn};
use crate::player::{Budget, Player};
use crate::search::Settings;

/// A [`Player`] with so much to spend on a turn.
#[derive(Debug)]
pub struct Searcher<G: Game, E> {
    player: Player<G, E>,
    budget: Budget,
}

impl<G: Game, E: Evaluator<G> + Send> Searcher<G, E> {
    /// A player that searches by `settings` on as many threads as there are evaluators.
    ///
    /// # Panics
    ///
    /// If there are no evaluators.
    pub fn new(evaluators: Vec<E>, settings: Settings, budget: Budget) -> Self {
        Self { player: Player::new(evaluators, settings), budget }
    }
}

impl<G: Game, E: Evaluator<G> + Send> Opponent<G> for Searcher<G, E> {
    fn unit(&self) -> Option<&'static str> {
        Some("simulations")
    }

    fn begin(&mut self, _: u64) {
        self.player.forget();
    }

    fn choose(&mut self, position: &G) -> Chosen {
        let thought = self.player.think(position, &self.budget.limits());
        Chosen { turn: thought.best, work: u64::from(thought.simulations) }
    }

    fn follow(&mut self, turn: &Turn) {
        self.player.follow(turn);
    }
}
