//! The append-only files of a ladder, with one JSON object a line.

use std::fs::File;
use std::io::{self, BufRead, BufReader, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};

use anyhow::{Context, Result};
use serde::Deserialize;

use super::journal::MOST_OF_LINE;
use crate::base::durable::open_log;
use crate::base::foreign;
use crate::base::lines::each_whole_line;

/// An append-only file, open for reading and appending.
#[derive(Debug)]
pub(super) struct Appended {
    path: PathBuf,
    file: File,
}

impl Appended {
    /// Opens the file; creates it if it does not exist.
    pub(super) fn open(path: &Path) -> Result<Self> {
        let file = open_log(path).with_context(|| format!("cannot write {}", path.display()))?;
        Ok(Self { path: path.to_owned(), file })
    }

    /// Where it is.
    pub(super) fn path(&self) -> &Path {
        &self.path
    }

    /// Truncates the file to `length` bytes.
    pub(super) fn cut(&mut self, length: u64) -> Result<()> {
        // Windows cuts no file that is open for appending.
        foreign::open_to_write(&self.path, File::options().write(true))
            .and_then(|file| file.set_len(length))
            .with_context(|| self.write_error())
    }

    /// Appends whole lines and syncs the file.
    pub(super) fn append(&mut self, lines: &str) -> Result<()> {
        let written = self.file.write_all(lines.as_bytes()).and_then(|()| self.file.sync_data());
        written.with_context(|| self.write_error())
    }

    /// Reads the file from its beginning.
    pub(super) fn reader(&mut self) -> Result<impl BufRead> {
        let begun = foreign::expect_size(&self.file, foreign::GAMES)
            .and_then(|()| self.file.seek(SeekFrom::Start(0)));
        begun.with_context(|| format!("cannot read {}", self.path.display()))?;
        Ok(BufReader::new(&self.file))
    }

    fn write_error(&self) -> String {
        format!("cannot write {}", self.path.display())
    }
}

/// The fields of a recorded game that identify its pair.
#[derive(Deserialize)]
struct Recorded {
    #[serde(rename = "P1")]
    p1: String,
    #[serde(rename = "P2")]
    p2: String,
    pair: u64,
}

/// The number of bytes of a file of games to keep. Games are written before the log, so games at
/// the end of the file may be missing from the log; they are cut off and played again. The
/// arguments of `is_logged` are two names and the number of an opening.
///
/// # Errors
///
/// If the file cannot be read.
pub(super) fn logged_part(
    games: impl BufRead,
    is_logged: impl Fn(&str, &str, u64) -> bool,
) -> io::Result<u64> {
    let mut kept = 0;
    each_whole_line(games, MOST_OF_LINE, |line, end| {
        let game: Result<Recorded, _> = serde_json::from_slice(line);
        if game.is_ok_and(|game| is_logged(&game.p1, &game.p2, game.pair)) {
            kept = end;
        }
        io::Result::Ok(())
    })?;
    Ok(kept)
}
