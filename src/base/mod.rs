//! What every group may need; nothing here knows of games or networks.
//!
//! In come numbers, bytes and paths; out go streams of random numbers that are named rather than
//! carried ([`rng`]), files that are written whole or not at all ([`durable`]), work on many threads
//! whose results do not depend on their number ([`parallel`]), CPU utilisation ([`cores`]), names of
//! devices ([`device`]), and small helpers for text.
//!
//! Begin with [`rng`]: that every random number has an address is why runs are reproducible.

pub mod checks;
pub mod cores;
pub mod device;
pub mod durable;
pub mod duration;
pub mod lines;
pub mod parallel;
pub mod rng;
pub mod spelling;
