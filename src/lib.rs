//! Tavoliere: self-play training of strong players for abstract board games.
//!
//! The modules are listed in the order of their dependencies, which is also the order to read
//! them in. Everything above the line knows games and numbers but no tensors, and builds without
//! the `net` feature; `server` needs the `serve` feature.

pub mod spelling;

pub mod duration;

pub mod lines;

pub mod checks;

pub mod device;

pub mod stats;

pub mod chart;

pub mod rng;

pub mod spec;

pub mod symmetry;

pub mod board;

pub mod open_lines;

pub mod game;

pub mod picture;

#[macro_use]
pub mod games;

pub mod env;

pub mod evaluator;

pub mod rollouts;

pub mod search;

pub mod uct;

pub mod classical;

pub mod solvers;

pub mod prover;

pub mod durable;

pub mod record;

pub mod selfplay;

pub mod sharing;

pub mod replay;

pub mod held_out;

pub mod conv;

pub mod infer;

pub mod learning;

pub mod backprop;

pub mod foresight;

pub mod player;

pub mod opponents;

pub mod arena;

pub mod notation;

pub mod evaluation;

pub mod config;

pub mod checkpoint;

pub mod exported;

pub mod metrics;

pub mod alarms;

pub mod cores;

pub mod positions;

pub mod ladder;

pub mod analysis;

pub mod engine;

#[cfg(feature = "serve")]
pub mod server;

pub mod progress;

// ---- tensors begin here ----

#[cfg(feature = "net")]
pub mod net;

// With or without: by burn, or by this program's own forward pass alone.
pub mod trained;

#[cfg(feature = "net")]
pub mod train;

// ---- the program ----

pub mod bench;

pub mod cli;
