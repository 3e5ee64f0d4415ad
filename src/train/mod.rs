//! The training loop.
//!
//! In comes a config; out comes a run folder that grows by one checkpoint an iteration: self-play, the
//! replay buffer, the learner, a checkpoint, now and then an evaluation. [`alarms`] reads the metrics of
//! a run and says what goes wrong; it does not need the network.
//!
//! Begin with `training/mod.rs`, which is the loop.

pub mod alarms;
#[cfg(feature = "net")]
mod training;

#[cfg(feature = "net")]
pub use training::*;
