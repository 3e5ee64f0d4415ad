//! A network and its search: the part of a trained player that plays.

use std::sync::Arc;
use std::time::Duration;

use super::PlayEvaluator;
use crate::exact::book::Book;
use crate::play::arena::BatchedPlayer;
use crate::play::players::{Budget, PlayerSeed, PlayerSetup, SearchPlayer};
use crate::search::{self, BoxedEvaluator, Weakened, Weakening, copies};

/// A network and how it searches.
#[derive(Clone, Debug)]
pub struct NetworkPlayer {
    /// Evaluates positions by the network.
    pub evaluator: PlayEvaluator,
    /// The recommended search, changed by the player options.
    pub search: search::Settings,
    /// Simulations for each turn, if the player options set them.
    pub simulations: Option<u32>,
    /// Time for each turn, if the player options set it.
    pub time: Option<Duration>,
    /// Noise in its evaluations, by the player options.
    pub weakening: Weakening,
    /// Wins that it knows without a search.
    pub(crate) book: Option<Arc<Book>>,
}

impl NetworkPlayer {
    /// A player with this search, and without options.
    pub(crate) fn new(evaluator: PlayEvaluator, search: search::Settings) -> Self {
        let weakening = Weakening::default();
        let (simulations, time, book) = (None, None, None);
        Self { evaluator, search, simulations, time, weakening, book }
    }

    /// The player for a batched match on `threads` threads, if it can play one; `simulations` is
    /// for a player without a limit.
    pub(crate) fn batched(&self, simulations: u32, threads: usize) -> Option<BatchedPlayer> {
        let can = self.time.is_none() && self.weakening.is_none();
        can.then(|| BatchedPlayer {
            evaluators: copies(&self.evaluator, threads),
            search: self.search,
            simulations: self.simulations.unwrap_or(simulations),
            book: self.book.clone(),
        })
    }

    /// An instance of the player.
    pub(crate) fn player(&self, setup: &PlayerSetup) -> SearchPlayer {
        let budget = match (self.time, self.simulations) {
            (Some(time), _) => Budget::Time(time),
            (None, Some(simulations)) => Budget::Simulations(simulations),
            (None, None) => Budget::Otherwise(setup.simulations),
        };
        let (evaluators, search) = self.evaluators(setup);
        SearchPlayer::new(evaluators, search, budget).with_book(self.book.as_ref())
    }

    /// The evaluators of an instance, with the settings of their search.
    fn evaluators(&self, setup: &PlayerSetup) -> (Vec<BoxedEvaluator>, search::Settings) {
        if self.weakening.is_none() {
            return (copies(&self.evaluator, setup.threads), self.search);
        }
        let PlayerSeed { seed, player } = setup.seed;
        let weakened = || Weakened::new(self.evaluator.clone(), self.weakening, [seed, player]);
        let evaluators = (0..setup.threads.max(1)).map(|_| Box::new(weakened()) as _).collect();
        // The noise of a position changes from game to game.
        (evaluators, search::Settings { cache_mib: 0, ..self.search })
    }
}
