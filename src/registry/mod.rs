//! Positions of any game, and the table of games: the line between rules of a known type and the
//! rest of the program.
//!
//! What lies below works on a type that implements [`Game`](crate::games::Game), for the sake of
//! speed. Everything above is one program for all games and works on [`Position`]: the state of a
//! game of up to 96 bytes, and a table of the functions of its type ([`GameType`]). A [`Variant`]
//! is a type of games with its options and its name, which [`find`] looks up.
//!
//! Begin with [`Position`] (`position`), then `game_type`. The parts, from the bottom up:
//!
//! * `erased`: room for a value without its type;
//! * `game_type`, `position`, `variant`: the table of a type, positions, and games with options;
//! * `proofs`, [`any_env`]: provers and batched environments for any game;
//! * `table`, `shipped`: the games by name;
//! * `rules_text`: the rules for people.

pub mod any_env;
mod erased;
mod game_type;
mod position;
mod proofs;
pub(crate) mod rules_text;
mod shipped;
mod table;
mod variant;

pub use game_type::GameType;
pub use position::Position;
pub(crate) use proofs::{AnyProofNumbers, AnyProver};
pub use shipped::shipped;
pub use table::{GameError, Listing, RegisterError, all, find, game, preset, register};
pub(crate) use table::{check_name, with_later_options};
pub use variant::Variant;
