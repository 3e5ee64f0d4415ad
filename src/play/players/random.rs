//! Plays uniformly random actions.

use rand::RngExt;

use super::{Chosen, Forfeit, Opponent, Seat, turn_by};
use crate::base::rng::{Purpose, Rng, stream};
use crate::games::{Action, Game, Text};

/// One random choice after the other.
pub(super) struct Random {
    seat: Seat,
    rng: Rng,
    legal: Vec<Action>,
}

impl Random {
    pub fn new(seat: Seat) -> Self {
        Self { seat, rng: seat.stream(0), legal: Vec::new() }
    }
}

impl Seat {
    /// The random numbers of a game.
    pub(super) fn stream(self, game: u64) -> Rng {
        stream(self.seed, game, self.player, Purpose::Opponent)
    }
}

impl<G: Game> Opponent<G> for Random {
    fn unit(&self) -> Option<&'static str> {
        None
    }

    fn begin(&mut self, game: u64) {
        self.rng = self.seat.stream(game);
    }

    fn choose(&mut self, position: &G, _: &[Text]) -> Result<Chosen, Forfeit> {
        let Self { rng, legal, .. } = self;
        let turn = turn_by(position, |position| {
            position.legal_actions(legal);
            legal[rng.random_range(0..legal.len())]
        });
        Ok(Chosen { turn, work: 0 })
    }
}
