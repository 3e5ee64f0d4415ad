//! Training runs on disk, and the players made from them.
//!
//! The input is a config file and trained weights. The output are folders: checkpoints, metrics,
//! exported players and ladders. [`config`] reads the TOML and locates errors in it, [`checkpoint`]
//! writes and reads the state of a run, [`trained`] loads a player from a run, a checkpoint or an
//! export, [`exported`] writes a player for other programs, and [`ladder`] rates many players.
//!
//! Begin with [`checkpoint`]: the order in which it writes files makes a run survive a kill.

#[cfg(any(feature = "net", feature = "serve"))]
pub(crate) mod activity;
pub mod analyst;
pub(crate) mod checkpoint;
pub(crate) mod checkpoint_range;
pub(crate) mod config;
pub(crate) mod digest;
pub(crate) mod evaluation;
pub(crate) mod exported;
mod identity;
pub(crate) mod ladder;
pub(crate) mod match_players;
pub(crate) mod metrics;
pub(crate) mod players;
pub(crate) mod pruning;
pub(crate) mod space;
pub mod trained;
pub(crate) mod venue;
