//! AVX2: 16 registers of 8 lanes. Pairs of products are summed in 16 bits, then pairs of these.

use std::arch::x86_64::{
    __m256i, _mm_packus_epi16, _mm_packus_epi32, _mm_storel_epi64, _mm256_add_epi32,
    _mm256_castsi256_si128, _mm256_cvtepi32_ps, _mm256_cvttps_epi32, _mm256_extracti128_si256,
    _mm256_loadu_si256, _mm256_madd_epi16, _mm256_maddubs_epi16, _mm256_set1_epi16,
    _mm256_set1_epi32, _mm256_setzero_si256,
};

use super::super::x86::avx2::F32x8;
use super::int8_kernel;
use super::tile::Dot;

/// A register: bytes, or sums of 32 bits.
#[derive(Clone, Copy)]
pub(super) struct I8x32(pub __m256i);

// SAFETY: a register has 256 bits, a dword for each lane of `Floats`; `store_bytes` writes a byte
// for each. In all functions the caller guarantees the instructions and the memory.
unsafe impl Dot for I8x32 {
    type Floats = F32x8;

    #[inline(always)]
    unsafe fn zeros() -> Self {
        // SAFETY: as above.
        Self(unsafe { _mm256_setzero_si256() })
    }

    #[inline(always)]
    unsafe fn load(from: *const f32) -> Self {
        // SAFETY: as above.
        Self(unsafe { _mm256_loadu_si256(from.cast()) })
    }

    #[inline(always)]
    unsafe fn splat(from: *const f32) -> Self {
        // SAFETY: as above.
        Self(unsafe { _mm256_set1_epi32(from.cast::<i32>().read()) })
    }

    #[inline(always)]
    unsafe fn accumulate(self, weights: Self, input: Self) -> Self {
        // SAFETY: as above. A pair of products is at most 2 * 63 * 255, which fits.
        unsafe {
            let pairs = _mm256_maddubs_epi16(input.0, weights.0);
            let sums = _mm256_madd_epi16(pairs, _mm256_set1_epi16(1));
            Self(_mm256_add_epi32(self.0, sums))
        }
    }

    #[inline(always)]
    unsafe fn floats(self) -> F32x8 {
        // SAFETY: as above.
        F32x8(unsafe { _mm256_cvtepi32_ps(self.0) })
    }

    #[inline(always)]
    unsafe fn store_bytes(from: F32x8, to: *mut u8) {
        // SAFETY: as above.
        unsafe {
            let numbers = _mm256_cvttps_epi32(from.0);
            let (low, high) =
                (_mm256_castsi256_si128(numbers), _mm256_extracti128_si256::<1>(numbers));
            let words = _mm_packus_epi32(low, high);
            _mm_storel_epi64(to.cast(), _mm_packus_epi16(words, words));
        }
    }
}

int8_kernel! {
    #[target_feature(enable = "avx2,fma")]
    I8x32 {
        1: 1 2 3 4 5 6 7 8 9 10 11 12;
        2: 1 2 3 4 5;
    }
}
