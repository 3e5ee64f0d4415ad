//! Progress bars on standard error, shown only if that is a terminal.
//!
//! A bar that is not shown counts all the same, for those who ask for [`position`].

use std::io::{IsTerminal, Write, stderr};
use std::sync::{Mutex, PoisonError};
use std::time::Duration;

use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle, WeakProgressBar};

use super::printable::printable;

/// The bar of the present work; one at a time.
static CURRENT: Mutex<Option<WeakProgressBar>> = Mutex::new(None);

/// Creates a bar of `length` units that shows their rate and the time left.
pub(crate) fn bar(length: u64, name: &str, unit: &str) -> ProgressBar {
    let is_shown = is_shown();
    let target = if is_shown { ProgressDrawTarget::stderr() } else { ProgressDrawTarget::hidden() };
    let bar = ProgressBar::with_draw_target(Some(length), target);
    *CURRENT.lock().unwrap_or_else(PoisonError::into_inner) = Some(bar.downgrade());
    if is_shown {
        draw(&bar, name, unit);
    }
    bar
}

/// Whether bars are shown.
pub(crate) fn is_shown() -> bool {
    stderr().is_terminal()
}

/// How much of the present work is done, and how much there is.
#[cfg(feature = "net")]
pub(crate) fn position() -> Option<[u64; 2]> {
    let bar = current().filter(|bar| !bar.is_finished())?;
    Some([bar.position(), bar.length()?])
}

fn draw(bar: &ProgressBar, name: &str, unit: &str) {
    let template =
        format!("{name} [{{bar:30}}] {{pos}}/{{len}} {unit}, {{per_sec}}, {{eta}} left {{msg}}");
    let style = ProgressStyle::with_template(&template).expect("the template is well-formed");
    bar.set_style(style.progress_chars("=> "));
    bar.enable_steady_tick(Duration::from_millis(200));
}

/// Writes a line to standard error, above the bar if there is one.
pub(crate) fn say(line: &str) {
    // If standard error cannot be written, the work still goes on.
    let write = || drop(writeln!(stderr(), "{}", printable(line)));
    match current() {
        Some(bar) => bar.suspend(write),
        None => write(),
    }
}

/// Removes the bar from the screen, for a program that is about to exit.
pub(crate) fn clear() {
    if let Some(bar) = current() {
        bar.finish_and_clear();
    }
}

fn current() -> Option<ProgressBar> {
    CURRENT.lock().unwrap_or_else(PoisonError::into_inner).as_ref()?.upgrade()
}
