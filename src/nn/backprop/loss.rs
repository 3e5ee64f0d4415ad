//! The training losses and their gradients at the outputs of the network.

use crate::nn::Batch;
use crate::nn::conv::VALUES;
use crate::nn::settings::LossWeights;

/// The losses of a batch, as means over its positions.
#[derive(Clone, Copy, PartialEq, Debug, Default)]
pub(crate) struct BatchLosses {
    /// Cross-entropy of the policy with the policy target, in nats.
    pub policy: f32,
    /// Cross-entropy of win, draw and loss with their target, in nats.
    pub value: f32,
    /// Squared error of `ln(1 + moves left)`.
    pub moves_left: f32,
    /// Entropy of the policy over the legal actions, in nats.
    pub entropy: f32,
}

/// Sums of the losses over some positions.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct LossSums {
    pub policy: f64,
    pub value: f64,
    pub moves_left: f64,
    pub entropy: f64,
}

impl LossSums {
    /// Returns the means of all parts together, which are of `positions` positions.
    pub(super) fn mean(parts: impl Iterator<Item = Self>, positions: usize) -> BatchLosses {
        let mut sums = Self::default();
        for part in parts {
            sums.policy += part.policy;
            sums.value += part.value;
            sums.moves_left += part.moves_left;
            sums.entropy += part.entropy;
        }
        let mean = |sum: f64| (sum / positions as f64) as f32;
        BatchLosses {
            policy: mean(sums.policy),
            value: mean(sums.value),
            moves_left: mean(sums.moves_left),
            entropy: mean(sums.entropy),
        }
    }
}

/// A position of a batch.
pub(super) struct BatchRow<'a> {
    pub batch: &'a Batch,
    pub index: usize,
    pub weights: LossWeights,
}

impl BatchRow<'_> {
    /// The weight of the position in the mean over the batch.
    fn share(&self) -> f32 {
        1.0 / self.batch.size as f32
    }

    /// The row of the position in an array with `width` numbers per position.
    fn row<'a>(&self, of: &'a [f32], width: usize) -> &'a [f32] {
        &of[self.index * width..][..width]
    }
}

/// Adds the policy loss of a position to `sums`, and replaces its logits by the gradients of the
/// mean loss.
pub(super) fn policy(logits: &mut [f32], example: &BatchRow<'_>, sums: &mut LossSums) {
    let mask = example.row(&example.batch.mask, logits.len());
    logits.iter_mut().zip(mask).for_each(|(logit, mask)| *logit += mask);
    let target = example.row(&example.batch.policy, logits.len());
    let found = cross_entropy(logits, target, example.share());
    sums.policy += found.loss;
    sums.entropy += found.entropy;
}

/// The same for the value head: win, draw and loss, and the moves left.
pub(super) fn values(logits: &mut [f32; VALUES], example: &BatchRow<'_>, sums: &mut LossSums) {
    let BatchRow { batch, index, weights } = example;
    let [wdl @ .., moves_left] = logits;
    let target = example.row(&batch.wdl, wdl.len());
    sums.value += cross_entropy(wdl, target, weights.value * example.share()).loss;
    let off = *moves_left - batch.moves_left[*index].ln_1p();
    sums.moves_left += f64::from(off * off);
    *moves_left = 2.0 * weights.moves_left * example.share() * off;
}

/// The exponential function. Illegal actions, whose logits are far below all others, are most of them
/// in many games, and what the mathematics library does about an underflow is slow.
fn exp(number: f32) -> f32 {
    // Below it the result rounds to 0.
    const UNDERFLOW: f32 = -104.0;
    if number < UNDERFLOW { 0.0 } else { number.exp() }
}

struct CrossEntropy {
    loss: f64,
    entropy: f64,
}

/// Returns the cross-entropy of the softmax of `logits` with `target`, and the entropy of the
/// softmax. Replaces the logits by `weight` times the gradient of the cross-entropy.
fn cross_entropy(logits: &mut [f32], target: &[f32], weight: f32) -> CrossEntropy {
    let largest = logits.iter().copied().fold(f32::NEG_INFINITY, f32::max);
    let total: f32 = logits.iter().map(|logit| exp(logit - largest)).sum();
    let (log_total, all): (f32, f32) = (largest + total.ln(), target.iter().sum());
    let mut found = CrossEntropy { loss: 0.0, entropy: 0.0 };
    for (logit, &target) in logits.iter_mut().zip(target) {
        let log_share = *logit - log_total;
        let share = exp(log_share);
        found.loss -= f64::from(target * log_share);
        found.entropy -= f64::from(share * log_share);
        *logit = weight * (share * all - target);
    }
    found
}
