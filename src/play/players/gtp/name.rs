//! How external engines are named.

use std::fmt::{self, Display};
use std::time::Duration;

use anyhow::{Context, Result};

use crate::play::players::options::PlayerOptions;

/// An external engine: its command line, and how long it may take.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct External {
    /// The command line as it was given.
    text: String,
    /// The program and its arguments, at least the program.
    pub(super) words: Vec<String>,
    /// The longest it may take for a turn.
    pub(super) timeout: Duration,
}

/// The longest a turn may take unless the name says otherwise.
const TIMEOUT: Duration = Duration::from_secs(60);

impl External {
    /// Reads what stands behind `gtp`: `:COMMAND`, or `?timeout=10s:COMMAND`. None if it is neither.
    ///
    /// # Errors
    ///
    /// What is wrong with it.
    pub(in crate::play::players) fn read(rest: &str) -> Result<Option<Self>> {
        let Some((options, command)) = rest.split_once(':') else { return Ok(None) };
        let Some(options) = options.strip_prefix('?').or(options.is_empty().then_some("")) else {
            return Ok(None);
        };
        let options = PlayerOptions::read(options, "gtp", &["timeout"])?;
        let timeout = options.duration("timeout")?.unwrap_or(TIMEOUT);
        let words = shlex::split(command).context("a quotation mark has no partner")?;
        let has_program = words.first().is_some_and(|program| !program.is_empty());
        let words = has_program.then_some(words);
        let words = words.context("behind `gtp:` stands the command line of an engine")?;
        Ok(Some(Self { text: command.trim().to_owned(), words, timeout }))
    }
}

/// The name with the time that was left out.
impl Display for External {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "gtp?timeout={}ms:{}", self.timeout.as_millis(), self.text)
    }
}
