//! An engine for fuzzing, whose whole output is given.

use std::collections::VecDeque;
use std::io;
use std::sync::{Mutex, PoisonError};
use std::time::Instant;

use super::connection::{Connection, NoLine};
use super::process::each_line;

/// The lines that are left of the output.
pub(super) struct Script(Mutex<VecDeque<String>>);

impl Script {
    pub(super) fn new(output: &[u8]) -> Self {
        let mut lines = VecDeque::new();
        each_line(output, |line| {
            lines.push_back(line);
            true
        });
        Self(Mutex::new(lines))
    }
}

impl Connection for Script {
    fn write(&mut self, _: &str) -> io::Result<()> {
        Ok(())
    }

    fn read(&self, _: Instant) -> Result<String, NoLine> {
        let mut lines = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        lines.pop_front().ok_or(NoLine::Closed)
    }

    /// Nothing: it answers only after a command.
    fn read_at_once(&self) -> Option<Result<String, NoLine>> {
        None
    }

    fn status(&self) -> Option<String> {
        None
    }

    fn errors(&self) -> Vec<String> {
        Vec::new()
    }

    fn end(&mut self, _: bool) {}
}
