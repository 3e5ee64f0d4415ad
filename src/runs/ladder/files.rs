//! The append-only files of a ladder, with one JSON object a line.

use std::fs::File;
use std::io::{Read, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};

use anyhow::{Context, Result};
use serde::Deserialize;

use crate::base::durable::open_log;

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

    /// Truncates the file to `length` bytes.
    pub(super) fn cut(&mut self, length: u64) -> Result<()> {
        self.file.set_len(length).with_context(|| self.write_error())
    }

    /// Appends whole lines and syncs the file.
    pub(super) fn append(&mut self, lines: &str) -> Result<()> {
        let written = self.file.write_all(lines.as_bytes()).and_then(|()| self.file.sync_data());
        written.with_context(|| self.write_error())
    }

    /// Reads the whole file.
    pub(super) fn read(&mut self) -> Result<Vec<u8>> {
        let mut bytes = Vec::new();
        let read = self.file.seek(SeekFrom::Start(0));
        read.and_then(|_| self.file.read_to_end(&mut bytes))
            .with_context(|| format!("cannot read {}", self.path.display()))?;
        Ok(bytes)
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
pub(super) fn logged_part(bytes: &[u8], is_logged: impl Fn(&str, &str, u64) -> bool) -> u64 {
    let mut end = bytes.iter().rposition(|&byte| byte == b'\n').map_or(0, |last| last + 1);
    while end > 0 {
        let start = bytes[..end - 1].iter().rposition(|&byte| byte == b'\n').map_or(0, |at| at + 1);
        let game: Result<Recorded, _> = serde_json::from_slice(&bytes[start..end]);
        if game.is_ok_and(|game| is_logged(&game.p1, &game.p2, game.pair)) {
            break;
        }
        end = start;
    }
    end as u64
}
