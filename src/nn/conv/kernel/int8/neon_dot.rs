//! NEON with dot products: 32 registers of 4 lanes, each of which sums four products at a time.
//! Both factors are signed, so bytes are stored less 128.

use std::arch::aarch64::{
    int32x4_t, vaddq_s32, vcombine_u16, vcvtq_f32_s32, vcvtq_u32_f32, vdup_n_u8, vdupq_n_s32,
    veor_u8, vget_lane_u32, vld1q_dup_s32, vld1q_s32, vqmovn_u16, vqmovn_u32, vreinterpret_u32_u8,
};
use std::arch::asm;

use super::super::neon::F32x4;
use super::int8_kernel;
use super::tile::Dot;

/// A register: bytes, or sums of 32 bits.
#[derive(Clone, Copy)]
struct I8x16(int32x4_t);

// SAFETY: a register has 128 bits, a dword for each lane of `Floats`; `store_bytes` writes a byte
// for each. In all functions the caller guarantees the instructions and the memory.
unsafe impl Dot for I8x16 {
    type Floats = F32x4;

    const BYTE_SHIFT: u8 = 128;

    #[inline(always)]
    unsafe fn zeros() -> Self {
        // SAFETY: as above.
        Self(unsafe { vdupq_n_s32(0) })
    }

    #[inline(always)]
    unsafe fn load(from: *const f32) -> Self {
        // SAFETY: as above.
        Self(unsafe { vld1q_s32(from.cast()) })
    }

    #[inline(always)]
    unsafe fn splat(from: *const f32) -> Self {
        // SAFETY: as above.
        Self(unsafe { vld1q_dup_s32(from.cast()) })
    }

    #[inline(always)]
    unsafe fn accumulate(self, weights: Self, input: Self) -> Self {
        let mut sums = self.0;
        // SAFETY: as above. The intrinsic of this instruction is not stable yet.
        unsafe {
            asm!(
                "sdot {sums:v}.4s, {weights:v}.16b, {input:v}.16b",
                sums = inout(vreg) sums,
                weights = in(vreg) weights.0,
                input = in(vreg) input.0,
                options(pure, nomem, nostack, preserves_flags),
            );
        }
        Self(sums)
    }

    #[inline(always)]
    unsafe fn add_integers(self, from: *const f32) -> Self {
        // SAFETY: as above.
        Self(unsafe { vaddq_s32(self.0, vld1q_s32(from.cast())) })
    }

    #[inline(always)]
    unsafe fn floats(self) -> F32x4 {
        // SAFETY: as above.
        F32x4(unsafe { vcvtq_f32_s32(self.0) })
    }

    #[inline(always)]
    unsafe fn store_bytes(from: F32x4, to: *mut u8) {
        // SAFETY: as above.
        unsafe {
            let halves = vqmovn_u32(vcvtq_u32_f32(from.0));
            let bytes = vqmovn_u16(vcombine_u16(halves, halves));
            let bytes = veor_u8(bytes, vdup_n_u8(Self::BYTE_SHIFT));
            to.cast::<u32>().write_unaligned(vget_lane_u32::<0>(vreinterpret_u32_u8(bytes)));
        }
    }
}

int8_kernel! {
    #[target_feature(enable = "neon,dotprod")]
    I8x16 {
        1: 1 2 3 4 5 6 7 8 9 10 11 12;
        2: 1 2 3 4 5 6 7 8 9 10 11 12;
        3: 1 2 3 4 5 6 7 8;
        4: 1 2 3 4 5 6;
    }
}
