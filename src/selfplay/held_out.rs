//! The held-out loss: how well a network judges games that it has not learnt from.
//!
//! In a training run these are the games of an iteration, judged by the network that played them,
//! just before it begins to learn from them. Where the losses of training are much smaller, the
//! network has learnt its replay buffer by heart.

use crate::base::parallel::ordered_map;
use crate::games::{Action, Game};
use crate::search::Evaluator;
use crate::selfplay::replay::Example;

/// Positions that make one call of an evaluator.
const BATCH: usize = 128;

/// Mean losses in nats, the same that training minimises.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Losses {
    /// Cross-entropy of the network's policy with the search's.
    pub policy: f64,
    /// Cross-entropy of the network's win, draw and loss with what is taught.
    pub value: f64,
}

/// The losses on these positions, which the evaluators share; they say the same of a position.
/// None if there are no positions.
pub fn losses<G: Game, E: Evaluator<G> + Send>(
    evaluators: &mut [E],
    examples: &[Example<'_, G>],
) -> Option<Losses> {
    let batches: Vec<_> = examples.chunks(BATCH).collect();
    let sums = ordered_map(evaluators, &batches, |evaluator, batch| summed(evaluator, batch));
    let mean = |sum: f64| sum / examples.len() as f64;
    let total = sums.into_iter().reduce(|all, batch| Losses {
        policy: all.policy + batch.policy,
        value: all.value + batch.value,
    });
    total.map(|sum| Losses { policy: mean(sum.policy), value: mean(sum.value) })
}

/// The sums of the losses of a batch.
fn summed<G: Game>(evaluator: &mut dyn Evaluator<G>, batch: &[Example<'_, G>]) -> Losses {
    let positions: Vec<G> = batch.iter().map(|example| example.position).collect();
    let actions = G::SPEC.actions();
    let mut policy = vec![0.0; positions.len() * actions];
    let mut values = vec![[0.0; 3]; positions.len()];
    evaluator.evaluate(&positions, &mut policy, &mut values);
    let (mut sums, mut legal) = (Losses { policy: 0.0, value: 0.0 }, Vec::new());
    for ((example, logits), value) in batch.iter().zip(policy.chunks_exact(actions)).zip(&values) {
        example.position.legal_actions(&mut legal);
        sums.policy += policy_loss(example, logits, &legal);
        let parts = example.wdl.iter().zip(value);
        sums.value -= parts.map(|(&target, &share)| f64::from(target) * log(share)).sum::<f64>();
    }
    sums
}

fn policy_loss<G>(example: &Example<'_, G>, logits: &[f32], legal: &[Action]) -> f64 {
    let logit = |action: Action| f64::from(logits[usize::from(action)]);
    let largest = legal.iter().map(|&action| logit(action)).fold(f64::NEG_INFINITY, f64::max);
    let total: f64 = legal.iter().map(|&action| (logit(action) - largest).exp()).sum();
    let log_total = largest + total.ln();
    let shares = example.search.shares();
    shares.map(|(action, share)| f64::from(share) * (log_total - logit(action))).sum()
}

/// The logarithm of a probability; that of one that was rounded to 0 is large, but a number.
fn log(probability: f32) -> f64 {
    f64::from(probability.max(f32::MIN_POSITIVE)).ln()
}
