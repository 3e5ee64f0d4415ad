//! Portable arithmetic on short arrays, which the compiler turns into vector instructions.

use super::kernel;
use super::tile::Register;

/// Number of `f32` in the smallest common vector registers.
pub(super) const LANES: usize = 4;

/// A register.
#[derive(Clone, Copy)]
pub(super) struct F32x4(pub [f32; LANES]);

impl F32x4 {
    #[inline(always)]
    fn with(mut self, other: Self, of: impl Fn(f32, f32) -> f32) -> Self {
        for lane in 0..LANES {
            self.0[lane] = of(self.0[lane], other.0[lane]);
        }
        self
    }
}

// SAFETY: `load` and `store` access one array of `LANES` numbers, at the alignment of an `f32`.
// No instructions are needed but those of every CPU.
unsafe impl Register for F32x4 {
    const LANES: usize = LANES;
    const CHANNELS: usize = 1;

    #[inline(always)]
    unsafe fn splat(value: f32) -> Self {
        Self([value; LANES])
    }

    #[inline(always)]
    unsafe fn load(from: *const f32) -> Self {
        // SAFETY: the caller guarantees `LANES` numbers.
        Self(unsafe { from.cast::<[f32; LANES]>().read() })
    }

    #[inline(always)]
    unsafe fn store(self, to: *mut f32) {
        // SAFETY: the caller guarantees room for `LANES` numbers.
        unsafe { to.cast::<[f32; LANES]>().write(self.0) };
    }

    #[inline(always)]
    unsafe fn accumulate(mut self, weights: Self, input: Self) -> Self {
        for lane in 0..LANES {
            self.0[lane] += weights.0[lane] * input.0[lane];
        }
        self
    }

    #[inline(always)]
    unsafe fn add(self, other: Self) -> Self {
        self.with(other, |a, b| a + b)
    }

    #[inline(always)]
    unsafe fn mul(self, other: Self) -> Self {
        self.with(other, |a, b| a * b)
    }

    #[inline(always)]
    unsafe fn max(self, other: Self) -> Self {
        self.with(other, |a, b| if a > b { a } else { b })
    }

    #[inline(always)]
    unsafe fn where_less(mut self, left: Self, right: Self) -> Self {
        for lane in 0..LANES {
            self.0[lane] = if left.0[lane] < right.0[lane] { self.0[lane] } else { 0.0 };
        }
        self
    }
}

kernel! { F32x4 {
    1: 1 2 3 4 5 6 7 8;
    2: 1 2 3 4 5 6;
} }
