//! Monte Carlo tree search guided by an [`Evaluator`](crate::evaluator::Evaluator).
//!
//! A search alternates two steps: [`Tree::gather`] descends to a leaf, and [`Tree::apply`] puts
//! the evaluation of that leaf into the tree. Between the two the caller may gather leaves of
//! other trees and evaluate all of them at once, which is how thousands of games share one
//! network call.

mod settings;
mod tree;

pub use settings::Settings;
pub(crate) use tree::preferred;
pub use tree::{Candidate, Gathered, Leaf, Tree};

use crate::evaluator::{Evaluator, Wdl};
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
    let mut scratch = Scratch::new();
    tree.begin(root);
    while tree.simulations() < simulations {
        scratch.simulate(tree, settings, evaluator);
    }
}

/// The buffers of a search that evaluates one leaf at a time.
#[derive(Debug)]
pub struct Scratch<G> {
    leaf: Leaf<G>,
    policy: Vec<f32>,
    wdl: [Wdl; 1],
}

impl<G: Game> Scratch<G> {
    /// Room for one evaluation.
    #[allow(clippy::new_without_default)]
    pub fn new() -> Self {
        Self { leaf: Leaf::default(), policy: vec![0.0; G::SPEC.actions()], wdl: [[0.0; 3]] }
    }

    /// One simulation: gather, evaluate if need be, apply.
    pub fn simulate(
        &mut self,
        tree: &mut Tree<G>,
        settings: &Settings,
        evaluator: &mut impl Evaluator<G>,
    ) {
        if tree.gather(settings, &mut self.leaf) == Gathered::Leaf {
            let positions = self.leaf.position().map(std::slice::from_ref).unwrap_or_default();
            evaluator.evaluate(positions, &mut self.policy, &mut self.wdl);
            tree.apply(&self.leaf, &self.policy, self.wdl[0]);
        }
    }
}
