//! Detection of AMX and permission to use it.

use std::arch::x86_64::{__cpuid, __cpuid_count};
use std::sync::OnceLock;

/// The CPUID leaf of features, and its bits for AMX in `edx`: products of bf16, tiles, and products
/// of bytes.
const FEATURES: u32 = 7;
const BF16: u32 = 1 << 22;
const TILES: u32 = 1 << 24;
const BYTES: u32 = 1 << 25;

/// The CPUID leaf of tile palettes. Some virtual machines report AMX but no palette.
const PALETTES: u32 = 0x1d;

/// Whether the CPU has products of bf16 tiles, and the system permits this process to use them.
pub(in crate::nn::conv::kernel) fn has_bf16() -> bool {
    has(BF16)
}

/// The same for products of tiles of bytes.
pub(in crate::nn::conv::kernel) fn has_bytes() -> bool {
    has(BYTES)
}

/// Whether the CPU has a kind of products, and tiles that this process may use.
fn has(products: u32) -> bool {
    static USABLE: OnceLock<bool> = OnceLock::new();
    let features = || __cpuid_count(FEATURES, 0).edx;
    let are_there =
        || features() & TILES != 0 && __cpuid_count(PALETTES, 0).eax >= 1 && is_permitted();
    __cpuid(0).eax >= PALETTES && features() & products != 0 && *USABLE.get_or_init(are_there)
}

/// Requests permission. Tiles are large, so Linux saves them only for processes that have requested
/// it (`arch_prctl`, since 5.16; see "Using XSTATE features in user space applications" in its
/// documentation).
#[cfg(target_os = "linux")]
fn is_permitted() -> bool {
    use nix::libc::{SYS_arch_prctl, c_long, syscall};

    const ARCH_REQ_XCOMP_PERM: c_long = 0x1023;
    const XFEATURE_XTILEDATA: c_long = 18;
    // SAFETY: the call only changes permissions of this process.
    unsafe { syscall(SYS_arch_prctl, ARCH_REQ_XCOMP_PERM, XFEATURE_XTILEDATA) == 0 }
}

/// AMX has not been tested on other systems.
#[cfg(not(target_os = "linux"))]
fn is_permitted() -> bool {
    false
}
