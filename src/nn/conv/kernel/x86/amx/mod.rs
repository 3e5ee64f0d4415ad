//! AMX: 8 tiles of 16 rows of 64 bytes, which are multiplied as matrices.
//!
//! `tiles` multiplies them, `bf16` is a kernel of it, with the gradients of weights in
//! `correlation`; that of bytes is in `int8/amx.rs`.

pub(super) mod bf16;
mod correlation;
pub(in crate::nn::conv::kernel) mod detection;
#[cfg(all(test, target_os = "linux"))]
pub(in crate::nn::conv::kernel) mod emulation;
#[cfg(all(test, target_os = "linux"))]
mod tests;
pub(in crate::nn::conv::kernel) mod tiles;
