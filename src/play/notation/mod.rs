//! Reads and writes records of games as text.
//!
//! A [`Transcript`] is a game whose turns are checked by the rules. [`read()`] parses transcripts
//! from any of these formats, which it detects by the contents; [`write()`] writes the last three:
//!
//! * files of self-play games ([`crate::selfplay::record`]);
//! * [`text`]: tags and numbered turns, like PGN;
//! * [`lines`]: a JSON object per line, including those of `tavoliere match --records`;
//! * [`abstractplay`]: the records of AbstractPlay's recranks project.

pub(crate) mod abstractplay;
mod json;
pub(crate) mod lines;
mod own;
mod place;
pub(crate) mod text;
mod transcript;

pub(crate) use place::ReadError;
pub(crate) use transcript::{Fault, Transcript};

use std::str::FromStr;

use thiserror::Error;
use time::OffsetDateTime;

use crate::selfplay::record;

/// A format of written games.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Format {
    /// Tags and numbered turns, like PGN.
    Pgn,
    /// AbstractPlay's records.
    AbstractPlay,
    /// A JSON object per line.
    Lines,
}

/// There is no such format.
#[derive(Clone, PartialEq, Eq, Debug, Error)]
#[error("`{0}` is not a format; the formats are pgn, abstractplay and lines")]
pub(crate) struct UnknownFormat(String);

impl FromStr for Format {
    type Err = UnknownFormat;

    fn from_str(text: &str) -> Result<Self, UnknownFormat> {
        match text {
            "pgn" => Ok(Self::Pgn),
            "abstractplay" => Ok(Self::AbstractPlay),
            "lines" => Ok(Self::Lines),
            _ => Err(UnknownFormat(text.chars().take(40).collect())),
        }
    }
}

/// Why games cannot be written in a format.
#[derive(Clone, PartialEq, Eq, Debug, Error)]
pub(crate) enum WriteError {
    /// AbstractPlay's records are of finished games only.
    #[error(
        "game {game} of the games to write is not finished; the format abstractplay is for \
         finished games only"
    )]
    Unfinished {
        /// Its number among the games to write, from 1.
        game: usize,
    },
    /// Only the JSON lines have the position that a game began in.
    #[error(
        "game {game} of the games to write began in another position than the start, which only \
         the format lines can hold"
    )]
    Position {
        /// Its number among the games to write, from 1.
        game: usize,
    },
}

/// Parses the games of an input in any format.
///
/// # Errors
///
/// If the format is unknown, the input is malformed, or a game breaks its rules. The error contains
/// the place.
pub(crate) fn read(bytes: &[u8]) -> Result<Vec<Transcript>, ReadError> {
    let games = match record::is_record(bytes) {
        true => own::read(bytes)?,
        false => read_text(utf8(bytes)?)?,
    };
    match games.is_empty() {
        true => Err(ReadError { line: None, game: None, reason: "it contains no games".into() }),
        false => Ok(games),
    }
}

fn read_text(text: &str) -> Result<Vec<Transcript>, ReadError> {
    let mut letters = text.chars().filter(|letter| !letter.is_whitespace());
    // In the text format `[` is followed by the name of a tag and `{` by a comment.
    match [letters.next(), letters.next()] {
        [Some('['), Some('{' | '[' | ']')] | [Some('{'), Some('"' | '}')] => json::read(text),
        _ => text::read(text),
    }
}

fn utf8(bytes: &[u8]) -> Result<&str, ReadError> {
    // Some editors begin a file with a byte order mark.
    let bytes = bytes.strip_prefix("\u{feff}".as_bytes()).unwrap_or(bytes);
    std::str::from_utf8(bytes).map_err(|error| {
        let line = place::LineCounter::new(bytes).line_of(error.valid_up_to());
        ReadError { line: Some(line), game: None, reason: "it is not UTF-8 text".into() }
    })
}

/// Writes games in a format. Records of AbstractPlay without date tags get the current time.
///
/// # Errors
///
/// If a game is not finished, and the format is AbstractPlay's; if it did not begin at the start,
/// and the format is not lines.
pub(crate) fn write(games: &[Transcript], format: Format) -> Result<String, WriteError> {
    let edited = games.iter().position(|game| game.position().is_some());
    if let Some(index) = edited.filter(|_| format != Format::Lines) {
        return Err(WriteError::Position { game: index + 1 });
    }
    match format {
        Format::Pgn => Ok(text::write(games)),
        Format::Lines => Ok(lines::write(games)),
        Format::AbstractPlay => abstractplay::write(games, OffsetDateTime::now_utc()),
    }
}
