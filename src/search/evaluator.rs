//! The interface between search and whatever judges positions.

use crate::games::Game;

/// Win, draw and loss as probabilities, seen by the side to move.
pub type Wdl = [f32; 3];

/// The expected result of a [`Wdl`]: 1 for a sure win, -1 for a sure loss.
#[inline]
pub fn value_of([win, _, loss]: Wdl) -> f32 {
    win - loss
}

/// Judges positions, many at a time.
pub trait Evaluator<G: Game> {
    /// Judges `positions`, none of them finished.
    ///
    /// `policy` is `[positions, actions]` and receives logits; those of illegal actions are
    /// ignored. `wdl` is `[positions]`, each as the side to move sees it. What is written for a
    /// position must depend on that position alone, not on the others beside it: only then are
    /// games independent of how they are batched.
    fn evaluate(&mut self, positions: &[G], policy: &mut [f32], wdl: &mut [Wdl]);
}

/// Knows nothing: every action is as likely as any other, and every position is even.
#[derive(Clone, Copy, Default, Debug)]
pub struct Uniform;

impl<G: Game> Evaluator<G> for Uniform {
    fn evaluate(&mut self, _: &[G], policy: &mut [f32], wdl: &mut [Wdl]) {
        policy.fill(0.0);
        wdl.fill([0.5, 0.0, 0.5]);
    }
}

/// An evaluator behind a pointer. It is called once a batch, so that code generic over evaluators
/// need not be compiled for each of them.
pub type BoxedEvaluator<G> = Box<dyn Evaluator<G> + Send>;

/// Copies of an evaluator, one for each thread; at least one.
pub fn copies<G: Game, E: Evaluator<G> + Clone + Send + 'static>(
    evaluator: &E,
    threads: usize,
) -> Vec<BoxedEvaluator<G>> {
    (0..threads.max(1)).map(|_| Box::new(evaluator.clone()) as _).collect()
}
