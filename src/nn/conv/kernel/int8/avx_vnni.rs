//! AVX-VNNI: 16 registers of 8 lanes, each of which sums four products at a time.

use std::arch::x86_64::_mm256_dpbusd_avx_epi32;

use super::super::x86::avx2::F32x8;
use super::avx2;
use super::int8_kernel;
use super::tile::Dot;

/// A register: bytes, or sums of 32 bits.
#[derive(Clone, Copy)]
struct I8x32(avx2::I8x32);

// SAFETY: a register has 256 bits, a dword for each lane of `Floats`; `store_bytes` writes a byte
// for each. In all functions the caller guarantees the instructions and the memory.
unsafe impl Dot for I8x32 {
    type Floats = F32x8;

    #[inline(always)]
    unsafe fn zeros() -> Self {
        // SAFETY: as above.
        Self(unsafe { avx2::I8x32::zeros() })
    }

    #[inline(always)]
    unsafe fn load(from: *const f32) -> Self {
        // SAFETY: as above.
        Self(unsafe { avx2::I8x32::load(from) })
    }

    #[inline(always)]
    unsafe fn splat(from: *const f32) -> Self {
        // SAFETY: as above.
        Self(unsafe { avx2::I8x32::splat(from) })
    }

    #[inline(always)]
    unsafe fn accumulate(self, weights: Self, input: Self) -> Self {
        let Self(avx2::I8x32(sums)) = self;
        // SAFETY: as above.
        Self(avx2::I8x32(unsafe { _mm256_dpbusd_avx_epi32(sums, input.0.0, weights.0.0) }))
    }

    #[inline(always)]
    unsafe fn floats(self) -> F32x8 {
        // SAFETY: as above.
        unsafe { self.0.floats() }
    }

    #[inline(always)]
    unsafe fn store_bytes(from: F32x8, to: *mut u8) {
        // SAFETY: as above.
        unsafe { avx2::I8x32::store_bytes(from, to) };
    }
}

int8_kernel! {
    #[target_feature(enable = "avx2,fma,avxvnni")]
    I8x32 {
        1: 1 2 3 4 5 6 7 8 9 10 11 12;
        2: 1 2 3 4 5 6;
    }
}
