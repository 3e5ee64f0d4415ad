//! The files of an exported player: in a folder, within the program, or in memory.

use std::borrow::Cow;
use std::collections::BTreeMap;
use std::fmt;
use std::path::PathBuf;

use anyhow::{Context, Result};

use super::built_in::BuiltIn;
use crate::base::foreign;

/// Where the files of an exported player are.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) enum PlayerFiles {
    /// In a folder.
    Folder(PathBuf),
    /// Within the program.
    BuiltIn(BuiltIn),
    /// Given by their names and contents, with the name of the player.
    Given(String, BTreeMap<String, Vec<u8>>),
}

impl PlayerFiles {
    /// Whether there is such a file.
    pub(super) fn has(&self, name: &str) -> bool {
        match self {
            Self::Folder(folder) => folder.join(name).exists(),
            Self::BuiltIn(player) => player.file(name).is_some(),
            Self::Given(_, files) => files.contains_key(name),
        }
    }

    /// Reads a file of at most `most` bytes.
    ///
    /// # Errors
    ///
    /// If it is missing, cannot be read or is larger.
    pub(super) fn read(&self, name: &str, most: u64) -> Result<Cow<'static, [u8]>> {
        let read = match self {
            Self::Folder(folder) => {
                foreign::read(&folder.join(name), most).map(Cow::Owned).map_err(anyhow::Error::from)
            }
            Self::BuiltIn(player) => player.file(name).map(Cow::Borrowed).context("it has none"),
            Self::Given(_, files) => {
                files.get(name).cloned().map(Cow::Owned).context("it was not given")
            }
        };
        read.with_context(|| format!("cannot read {}", self.path_of(name)))
    }

    /// Reads a text file.
    ///
    /// # Errors
    ///
    /// If it is missing, cannot be read or is no text.
    pub(super) fn read_text(&self, name: &str) -> Result<String> {
        let text = String::from_utf8(self.read(name, foreign::LIST)?.into_owned());
        text.with_context(|| format!("{} is no text", self.path_of(name)))
    }

    /// How messages name a file.
    pub(super) fn path_of(&self, name: &str) -> String {
        match self {
            Self::Folder(folder) => folder.join(name).display().to_string(),
            Self::BuiltIn(player) => format!("{name} of the player {} in the program", player.name),
            Self::Given(player, _) => format!("{name} of the player {player}"),
        }
    }
}

/// The path of the folder, or the name of the player within the program.
impl fmt::Display for PlayerFiles {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Folder(folder) => folder.display().fmt(out),
            Self::BuiltIn(player) => player.name.fmt(out),
            Self::Given(player, _) => player.fmt(out),
        }
    }
}
