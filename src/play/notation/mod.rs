//! Games as text, for people and for other programs: written, and read back.
//!
//! A [`Transcript`] is a game that is known to be legal. [`read()`] makes it of any of the formats
//! below, which are told apart by their contents, and [`write()`] any of the last three of it:
//!
//! * files of self-play games, as training keeps them ([`crate::selfplay::record`]);
//! * [`text`]: tags and numbered turns, like PGN, which people can read;
//! * [`lines`]: a JSON object a line, also those of `tavoliere match --records`;
//! * [`abstractplay`]: the records of AbstractPlay's recranks project.

pub mod abstractplay;
mod json;
pub mod lines;
mod own;
mod place;
pub mod text;
mod transcript;

pub use place::ReadError;
pub use transcript::{Fault, Transcript};

use std::str::FromStr;

use thiserror::Error;
use time::OffsetDateTime;

use crate::selfplay::record;

/// A way to write games.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Format {
    /// Tags and numbered turns, like PGN.
    Pgn,
    /// AbstractPlay's records.
    AbstractPlay,
    /// A JSON object a line.
    Lines,
}

/// There is no such format.
#[derive(Clone, PartialEq, Eq, Debug, Error)]
#[error("the format is pgn, abstractplay or lines, not `{0}`")]
pub struct UnknownFormat(String);

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
pub enum WriteError {
    /// AbstractPlay keeps finished games only.
    #[error(
        "game {game} of those to be written is not finished: AbstractPlay's records are of \
         finished games"
    )]
    Unfinished {
        /// Its number among those to be written, from 1.
        game: usize,
    },
}

/// The games of an input in any format.
///
/// # Errors
///
/// If it is of no format known, or a game breaks its rules. The error says where.
pub fn read(bytes: &[u8]) -> Result<Vec<Transcript>, ReadError> {
    let games = match record::is_record(bytes) {
        true => own::read(bytes)?,
        false => read_text(utf8(bytes)?)?,
    };
    match games.is_empty() {
        true => Err(ReadError { line: None, game: None, reason: "it has no games".into() }),
        false => Ok(games),
    }
}

fn read_text(text: &str) -> Result<Vec<Transcript>, ReadError> {
    let mut letters = text.chars().filter(|letter| !letter.is_whitespace());
    // A tag begins with its name, and a comment may stand before all tags.
    match [letters.next(), letters.next()] {
        [Some('['), Some('{' | '[' | ']')] | [Some('{'), Some('"' | '}')] => json::read(text),
        _ => text::read(text),
    }
}

fn utf8(bytes: &[u8]) -> Result<&str, ReadError> {
    // Some editors begin a file with a mark of its encoding.
    let bytes = bytes.strip_prefix("\u{feff}".as_bytes()).unwrap_or(bytes);
    std::str::from_utf8(bytes).map_err(|error| {
        let line = place::LineCounter::new(bytes).line_of(error.valid_up_to());
        ReadError { line: Some(line), game: None, reason: "it is not text in UTF-8".into() }
    })
}

/// The games in a format. Records of AbstractPlay are dated now where the tags say nothing else.
///
/// # Errors
///
/// If a game is not finished, and the format is AbstractPlay's.
pub fn write(games: &[Transcript], format: Format) -> Result<String, WriteError> {
    match format {
        Format::Pgn => Ok(text::write(games)),
        Format::Lines => Ok(lines::write(games)),
        Format::AbstractPlay => abstractplay::write(games, OffsetDateTime::now_utc()),
    }
}
