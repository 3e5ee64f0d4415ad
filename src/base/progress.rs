//! Progress bars on standard error, shown only if that is a terminal.
//!
//! A bar that is not shown counts all the same, for those who ask for [`position`].

use std::fmt::Write;
use std::io::{IsTerminal, Write as _, stderr};
use std::sync::{Mutex, PoisonError};
use std::time::Duration;

use indicatif::{ProgressBar, ProgressDrawTarget, ProgressState, ProgressStyle, WeakProgressBar};

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

/// Whether bars are shown. A dumb terminal gets the lines that a pipe gets.
pub(crate) fn is_shown() -> bool {
    stderr().is_terminal() && std::env::var_os("TERM").is_none_or(|term| term != "dumb")
}

/// How much of the present work is done, and how much there is.
#[cfg(feature = "net")]
pub(crate) fn position() -> Option<[u64; 2]> {
    let bar = current().filter(|bar| !bar.is_finished())?;
    Some([bar.position(), bar.length()?])
}

fn draw(bar: &ProgressBar, name: &str, unit: &str) {
    let template =
        format!("{name} [{{bar:16}}] {{pos}}/{{len}} {unit}, {{rate}}, {{eta}} left {{wide_msg}}");
    let style = ProgressStyle::with_template(&template).expect("the template is well-formed");
    let rate = |state: &ProgressState, text: &mut dyn Write| {
        // The bar is drawn again soon.
        let _ = text.write_str(&rate(state.per_sec()));
    };
    let style = style.with_key("rate", rate);
    bar.set_style(style.progress_chars("=> "));
    bar.enable_steady_tick(Duration::from_millis(200));
}

/// A rate with three digits.
fn rate(per_second: f64) -> String {
    let digits = 2_usize.saturating_sub(per_second.max(1.0).log10() as usize);
    format!("{per_second:.digits$}/s")
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

#[cfg(test)]
mod tests {
    use super::rate;

    #[test]
    fn rates_have_three_digits() {
        for (per_second, expected) in
            [(0.5, "0.50/s"), (7.0, "7.00/s"), (71.6089, "71.6/s"), (123_456.0, "123456/s")]
        {
            assert_eq!(rate(per_second), expected);
        }
    }
}
