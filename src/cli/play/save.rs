//! Saves a game as a record.

use std::path::Path;

use anyhow::{Context, Result, ensure};

use crate::base::durable::write_whole;
use crate::play::notation::{self, Format, Transcript};

/// Writes a game to a file: PGN-like text, or a JSON line if the name of the file ends in `.jsonl`.
/// `names` are those of Black and White. A file that is there already stays.
///
/// # Errors
///
/// If the file exists or cannot be written, or cannot hold a game that did not begin at the start.
pub(super) fn save(file: &Path, game: Transcript, [black, white]: [&str; 2]) -> Result<()> {
    ensure!(!file.as_os_str().is_empty(), "name a file, as in: save game.txt");
    ensure!(!file.exists(), "{} is there already; name another file", file.display());
    let tags = [("Black".to_owned(), black), ("White".to_owned(), white)];
    let is_json = file.extension().is_some_and(|end| end == "jsonl");
    ensure!(
        is_json || game.position().is_none(),
        "the game began in a position, which only a file .jsonl can hold, as in: save game.jsonl"
    );
    let game = game.with_tags(tags)?;
    let format = if is_json { Format::Lines } else { Format::Pgn };
    let text = notation::write(&[game], format).map_err(anyhow::Error::msg)?;
    write_whole(file, text.as_bytes()).with_context(|| format!("cannot write {}", file.display()))
}
