//! Leaves that are evaluated together.

use super::Leaf;
use crate::evaluator::{Evaluator, Wdl};
use crate::game::Game;

/// Leaves on their way through an evaluator. Reused from batch to batch.
#[derive(Clone, Debug)]
pub struct Batch<G> {
    positions: Vec<G>,
    /// Logits, `[positions, actions]`.
    policy: Vec<f32>,
    wdl: Vec<Wdl>,
}

impl<G> Default for Batch<G> {
    fn default() -> Self {
        Self { positions: Vec::new(), policy: Vec::new(), wdl: Vec::new() }
    }
}

impl<G: Game> Batch<G> {
    /// Takes all leaves out.
    pub fn clear(&mut self) {
        self.positions.clear();
    }

    /// Adds a gathered leaf.
    pub fn push(&mut self, leaf: &Leaf<G>) {
        self.positions.extend(leaf.position());
    }

    /// Leaves in the batch.
    pub fn len(&self) -> usize {
        self.positions.len()
    }

    /// Whether there is none.
    pub fn is_empty(&self) -> bool {
        self.positions.is_empty()
    }

    /// Has all leaves evaluated, and gives the logits of all actions and the chances of each, in
    /// the order they were added.
    pub fn evaluate(
        &mut self,
        evaluator: &mut impl Evaluator<G>,
    ) -> impl Iterator<Item = (&[f32], Wdl)> {
        let actions = G::SPEC.actions();
        self.policy.resize(self.len() * actions, 0.0);
        self.wdl.resize(self.len(), [0.0; 3]);
        if !self.is_empty() {
            evaluator.evaluate(&self.positions, &mut self.policy, &mut self.wdl);
        }
        self.policy.chunks_exact(actions).zip(self.wdl.iter().copied())
    }
}
