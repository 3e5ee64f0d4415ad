//! The held-out loss: the losses of a network on games that it has not been trained on.
//!
//! In a training run these are the games of an iteration, evaluated by the network that played
//! them, before it is trained on them. If the training losses are much smaller, the network
//! overfits its replay buffer.

use crate::base::parallel::ordered_map;
use crate::games::Action;
use crate::registry::Position;
use crate::search::Evaluator;
use crate::selfplay::replay::Example;

/// Positions of one call of an evaluator.
const BATCH: usize = 128;

/// Mean losses in nats, as in training.
#[derive(Clone, Copy, PartialEq, Debug)]
pub(crate) struct Losses {
    /// Cross-entropy of the network's policy with the policy target.
    pub policy: f64,
    /// Cross-entropy of the network's win, draw and loss with their targets.
    pub value: f64,
}

/// Returns the mean losses on these positions, or `None` if there are none. The positions are
/// divided among the evaluators, which must be copies of one network.
pub(crate) fn losses<E: Evaluator + Send>(
    evaluators: &mut [E],
    examples: &[Example<'_>],
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

/// Returns the sums of the losses of a batch.
fn summed(evaluator: &mut dyn Evaluator, batch: &[Example<'_>]) -> Losses {
    let positions: Vec<Position> = batch.iter().map(|example| example.position).collect();
    let Some(actions) = positions.first().map(|it| it.spec().actions()) else {
        return Losses { policy: 0.0, value: 0.0 };
    };
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

fn policy_loss(example: &Example<'_>, logits: &[f32], legal: &[Action]) -> f64 {
    let logit = |action: Action| f64::from(logits[usize::from(action)]);
    let largest = legal.iter().map(|&action| logit(action)).fold(f64::NEG_INFINITY, f64::max);
    let total: f64 = legal.iter().map(|&action| (logit(action) - largest).exp()).sum();
    let log_total = largest + total.ln();
    let shares = example.search.shares();
    shares.map(|(action, share)| f64::from(share) * (log_total - logit(action))).sum()
}

/// The logarithm of a probability. It is finite for a probability that was rounded to 0.
fn log(probability: f32) -> f64 {
    f64::from(probability.max(f32::MIN_POSITIVE)).ln()
}
