//! The file of `match --records`, one JSON object for each game.

use std::fs::File;
use std::io::{BufWriter, Write};
use std::path::{Path, PathBuf};

use anyhow::{Context, Result};

use crate::base::durable::sync_folder_of;
use crate::play::arena::{Played, Recorder};

/// An open file of game records.
pub(super) struct Records {
    path: PathBuf,
    out: BufWriter<File>,
    recorder: Recorder,
    players: [String; 2],
}

impl Records {
    /// Creates the file, or truncates an existing one.
    pub(super) fn begin(path: &Path, recorder: Recorder, names: [&str; 2]) -> Result<Self> {
        let file =
            File::create(path).with_context(|| format!("cannot write {}", path.display()))?;
        Ok(Self {
            path: path.to_owned(),
            out: BufWriter::new(file),
            recorder,
            players: names.map(str::to_owned),
        })
    }

    /// Writes the two games of a pair.
    pub(super) fn write(&mut self, pair: u64, games: &[Played; 2]) -> Result<()> {
        let [first, second] = &self.players;
        for game in games {
            let line = self.recorder.record(pair, [first, second], game);
            writeln!(self.out, "{line}").with_context(|| self.error_context())?;
        }
        Ok(())
    }

    /// Hands what was written to the system.
    pub(super) fn flush(&mut self) -> Result<()> {
        self.out.flush().with_context(|| self.error_context())
    }

    /// Syncs the file and its folder.
    pub(super) fn finish(mut self) -> Result<()> {
        self.flush()?;
        let synced = self.out.get_ref().sync_all().and_then(|()| sync_folder_of(&self.path));
        // A pipe or a device cannot be synced.
        if self.path.is_file() { synced.with_context(|| self.error_context()) } else { Ok(()) }
    }

    fn error_context(&self) -> String {
        format!("cannot write {}", self.path.display())
    }
}
