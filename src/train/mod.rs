//! The training loop.
//!
//! The input is a config; the output is a run folder, to which every iteration adds a checkpoint.
//! An iteration consists of self-play, training on the replay buffer and a checkpoint. At intervals
//! the newest network is evaluated before the next iteration begins. [`alarms`] checks the metrics
//! of a run for problems; it does not need the network.
//!
//! Begin with `trainer/mod.rs`, which is the loop.

#[cfg(feature = "net")]
mod actors;
pub(crate) mod alarms;
pub(crate) mod card;
#[cfg(feature = "net")]
mod clock;
#[cfg(feature = "cluster")]
pub(crate) mod cluster;
#[cfg(feature = "net")]
mod trainer;

#[cfg(feature = "net")]
pub(crate) use actors::{Actors, LocalActors};
#[cfg(feature = "net")]
pub(crate) use clock::Allowance;
#[cfg(feature = "net")]
pub(crate) use trainer::*;
