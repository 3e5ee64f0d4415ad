//! Players and games between them.
//!
//! In come player specs as text, positions and limits; out go turns, search reports, results of
//! matches and records of games. [`players`] has one interface for every kind of player;
//! [`players::SearchPlayer`] is the one that searches. [`arena`] plays matches, [`notation`] reads
//! and writes records of games, [`positions`] has test suites with proven correct turns,
//! [`analysis`] answers queries as JSON lines, and [`gtp_engine`] speaks GTP. [`Threefold`] is the
//! option that a third repetition is a draw.
//!
//! Begin with [`players`], then [`players::SearchPlayer`].

pub mod analysis;
pub(crate) mod arena;
pub(crate) mod gtp_engine;
pub(crate) mod notation;
pub mod players;
pub(crate) mod positions;
pub mod record_json;
mod threefold;

pub(crate) use threefold::Threefold;
