//! The interface between the search and what evaluates positions.
use crate::registry::Position;

/// Win, draw and loss probabilities for the side to move.
pub type Wdl = [f32; 3];

/// The expected result of a [`Wdl`], from -1 for a certain loss to 1 for a certain win.
#[inline]
pub fn value_of([win, _, loss]: Wdl) -> f32 {
    win - loss
}

/// Evaluates positions in batches.
pub trait Evaluator {
    /// Evaluates `positions`, none of which is finished.
    ///
    /// `policy` is `[positions, actions]` and receives logits; those of illegal actions are
    /// ignored. `wdl` is `[positions]`, each for the side to move of its position. The outputs of a
    /// position must depend on that position alone, not on the rest of the batch; otherwise games
    /// would depend on how they are batched.
    fn evaluate(&mut self, positions: &[Position], policy: &mut [f32], wdl: &mut [Wdl]);

    /// Called before each game with its number, on which evaluations may depend if they are not
    /// cached.
    fn begin_game(&mut self, game: u64) {
        let _ = game;
    }
}

/// Gives every action the same probability, and evaluates every position as even.
#[derive(Clone, Copy, Default, Debug)]
pub struct Uniform;

impl Evaluator for Uniform {
    fn evaluate(&mut self, _: &[Position], policy: &mut [f32], wdl: &mut [Wdl]) {
        policy.fill(0.0);
        wdl.fill([0.5, 0.0, 0.5]);
    }
}

/// An evaluator behind a pointer, so that its callers are not compiled for each evaluator. The
/// pointer costs little, as there is one call a batch.
pub type BoxedEvaluator = Box<dyn Evaluator + Send>;

/// Copies an evaluator, once for each thread; returns at least one copy.
pub fn copies<E: Evaluator + Clone + Send + 'static>(
    evaluator: &E,
    threads: usize,
) -> Vec<BoxedEvaluator> {
    (0..threads.max(1)).map(|_| Box::new(evaluator.clone()) as _).collect()
}
