//! AVX-512 with VNNI: 32 registers of 16 lanes, each of which sums four products at a time.

use std::arch::x86_64::{
    __m512i, _mm_storeu_si128, _mm512_cvtepi32_ps, _mm512_cvttps_epi32, _mm512_cvtusepi32_epi8,
    _mm512_dpbusd_epi32, _mm512_loadu_si512, _mm512_set1_epi32, _mm512_setzero_si512,
};

use super::super::x86::avx512::F32x16;
use super::int8_kernel;
use super::tile::Dot;

/// A register: bytes, or sums of 32 bits.
#[derive(Clone, Copy)]
struct I8x64(__m512i);

// SAFETY: a register has 512 bits, a dword for each lane of `Floats`; `store_bytes` writes a byte
// for each. In all functions the caller guarantees the instructions and the memory.
unsafe impl Dot for I8x64 {
    type Floats = F32x16;

    #[inline(always)]
    unsafe fn zeros() -> Self {
        // SAFETY: as above.
        Self(unsafe { _mm512_setzero_si512() })
    }

    #[inline(always)]
    unsafe fn load(from: *const f32) -> Self {
        // SAFETY: as above.
        Self(unsafe { _mm512_loadu_si512(from.cast()) })
    }

    #[inline(always)]
    unsafe fn splat(from: *const f32) -> Self {
        // SAFETY: as above.
        Self(unsafe { _mm512_set1_epi32(from.cast::<i32>().read()) })
    }

    #[inline(always)]
    unsafe fn accumulate(self, weights: Self, input: Self) -> Self {
        // SAFETY: as above.
        Self(unsafe { _mm512_dpbusd_epi32(self.0, input.0, weights.0) })
    }

    #[inline(always)]
    unsafe fn floats(self) -> F32x16 {
        // SAFETY: as above.
        F32x16(unsafe { _mm512_cvtepi32_ps(self.0) })
    }

    #[inline(always)]
    unsafe fn store_bytes(from: F32x16, to: *mut u8) {
        // SAFETY: as above.
        unsafe {
            let bytes = _mm512_cvtusepi32_epi8(_mm512_cvttps_epi32(from.0));
            _mm_storeu_si128(to.cast(), bytes);
        }
    }
}

int8_kernel! {
    #[target_feature(enable = "avx512f,avx512vnni")]
    I8x64 {
        1: 1 2 3 4 5 6 7 8 9 10 11 12;
        2: 1 2 3 4 5 6 7 8 9 10 11 12;
        3: 1 2 3 4 5 6 7 8;
        4: 1 2 3 4 5 6;
    }
}
