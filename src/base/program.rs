//! How this program was started: by its own file, or within another program, such as Python.

use std::ffi::OsString;
use std::io;
use std::process::Command;
use std::sync::OnceLock;

/// A program whose process this one shares.
#[derive(Debug)]
struct Host {
    /// The words that started it: `python3 -m tavoliere`, or the path of a script.
    words: Vec<OsString>,
    arguments: Vec<OsString>,
}

static HOST: OnceLock<Host> = OnceLock::new();

/// Tells the words that started the program that this one is within, and the arguments behind them.
/// Only the first call has an effect.
pub(crate) fn is_within(words: Vec<OsString>, arguments: Vec<OsString>) {
    let _ = HOST.set(Host { words, arguments });
}

/// The words that started this program, to be started by them again; its arguments follow them.
pub(crate) fn words() -> Vec<OsString> {
    match HOST.get() {
        Some(host) => host.words.clone(),
        None => std::env::args_os().take(1).collect(),
    }
}

/// The file that was started; `None` within another program.
pub(crate) fn file() -> Option<OsString> {
    match HOST.get() {
        Some(_) => None,
        None => std::env::args_os().next(),
    }
}

/// The arguments of this program.
pub(crate) fn arguments() -> Vec<OsString> {
    match HOST.get() {
        Some(host) => host.arguments.clone(),
        None => std::env::args_os().skip(1).collect(),
    }
}

/// A command that starts this program as another process.
///
/// # Errors
///
/// If its file cannot be found.
pub(crate) fn once_more() -> io::Result<Command> {
    let Some(host) = HOST.get() else { return std::env::current_exe().map(Command::new) };
    let (first, rest) = host.words.split_first().ok_or(io::ErrorKind::NotFound)?;
    let mut command = Command::new(first);
    command.args(rest);
    Ok(command)
}
