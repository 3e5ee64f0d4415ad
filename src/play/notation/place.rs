//! The places of errors in an input.

use thiserror::Error;

use super::Fault;

/// Why an input could not be read.
#[derive(Clone, PartialEq, Eq, Debug, Error)]
#[error("{place}{reason}", place = place(*line, *game))]
pub(crate) struct ReadError {
    /// The line, from 1; `None` if the input has no lines.
    pub line: Option<usize>,
    /// The game, from 1; `None` if the error is not about one.
    pub game: Option<usize>,
    /// What is wrong.
    pub reason: String,
}

fn place(line: Option<usize>, game: Option<usize>) -> String {
    let parts = [line.map(|line| format!("line {line}")), game.map(|game| format!("game {game}"))];
    let parts: Vec<String> = parts.into_iter().flatten().collect();
    if parts.is_empty() { String::new() } else { format!("{}: ", parts.join(", ")) }
}

impl ReadError {
    /// An error on a line, in a game.
    pub(super) fn new(line: usize, game: usize, reason: impl ToString) -> Self {
        Self { line: Some(line), game: Some(game), reason: reason.to_string() }
    }

    /// An error in a game that begins on line `first` and whose turns are on `lines`.
    pub(super) fn fault(fault: &Fault, game: usize, first: usize, lines: &[usize]) -> Self {
        let line = fault.turn().and_then(|turn| lines.get(turn).copied()).unwrap_or(first);
        Self::new(line, game, fault)
    }
}

/// Counts the lines up to ascending offsets.
#[derive(Clone, Copy, Debug)]
pub(super) struct LineCounter<'a> {
    text: &'a [u8],
    offset: usize,
    line: usize,
}

impl<'a> LineCounter<'a> {
    pub(super) fn new(text: &'a [u8]) -> Self {
        Self { text, offset: 0, line: 1 }
    }

    /// The line, from 1, of an offset that is not less than the last one.
    pub(super) fn line_of(&mut self, offset: usize) -> usize {
        let passed = self.text.get(self.offset..offset).unwrap_or_default();
        self.line += passed.iter().filter(|&&byte| byte == b'\n').count();
        self.offset = self.offset.max(offset);
        self.line
    }
}
