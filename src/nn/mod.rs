//! The neural network. This module knows no rules: it sees a game as a
//! [`Spec`](crate::games::Spec), as the cells of its [`Board`] and as observations.
//!
//! The inputs are observations and batches of training examples ([`Batch`]). The outputs are policy
//! logits, win, draw and loss probabilities, gradients and updated weights.
//!
//! * [`conv`]: convolution kernels for each instruction set, which the next two share;
//! * [`infer`]: the forward pass for play;
//! * [`backprop`]: the gradients for training;
//! * `burn_net`: the same network on burn, with the optimizer and support for GPUs. It is the
//!   reference for the other two, and the only part that needs the `net` feature;
//! * [`settings`]: the settings of all of them.
//!
//! Begin with `conv/weights.rs`, which lists the layers, then read [`infer`].

#[cfg(not(target_family = "wasm"))]
pub(crate) mod backprop;
mod batch;
mod board;
#[cfg(feature = "net")]
pub(crate) mod burn_net;
pub(crate) mod conv;
pub(crate) mod infer;
pub(crate) mod settings;

pub(crate) use batch::{Batch, ILLEGAL};
pub(crate) use board::Board;
