//! The interface of player factories.

use anyhow::{Result, bail};

use super::Player;
use crate::games::Game;
use crate::registry::{AnyVariant, Variant};

/// Makes players for any game, for example from one player spec.
pub trait PlayerFactory {
    /// Checks that it can make a player for this game under these rules.
    ///
    /// # Errors
    ///
    /// If it cannot; the error says why.
    fn check(&self, game: &AnyVariant) -> Result<()>;

    /// Makes a player for a game.
    ///
    /// # Errors
    ///
    /// If it cannot.
    fn player<G: Game>(&self, variant: &Variant<G>) -> Result<Box<dyn Player<G>>>;

    /// The factory of this player at one of its levels, given by its number or its name.
    ///
    /// # Errors
    ///
    /// If it has no such level. Most players have none.
    fn at_level(&self, level: &str) -> Result<Self>
    where
        Self: Sized,
    {
        bail!("the player has no levels, so it has no level {level}")
    }
}
