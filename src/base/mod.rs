//! Basic services for all other modules, which depend on neither games nor networks.
//!
//! They are: reproducible streams of random numbers ([`rng`]), atomic file writes ([`durable`]),
//! parallel maps whose results do not depend on the number of threads ([`parallel`]), CPU
//! utilisation ([`cores`]), names of devices ([`device`]), and small helpers for text.
//!
//! Begin with [`rng`]: its addressed streams make runs reproducible.

pub mod checks;
pub mod cores;
pub mod device;
pub mod durable;
pub mod duration;
pub mod lines;
pub mod parallel;
pub mod rng;
pub mod spelling;
