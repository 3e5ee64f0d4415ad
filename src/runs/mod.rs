//! What a run consists of on disk, and what others make of it.
//!
//! In come a config file and trained weights; out go folders: checkpoints, metrics, exported players and
//! ladders. [`config`] reads the TOML and names each mistake, [`checkpoint`] writes and finds the state of
//! a run, [`trained`] loads a player from a run, a checkpoint or an export, [`exported`] writes one for
//! other programs, and [`ladder`] rates many players.
//!
//! Begin with [`checkpoint`], whose order of writing is what makes runs survive a kill.

pub mod checkpoint;
pub mod config;
pub mod evaluation;
pub mod exported;
pub mod ladder;
pub mod metrics;
pub mod trained;
