//! A player looked up by its name, for those who have it sit down at boards.

use anyhow::{Context, Result, bail};

use crate::games::{AnyVariant, Game, Variant};
use crate::play::engine::Cast;
use crate::play::players::{Opponent, Seat};
use super::entrant::Entrant;

/// A player and how it is to play.
pub struct Player {
    /// Who it is.
    pub entrant: Entrant,
    /// Simulations for each action of a trained player, unless its name says otherwise.
    pub simulations: u32,
    /// Names what it draws.
    pub seed: u64,
    /// Threads that a trained player searches on.
    pub threads: usize,
}

impl Cast for Player {
    fn knows(&self, game: &AnyVariant) -> Result<()> {
        let Some(played) = self.entrant.variant().filter(|played| played != game) else {
            return Ok(());
        };
        let [name, wanted] =
            [&played, game].map(|game| with_variant!(game, variant => variant.name));
        if name != wanted {
            bail!("the player plays {name}, not {wanted}");
        }
        bail!("the player was trained under other rules");
    }

    fn player<G: Game>(&self, variant: &Variant<G>) -> Result<Box<dyn Opponent<G>>> {
        let seat = Seat { seed: self.seed, player: 0 };
        let player = self.entrant.seated(variant, seat, self.simulations, self.threads);
        player.with_context(|| format!("player `{}`", self.entrant.name))
    }
}
