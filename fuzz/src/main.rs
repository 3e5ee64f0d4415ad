//! Runs a target of `tavoliere::fuzzing` in libFuzzer; the variable `FUZZ_TARGET` names it.
//!
//! Without a sanitizer libFuzzer notices panics, aborts, slow inputs, and memory that is used. The
//! allocator here also refuses more memory at once than any input of this size should need, even if
//! the memory would never be touched. A program that does not expect that aborts.

#![no_main]

use std::alloc::{GlobalAlloc, Layout, System};
use std::process::exit;
use std::ptr::null_mut;
use std::sync::OnceLock;

use libfuzzer_sys::fuzz_target;

/// The most bytes of one allocation. The largest tables of the program itself have 16 MiB.
const MOST: usize = 64 << 20;

struct Limited;

// SAFETY: every call is passed on to the system's allocator, or refused.
unsafe impl GlobalAlloc for Limited {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        match layout.size() <= MOST {
            // SAFETY: the caller's promise.
            true => unsafe { System.alloc(layout) },
            false => null_mut(),
        }
    }

    unsafe fn alloc_zeroed(&self, layout: Layout) -> *mut u8 {
        match layout.size() <= MOST {
            // SAFETY: the caller's promise.
            true => unsafe { System.alloc_zeroed(layout) },
            false => null_mut(),
        }
    }

    unsafe fn realloc(&self, block: *mut u8, layout: Layout, size: usize) -> *mut u8 {
        match size <= MOST {
            // SAFETY: the caller's promise.
            true => unsafe { System.realloc(block, layout, size) },
            false => null_mut(),
        }
    }

    unsafe fn dealloc(&self, block: *mut u8, layout: Layout) {
        // SAFETY: the caller's promise.
        unsafe { System.dealloc(block, layout) }
    }
}

#[global_allocator]
static ALLOCATOR: Limited = Limited;

static TARGET: OnceLock<fn(&[u8])> = OnceLock::new();

/// The target that the environment names. Without a name, or with `list`, the names of all targets
/// are printed.
fn named() -> fn(&[u8]) {
    let name = std::env::var("FUZZ_TARGET").unwrap_or_default();
    tavoliere::fuzzing::find(&name).unwrap_or_else(|| {
        for (name, _) in tavoliere::fuzzing::targets() {
            println!("{name}");
        }
        exit(if name == "list" { 0 } else { 2 })
    })
}

fuzz_target!(
    init: {
        TARGET.get_or_init(named);
    },
    |input: &[u8]| {
        TARGET.get_or_init(named)(input);
    }
);
