//! Ctrl-C: the first stops a command in order, the second at once.

use std::io::{Write, stderr};
use std::sync::atomic::{AtomicBool, Ordering};

use anyhow::{Context, Result};

use crate::play::players::stop_engines;

/// Set by Ctrl-C.
static INTERRUPTED: AtomicBool = AtomicBool::new(false);

/// Installs the handler and returns the flag that the first Ctrl-C sets.
pub(super) fn listen() -> Result<&'static AtomicBool> {
    ctrlc::set_handler(interrupt).context("cannot listen for Ctrl-C")?;
    Ok(&INTERRUPTED)
}

/// Sets the flag, and ends the program at the second call. Files are complete at any moment.
fn interrupt() {
    if INTERRUPTED.swap(true, Ordering::Relaxed) {
        stop_engines();
        std::process::exit(130);
    }
    let _ = writeln!(stderr(), "\nstopping; press Ctrl-C again to stop at once");
}
