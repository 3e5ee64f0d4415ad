//! AVX-512: 32 registers of 16 lanes.

use std::arch::x86_64::{
    __m512, _CMP_LT_OQ, _mm512_add_ps, _mm512_cmp_ps_mask, _mm512_fmadd_ps, _mm512_loadu_ps,
    _mm512_maskz_mov_ps, _mm512_max_ps, _mm512_mul_ps, _mm512_set1_ps, _mm512_storeu_ps,
};

use crate::nn::conv::kernel::kernel;
use crate::nn::conv::kernel::tile::Register;

/// A register.
#[derive(Clone, Copy)]
pub(in crate::nn::conv::kernel) struct F32x16(pub __m512);

// SAFETY: a register has 512 bits, which are `LANES` numbers. In all functions the caller
// guarantees the instructions and the memory.
unsafe impl Register for F32x16 {
    const LANES: usize = 16;
    const CHANNELS: usize = 1;

    arithmetic! {
        _mm512_set1_ps, _mm512_loadu_ps, _mm512_storeu_ps,
        _mm512_add_ps, _mm512_mul_ps, _mm512_max_ps
    }

    #[inline(always)]
    unsafe fn accumulate(self, weights: Self, input: Self) -> Self {
        // SAFETY: as above.
        Self(unsafe { _mm512_fmadd_ps(weights.0, input.0, self.0) })
    }

    #[inline(always)]
    unsafe fn where_less(self, left: Self, right: Self) -> Self {
        // SAFETY: as above.
        unsafe {
            let less = _mm512_cmp_ps_mask::<_CMP_LT_OQ>(left.0, right.0);
            Self(_mm512_maskz_mov_ps(less, self.0))
        }
    }
}

kernel! {
    #[target_feature(enable = "avx512f")]
    F32x16 {
        1: 1 2 3 4 5 6 7 8 9 10 11 12;
        2: 1 2 3 4 5 6 7 8 9 10 11 12;
        3: 1 2 3 4 5 6 7 8;
        4: 1 2 3 4 5 6;
    }
}
