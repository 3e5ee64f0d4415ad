//! Basic services for all other modules, which depend on neither games nor networks.
//!
//! They are: reproducible streams of random numbers ([`rng`]), atomic file writes ([`durable`],
//! [`staged`]), parallel maps whose results do not depend on the number of threads ([`parallel`]),
//! files from elsewhere ([`foreign`]), append-only files of JSON ([`json_log`]), CPU utilisation
//! ([`cores`]), names of devices ([`device`]), how the program was started ([`program`]), processes that are started and ended ([`process`]), and small helpers for
//! text.
//!
//! Begin with [`rng`]: its addressed streams make runs reproducible.

pub(crate) mod checks;
pub(crate) mod clock;
pub(crate) mod cores;
pub(crate) mod device;
pub(crate) mod durable;
pub(crate) mod duration;
pub(crate) mod foreign;
pub(crate) mod json_log;
#[cfg(not(target_family = "wasm"))]
pub(crate) mod line_reader;
pub(crate) mod lines;
pub(crate) mod parallel;
pub(crate) mod printable;
pub(crate) mod process;
#[cfg(not(target_family = "wasm"))]
pub(crate) mod program;
#[cfg(not(target_family = "wasm"))]
pub(crate) mod progress;
pub(crate) mod rng;
#[cfg(feature = "net")]
pub(crate) mod shell;
pub(crate) mod size;
pub(crate) mod spelling;
pub(crate) mod staged;
pub(crate) mod toml_value;
