//! The instruction sets of x86-64. Each function returns a kernel only if this CPU supports it.

/// Defines the methods of a register that are one instruction each: broadcast, load, store, add,
/// multiply, and maximum.
macro_rules! arithmetic {
    ($splat:ident, $load:ident, $store:ident, $add:ident, $mul:ident, $max:ident) => {
        #[inline(always)]
        unsafe fn splat(value: f32) -> Self {
            // SAFETY: the caller guarantees the instructions.
            Self(unsafe { $splat(value) })
        }

        #[inline(always)]
        unsafe fn load(from: *const f32) -> Self {
            // SAFETY: the caller guarantees the instructions and the memory.
            Self(unsafe { $load(from) })
        }

        #[inline(always)]
        unsafe fn store(self, to: *mut f32) {
            // SAFETY: as for `load`.
            unsafe { $store(to, self.0) };
        }

        #[inline(always)]
        unsafe fn add(self, other: Self) -> Self {
            // SAFETY: as for `splat`.
            Self(unsafe { $add(self.0, other.0) })
        }

        #[inline(always)]
        unsafe fn mul(self, other: Self) -> Self {
            // SAFETY: as for `splat`.
            Self(unsafe { $mul(self.0, other.0) })
        }

        #[inline(always)]
        unsafe fn max(self, other: Self) -> Self {
            // SAFETY: as for `splat`.
            Self(unsafe { $max(self.0, other.0) })
        }
    };
}

pub(super) mod amx;
pub(super) mod avx2;
pub(super) mod avx512;
mod avx512_bf16;

use std::arch::is_x86_feature_detected as has;

use super::Kernel;

/// 8 lanes of `f32`.
pub(super) fn avx2() -> Option<&'static Kernel> {
    (has!("avx2") && has!("fma")).then_some(&avx2::KERNEL)
}

/// 16 lanes of `f32`.
pub(super) fn avx512() -> Option<&'static Kernel> {
    has!("avx512f").then_some(&avx512::KERNEL)
}

/// 16 lanes of `f32`, each the sum of products of two bf16.
pub(super) fn avx512_bf16() -> Option<&'static Kernel> {
    (has!("avx512f") && has!("avx512bf16")).then_some(&avx512_bf16::KERNEL)
}

/// Whether products of bf16 by AVX-512 are slower than those of `f32`, as on CPUs of Intel: a
/// quarter of the instructions a second were measured there, each with twice the products.
pub(super) fn has_slow_bf16() -> bool {
    let vendor = std::arch::x86_64::__cpuid(0);
    [vendor.ebx, vendor.edx, vendor.ecx].map(u32::to_le_bytes).as_flattened() == b"GenuineIntel"
}

/// Matrix products of bf16, if the operating system permits this process to use AMX.
pub(super) fn amx_bf16() -> Option<&'static Kernel> {
    (avx512_bf16().is_some() && amx::detection::has_bf16()).then_some(&amx::bf16::KERNEL)
}

/// Like [`amx_bf16`], but emulated if only that is missing.
#[cfg(all(test, target_os = "linux"))]
pub(super) fn emulated_amx_bf16() -> Option<&'static Kernel> {
    avx512_bf16()?;
    amx::emulation::prepare();
    Some(&amx::bf16::KERNEL)
}
