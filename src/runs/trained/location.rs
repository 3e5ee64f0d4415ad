//! Finds the files of a trained player.

use std::path::{Path, PathBuf};
use std::{env, fs};

use anyhow::{Context, Result};

use crate::games;
use crate::runs::checkpoint::Run;
use crate::runs::evaluation;
use crate::runs::exported::Exported;

/// Folder of the players that come with this program, below its source.
const SHIPPED: &str = "checkpoints/players";

/// Where a trained player is stored.
#[derive(Debug)]
pub enum Location {
    /// The folder of an exported player.
    Exported(PathBuf),
    /// A checkpoint of a run.
    Checkpoint(Checkpoint),
}

/// A checkpoint whose files have not been read yet.
#[derive(Debug)]
pub struct Checkpoint {
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
    pub fn find(place: &str) -> Result<Self> {
        // Shells complete the name of a folder with a slash.
        let folder = Path::new(place.trim_end_matches('/'));
        if Exported::is_at(folder) {
            return Ok(Self::Exported(folder.to_owned()));
        }
        if !folder.exists() && games::preset(place).is_ok() {
            return shipped(place).map(Self::Exported);
        }
        Checkpoint::find(place).map(Self::Checkpoint)
    }
}

impl Checkpoint {
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
        let folder = folder.trim_end_matches('/');
        let run = Run::open(Path::new(folder))?;
        let iteration = match which {
            None => run.latest()?.context("the run has no checkpoint yet")?,
            Some("best") => {
                evaluation::best(&run)?.context("no network of the run has been evaluated yet")?
            }
            Some(number) => number.parse().with_context(|| {
                format!("`@{number}`: expected an iteration, as in RUN@120, or RUN@best")
            })?,
        };
        Ok(Self { folder: folder.to_owned(), run, iteration })
    }
}

#[cfg(not(feature = "net"))]
impl Checkpoint {
    /// The error of a program that was built without the feature `net`.
    pub(super) fn is_unreadable(&self) -> anyhow::Error {
        anyhow::anyhow!(
            "{} is a run, and this program was built without the feature `net`, which reads runs; \
             export the player with a program that was built with it",
            self.folder
        )
    }
}

/// The folders to search for players that come with this program: below the current folder, and
/// below the source folder from which the running program was built.
fn folders() -> impl Iterator<Item = PathBuf> {
    let built = env::current_exe().ok();
    let built: Vec<PathBuf> = built
        .iter()
        .flat_map(|program| program.ancestors().skip(1).take(4))
        .map(Into::into)
        .collect();
    [PathBuf::new()].into_iter().chain(built).map(|folder| folder.join(SHIPPED))
}

/// The folder of the player of a game that comes with this program.
fn shipped(game: &str) -> Result<PathBuf> {
    let mut players = folders().map(|folder| folder.join(game));
    players.find(|player| Exported::is_at(player)).with_context(|| {
        format!(
            "there is no run of this name, and no player of {game} in {SHIPPED} below the current \
             folder or the program's source; train one, or give the path of its folder"
        )
    })
}

/// The specs of all players that come with this program, sorted. A spec is the name of the game, or
/// the folder if that name is no game or is taken by a folder.
pub fn all_shipped() -> Vec<String> {
    let lists = |folder: &PathBuf| folder.is_dir();
    let entries = folders().find(lists).and_then(|folder| fs::read_dir(folder).ok());
    let players = entries.into_iter().flatten().flatten().map(|entry| entry.path());
    let name = |player: PathBuf| {
        let name = player.file_name()?.to_str()?.to_owned();
        let is_known = games::preset(&name).is_ok() && !Path::new(&name).exists();
        Some(if is_known { name } else { player.display().to_string() })
    };
    let mut names: Vec<String> =
        players.filter(|player| Exported::is_at(player)).filter_map(name).collect();
    names.sort_unstable();
    names
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_error_for_a_game_without_a_player_says_what_to_do() {
        let error = shipped("neutron9").unwrap_err().to_string();
        assert!(error.contains("no player of neutron9") && error.contains("train one"), "{error}");
    }
}
