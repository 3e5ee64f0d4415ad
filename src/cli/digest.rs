//! `tavoliere digest`: one number for all that is determined in a run.

use std::io::Write;
use std::path::PathBuf;

use super::Failure;
use crate::base::printable::stdout;
use crate::runs::checkpoint::Run;
use crate::runs::digest::Digest;

/// Print a digest of runs: equal runs have equal digests
///
///   tavoliere digest checkpoints/neutron5 checkpoints/again
///   diff <(tavoliere digest --files RUN) <(tavoliere digest --files OTHER)
///
/// Prints `DIGEST  RUN  iterations N` for each run. The digest is of the config, the games, the
/// weights, the optimizer and the metrics, without times and rates, up to the latest checkpoint. It
/// does not depend on the number of threads, nor on whether the run was stopped or killed on the
/// way. docs/formats.md says what is in it.
#[derive(Debug, clap::Args)]
#[command(verbatim_doc_comment)]
pub(super) struct Args {
    /// Folders of runs
    #[arg(required = true, value_name = "RUN")]
    runs: Vec<PathBuf>,
    /// Also print the digest of each part, to find a difference
    #[arg(long)]
    files: bool,
}

impl Args {
    pub(super) fn run(self) -> Result<(), Failure> {
        for folder in &self.runs {
            let digest = Digest::of(&Run::open(folder)?)?;
            let mut out = stdout();
            let (total, iterations) = (digest.total(), digest.iterations);
            if self.files {
                out.write_all(digest.list().as_bytes())?;
            }
            writeln!(out, "{total}  {}  iterations {iterations}", folder.display())?;
        }
        Ok(())
    }
}
