//! Tavoliere: self-play training of strong players for abstract board games.
//!
//! The groups are listed in the order of their dependencies, which is also the order to read them
//! in: a group uses those listed before it and no others, which `tests/library/layout.rs` checks.
//! The groups from `games` to `classic` know games but no tensors; `nn` knows numbers but no rules;
//! the two meet in the evaluators of `nn` and `runs`.
//!
//! The page of each group says what comes in, what goes out, and where to begin reading.

pub mod base;

pub mod stats;

#[macro_use]
pub mod games;

pub mod search;

pub mod classic;

pub mod nn;

pub mod selfplay;

pub mod play;

pub mod runs;

pub mod train;

#[cfg(feature = "serve")]
pub mod server;

pub mod cli;
