//! Detection of AMX and permission to use it.

use std::arch::x86_64::{__cpuid, __cpuid_count};
use std::sync::OnceLock;

/// The CPUID leaf of features, and its bits for AMX in `edx`: products of bf16, and tiles.
const FEATURES: u32 = 7;
const WANTED: u32 = 1 << 22 | 1 << 24;

/// The CPUID leaf of tile palettes. Some virtual machines report AMX but no palette.
const PALETTES: u32 = 0x1d;

/// Whether the CPU has tiles and products of bf16, and the system permits this process to use them.
pub(super) fn is_usable() -> bool {
    static USABLE: OnceLock<bool> = OnceLock::new();
    *USABLE.get_or_init(|| is_present() && is_permitted())
}

fn is_present() -> bool {
    __cpuid(0).eax >= PALETTES
        && __cpuid_count(FEATURES, 0).edx & WANTED == WANTED
        && __cpuid_count(PALETTES, 0).eax >= 1
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
