//! The interface of player factories.

use anyhow::{Result, bail};

use super::Player;
use crate::registry::Variant;

/// Makes players for any game, for example from one player spec.
pub trait PlayerFactory {
    /// Checks that it can make a player for this game under these rules.
    ///
    /// # Errors
    ///
    /// If it cannot; the error says why.
    fn check(&self, game: &Variant) -> Result<()>;

    /// Makes a player for a game.
    ///
    /// # Errors
    ///
    /// If it cannot.
    fn player(&self, variant: &Variant) -> Result<Box<dyn Player>>;

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
