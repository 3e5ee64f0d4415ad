//! Positions are evaluated in micro-batches that stay in the cache.

use std::fmt::Debug;
use std::sync::Arc;

use crate::registry::Position;

/// A network that is ready to evaluate, for boards of one size.
pub(super) trait Forward: Debug {
    /// The buffers of a forward pass.
    type Scratch: Debug;
    /// Largest number of positions that are computed in one micro-batch.
    fn positions(&self) -> usize;
    /// Empty buffers.
    fn scratch(&self) -> Self::Scratch;
    /// Makes room for `count` positions, and returns where their observations belong, `[positions,
    /// planes, cells]`.
    fn observations<'a>(&self, scratch: &'a mut Self::Scratch, count: usize) -> &'a mut [f32];
    /// Evaluates the first `count` observations of `scratch`. Writes the logits of all actions,
    /// `[count, actions]`, and of win, draw and loss, `[count, 3]`.
    fn run(
        &self,
        scratch: &mut Self::Scratch,
        count: usize,
        policy: &mut [f32],
        wdl: &mut [[f32; 3]],
    );
}

/// A network with buffers of its own, which evaluates positions in micro-batches. Clones share the
/// weights.
#[derive(Debug)]
pub(super) struct MicroBatched<M: Forward> {
    model: Arc<M>,
    scratch: M::Scratch,
}

impl<M: Forward> Clone for MicroBatched<M> {
    fn clone(&self) -> Self {
        Self { model: Arc::clone(&self.model), scratch: self.model.scratch() }
    }
}

impl<M: Forward> MicroBatched<M> {
    pub(super) fn new(model: M) -> Self {
        let scratch = model.scratch();
        Self { model: Arc::new(model), scratch }
    }
}

/// A forward pass for positions, whatever the arithmetic.
pub(super) trait Logits: Debug + Send + Sync {
    /// Evaluates positions; see [`CpuEvaluator::logits`](super::CpuEvaluator::logits).
    fn logits(&mut self, positions: &[Position], policy: &mut [f32], wdl: &mut [[f32; 3]]);

    /// Another one with the same weights and buffers of its own.
    fn copy(&self) -> Box<dyn Logits>;
}

impl<M> Logits for MicroBatched<M>
where
    M: Forward<Scratch: Send + Sync> + Send + Sync + 'static,
{
    fn logits(&mut self, positions: &[Position], policy: &mut [f32], wdl: &mut [[f32; 3]]) {
        let Some(spec) = positions.first().map(Position::spec) else { return };
        let (model, scratch) = (&self.model, &mut self.scratch);
        // The fewest micro-batches, of about the same size.
        let count = positions.len().div_ceil(model.positions()).max(1);
        let most = positions.len().div_ceil(count).max(1);
        let policies = policy.chunks_mut(most * spec.actions());
        let parts = positions.chunks(most).zip(policies).zip(wdl.chunks_mut(most));
        for ((positions, policy), wdl) in parts {
            let observations = model.observations(scratch, positions.len());
            let observations = observations.chunks_exact_mut(spec.observation());
            positions.iter().zip(observations).for_each(|(game, planes)| game.observe(planes));
            model.run(scratch, positions.len(), policy, wdl);
        }
    }

    fn copy(&self) -> Box<dyn Logits> {
        Box::new(self.clone())
    }
}
