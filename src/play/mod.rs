//! Players, matches between them, records of games, analysis and the engine protocol.

pub mod analysis;
pub mod arena;
pub mod engine;
pub mod notation;
pub mod opponents;
pub mod player;
pub mod positions;
mod threefold;

pub use threefold::Threefold;
