//! Tavoliere: self-play training of strong players for abstract board games.
//!
//! The modules are listed in the order of their dependencies, which is also the order to read them
//! in. A module uses only those listed before it; `tests/library/layout.rs` checks this. The
//! modules from `games` to `classic` know games but no tensors, `nn` knows tensors but no rules.
//! The evaluators of `nn` and `runs` connect the two.
//!
//! The page of each module says what comes in, what goes out, and where to begin reading.

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

/// Tests of several groups together. Those of a single file are in that file.
#[cfg(test)]
#[path = "../tests/library/mod.rs"]
mod tests;
