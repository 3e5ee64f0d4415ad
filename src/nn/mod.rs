//! The network: its kernels, forward pass, gradients, and what burn does of it.

pub mod backprop;
pub mod conv;
pub mod infer;
pub mod learning;
#[cfg(feature = "net")]
pub mod net;
