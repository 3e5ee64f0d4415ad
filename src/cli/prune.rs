//! `tavoliere prune`: removes checkpoints and games of runs that are no longer needed.

use std::io::Write;
use std::path::{Path, PathBuf};

use anyhow::{Result, ensure};

use super::Failure;
use crate::base::printable::stdout;
use crate::base::progress;
use crate::runs::checkpoint::Run;
use crate::runs::config::Config;
use crate::runs::pruning::{Pruner, Removed};
use crate::runs::space;

/// Remove checkpoints and games that a run no longer needs
///
///   tavoliere prune checkpoints/neutron5 --dry-run    what would be removed
///   tavoliere prune checkpoints/*
///
/// These checkpoints stay: the first, the newest ten, the best, and of those that were evaluated the
/// first 15 and then 8 for each doubling of their number. Their games stay, and those of the replay
/// buffer. So the run is resumed as before, and its digest does not change. What is removed cannot be
/// restored. `train --set train.prune=true` prunes a run while it is trained.
#[derive(Debug, clap::Args)]
#[command(verbatim_doc_comment)]
pub(super) struct Args {
    /// Folders of runs
    #[arg(required = true, value_name = "RUN")]
    runs: Vec<PathBuf>,
    /// Only print what would be removed
    #[arg(long)]
    dry_run: bool,
}

impl Args {
    pub(super) fn run(self) -> Result<(), Failure> {
        Ok(self.runs.iter().try_for_each(|folder| self.prune(folder))?)
    }

    fn prune(&self, folder: &Path) -> Result<()> {
        let run = Run::open(folder)?;
        let config = Config::load(&run.config_path(), &[])?;
        // A training would go on with files that are removed here.
        let _lock = if self.dry_run { None } else { Some(run.lock()?) };
        let mut pruner = Pruner::of(&run, &config.replay)?;
        let removals = pruner.removals()?;
        let name = folder.display();
        if self.dry_run {
            let checkpoints = removals.iter().filter(|removal| removal.checkpoint).count();
            let games = removals.iter().filter(|removal| removal.games).count();
            let bytes = [pruner.space_of(&removals), space::of(folder)].map(space::text);
            let [bytes, all] = bytes;
            writeln!(
                stdout(),
                "{name}: would remove {checkpoints} checkpoints and games of {games} iterations, \
                 {bytes} of {all}"
            )?;
            return Ok(());
        }
        run.remove_unfinished();
        let bar = progress::bar(removals.len() as u64, "pruning", "iterations");
        let removed = pruner.remove(&removals, |done| bar.set_position(done))?;
        bar.finish_and_clear();
        removed.problems.iter().for_each(|problem| progress::say(problem));
        let Removed { checkpoints, games, bytes, problems } = removed;
        let (bytes, left) = (space::text(bytes), space::text(space::of(folder)));
        writeln!(
            stdout(),
            "{name}: removed {checkpoints} checkpoints and games of {games} iterations, {bytes}; \
             it takes {left}"
        )?;
        let count = problems.len();
        ensure!(count == 0, "{count} iterations of {name} are not pruned");
        Ok(())
    }
}
