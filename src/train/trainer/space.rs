//! Keeps the space that a run takes within limits, and tells it.

use anyhow::Result;

use super::Trainer;
use crate::base::progress;
use crate::runs::pruning::Kept;
use crate::runs::space::{self, Growth};

/// From this number of iterations to remove on, a bar is shown.
const MANY: usize = 100;

impl Trainer<'_> {
    /// Removes what is no longer needed, if the config says so.
    pub(super) fn prune(&mut self) -> Result<()> {
        if !self.config.train.prune {
            return Ok(());
        }
        let removals = self.pruner.removals()?;
        let bar = (removals.len() >= MANY)
            .then(|| progress::bar(removals.len() as u64, "pruning", "iterations"));
        let progress = |done| bar.iter().for_each(|bar| bar.set_position(done));
        let removed = self.pruner.remove(&removals, progress)?;
        removed.problems.iter().for_each(|problem| progress::say(problem));
        Ok(())
    }

    /// Prints the space that the run takes, and will take in the end.
    pub(super) fn tell_space(&self) {
        let (iteration, goal) = (self.state.iteration, self.goal);
        if goal <= iteration {
            return;
        }
        let growth = Growth::of(&self.run, iteration);
        let now = space::of(self.run.folder());
        let every = self.config.evaluation.every;
        let pruned = growth.after(goal, self.pruner.kept_at(goal, every));
        let left = goal - iteration;
        let whole = now + growth.after(left, Kept { checkpoints: left, games: left });
        self.console.space(now, whole, pruned, self.config.train.prune);
    }
}
