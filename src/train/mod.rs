//! The training loop, its evaluation and its alarms.

pub mod alarms;
#[cfg(feature = "net")]
mod training;

#[cfg(feature = "net")]
pub use training::*;
