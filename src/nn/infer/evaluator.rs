//! The evaluator that computes the network on the CPU without a tensor library.

use super::int8::Int8Model;
use super::micro_batches::{Logits, MicroBatched};
use super::model::FloatModel;
use crate::nn::conv::{FoldedWeights, InstructionSet, Kernel, Unsupported};
use crate::registry::Position;
use crate::search::{Evaluator, Wdl};

/// Evaluates positions with a network, on the calling thread. Every thread uses its own clone;
/// clones share the weights.
#[derive(Debug)]
pub struct CpuEvaluator(Box<dyn Logits>);

impl Clone for CpuEvaluator {
    fn clone(&self) -> Self {
        Self(self.0.copy())
    }
}

impl CpuEvaluator {
    /// Returns an evaluator for games with the board of the weights.
    ///
    /// # Errors
    ///
    /// If this CPU lacks the instructions of `set`.
    ///
    /// # Panics
    ///
    /// If the layers do not have the sizes of the board.
    pub fn new(weights: &FoldedWeights, set: InstructionSet) -> Result<Self, Unsupported> {
        if let Some(kernel) = Kernel::find(set) {
            return Ok(Self(Box::new(MicroBatched::new(FloatModel::new(weights, kernel)))));
        }
        let model = Int8Model::new(weights, set).ok_or(Unsupported(set))?;
        Ok(Self(Box::new(MicroBatched::new(model))))
    }

    /// Evaluates positions. Writes the logits of all actions, `[positions, actions]`, and of win,
    /// draw and loss for the side to move, `[positions, 3]`.
    ///
    /// The result of a position does not depend on the others.
    pub fn logits(&mut self, positions: &[Position], policy: &mut [f32], wdl: &mut [[f32; 3]]) {
        self.0.logits(positions, policy, wdl);
    }
}

impl Evaluator for CpuEvaluator {
    fn evaluate(&mut self, positions: &[Position], policy: &mut [f32], wdl: &mut [Wdl]) {
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
