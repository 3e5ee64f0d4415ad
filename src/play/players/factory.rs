//! The interface of player factories.

use anyhow::{Result, bail};

use super::{Player, PlayerSeed};
use crate::registry::Variant;

/// How an instance of a player is set up.
#[derive(Clone, Copy, Debug)]
pub(crate) struct PlayerSetup {
    /// The seed of its random numbers.
    pub seed: PlayerSeed,
    /// Simulations for each turn of a trained player whose spec has no limit.
    pub simulations: u32,
    /// Threads of the search of a trained player.
    pub threads: usize,
}

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
