//! `tavoliere rules`: prints the rules of the games.

use std::fs;
use std::io::{Write, stdout};
use std::path::{Path, PathBuf};

use anyhow::Context;

use super::{Failure, usage, wording};
use crate::registry::rules_text::{overview, pages, rulebook};

/// Print the rules of a game, or list the games
///
///   tavoliere rules
///   tavoliere rules neutron5
///   tavoliere rules susan | less
#[derive(Debug, clap::Args)]
#[command(verbatim_doc_comment)]
pub(super) struct Args {
    /// Name of a game or of a family of games; none to list them
    game: Option<String>,
    /// Write the rules of all games into this folder, as pages with pictures
    #[arg(long, value_name = "DIR", conflicts_with = "game")]
    write: Option<PathBuf>,
}

impl Args {
    pub(super) fn run(self) -> Result<(), Failure> {
        if let Some(folder) = &self.write {
            return Ok(write(folder)?);
        }
        let text = match &self.game {
            Some(name) => usage(rulebook(name))?.to_terminal(),
            None => wording::message(&overview()).into_owned(),
        };
        Ok(stdout().lock().write_all(text.as_bytes())?)
    }
}

fn write(folder: &Path) -> anyhow::Result<()> {
    let failed = |path: &Path| format!("cannot write {}", path.display());
    fs::create_dir_all(folder).with_context(|| failed(folder))?;
    for (name, content) in pages() {
        let path = folder.join(name);
        fs::write(&path, content).with_context(|| failed(&path))?;
    }
    Ok(())
}
