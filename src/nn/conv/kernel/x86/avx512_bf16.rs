//! AVX-512 with bf16: 32 registers of 16 lanes, each of which multiplies two channels at a time.

use std::arch::x86_64::{
    __m256bh, __m256i, __m512, __m512bh, __m512i, _CMP_LT_OQ, _mm256_loadu_si256,
    _mm256_storeu_si256, _mm512_add_ps, _mm512_castsi512_ps, _mm512_castsi512_si256,
    _mm512_cmp_ps_mask, _mm512_cvtepu16_epi32, _mm512_cvtne2ps_pbh, _mm512_cvtneps_pbh,
    _mm512_dpbf16_ps, _mm512_extracti64x4_epi64, _mm512_loadu_ps, _mm512_maskz_mov_ps,
    _mm512_max_ps, _mm512_mul_ps, _mm512_or_si512, _mm512_set1_ps, _mm512_slli_epi32,
    _mm512_storeu_ps,
};
use std::mem::transmute;

use crate::nn::conv::kernel::kernel;
use crate::nn::conv::kernel::tile::Register;

/// A register: 16 `f32`, or 16 pairs of bf16.
#[derive(Clone, Copy)]
pub(super) struct Bf16x32(__m512);

// SAFETY: a register has 512 bits, which are `LANES` numbers or dwords; half of one are `LANES`
// bf16. In all functions the caller guarantees the instructions and the memory. All bit patterns
// are valid in all register types of the same size.
unsafe impl Register for Bf16x32 {
    const LANES: usize = 16;
    const CHANNELS: usize = 2;

    arithmetic! {
        _mm512_set1_ps, _mm512_loadu_ps, _mm512_storeu_ps,
        _mm512_add_ps, _mm512_mul_ps, _mm512_max_ps
    }

    #[inline(always)]
    unsafe fn accumulate(self, weights: Self, input: Self) -> Self {
        // SAFETY: as above.
        unsafe {
            let weights = transmute::<__m512, __m512bh>(weights.0);
            let input = transmute::<__m512, __m512bh>(input.0);
            Self(_mm512_dpbf16_ps(self.0, weights, input))
        }
    }

    #[inline(always)]
    unsafe fn where_less(self, left: Self, right: Self) -> Self {
        // SAFETY: as above.
        unsafe {
            let less = _mm512_cmp_ps_mask::<_CMP_LT_OQ>(left.0, right.0);
            Self(_mm512_maskz_mov_ps(less, self.0))
        }
    }

    #[inline(always)]
    unsafe fn dword(low: Self, high: Self) -> Self {
        // SAFETY: as above. The conversion rounds both registers to bf16, with those of its second
        // argument in the lower half. Then the halves are interleaved.
        unsafe {
            let halves = transmute::<__m512bh, __m512i>(_mm512_cvtne2ps_pbh(high.0, low.0));
            let low = _mm512_cvtepu16_epi32(_mm512_castsi512_si256(halves));
            let high = _mm512_cvtepu16_epi32(_mm512_extracti64x4_epi64::<1>(halves));
            Self(_mm512_castsi512_ps(_mm512_or_si512(low, _mm512_slli_epi32::<16>(high))))
        }
    }

    #[inline(always)]
    unsafe fn load_channels(from: *const f32) -> Self {
        // SAFETY: as above. A bf16 is the upper half of the `f32` of the same value.
        unsafe {
            let halves = _mm512_cvtepu16_epi32(_mm256_loadu_si256(from.cast()));
            Self(_mm512_castsi512_ps(_mm512_slli_epi32::<16>(halves)))
        }
    }

    #[inline(always)]
    unsafe fn store_channels(self, to: *mut f32) {
        // SAFETY: as above.
        unsafe {
            let halves = transmute::<__m256bh, __m256i>(_mm512_cvtneps_pbh(self.0));
            _mm256_storeu_si256(to.cast(), halves);
        }
    }
}

kernel! {
    #[target_feature(enable = "avx512f,avx512bf16")]
    Bf16x32 {
        1: 1 2 3 4 5 6 7 8 9 10 11 12;
        2: 1 2 3 4 5 6 7 8 9 10 11 12;
        3: 1 2 3 4 5 6 7 8;
        4: 1 2 3 4 5 6;
    }
}
