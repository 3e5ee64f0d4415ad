//! The names of a run's streams and subjects on the server.

use std::ffi::OsStr;
use std::fmt;
use std::path::Path;
use std::str::FromStr;

use anyhow::{Result, ensure};

/// The longest name of a run, in bytes.
const LONGEST: usize = 64;

/// The name of a run on the server. It is part of the names of streams and subjects, so that only
/// ASCII letters, digits, `-` and `_` are allowed.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct RunName(String);

impl FromStr for RunName {
    type Err = anyhow::Error;

    fn from_str(text: &str) -> Result<Self> {
        let is_fine = |byte: u8| byte.is_ascii_alphanumeric() || byte == b'-' || byte == b'_';
        ensure!(
            (1..=LONGEST).contains(&text.len()) && text.bytes().all(is_fine),
            "a run on a cluster has a name of up to {LONGEST} letters, digits, `-` and `_`, not \
             `{}`; its name is that of its folder, choose another with --run DIR",
            text.chars().take(LONGEST).collect::<String>().escape_debug()
        );
        Ok(Self(text.to_owned()))
    }
}

impl fmt::Display for RunName {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl RunName {
    /// The name of the run in a folder, which need not be there yet: its last part.
    ///
    /// # Errors
    ///
    /// If that is no name.
    pub(crate) fn of(folder: &Path) -> Result<Self> {
        let whole = folder.canonicalize().unwrap_or_else(|_| folder.to_owned());
        whole.file_name().map(OsStr::to_string_lossy).unwrap_or_default().parse()
    }

    /// The stream of tasks.
    pub(super) fn tasks_stream(&self) -> String {
        format!("tavoliere_{self}_tasks")
    }

    /// The subject of the tasks of a job; `*` for all jobs.
    pub(super) fn tasks(&self, job: &str) -> String {
        format!("tavoliere.{self}.tasks.{job}")
    }

    /// The stream of finished games.
    pub(super) fn games_stream(&self) -> String {
        format!("tavoliere_{self}_games")
    }

    /// The subject of the games of a job; `*` for all jobs.
    pub(super) fn games(&self, job: &str) -> String {
        format!("tavoliere.{self}.games.{job}")
    }

    /// The object store.
    pub(super) fn bucket(&self) -> String {
        format!("tavoliere_{self}")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_is_no_path_and_no_wildcard() {
        for name in ["neutron5", "my-run_2", "A", &"x".repeat(64)] {
            assert_eq!(name.parse::<RunName>().unwrap().to_string(), name);
        }
        for name in ["", ".", "..", "a/b", "a.b", "a b", "*", ">", "a\n", "é", &"x".repeat(65)] {
            let error = name.parse::<RunName>().unwrap_err().to_string();
            assert!(error.contains("--run DIR"), "{error}");
        }
    }
}
