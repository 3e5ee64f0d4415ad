//! `tavoliere licences`: prints the licences of third-party software.

use std::io::{Write, stdout};

use super::Failure;

/// What `scripts/third_party.py` found to be linked into the program.
const NOTICE: &str = include_str!("../../THIRD_PARTY.md");

/// Print the licences of the software that this program contains
///
/// Whoever gives the program away has to give this text with it.
///
///   tavoliere licences > THIRD_PARTY.md
#[derive(Debug, clap::Args)]
#[command(verbatim_doc_comment)]
pub(super) struct Args;

impl Args {
    pub(super) fn run(self) -> Result<(), Failure> {
        Ok(stdout().lock().write_all(NOTICE.as_bytes())?)
    }
}
