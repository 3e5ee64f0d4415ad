//! The network: its kernels, forward pass, gradients, and what burn does of it.

pub mod backprop;
mod batch;
pub mod conv;
pub mod infer;
pub mod learning;
#[cfg(feature = "net")]
pub mod net;

pub use batch::{Batch, ILLEGAL};
