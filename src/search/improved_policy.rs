//! How the actions of the root look, by prior and value together.

use super::completed_q::CompletedQ;
use super::root::Root;
use super::settings::Settings;
use super::tree::{Node, Tree};

/// How the actions of the root look by their logits and their values together.
pub(super) struct ImprovedPolicy<'a> {
    root: &'a Root,
    tree: &'a Tree,
    scale: f32,
    /// The value of actions without visits.
    completed: f32,
}

impl<'a> ImprovedPolicy<'a> {
    pub fn new(root: &'a Root, tree: &'a Tree, settings: &Settings) -> Self {
        let node = tree.node(0);
        let mut known = CompletedQ::default();
        for (index, found) in root.actions.iter().enumerate() {
            if let Some(child) = root.child(tree, index) {
                known.add(found.prior, child.visits, tree.q_value(child, node.mover));
            }
        }
        let completed = known.value(tree.raw_value(node, node.mover));
        Self { root, tree, scale: known.scale(settings), completed }
    }

    /// The logit of the improved policy.
    fn logit(&self, index: usize) -> f32 {
        let is_known = |child: &&Node| child.visits > 0 || child.bounds.is_settled();
        let child = self.root.child(self.tree, index).filter(is_known);
        let mover = self.tree.node(0).mover;
        let value = child.map_or(self.completed, |child| self.tree.q_value(child, mover));
        self.root.actions[index].logit + self.scale * value
    }

    /// The same with noise: what decides among the considered.
    fn score(&self, index: usize) -> f32 {
        self.root.actions[index].gumbel + self.logit(index)
    }

    /// Puts the best first, and of equal ones the smaller action.
    pub fn sort(&self, indices: &mut [usize]) {
        indices.sort_by(|&a, &b| self.score(b).total_cmp(&self.score(a)).then(a.cmp(&b)));
    }

    pub fn best_of(&self, indices: impl Iterator<Item = usize>) -> Option<usize> {
        indices.min_by(|&a, &b| self.score(b).total_cmp(&self.score(a)).then(a.cmp(&b)))
    }

    /// The improved policy: the softmax of its logits.
    pub fn shares(&self, shares: &mut Vec<f32>) {
        shares.extend((0..self.root.actions.len()).map(|index| self.logit(index)));
        let highest = shares.iter().copied().fold(f32::NEG_INFINITY, f32::max);
        shares.iter_mut().for_each(|share| *share = (*share - highest).exp());
    }
}
