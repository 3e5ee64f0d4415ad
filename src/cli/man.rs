//! `tavoliere man`: the manual pages.

use std::fs;
use std::io::{Write, stdout};
use std::path::PathBuf;

use super::{Failure, wording};
use anyhow::Context;

/// Print the manual page, or write those of all commands to a folder
///
///   tavoliere man | man -l -
///   tavoliere man --out ~/.local/share/man/man1
///   man tavoliere-play
#[derive(Debug, clap::Args)]
#[command(verbatim_doc_comment)]
pub(super) struct Args {
    /// Folder to write; it is made if it does not exist
    #[arg(long, value_name = "DIR")]
    out: Option<PathBuf>,
}

impl Args {
    pub(super) fn run(self) -> Result<(), Failure> {
        let command = wording::command();
        let Some(folder) = self.out else {
            let mut page = Vec::new();
            clap_mangen::Man::new(command).render(&mut page)?;
            return Ok(stdout().lock().write_all(&page)?);
        };
        let written =
            fs::create_dir_all(&folder).and_then(|()| clap_mangen::generate_to(command, &folder));
        Ok(written.with_context(|| format!("cannot write to {}", folder.display()))?)
    }
}
