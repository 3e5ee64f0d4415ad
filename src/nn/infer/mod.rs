//! The forward pass of the network without a tensor library, for self-play and players.
//!
//! The input is a network as plain [`FoldedWeights`], with its norms folded into its convolutions.
//! A [`CpuEvaluator`] packs them for the instruction set of the CPU and evaluates positions on one
//! thread. It allocates memory only when a batch is larger than all before.
//!
//! Activations are stored cell by cell, with the channels of a cell side by side. Every layer is
//! computed in tiles of a few cells and a few registers of channels. The sums of a tile stay in
//! registers; bias, residual and ReLU are applied before they are stored.
//!
//! Cells with the same neighbours on the board form a class, and all cells of a tile are of the
//! same class, possibly on several boards. Neighbours beyond the border are therefore not read,
//! instead of being multiplied by zero. The order of a sum is the same in every tile, so the result
//! of a position is bit for bit the same in every batch.

mod evaluator;
mod int8;
mod micro_batches;
mod model;
mod peak;
mod settings;

pub(crate) use evaluator::CpuEvaluator;
pub(crate) use peak::peak;
pub(crate) use settings::{EngineName, Precision, Settings};

pub(crate) use crate::nn::conv::{InstructionSet, NumberFormat};
