//! Players and games between them.
//!
//! In come player specs as text, positions and limits; out go turns, search reports, results of
//! matches and records of games. [`players`] has one interface for every kind of player;
//! [`players::SearchPlayer`] is the one that searches. [`arena`] plays matches, [`notation`] reads
//! and writes records of games, [`positions`] has test suites with proven correct turns,
//! [`analysis`] answers queries as JSON lines, and [`engine`] speaks GTP. [`Threefold`] is the
//! option that a third repetition is a draw.
//!
//! Begin with [`players`], then [`players::SearchPlayer`].
//!
//! The way from a name to a turn: [`players::PlayerSpec`] reads the name, `runs/players.rs` loads
//! what it names, `runs/match_players.rs` makes the players of a match, and [`arena`] asks them for
//! turns by [`players::Player::choose_while`].

pub mod analysis;
pub(crate) mod arena;
#[cfg(not(target_family = "wasm"))]
pub(crate) mod engine;
pub(crate) mod notation;
pub mod players;
pub(crate) mod positions;
mod proof_length;
pub mod record_json;
#[cfg(not(target_family = "wasm"))]
pub(crate) mod review;
#[cfg(not(target_family = "wasm"))]
pub(crate) mod streams;
mod threefold;

pub(crate) use threefold::Threefold;
