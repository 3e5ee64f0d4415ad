//! Portable arithmetic on short arrays.

use super::super::portable::{F32x4, LANES};
use super::int8_kernel;
use super::tile::Dot;

/// A register: bytes, or sums of 32 bits.
#[derive(Clone, Copy)]
struct I8x16([u32; LANES]);

// SAFETY: all functions access arrays of `LANES` dwords or bytes, or one dword. No instructions
// are needed but those of every CPU.
unsafe impl Dot for I8x16 {
    type Floats = F32x4;

    #[inline(always)]
    unsafe fn zeros() -> Self {
        Self([0; LANES])
    }

    #[inline(always)]
    unsafe fn load(from: *const f32) -> Self {
        // SAFETY: the caller guarantees `LANES` dwords.
        Self(unsafe { from.cast::<[u32; LANES]>().read() })
    }

    #[inline(always)]
    unsafe fn splat(from: *const f32) -> Self {
        // SAFETY: the caller guarantees a dword.
        Self([unsafe { from.cast::<u32>().read() }; LANES])
    }

    #[inline(always)]
    unsafe fn accumulate(mut self, weights: Self, input: Self) -> Self {
        for part in [0, 8, 16, 24] {
            for lane in 0..LANES {
                let weight = (weights.0[lane] << (24 - part)) as i32 >> 24;
                let value = (input.0[lane] >> part & 255) as i32;
                self.0[lane] = self.0[lane].wrapping_add((weight * value) as u32);
            }
        }
        self
    }

    #[inline(always)]
    unsafe fn floats(self) -> F32x4 {
        F32x4(self.0.map(|sum| sum as i32 as f32))
    }

    #[inline(always)]
    unsafe fn store_bytes(from: F32x4, to: *mut u8) {
        let bytes = from.0.map(|number| number as u8);
        // SAFETY: the caller guarantees room for `LANES` bytes.
        unsafe { to.cast::<[u8; LANES]>().write(bytes) };
    }
}

int8_kernel! { I8x16 {
    1: 1 2 3 4 5 6 7 8;
    2: 1 2 3 4 5 6;
} }
