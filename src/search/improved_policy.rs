//! The improved policy of the root: the softmax of logits plus scaled completed Q-values
//! (Danihelka et al. 2022, equation 11).

use super::completed_q::CompletedQ;
use super::root::Root;
use super::settings::Settings;
use super::tree::Tree;

/// The logits of the improved policy at the root.
pub(super) struct ImprovedPolicy<'a> {
    root: &'a Root,
    tree: &'a Tree,
    completed: CompletedQ,
}

impl<'a> ImprovedPolicy<'a> {
    pub(super) fn new(root: &'a Root, tree: &'a Tree, settings: &Settings) -> Self {
        let indices = 0..root.actions.len();
        let tried =
            indices.filter_map(|index| Some((root.actions[index].prior, root.child(tree, index)?)));
        let completed = CompletedQ::new(tree, tree.node(0), tried, settings);
        Self { root, tree, completed }
    }

    /// The logit of the improved policy.
    fn logit(&self, index: usize) -> f32 {
        let value = self.completed.of(self.tree, self.root.child(self.tree, index));
        self.root.actions[index].logit + self.completed.scale * value
    }

    /// The logit with Gumbel noise, by which sequential halving compares the considered actions.
    fn score(&self, index: usize) -> f32 {
        self.root.actions[index].gumbel + self.logit(index)
    }

    /// Sorts by descending score; of equal scores the smaller action comes first.
    pub(super) fn sort(&self, indices: &mut [usize]) {
        indices.sort_by(|&a, &b| self.score(b).total_cmp(&self.score(a)).then(a.cmp(&b)));
    }

    pub(super) fn best_of(&self, indices: impl Iterator<Item = usize>) -> Option<usize> {
        indices.min_by(|&a, &b| self.score(b).total_cmp(&self.score(a)).then(a.cmp(&b)))
    }

    /// Appends the improved policy, not normalised, to `shares`.
    pub(super) fn shares(&self, shares: &mut Vec<f32>) {
        shares.extend((0..self.root.actions.len()).map(|index| self.logit(index)));
        let highest = shares.iter().copied().fold(f32::NEG_INFINITY, f32::max);
        shares.iter_mut().for_each(|share| *share = (*share - highest).exp());
    }
}
