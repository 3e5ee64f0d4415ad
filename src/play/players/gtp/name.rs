//! Specs of external engines.

use std::fmt::{self, Display};
use std::time::Duration;

use anyhow::{Context, Result};

use crate::play::players::options::PlayerOptions;

/// An external engine: its command line, and its time limit.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct External {
    /// The command line as given.
    text: String,
    /// The program and its arguments.
    pub(super) words: Vec<String>,
    /// The time limit of a turn.
    pub(super) timeout: Duration,
}

/// The default time limit of a turn.
const TIMEOUT: Duration = Duration::from_secs(60);

/// What separates words.
const BLANKS: [char; 3] = [' ', '\t', '\n'];

impl External {
    /// Parses the text behind `gtp`: `:COMMAND` or `?timeout=10s:COMMAND`. Returns `None` if it is
    /// neither.
    ///
    /// # Errors
    ///
    /// If an option or the command line is invalid.
    pub(in crate::play::players) fn read(rest: &str) -> Result<Option<Self>> {
        let Some((options, command)) = rest.split_once(':') else { return Ok(None) };
        let Some(options) = options.strip_prefix('?').or(options.is_empty().then_some("")) else {
            return Ok(None);
        };
        let options = PlayerOptions::read(options, "gtp", &["timeout"])?;
        let timeout = options.duration("timeout")?.unwrap_or(TIMEOUT);
        let words = split(command).context("a quotation mark is not closed")?;
        let has_program = words.first().is_some_and(|program| !program.is_empty());
        let words = has_program.then_some(words);
        let words = words
            .context("`gtp:` needs the command line of an engine, as in `gtp:gnugo --mode gtp`")?;
        let trimmed = command.trim_matches(BLANKS);
        // A blank behind a backslash at the end belongs to a word.
        let is_same = split(trimmed).as_ref() == Some(&words);
        let text = if is_same { trimmed } else { command };
        Ok(Some(Self { text: text.to_owned(), words, timeout }))
    }
}

/// The words of a command line. A backslash takes the meaning from the next character; in the paths of
/// Windows it stands for itself.
fn split(command: &str) -> Option<Vec<String>> {
    match cfg!(windows) {
        true => shlex::split(&command.replace('\\', r"\\")),
        false => shlex::split(command),
    }
}

/// The spec with its time limit, even if that is the default.
impl Display for External {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "gtp?timeout={}ms:{}", self.timeout.as_millis(), self.text)
    }
}
