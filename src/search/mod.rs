//! Monte Carlo tree search guided by an [`Evaluator`].
//!
//! A search alternates two steps: [`Tree::gather`] descends to a leaf, and [`Tree::apply`] puts
//! the evaluation of that leaf into the tree. Between the two the caller may gather leaves of
//! other trees and evaluate all of them at once, which is how thousands of games share one
//! network call.

mod batch;
mod settings;
mod tree;

pub use batch::Batch;
pub use settings::Settings;
pub use tree::{Candidate, Gathered, Leaf, Tree, best_of};

use crate::evaluator::Evaluator;
use crate::game::Game;

/// Runs `simulations` in `tree` from `root`, one leaf at a time.
///
/// The plain form of the gather and apply cycle, for a single position and for tests.
pub fn run<G: Game>(
    tree: &mut Tree<G>,
    root: G,
    simulations: u32,
    settings: &Settings,
    evaluator: &mut impl Evaluator<G>,
) {
    let mut scratch = Scratch::default();
    tree.begin(root);
    while tree.simulations() < simulations {
        scratch.simulate(tree, settings, evaluator);
    }
}

/// The buffers of a search that evaluates one leaf at a time.
#[derive(Debug)]
pub struct Scratch<G> {
    leaf: Leaf<G>,
    batch: Batch<G>,
}

impl<G> Default for Scratch<G> {
    fn default() -> Self {
        Self { leaf: Leaf::default(), batch: Batch::default() }
    }
}

impl<G: Game> Scratch<G> {
    /// One simulation: gather, evaluate if need be, apply.
    pub fn simulate(
        &mut self,
        tree: &mut Tree<G>,
        settings: &Settings,
        evaluator: &mut impl Evaluator<G>,
    ) {
        if tree.gather(settings, &mut self.leaf) == Gathered::Leaf {
            self.batch.clear();
            self.batch.push(&self.leaf);
            for (policy, wdl) in self.batch.evaluate(evaluator) {
                tree.apply(&self.leaf, policy, wdl);
            }
        }
    }
}
