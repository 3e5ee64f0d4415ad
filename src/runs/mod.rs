//! What a run is made of: its config, checkpoints, metrics, exported players and ladders.

pub mod checkpoint;
pub mod config;
pub mod evaluation;
pub mod exported;
pub mod ladder;
pub mod metrics;
pub mod trained;
