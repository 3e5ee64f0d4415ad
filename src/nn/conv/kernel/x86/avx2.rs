//! AVX2 and FMA: 16 registers of 8 lanes.

use std::arch::x86_64::{
    __m256, _CMP_LT_OQ, _mm256_add_ps, _mm256_and_ps, _mm256_cmp_ps, _mm256_fmadd_ps,
    _mm256_loadu_ps, _mm256_max_ps, _mm256_mul_ps, _mm256_set1_ps, _mm256_storeu_ps,
};

use crate::nn::conv::kernel::kernel;
use crate::nn::conv::kernel::tile::Register;

/// A register.
#[derive(Clone, Copy)]
pub(in crate::nn::conv::kernel) struct F32x8(pub __m256);

// SAFETY: a register has 256 bits, which are `LANES` numbers. In all functions the caller
// guarantees the instructions and the memory.
unsafe impl Register for F32x8 {
    const LANES: usize = 8;
    const CHANNELS: usize = 1;

    arithmetic! {
        _mm256_set1_ps, _mm256_loadu_ps, _mm256_storeu_ps,
        _mm256_add_ps, _mm256_mul_ps, _mm256_max_ps
    }

    #[inline(always)]
    unsafe fn accumulate(self, weights: Self, input: Self) -> Self {
        // SAFETY: as above.
        Self(unsafe { _mm256_fmadd_ps(weights.0, input.0, self.0) })
    }

    #[inline(always)]
    unsafe fn where_less(self, left: Self, right: Self) -> Self {
        // SAFETY: as above.
        Self(unsafe { _mm256_and_ps(self.0, _mm256_cmp_ps::<_CMP_LT_OQ>(left.0, right.0)) })
    }
}

kernel! {
    #[target_feature(enable = "avx2,fma")]
    F32x8 {
        1: 1 2 3 4 5 6 7 8 9 10 11 12;
        2: 1 2 3 4 5 6;
    }
}
