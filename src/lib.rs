//! Tavoliere: self-play training of strong players for abstract board games.
//!
//! The modules are listed in the order of their dependencies, which is also the order to read them
//! in. A module uses only those listed before it; `tests/library/layout.rs` checks this. The
//! modules `games` and `classic` work on a game of known type, those from `registry` on on
//! positions of any game. Those below `nn` know no tensors, `nn` knows tensors but no rules. The
//! evaluators in `nn` connect the two. The page of each module says what comes in, what goes out,
//! and where to begin reading.
//!
#![doc = include_str!("../docs/library.md")]
// The pages of public modules also guide readers of the source.
#![allow(rustdoc::private_intra_doc_links)]
// The whole program uses everything. Builds with fewer features leave some of it unused.
#![cfg_attr(not(all(feature = "net", feature = "serve")), allow(dead_code, unused_imports))]

mod base;

mod stats;

pub mod games;

mod classic;

pub mod registry;

pub mod testing;

pub mod search;

mod exact;

mod nn;

mod selfplay;

pub mod play;

pub mod runs;

pub mod answers;

// A page trains nobody.
#[cfg(not(target_family = "wasm"))]
mod recipe;

mod train;

#[cfg(feature = "serve")]
mod server;

#[cfg(feature = "bot")]
mod bot;

// A page has no command line.
#[cfg(not(target_family = "wasm"))]
pub mod cli;

#[cfg(any(test, feature = "fuzzing"))]
pub mod fuzzing;

#[cfg(not(target_family = "wasm"))]
pub use cli::{check, run, run_within};
pub use registry::{Listing, game, shipped};

/// Tests of several groups together. Those of a single file are in that file.
#[cfg(test)]
#[allow(unreachable_pub)]
#[path = "../tests/library/mod.rs"]
mod tests;
