//! Pruning: removes checkpoints and games that a long run no longer needs.
//!
//! [`rule`] says what stays. A run that is pruned resumes, and is set back, exactly as one that is
//! not: the newest checkpoints stay, and the games that their replay buffers hold.

mod log;
mod rule;

pub(crate) use log::{Pruned, RemovedCheckpoint};

use std::collections::BTreeSet;
use std::fs;

use anyhow::{Context, Result};
use serde::Deserialize;

use crate::base::foreign;
use crate::runs::checkpoint::{OPTIMIZERS_KEPT, Run};
use crate::runs::digest;
use crate::runs::space;
use crate::selfplay::replay;
use log::Entry;
use rule::Rule;

/// Iterations that are removed with one line each but one write of the log.
const AT_ONCE: usize = 64;

/// Prunes a run. It knows what the rule depends on, so that nothing is read again while the run is
/// trained.
#[derive(Debug)]
pub(crate) struct Pruner {
    run: Run,
    replay: replay::Settings,
    /// The number of positions of each iteration that the replay buffer can hold, from iteration 1
    /// on; 0 if it is not known.
    positions: Vec<u64>,
    /// The evaluated iterations, ascending.
    evaluated: Vec<u64>,
    /// Iterations that could not be removed.
    damaged: BTreeSet<u64>,
}

/// What is to be removed of an iteration.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Removal {
    iteration: u64,
    pub games: bool,
    pub checkpoint: bool,
}

/// What was removed.
#[derive(Default, Debug)]
pub(crate) struct Removed {
    /// Number of checkpoints.
    pub checkpoints: u64,
    /// Number of files of games.
    pub games: u64,
    /// Bytes of all.
    pub bytes: u64,
    /// Why iterations could not be removed.
    pub problems: Vec<String>,
}

/// Checkpoints and files of games that stay.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Kept {
    pub checkpoints: u64,
    pub games: u64,
}

/// What the rule needs of a line of metrics.
#[derive(Deserialize)]
struct PlayedLine {
    iteration: u64,
    positions: u64,
}

#[derive(Deserialize)]
struct EvaluatedLine {
    iteration: u64,
    #[serde(default)]
    at_end: bool,
}

impl Pruner {
    /// Reads what the rule needs of a run. `replay` are the settings with which it is trained.
    ///
    /// # Errors
    ///
    /// If the metrics cannot be read.
    pub(crate) fn of(run: &Run, replay: &replay::Settings) -> Result<Self> {
        let mut pruner = Self {
            run: run.clone(),
            replay: *replay,
            positions: Vec::new(),
            evaluated: Vec::new(),
            damaged: BTreeSet::new(),
        };
        for PlayedLine { iteration, positions } in run.metrics_of("selfplay")? {
            pruner.played(iteration, positions);
        }
        let evaluated = run.metrics_of("evaluation")?;
        let evaluated = evaluated.into_iter().filter(|line: &EvaluatedLine| !line.at_end);
        let evaluated = evaluated.map(|line| line.iteration);
        pruner.evaluated = evaluated.collect::<BTreeSet<_>>().into_iter().collect();
        Ok(pruner)
    }

    /// Notes the number of positions of an iteration.
    pub(crate) fn played(&mut self, iteration: u64, positions: u64) {
        let index = (iteration as usize).saturating_sub(1);
        if self.positions.len() <= index {
            self.positions.resize(index + 1, 0);
        }
        self.positions[index] = positions;
    }

    /// Notes that an iteration, which is the newest, was evaluated.
    pub(crate) fn evaluated(&mut self, iteration: u64) {
        if self.evaluated.last().is_none_or(|&last| last < iteration) {
            self.evaluated.push(iteration);
        }
    }

    /// What is to be removed now, the oldest first.
    ///
    /// # Errors
    ///
    /// If a file of the run is damaged.
    pub(crate) fn removals(&self) -> Result<Vec<Removal>> {
        let Some(latest) = self.run.latest()? else { return Ok(Vec::new()) };
        let rule = Rule {
            latest,
            best: self.run.marked_best()?,
            evaluated: &self.evaluated,
            window_from: self.window_from(latest),
        };
        let is_old = |&iteration: &u64| iteration < latest && !self.damaged.contains(&iteration);
        let checkpoints: BTreeSet<u64> = self.run.checkpoints().into_iter().collect();
        let games: BTreeSet<u64> = self.run.iterations_with_games().into_iter().collect();
        let removal = |iteration| Removal {
            iteration,
            games: games.contains(&iteration) && !rule.keeps_games(iteration),
            checkpoint: checkpoints.contains(&iteration) && !rule.keeps_checkpoint(iteration),
        };
        let removals = checkpoints.union(&games).copied().filter(is_old).map(removal);
        Ok(removals.filter(|removal| removal.games || removal.checkpoint).collect())
    }

    /// The space that would be free without these, in bytes.
    pub(crate) fn space_of(&self, removals: &[Removal]) -> u64 {
        let space = |removal: &Removal| {
            let Removal { iteration, games, checkpoint } = *removal;
            let games = games.then(|| space::of(&self.run.games_path(iteration)));
            let checkpoint = checkpoint.then(|| space::of(&self.run.checkpoint_path(iteration)));
            games.unwrap_or(0) + checkpoint.unwrap_or(0)
        };
        removals.iter().map(space).sum()
    }

    /// Removes what is to be removed. What is kept of it is written first: a process that is killed
    /// meanwhile removes the rest later. `progress` gets the number of iterations that are done.
    ///
    /// # Errors
    ///
    /// If the log cannot be written. Of a damaged iteration nothing is removed.
    pub(crate) fn remove(
        &mut self,
        removals: &[Removal],
        progress: impl Fn(u64),
    ) -> Result<Removed> {
        let mut removed = Removed::default();
        let mut done = 0;
        for removals in removals.chunks(AT_ONCE) {
            let mut entries = Vec::new();
            let mut whole = Vec::new();
            for removal in removals {
                match self.entry(removal) {
                    Ok(entry) => {
                        entries.push(entry);
                        whole.push(*removal);
                    }
                    Err(error) => self.keep(removal.iteration, &error, &mut removed),
                }
            }
            if !entries.is_empty() {
                log::append(&self.run, &entries)?;
            }
            for removal in whole {
                if let Err(error) = self.remove_files(removal, &mut removed) {
                    self.keep(removal.iteration, &error, &mut removed);
                }
            }
            done += removals.len() as u64;
            progress(done);
        }
        Ok(removed)
    }

    /// Notes that an iteration cannot be removed; it is not tried again.
    fn keep(&mut self, iteration: u64, error: &anyhow::Error, removed: &mut Removed) {
        self.damaged.insert(iteration);
        removed.problems.push(format!("iteration {iteration} is not pruned: {error:#}"));
    }

    /// What is kept of an iteration.
    fn entry(&self, removal: &Removal) -> Result<Entry> {
        let Removal { iteration, games, checkpoint } = *removal;
        Ok(Entry {
            iteration,
            games: games.then(|| digest::games(&self.run, iteration)).transpose()?,
            checkpoint: checkpoint.then(|| digest::remains(&self.run, iteration)).transpose()?,
        })
    }

    fn remove_files(&self, removal: Removal, removed: &mut Removed) -> Result<()> {
        let bytes = self.space_of(&[removal]);
        let Removal { iteration, games, checkpoint } = removal;
        if games {
            foreign::expect_no_link(&self.run.folder().join("games"))?;
            let path = self.run.games_path(iteration);
            fs::remove_file(&path).with_context(|| format!("cannot remove {}", path.display()))?;
        }
        if checkpoint {
            self.run.remove_checkpoint(iteration)?;
        }
        removed.games += u64::from(games);
        removed.checkpoints += u64::from(checkpoint);
        removed.bytes += bytes;
        Ok(())
    }

    /// The first iteration whose games the newest checkpoints need to be resumed from.
    fn window_from(&self, latest: u64) -> u64 {
        let resumable = (0..OPTIMIZERS_KEPT).filter_map(|back| latest.checked_sub(back));
        let first = |iteration| {
            // A checkpoint that cannot be read cannot be resumed from.
            let positions = self.run.state(iteration).ok()?.positions;
            Some(self.first_of_window(iteration, positions))
        };
        resumable.filter_map(first).min().unwrap_or(0)
    }

    /// The first iteration of the window after an iteration, with this number of positions so far.
    fn first_of_window(&self, iteration: u64, positions: u64) -> u64 {
        let window = self.replay.window_after(positions) as u64;
        let mut held = 0;
        let is_full = |&number: &u64| {
            held += self.positions.get(number as usize - 1).copied().unwrap_or(0);
            held >= window
        };
        (1..=iteration).rev().find(is_full).unwrap_or(0)
    }

    /// What will stay after iteration `goal`, if every iteration has as many positions as the last
    /// one, and every `every`th is evaluated.
    pub(crate) fn kept_at(&self, goal: u64, every: u64) -> Kept {
        let last = self.positions.len() as u64;
        let each = self.positions.last().copied().unwrap_or(0).max(1);
        let all = self.positions.iter().sum::<u64>() + goal.saturating_sub(last) * each;
        let window = (self.replay.window_after(all) as u64).div_ceil(each) + OPTIMIZERS_KEPT - 1;
        let mut evaluated = self.evaluated.clone();
        if every > 0 {
            evaluated.extend((last + 1..=goal).filter(|it| it.is_multiple_of(every)));
        }
        let window_from = (goal + 1).saturating_sub(window);
        let rule = Rule { latest: goal, best: None, evaluated: &evaluated, window_from };
        let count = |keeps: &dyn Fn(u64) -> bool| (1..=goal).filter(|&it| keeps(it)).count() as u64;
        Kept {
            checkpoints: count(&|it| rule.keeps_checkpoint(it)) + 1,
            games: count(&|it| rule.keeps_games(it)),
        }
    }
}
