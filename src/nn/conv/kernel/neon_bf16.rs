//! NEON with bf16: 32 registers of 4 lanes, each of which multiplies two channels at a time.

use std::arch::aarch64::{
    float32x4_t, uint16x4_t, vcombine_u16, vld1_u16, vreinterpretq_f32_u16, vreinterpretq_f32_u32,
    vshll_n_u16, vst1_u16, vzip1_u16, vzip2_u16,
};
use std::arch::asm;

use super::kernel;
use super::neon;
use super::tile::Register;

/// A register: 4 `f32`, or 4 pairs of bf16.
#[derive(Clone, Copy)]
struct Bf16x8(neon::F32x4);

impl Bf16x8 {
    fn new(numbers: float32x4_t) -> Self {
        Self(neon::F32x4(numbers))
    }

    /// The lanes rounded to bf16.
    #[inline(always)]
    unsafe fn rounded(self) -> uint16x4_t {
        let halves: uint16x4_t;
        // SAFETY: the caller guarantees the instruction, whose intrinsic is not stable yet.
        unsafe {
            asm!(
                "bfcvtn {halves:v}.4h, {numbers:v}.4s",
                halves = out(vreg) halves,
                numbers = in(vreg) self.0.0,
                options(pure, nomem, nostack, preserves_flags),
            );
        }
        halves
    }
}

// SAFETY: a register has 128 bits, which are `LANES` numbers or dwords; half of one are `LANES`
// bf16. In all functions the caller guarantees the instructions and the memory.
unsafe impl Register for Bf16x8 {
    const LANES: usize = 4;
    const CHANNELS: usize = 2;

    #[inline(always)]
    unsafe fn splat(value: f32) -> Self {
        // SAFETY: as above.
        Self(unsafe { neon::F32x4::splat(value) })
    }

    #[inline(always)]
    unsafe fn load(from: *const f32) -> Self {
        // SAFETY: as above.
        Self(unsafe { neon::F32x4::load(from) })
    }

    #[inline(always)]
    unsafe fn store(self, to: *mut f32) {
        // SAFETY: as above.
        unsafe { self.0.store(to) };
    }

    #[inline(always)]
    unsafe fn accumulate(self, weights: Self, input: Self) -> Self {
        let mut sums = self.0.0;
        // SAFETY: as above. The intrinsic of this instruction is not stable yet.
        unsafe {
            asm!(
                "bfdot {sums:v}.4s, {weights:v}.8h, {input:v}.8h",
                sums = inout(vreg) sums,
                weights = in(vreg) weights.0.0,
                input = in(vreg) input.0.0,
                options(pure, nomem, nostack, preserves_flags),
            );
        }
        Self::new(sums)
    }

    #[inline(always)]
    unsafe fn add(self, other: Self) -> Self {
        // SAFETY: as above.
        Self(unsafe { self.0.add(other.0) })
    }

    #[inline(always)]
    unsafe fn mul(self, other: Self) -> Self {
        // SAFETY: as above.
        Self(unsafe { self.0.mul(other.0) })
    }

    #[inline(always)]
    unsafe fn max(self, other: Self) -> Self {
        // SAFETY: as above.
        Self(unsafe { self.0.max(other.0) })
    }

    #[inline(always)]
    unsafe fn where_less(self, left: Self, right: Self) -> Self {
        // SAFETY: as above.
        Self(unsafe { self.0.where_less(left.0, right.0) })
    }

    #[inline(always)]
    unsafe fn dword(low: Self, high: Self) -> Self {
        // SAFETY: as above. The rounded halves are interleaved, the lower ones first.
        unsafe {
            let (low, high) = (low.rounded(), high.rounded());
            let dwords = vcombine_u16(vzip1_u16(low, high), vzip2_u16(low, high));
            Self::new(vreinterpretq_f32_u16(dwords))
        }
    }

    #[inline(always)]
    unsafe fn load_channels(from: *const f32) -> Self {
        // SAFETY: as above. A bf16 is the upper half of the `f32` of the same value.
        unsafe { Self::new(vreinterpretq_f32_u32(vshll_n_u16::<16>(vld1_u16(from.cast())))) }
    }

    #[inline(always)]
    unsafe fn store_channels(self, to: *mut f32) {
        // SAFETY: as above.
        unsafe { vst1_u16(to.cast(), self.rounded()) };
    }
}

kernel! {
    #[target_feature(enable = "neon,bf16")]
    Bf16x8 {
        1: 1 2 3 4 5 6 7 8 9 10 11 12;
        2: 1 2 3 4 5 6 7 8 9 10 11 12;
        3: 1 2 3 4 5 6 7 8;
        4: 1 2 3 4 5 6;
    }
}
