//! Where trained players lie.

use std::path::{Path, PathBuf};
use std::{env, fs};

use anyhow::{Context, Result};

use crate::games;
use crate::runs::checkpoint::Run;
use crate::runs::exported::Exported;

/// Where the players that come with this program lie, below its source.
const SHIPPED: &str = "checkpoints/players";

/// What a name stands for.
#[derive(Debug)]
pub enum Place {
    /// A player folder.
    Exported(PathBuf),
    /// A checkpoint of a run.
    Checkpoint(Checkpoint),
}

/// A checkpoint, not yet looked into.
#[derive(Debug)]
pub struct Checkpoint {
    /// The folder as it was named.
    pub folder: String,
    /// The run.
    pub run: Run,
    /// The iteration.
    pub iteration: u64,
}

impl Place {
    /// What stands before the `?` in the name of a trained player.
    ///
    /// # Errors
    ///
    /// If there is no such player, run or checkpoint.
    pub fn find(place: &str) -> Result<Self> {
        // As a shell completes it.
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
    /// That of `RUN`, `RUN@ITERATION` or `RUN@best`.
    ///
    /// # Errors
    ///
    /// If there is no such run or checkpoint.
    pub fn find(place: &str) -> Result<Self> {
        let (folder, which) = match place.rsplit_once('@') {
            Some((folder, which)) if !Path::new(place).is_dir() => (folder, Some(which)),
            _ => (place, None),
        };
        let folder = folder.trim_end_matches('/');
        let run = Run::open(Path::new(folder))?;
        let iteration = match which {
            None => run.latest()?.context("the run has no checkpoint yet")?,
            Some("best") => run.best()?.context("none of the run's networks was evaluated yet")?,
            Some(number) => number.parse().with_context(|| {
                format!("`{number}` is neither the number of a checkpoint, as in RUN@120, nor best")
            })?,
        };
        Ok(Self { folder: folder.to_owned(), run, iteration })
    }
}

#[cfg(not(feature = "net"))]
impl Checkpoint {
    /// Why it is of no use here.
    pub(super) fn is_unreadable(&self) -> anyhow::Error {
        anyhow::anyhow!(
            "{} is a run, and this program was built without the `net` feature, which reads them; \
             export the player with one that has it",
            self.folder
        )
    }
}

/// Where players that come with this program may lie: below the current folder, or below that of
/// the source from which the running program was built.
fn folders() -> impl Iterator<Item = PathBuf> {
    let built = env::current_exe().ok();
    let built: Vec<PathBuf> = built
        .iter()
        .flat_map(|program| program.ancestors().skip(1).take(4))
        .map(Into::into)
        .collect();
    [PathBuf::new()].into_iter().chain(built).map(|folder| folder.join(SHIPPED))
}

/// The player of a game that comes with this program.
fn shipped(game: &str) -> Result<PathBuf> {
    let mut players = folders().map(|folder| folder.join(game));
    players.find(|player| Exported::is_at(player)).with_context(|| {
        format!(
            "there is no run of this name, and no player of {game} in {SHIPPED} of the current \
             folder or of that of the program; train one, or name its folder"
        )
    })
}

/// The names of all players that come with this program, sorted: that of its game if it is the
/// player of that, otherwise its folder.
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
    fn a_game_without_a_player_is_named_with_what_helps() {
        let error = shipped("neutron9").unwrap_err().to_string();
        assert!(error.contains("no player of neutron9") && error.contains("train one"), "{error}");
    }
}
