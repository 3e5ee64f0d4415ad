//! Games as AbstractPlay keeps them: the game records of its recranks project, in JSON.
//!
//! Games that AbstractPlay has are written under its name and in its notation, which is Susan
//! alone. Its Entropy is another game (Eric Solomon's), and its Four In A Row has a larger board.
//! All others have our names and notation, and as variants the options that differ from their
//! presets. Values are not written.

mod dates;
mod export;
mod import;
mod record;
mod susan;

use time::OffsetDateTime;

use super::{Transcript, WriteError};

pub(super) use self::import::transcript;
use self::record::Record;

/// The games; those whose tags say no date are dated `now`. One game is a record, several are a
/// list of records.
///
/// # Errors
///
/// If a game is not finished: such records are of finished games.
pub fn write(games: &[Transcript], now: OffsetDateTime) -> Result<String, WriteError> {
    let record =
        |(number, game)| Record::new(game, now).ok_or(WriteError::Unfinished { game: number });
    let records: Vec<Record> = (1..).zip(games).map(record).collect::<Result<_, _>>()?;
    let text = match &records[..] {
        [record] => serde_json::to_string_pretty(record),
        records => serde_json::to_string_pretty(records),
    };
    Ok(text.expect("records are plain values") + "\n")
}
