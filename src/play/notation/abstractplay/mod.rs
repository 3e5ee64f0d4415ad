//! The format abstractplay: the game records of AbstractPlay's recranks project, in JSON.
//!
//! Susan, Breakthrough 8x8 and Neutron under AbstractPlay's rules are written under its names and in
//! its notation. Its Entropy is another game (Eric Solomon's), and its Four In A Row has a larger
//! board. All other games have our names and notation; their variants are the options that differ
//! from their presets. Values are not written.

mod dates;
mod export;
mod games;
mod import;
mod record;
mod susan;

use time::OffsetDateTime;

use super::{Transcript, WriteError};

#[cfg(feature = "bot")]
pub(crate) use self::games::{own_turn, their_turn, variant_of};
pub(super) use self::import::transcript;
use self::record::Record;

/// Writes the games. A game without date tags gets the time `now`. One game is written as a record,
/// several games are written as a list of records.
///
/// # Errors
///
/// If a game is not finished, as records are of finished games.
pub(crate) fn write(games: &[Transcript], now: OffsetDateTime) -> Result<String, WriteError> {
    let record =
        |(number, game)| Record::new(game, now).ok_or(WriteError::Unfinished { game: number });
    let records: Vec<Record> = (1..).zip(games).map(record).collect::<Result<_, _>>()?;
    let text = match &records[..] {
        [record] => serde_json::to_string_pretty(record),
        records => serde_json::to_string_pretty(records),
    };
    Ok(text.expect("records are plain values") + "\n")
}
