//! Reads games from JSON: a sequence of values, each of which is a game or a list of games.

use serde::Deserialize;
use serde::de::{DeserializeOwned, IgnoredAny};
use serde_json::value::RawValue;
use serde_json::{Deserializer, Error};

use super::place::LineCounter;
use super::{ReadError, Transcript, abstractplay, lines};

/// The field that only records of AbstractPlay have.
#[derive(Deserialize)]
struct Kind {
    header: Option<IgnoredAny>,
}

/// Parses the games of a text.
pub(super) fn read(text: &str) -> Result<Vec<Transcript>, ReadError> {
    let mut reader = Reader { text, lines: LineCounter::new(text.as_bytes()), games: Vec::new() };
    for value in Deserializer::from_str(text).into_iter::<&RawValue>() {
        let value = value.map_err(|error| reader.malformed(1, &error))?;
        if value.get().starts_with('[') {
            let line = reader.line_of(value);
            let list: Vec<&RawValue> = serde_json::from_str(value.get())
                .map_err(|error| reader.malformed(line, &error))?;
            list.into_iter().try_for_each(|game| reader.game(game))?;
        } else {
            reader.game(value)?;
        }
    }
    Ok(reader.games)
}

struct Reader<'a> {
    text: &'a str,
    lines: LineCounter<'a>,
    games: Vec<Transcript>,
}

impl Reader<'_> {
    /// The line on which a value begins. The value must be a part of the text.
    fn line_of(&mut self, value: &RawValue) -> usize {
        let offset = value.get().as_ptr().addr() - self.text.as_ptr().addr();
        self.lines.line_of(offset)
    }

    /// An error of JSON in a value that begins on line `first`.
    fn malformed(&self, first: usize, error: &Error) -> ReadError {
        let whole = error.to_string();
        let reason = whole.split(" at line ").next().unwrap_or_default();
        let line = first + error.line().saturating_sub(1);
        let reason = format!("{reason} (column {} of the JSON value)", error.column());
        ReadError::new(line, self.games.len() + 1, reason)
    }

    fn game(&mut self, value: &RawValue) -> Result<(), ReadError> {
        let first = self.line_of(value);
        if !value.get().starts_with('{') {
            let reason = "a game is a JSON object";
            return Err(ReadError::new(first, self.games.len() + 1, reason));
        }
        let kind: Kind = self.parse(value, first)?;
        let read = match kind.header {
            Some(_) => abstractplay::transcript(&self.parse(value, first)?),
            None => lines::transcript(&self.parse(value, first)?),
        };
        let game = read.map_err(|reason| ReadError::new(first, self.games.len() + 1, reason))?;
        self.games.push(game);
        Ok(())
    }

    fn parse<T: DeserializeOwned>(&self, value: &RawValue, first: usize) -> Result<T, ReadError> {
        serde_json::from_str(value.get()).map_err(|error| self.malformed(first, &error))
    }
}
