//! Games that are lost otherwise than on the board.

use thiserror::Error;

/// Why the side to move lost a game that the rules had not ended.
#[derive(Clone, PartialEq, Eq, Debug, Error)]
pub enum Forfeit {
    /// It gave up.
    #[error("it resigned")]
    Resigned,
    /// It did what it must not, or nothing: the reason.
    #[error("{0}")]
    Failed(String),
}
