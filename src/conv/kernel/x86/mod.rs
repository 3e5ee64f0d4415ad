//! The instruction sets of x86-64, each given out only if this CPU has it.

mod avx2;
mod avx512;
mod avx512_bf16;

use std::arch::is_x86_feature_detected as has;

use super::Kernel;

/// 8 lanes of `f32`.
pub fn avx2() -> Option<&'static Kernel> {
    (has!("avx2") && has!("fma")).then_some(&avx2::KERNEL)
}

/// 16 lanes of `f32`.
pub fn avx512() -> Option<&'static Kernel> {
    has!("avx512f").then_some(&avx512::KERNEL)
}

/// 16 lanes of `f32`, each the sum of products of two bf16.
pub fn avx512_bf16() -> Option<&'static Kernel> {
    (has!("avx512f") && has!("avx512bf16")).then_some(&avx512_bf16::KERNEL)
}
