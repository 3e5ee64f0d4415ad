//! The network's forward pass without a tensor library: what self-play and players compute most.
//!
//! A network is given as plain [`Weights`], its norms folded into its convolutions. An [`Engine`]
//! lays them out for the instructions that the CPU turns out to have, and judges positions with
//! them on one thread, without allocating once it is warm.
//!
//! Activations lie cell by cell, the channels of a cell side by side. Every layer is computed in
//! tiles of a few cells and a few registers of channels, whose sums stay in registers while
//! weights and inputs stream by; bias, residual and ReLU are done before the sums are stored.
//! Cells that read the same neighbours on the board form a class, and a tile is of one
//! class, perhaps of several boards: what lies beyond the border is not multiplied by zero but not
//! read at all. The order of a sum is the same in every tile, so that the result of a position is
//! the same bit for bit whatever it is batched with.

mod engine;
mod model;
mod peak;
mod settings;

pub use engine::Engine;
pub use peak::peak;
pub use settings::{EngineName, Precision, Settings};

pub use crate::nn::conv::{Block, Layer, Norm, Path, Unsupported, Weights};
