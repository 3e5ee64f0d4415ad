//! The random player.

use rand::RngExt;

use super::{Chosen, Forfeit, Player, PlayerSeed, turn_by};
use crate::base::rng::{Purpose, Rng, stream};
use crate::games::{Action, Text};
use crate::registry::Position;

/// Plays uniformly random actions.
pub(super) struct Random {
    seed: PlayerSeed,
    rng: Rng,
    legal: Vec<Action>,
}

impl Random {
    pub(super) fn new(seed: PlayerSeed) -> Self {
        Self { seed, rng: seed.stream(0), legal: Vec::new() }
    }
}

impl PlayerSeed {
    /// The random numbers for a game.
    pub(super) fn stream(self, game: u64) -> Rng {
        stream(self.seed, game, self.player, Purpose::Player)
    }
}

impl Player for Random {
    fn unit(&self) -> Option<&'static str> {
        None
    }

    fn begin_game(&mut self, game: u64) {
        self.rng = self.seed.stream(game);
    }

    fn choose_while(
        &mut self,
        position: &Position,
        _: &[Text],
        _: &dyn Fn() -> bool,
    ) -> Result<Chosen, Forfeit> {
        let Self { rng, legal, .. } = self;
        let turn = turn_by(position, |position| {
            position.legal_actions(legal);
            legal[rng.random_range(0..legal.len())]
        });
        Ok(Chosen { turn, work: 0 })
    }
}
