//! The network. This group knows numbers, but no rules: of a game it sees a [`Spec`](crate::games::Spec).
//!
//! In come observations and batches of training examples ([`Batch`]); out go policy logits, win, draw
//! and loss, gradients and updated weights. [`infer`] is the forward pass for play, [`backprop`] the
//! gradients for training, both on the convolution kernels of [`conv`] for each kind of CPU. `net` is the
//! same network on burn: the reference for both, the optimiser, and the way to accelerators; only it
//! needs the `net` feature. [`learning`] has the settings of all three.
//!
//! Begin with `conv/weights.rs`, which lists the layers, then read [`infer`].

pub mod backprop;
mod batch;
pub mod conv;
pub mod infer;
pub mod learning;
#[cfg(feature = "net")]
pub mod net;

pub use batch::{Batch, ILLEGAL};
