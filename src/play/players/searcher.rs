//! Plays by the search of this program, guided by an evaluator.

use std::sync::atomic::AtomicBool;
use std::time::Duration;

use super::{Chosen, Forfeit, Opponent};
use crate::games::{Game, Text, Turn};
use crate::play::players::search::{Budget, Limits, Player, SearchReport};
use crate::search::Evaluator;
use crate::search::Settings;

/// A [`Player`] with so much to spend on a turn.
#[derive(Debug)]
pub struct Searcher<G: Game, E> {
    player: Player<G, E>,
    budget: Budget,
    /// Time allotted to each turn.
    allotted: Option<Duration>,
}

impl<G: Game, E: Evaluator<G> + Send> Searcher<G, E> {
    /// A player that searches by `settings` on as many threads as there are evaluators.
    ///
    /// # Panics
    ///
    /// If there are no evaluators.
    pub fn new(evaluators: Vec<E>, settings: Settings, budget: Budget) -> Self {
        Self { player: Player::new(evaluators, settings), budget, allotted: None }
    }
}

impl<G: Game, E: Evaluator<G> + Send> Opponent<G> for Searcher<G, E> {
    fn unit(&self) -> Option<&'static str> {
        Some("simulations")
    }

    fn begin(&mut self, _: u64) {
        self.player.forget();
    }

    fn allot(&mut self, time: Option<Duration>) {
        self.allotted = time;
    }

    fn choose(&mut self, position: &G, _: &[Text]) -> Result<Chosen, Forfeit> {
        let thought = self.player.think(position, &self.budget.within(self.allotted));
        Ok(Chosen { turn: thought.best, work: u64::from(thought.simulations) })
    }

    fn think(&mut self, position: &G) -> Option<SearchReport> {
        Some(self.player.think(position, &self.budget.within(self.allotted)))
    }

    fn think_within(
        &mut self,
        position: &G,
        limits: &Limits,
        goes_on: &dyn Fn() -> bool,
    ) -> Option<SearchReport> {
        Some(self.player.think_while(position, limits, goes_on))
    }

    fn ponder(&mut self, position: &G, stop: &AtomicBool) {
        self.player.ponder(position, stop);
    }

    fn follow(&mut self, turn: &Turn) {
        self.player.follow(turn);
    }
}
