//! Ctrl-C: asks for an orderly end.

use std::io::{Write, stderr};
use std::sync::atomic::{AtomicBool, Ordering};

use anyhow::{Context, Result};

use crate::play::opponents::stop_engines;

/// Set by Ctrl-C.
static INTERRUPTED: AtomicBool = AtomicBool::new(false);

/// From now on Ctrl-C sets the flag that this gives, and ends the program only when it is pressed
/// again.
pub fn listen() -> Result<&'static AtomicBool> {
    ctrlc::set_handler(interrupt).context("cannot listen for Ctrl-C")?;
    Ok(&INTERRUPTED)
}

/// The first Ctrl-C asks for an orderly end, the second ends at once: files are whole at any moment.
fn interrupt() {
    if INTERRUPTED.swap(true, Ordering::Relaxed) {
        stop_engines();
        std::process::exit(130);
    }
    let _ = writeln!(stderr(), "\nstopping; press Ctrl-C again to stop at once");
}
