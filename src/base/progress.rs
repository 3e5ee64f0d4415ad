//! Progress bars on standard error, shown only if that is a terminal.

use std::io::{IsTerminal, Write, stderr};
use std::sync::{Mutex, PoisonError};
use std::time::Duration;

use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle, WeakProgressBar};

/// The bar on the screen; one at a time.
static SHOWN: Mutex<Option<WeakProgressBar>> = Mutex::new(None);

/// Creates a bar of `length` units that shows their rate and the time left.
pub(crate) fn bar(length: u64, name: &str, unit: &str) -> ProgressBar {
    if !stderr().is_terminal() {
        return ProgressBar::hidden();
    }
    let template =
        format!("{name} [{{bar:30}}] {{pos}}/{{len}} {unit}, {{per_sec}}, {{eta}} left {{msg}}");
    let style = ProgressStyle::with_template(&template).expect("the template is well-formed");
    let bar = ProgressBar::with_draw_target(Some(length), ProgressDrawTarget::stderr());
    bar.set_style(style.progress_chars("=> "));
    bar.enable_steady_tick(Duration::from_millis(200));
    *SHOWN.lock().unwrap_or_else(PoisonError::into_inner) = Some(bar.downgrade());
    bar
}

/// Writes a line to standard error, above the bar if there is one.
pub(crate) fn say(line: &str) {
    // If standard error cannot be written, the work still goes on.
    let write = || drop(writeln!(stderr(), "{line}"));
    match shown() {
        Some(bar) => bar.suspend(write),
        None => write(),
    }
}

/// Removes the bar from the screen, for a program that is about to exit.
pub(crate) fn clear() {
    if let Some(bar) = shown() {
        bar.finish_and_clear();
    }
}

fn shown() -> Option<ProgressBar> {
    SHOWN.lock().unwrap_or_else(PoisonError::into_inner).as_ref()?.upgrade()
}
