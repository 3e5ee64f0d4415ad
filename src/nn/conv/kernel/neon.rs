//! NEON of 64-bit ARM, which all of these CPUs have: 32 registers of 4 lanes.

use std::arch::aarch64::{
    float32x4_t, vaddq_f32, vandq_u32, vcltq_f32, vdupq_n_f32, vfmaq_f32, vld1q_f32, vmaxq_f32,
    vmulq_f32, vreinterpretq_f32_u32, vreinterpretq_u32_f32, vst1q_f32,
};

use super::kernel;
use super::tile::Register;

/// A register.
#[derive(Clone, Copy)]
pub(super) struct F32x4(pub float32x4_t);

// SAFETY: a register has 128 bits, which are `LANES` numbers. In all functions the caller
// guarantees the instructions and the memory.
unsafe impl Register for F32x4 {
    const LANES: usize = 4;
    const CHANNELS: usize = 1;

    #[inline(always)]
    unsafe fn splat(value: f32) -> Self {
        // SAFETY: as above.
        Self(unsafe { vdupq_n_f32(value) })
    }

    #[inline(always)]
    unsafe fn load(from: *const f32) -> Self {
        // SAFETY: as above.
        Self(unsafe { vld1q_f32(from) })
    }

    #[inline(always)]
    unsafe fn store(self, to: *mut f32) {
        // SAFETY: as above.
        unsafe { vst1q_f32(to, self.0) };
    }

    #[inline(always)]
    unsafe fn accumulate(self, weights: Self, input: Self) -> Self {
        // SAFETY: as above.
        Self(unsafe { vfmaq_f32(self.0, weights.0, input.0) })
    }

    #[inline(always)]
    unsafe fn add(self, other: Self) -> Self {
        // SAFETY: as above.
        Self(unsafe { vaddq_f32(self.0, other.0) })
    }

    #[inline(always)]
    unsafe fn mul(self, other: Self) -> Self {
        // SAFETY: as above.
        Self(unsafe { vmulq_f32(self.0, other.0) })
    }

    #[inline(always)]
    unsafe fn max(self, other: Self) -> Self {
        // SAFETY: as above.
        Self(unsafe { vmaxq_f32(self.0, other.0) })
    }

    #[inline(always)]
    unsafe fn where_less(self, left: Self, right: Self) -> Self {
        // SAFETY: as above.
        unsafe {
            let less = vcltq_f32(left.0, right.0);
            Self(vreinterpretq_f32_u32(vandq_u32(vreinterpretq_u32_f32(self.0), less)))
        }
    }
}

kernel! {
    #[target_feature(enable = "neon")]
    F32x4 {
        1: 1 2 3 4 5 6 7 8 9 10 11 12;
        2: 1 2 3 4 5 6 7 8 9 10 11 12;
        3: 1 2 3 4 5 6 7 8;
        4: 1 2 3 4 5 6;
    }
}
