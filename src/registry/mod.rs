//! The table of games.

#[macro_use]
mod table;
pub mod any_env;
pub(crate) mod rules_text;

pub use table::*;
