//! What every group may need: randomness, durable files, threads, devices and small helpers.

pub mod checks;
pub mod cores;
pub mod device;
pub mod durable;
pub mod duration;
pub mod lines;
pub mod rng;
pub mod sharing;
pub mod spelling;
