//! What training minimises, and its gradient at the outputs of the network.

use crate::conv::VALUES;
use crate::learning::LossWeights;
use crate::replay::Batch;
use crate::spec::Spec;

/// The losses of a batch: means over its positions.
#[derive(Clone, Copy, PartialEq, Debug, Default)]
pub struct Losses {
    /// Cross-entropy of the network's policy with the search's, in nats.
    pub policy: f32,
    /// Cross-entropy of the network's win, draw and loss with the result, in nats.
    pub value: f32,
    /// Square of how far the logarithm of the moves left is off.
    pub moves_left: f32,
    /// Entropy of the network's policy over the legal actions, in nats.
    pub entropy: f32,
}

/// Sums of the losses of some positions.
#[derive(Clone, Copy, Debug, Default)]
pub struct LossSums {
    pub policy: f64,
    pub value: f64,
    pub moves_left: f64,
    pub entropy: f64,
}

impl LossSums {
    /// The means over so many positions of all parts together.
    pub fn mean(parts: impl Iterator<Item = Self>, positions: usize) -> Losses {
        let mut sums = Self::default();
        for part in parts {
            sums.policy += part.policy;
            sums.value += part.value;
            sums.moves_left += part.moves_left;
            sums.entropy += part.entropy;
        }
        let mean = |sum: f64| (sum / positions as f64) as f32;
        Losses {
            policy: mean(sums.policy),
            value: mean(sums.value),
            moves_left: mean(sums.moves_left),
            entropy: mean(sums.entropy),
        }
    }
}

/// Logits of a board where the network leaves them, to be replaced by the gradients of the loss.
pub struct Logits<'a> {
    /// `[cells, channels]`, a channel for each plane of the action space.
    pub cells: &'a mut [f32],
    /// Of the pass, where there is one.
    pub pass: Option<&'a mut f32>,
    /// Of win, draw and loss, and the logarithm of the moves left.
    pub values: &'a mut [f32; VALUES],
}

/// A position of a batch.
pub struct Example<'a> {
    pub batch: &'a Batch,
    pub index: usize,
    pub spec: &'a Spec,
    pub weights: LossWeights,
}

/// Replaces the logits of a position by the gradients of its share in the mean loss, and adds its
/// losses to `sums`. `row` has room for all actions.
pub fn replace(logits: Logits<'_>, example: &Example<'_>, row: &mut [f32], sums: &mut LossSums) {
    let Example { batch, index, spec, weights } = *example;
    let (actions, share) = (spec.actions(), 1.0 / batch.size as f32);
    let target = &batch.policy[index * actions..][..actions];
    let mask = &batch.mask[index * actions..][..actions];
    let channels = logits.cells.len() / spec.cells();
    let planes = spec.displacements.len();
    let place = |action: usize| action % spec.cells() * channels + action / spec.cells();
    for (action, slot) in row.iter_mut().enumerate().take(planes * spec.cells()) {
        *slot = logits.cells[place(action)] + mask[action];
    }
    if let Some(pass) = &logits.pass {
        row[actions - 1] = **pass + mask[actions - 1];
    }
    let found = cross_entropy(row, target, share);
    sums.policy += found.loss;
    sums.entropy += found.entropy;
    for (action, &gradient) in row.iter().enumerate().take(planes * spec.cells()) {
        logits.cells[place(action)] = gradient;
    }
    if let Some(pass) = logits.pass {
        *pass = row[actions - 1];
    }
    let target = &batch.wdl[3 * index..][..3];
    let [wdl @ .., moves_left] = logits.values;
    sums.value += cross_entropy(wdl, target, weights.value * share).loss;
    let off = *moves_left - batch.moves_left[index].ln_1p();
    sums.moves_left += f64::from(off * off);
    *moves_left = 2.0 * weights.moves_left * share * off;
}

struct Found {
    loss: f64,
    entropy: f64,
}

/// The cross-entropy of a softmax with `target`, and its entropy; replaces the logits by `weight`
/// times the gradient of the cross-entropy.
fn cross_entropy(logits: &mut [f32], target: &[f32], weight: f32) -> Found {
    let largest = logits.iter().copied().fold(f32::NEG_INFINITY, f32::max);
    let total: f32 = logits.iter().map(|logit| (logit - largest).exp()).sum();
    let (log_total, all): (f32, f32) = (largest + total.ln(), target.iter().sum());
    let mut found = Found { loss: 0.0, entropy: 0.0 };
    for (logit, &target) in logits.iter_mut().zip(target) {
        let log_share = *logit - log_total;
        let share = log_share.exp();
        found.loss -= f64::from(target * log_share);
        found.entropy -= f64::from(share * log_share);
        *logit = weight * (share * all - target);
    }
    found
}
