//! Losses by forfeit: by resignation or by failure.

use thiserror::Error;

/// Why the side to move lost before the rules ended the game.
#[derive(Clone, PartialEq, Eq, Debug, Error)]
pub enum Forfeit {
    /// It resigned.
    #[error("it resigned")]
    Resigned,
    /// It made an error or did not answer in time; with the reason.
    #[error("{0}")]
    Failed(String),
}
