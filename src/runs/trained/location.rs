//! Finds the files of a trained player.

use std::path::{Path, is_separator};

use anyhow::{Context, Result, anyhow};

use super::named;
use crate::runs::checkpoint::Run;
use crate::runs::evaluation;
use crate::runs::exported::{Exported, PlayerFiles};

/// Where a trained player is stored.
#[derive(Debug)]
pub(crate) enum Location {
    /// An exported player.
    Exported(PlayerFiles),
    /// A checkpoint of a run.
    Checkpoint(NamedCheckpoint),
}

/// A checkpoint whose files have not been read yet.
#[derive(Debug)]
pub struct NamedCheckpoint {
    /// Folder of the run, as the spec names it.
    pub folder: String,
    /// The run.
    pub run: Run,
    /// The iteration.
    pub iteration: u64,
}

impl Location {
    /// Finds a trained player by its spec without options.
    ///
    /// # Errors
    ///
    /// If there is no such player, run or checkpoint.
    pub(crate) fn find(place: &str) -> Result<Self> {
        // Shells complete the name of a folder with a slash.
        let folder = Path::new(place.trim_end_matches(is_separator));
        if Exported::is_at(folder) {
            return Ok(Self::Exported(PlayerFiles::Folder(folder.to_owned())));
        }
        if Run::open(folder).is_err()
            && let Some(files) = named::find(place)
        {
            return Ok(Self::Exported(files));
        }
        NamedCheckpoint::find(place).map(Self::Checkpoint)
    }
}

impl NamedCheckpoint {
    /// Finds the checkpoint `RUN`, `RUN@ITERATION` or `RUN@best`.
    ///
    /// # Errors
    ///
    /// If there is no such run, or it has no checkpoint for `RUN` or `RUN@best`. Whether there is a
    /// checkpoint of a given iteration shows when it is read.
    pub fn find(place: &str) -> Result<Self> {
        let (folder, which) = match place.rsplit_once('@') {
            Some((folder, which)) if !Path::new(place).is_dir() => (folder, Some(which)),
            _ => (place, None),
        };
        let folder = folder.trim_end_matches(is_separator);
        let run = Run::open(Path::new(folder)).map_err(|_| anyhow!(named::not_found(folder)))?;
        let iteration = match which {
            None => run.latest()?.context("the run has no checkpoint yet")?,
            Some("best") => evaluation::best(&run)?.context(
                "no network of the run has been evaluated yet; name an iteration, as in RUN@120, \
                 or leave out @best",
            )?,
            Some(number) => number.parse().with_context(|| {
                format!("`@{number}`: expected an iteration, as in RUN@120, or RUN@best")
            })?,
        };
        Ok(Self { folder: folder.to_owned(), run, iteration })
    }
}

#[cfg(not(feature = "net"))]
impl NamedCheckpoint {
    /// The error of a program that was built without the feature `net`.
    pub(super) fn is_unreadable(&self) -> anyhow::Error {
        anyhow::anyhow!(
            "{} is a run, and this program was built without the feature `net`, which reads runs; \
             export the player with a program that was built with it",
            self.folder
        )
    }
}
