//! What a controller needs of an engine: its lines.

use std::io;
use std::time::Instant;

/// Why no line was read.
pub(super) enum NoLine {
    /// The time is up.
    Timeout,
    /// The engine has closed its output.
    Closed,
}

/// A connection to an engine.
pub(super) trait Connection: Send {
    /// Writes a line.
    fn write(&mut self, line: &str) -> io::Result<()>;

    /// The next line; waits for it until the deadline.
    fn read(&self, deadline: Instant) -> Result<String, NoLine>;

    /// A line that was read already, without waiting.
    fn read_at_once(&self) -> Option<Result<String, NoLine>>;

    /// The exit status, if the engine has ended.
    fn status(&self) -> Option<String>;

    /// The last lines of its standard error.
    fn errors(&self) -> Vec<String>;

    /// Ends the engine: by `quit` and some time to exit, or `at_once`.
    fn end(&mut self, at_once: bool);
}
