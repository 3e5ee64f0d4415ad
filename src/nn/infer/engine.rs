//! The evaluator that computes the network on the CPU without a tensor library.

use std::sync::Arc;

use super::model::{Model, Scratch};
use crate::games::{Game, Spec};
use crate::nn::conv::{Kernel, Path, Unsupported, Weights};
use crate::search::{Evaluator, Wdl};

/// Evaluates positions with a network, on the calling thread. Every thread uses its own clone;
/// clones share the weights.
#[derive(Debug)]
pub struct Engine {
    model: Arc<Model>,
    scratch: Scratch,
}

impl Clone for Engine {
    fn clone(&self) -> Self {
        Self { model: Arc::clone(&self.model), scratch: Scratch::new() }
    }
}

impl Engine {
    /// Returns an engine for games with the shape of `spec`.
    ///
    /// # Errors
    ///
    /// If this CPU lacks the instructions of `path`.
    ///
    /// # Panics
    ///
    /// If `weights` belong to a network for games of another shape.
    pub fn new(weights: &Weights, spec: &Spec, path: Path) -> Result<Self, Unsupported> {
        let kernel = Kernel::find(path).ok_or(Unsupported(path))?;
        let model = Arc::new(Model::new(weights, spec, kernel));
        Ok(Self { model, scratch: Scratch::new() })
    }

    /// Number of multiply-adds per position.
    pub fn products(&self) -> usize {
        self.model.products()
    }

    /// Evaluates positions. Writes the logits of all actions, `[positions, actions]`, and of win,
    /// draw and loss for the side to move, `[positions, 3]`.
    ///
    /// The result of a position does not depend on the others.
    pub fn logits<G: Game>(&mut self, positions: &[G], policy: &mut [f32], wdl: &mut [[f32; 3]]) {
        let (model, scratch) = (&self.model, &mut self.scratch);
        // The fewest passes, of about the same size.
        let passes = positions.len().div_ceil(model.positions()).max(1);
        let most = positions.len().div_ceil(passes).max(1);
        let policies = policy.chunks_mut(most * G::SPEC.actions());
        let parts = positions.chunks(most).zip(policies).zip(wdl.chunks_mut(most));
        for ((positions, policy), wdl) in parts {
            scratch.reserve(model, positions.len());
            let observations = scratch.observations.chunks_exact_mut(G::SPEC.observation());
            positions.iter().zip(observations).for_each(|(game, planes)| game.observe(planes));
            model.run(scratch, positions.len(), policy, wdl);
        }
    }
}

impl<G: Game> Evaluator<G> for Engine {
    fn evaluate(&mut self, positions: &[G], policy: &mut [f32], wdl: &mut [Wdl]) {
        self.logits(positions, policy, wdl);
        wdl.iter_mut().for_each(softmax);
    }
}

/// Logits to probabilities.
fn softmax(wdl: &mut Wdl) {
    let largest = wdl.iter().copied().fold(f32::NEG_INFINITY, f32::max);
    *wdl = wdl.map(|logit| (logit - largest).exp());
    let total: f32 = wdl.iter().sum();
    *wdl = wdl.map(|share| share / total);
}
