//! Ctrl-C.

use std::io::{Write, stderr};
use std::sync::atomic::{AtomicBool, Ordering};

use anyhow::{Context, Result};

/// Set by Ctrl-C.
static INTERRUPTED: AtomicBool = AtomicBool::new(false);

/// Listens for Ctrl-C, which sets what is returned.
pub fn listen() -> Result<&'static AtomicBool> {
    ctrlc::set_handler(interrupt).context("cannot listen for Ctrl-C")?;
    Ok(&INTERRUPTED)
}

/// The first Ctrl-C asks for an orderly end, the second ends at once: files are whole at any moment.
fn interrupt() {
    if INTERRUPTED.swap(true, Ordering::Relaxed) {
        std::process::exit(130);
    }
    let _ = writeln!(stderr(), "\nstopping; press Ctrl-C again to stop at once");
}
