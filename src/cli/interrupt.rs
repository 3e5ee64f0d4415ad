//! Signals that end a command: Ctrl-C (SIGINT), SIGTERM and SIGHUP.
//!
//! A command that has something to finish calls [`listen`] or [`on_first`]; the first signal then
//! tells it to stop. Every other command ends at once at the first signal, and all do at the
//! second: external engines are ended, and the exit status is 128 and the number of the signal.
//! Files are complete at any moment.

use std::io::{Write, stderr};
use std::sync::atomic::{AtomicBool, AtomicU8, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError};

use anyhow::{Context, Result, anyhow};

use super::Failure;
use crate::base::progress;
use crate::play::players::stop_engines;

/// Number of SIGINT, for systems that do not tell which signal it was.
const SIGINT: u8 = 2;

/// Set by the first signal.
static INTERRUPTED: AtomicBool = AtomicBool::new(false);

/// Number of the last signal.
static SIGNAL: AtomicU8 = AtomicU8::new(SIGINT);

/// What the first signal does, instead of ending the program.
static ON_FIRST: Mutex<Option<Action>> = Mutex::new(None);

type Action = Box<dyn Fn() + Send>;

/// Listens for signals, for all commands.
///
/// # Errors
///
/// If the system refuses.
pub(super) fn watch() -> Result<()> {
    system::watch().context("cannot listen for signals")
}

/// Returns a flag that the first signal sets from now on, instead of ending the program.
pub(super) fn listen() -> &'static AtomicBool {
    on_first(|| progress::say("stopping; press Ctrl-C again to stop at once"));
    &INTERRUPTED
}

/// As [`listen`]; the first signal also ends the external engines, whose games do not count then.
pub(super) fn listen_and_stop_engines() -> &'static AtomicBool {
    on_first(|| {
        progress::say("stopping; press Ctrl-C again to stop at once");
        stop_engines();
    });
    &INTERRUPTED
}

/// Makes the first signal call `action` from now on, instead of ending the program.
pub(super) fn on_first(action: impl Fn() + Send + 'static) {
    *locked() = Some(Box::new(action));
}

/// The failure of a command that a signal stopped before it was done, with the exit status of that
/// signal.
pub(super) fn failure(done: &str) -> Failure {
    Failure { status: status(), error: anyhow!("interrupted: {done}") }
}

/// Called for every signal.
fn received(signal: u8) {
    SIGNAL.store(signal, Ordering::Relaxed);
    let is_first = !INTERRUPTED.swap(true, Ordering::SeqCst);
    match &*locked() {
        Some(action) if is_first => action(),
        _ => end(),
    }
}

/// Ends the program and the external engines.
fn end() {
    stop_engines();
    progress::clear();
    let _ = stderr().flush();
    std::process::exit(status().into());
}

/// 128 and the number of the signal, as shells report it.
fn status() -> u8 {
    128 + SIGNAL.load(Ordering::Relaxed)
}

fn locked() -> MutexGuard<'static, Option<Action>> {
    ON_FIRST.lock().unwrap_or_else(PoisonError::into_inner)
}

#[cfg(unix)]
mod system {
    use std::sync::Arc;
    use std::{fs, io, thread};

    use signal_hook::consts::{SIGHUP, SIGINT, SIGTERM, SIGXFSZ};
    use signal_hook::iterator::Signals;

    /// Handles the signals on a thread of its own.
    pub(super) fn watch() -> io::Result<()> {
        let mut wanted = vec![SIGINT, SIGTERM];
        // A handler would undo `nohup`, which starts programs with SIGHUP ignored.
        let ignored = fs::read_to_string("/proc/self/status").ok().and_then(|it| ignored(&it));
        if ignored.is_some_and(|ignored| ignored >> (SIGHUP - 1) & 1 == 0) {
            wanted.push(SIGHUP);
        }
        // Without a handler, a file that may not grow any more ends the program without a word. With
        // one, its write fails.
        signal_hook::flag::register(SIGXFSZ, Arc::default())?;
        let mut signals = Signals::new(wanted)?;
        let each = move || signals.forever().for_each(|signal| super::received(signal as u8));
        thread::Builder::new().name("signals".to_owned()).spawn(each).map(drop)
    }

    /// The mask of ignored signals in the text of `/proc/self/status`, which Linux has. Elsewhere
    /// SIGHUP keeps its effect: it ends the program unless it is ignored.
    fn ignored(status: &str) -> Option<u64> {
        let mask = status.lines().find_map(|line| line.strip_prefix("SigIgn:"))?;
        u64::from_str_radix(mask.trim(), 16).ok()
    }

    #[cfg(test)]
    mod tests {
        use super::*;

        #[test]
        fn the_mask_of_ignored_signals_is_read() {
            assert_eq!(ignored("Name:\tx\nSigIgn:\t0000000000001001\n"), Some(0x1001));
            assert_eq!(ignored("Name:\tx\n"), None);
        }
    }
}

#[cfg(not(unix))]
mod system {
    /// Handles Ctrl-C on a thread of its own.
    pub(super) fn watch() -> Result<(), ctrlc::Error> {
        ctrlc::set_handler(|| super::received(super::SIGINT))
    }
}
