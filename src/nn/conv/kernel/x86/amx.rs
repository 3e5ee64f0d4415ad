//! Whether a process may use AMX.

use std::arch::x86_64::{__cpuid, __cpuid_count};
use std::sync::OnceLock;

/// The leaf of features, and what it says of AMX in the register `edx`: products of bf16, tiles.
const FEATURES: u32 = 7;
const WANTED: u32 = 1 << 22 | 1 << 24;

/// The leaf of tiles. Virtual machines are known that say they have AMX, and then have no sizes of
/// tiles to choose from.
const PALETTES: u32 = 0x1d;

/// Whether the CPU has tiles and products of bf16, and the system lets this process use them.
pub fn is_usable() -> bool {
    static USABLE: OnceLock<bool> = OnceLock::new();
    *USABLE.get_or_init(|| is_there() && is_permitted())
}

fn is_there() -> bool {
    __cpuid(0).eax >= PALETTES
        && __cpuid_count(FEATURES, 0).edx & WANTED == WANTED
        && __cpuid_count(PALETTES, 0).eax >= 1
}

/// Asks for it: tiles are so large that Linux saves them only for processes that have said so
/// (`arch_prctl`, since 5.16; see "Using XSTATE features in user space applications" there).
#[cfg(target_os = "linux")]
fn is_permitted() -> bool {
    use nix::libc::{SYS_arch_prctl, c_long, syscall};

    const ARCH_REQ_XCOMP_PERM: c_long = 0x1023;
    const XFEATURE_XTILEDATA: c_long = 18;
    // SAFETY: the call changes nothing but what may be used.
    unsafe { syscall(SYS_arch_prctl, ARCH_REQ_XCOMP_PERM, XFEATURE_XTILEDATA) == 0 }
}

/// No other system has been tried.
#[cfg(not(target_os = "linux"))]
fn is_permitted() -> bool {
    false
}
