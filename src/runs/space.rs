//! The space that a run takes on disk.

use std::fs;
use std::path::Path;

use crate::runs::checkpoint::{OPTIMIZER, OPTIMIZERS_KEPT, Run};
use crate::runs::pruning::Kept;

/// What an iteration of a run adds to its folder, in bytes.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Growth {
    /// Weights and state of a checkpoint.
    checkpoint: u64,
    /// The state of the optimizer.
    optimizer: u64,
    games: u64,
    /// Lines of metrics and of the log of what was pruned.
    lines: u64,
}

impl Growth {
    /// Measures it by an iteration whose checkpoint and games are there.
    pub(crate) fn of(run: &Run, iteration: u64) -> Self {
        let checkpoint = run.checkpoint_path(iteration);
        let optimizer = of(&checkpoint.join(OPTIMIZER));
        let lines = of(&run.metrics_path()) + of(&run.pruned_path());
        Self {
            checkpoint: of(&checkpoint) - optimizer,
            optimizer,
            games: of(&run.games_path(iteration)),
            lines: lines / iteration.max(1),
        }
    }

    /// The space that a run takes after an iteration, if this is kept.
    pub(crate) fn after(&self, iteration: u64, kept: Kept) -> u64 {
        let optimizers = OPTIMIZERS_KEPT.min(iteration + 1);
        kept.checkpoints * self.checkpoint
            + optimizers * self.optimizer
            + kept.games * self.games
            + iteration * self.lines
    }
}

/// The bytes of a file, or of all files in a folder; 0 if there is nothing. Links are not followed.
pub(crate) fn of(path: &Path) -> u64 {
    let Ok(metadata) = fs::symlink_metadata(path) else { return 0 };
    if !metadata.is_dir() {
        return metadata.len();
    }
    let entries = fs::read_dir(path).into_iter().flatten().flatten();
    entries.map(|entry| of(&entry.path())).sum()
}

/// A number of bytes, in powers of 1000.
pub(crate) fn text(bytes: u64) -> String {
    let (mut amount, mut units) = (bytes as f64 / 1e3, ["kB", "MB", "GB"].into_iter());
    let mut unit = units.next();
    while amount >= 999.5
        && let Some(larger) = units.next()
    {
        (amount, unit) = (amount / 1e3, Some(larger));
    }
    let digits = usize::from(amount < 9.95);
    format!("{amount:.digits$} {}", unit.unwrap_or_default())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tests::common::folder::Folder;

    #[test]
    fn sizes_are_short() {
        for (bytes, expected) in [
            (0, "0.0 kB"),
            (1_449, "1.4 kB"),
            (9_960, "10 kB"),
            (999_400, "999 kB"),
            (999_600, "1.0 MB"),
            (106_000_000, "106 MB"),
            (5_250_000_000, "5.2 GB"),
            (9_000_000_000_000, "9000 GB"),
        ] {
            assert_eq!(text(bytes), expected);
        }
    }

    #[test]
    fn folders_take_the_space_of_their_files() {
        let folder = Folder::new();
        fs::create_dir(folder.file("inner")).unwrap();
        fs::write(folder.file("inner/a"), [0; 300]).unwrap();
        fs::write(folder.file("b"), [0; 20]).unwrap();
        #[cfg(unix)]
        std::os::unix::fs::symlink("/dev/zero", folder.file("inner/c")).unwrap();
        let size = of(&folder.file(""));
        assert!((320..400).contains(&size), "{size}");
        assert_eq!(of(&folder.file("none")), 0);
    }
}
