//! Tavoliere: self-play training of strong players for abstract board games.
//!
//! The groups are listed in the order of their dependencies, which is also the order to read them
//! in: a group uses those above it and no others, which `tests/layout.rs` checks. `classic` and all
//! above it know games but no tensors, `nn` knows numbers but no rules.

pub mod base;
pub mod stats;
#[macro_use]
pub mod games;
pub mod classic;
pub mod cli;
pub mod nn;
pub mod play;
pub mod runs;
pub mod search;
pub mod selfplay;
#[cfg(feature = "serve")]
pub mod server;
pub mod train;
