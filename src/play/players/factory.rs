//! The interface of what makes players.

use anyhow::Result;

use super::Player;
use crate::games::{AnyVariant, Game, Variant};

/// Makes players of any game, such as the players of one spec.
pub trait PlayerFactory {
    /// Checks that it can make a player of this game under these rules.
    ///
    /// # Errors
    ///
    /// Why it cannot.
    fn check(&self, game: &AnyVariant) -> Result<()>;

    /// Makes a player of a game.
    ///
    /// # Errors
    ///
    /// If it cannot.
    fn player<G: Game>(&self, variant: &Variant<G>) -> Result<Box<dyn Player<G>>>;
}
