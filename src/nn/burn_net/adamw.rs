//! A step of AdamW (Loshchilov and Hutter 2019) on the CPU: one pass over the numbers of a parameter,
//! on all threads. The numbers are those that burn computes in a dozen passes on one thread.

use rayon::prelude::*;

/// Decay rates of the averages of gradients and of their squares.
pub(super) const BETAS: [f32; 2] = [0.9, 0.999];

/// Small enough not to slow down parameters with small gradients. Burn's default is 1e-5.
pub(super) const EPSILON: f32 = 1e-8;

/// Numbers that a thread takes at once: enough that to share them costs little.
const CHUNK: usize = 4096;

/// What a step does to each number of a parameter.
#[derive(Clone, Copy, Debug)]
pub(super) struct Update {
    /// The averages of the steps so far are this share of those of endless many: both begin at 0.
    shares: [f32; 2],
    rate: f32,
    /// What weight decay leaves of a number.
    kept: f32,
}

/// A parameter, its gradient, and the averages of its gradients and of their squares, all of the same
/// length.
#[derive(Debug)]
pub(super) struct Numbers<'a> {
    pub weights: &'a mut [f32],
    pub gradients: &'a [f32],
    pub first: &'a mut [f32],
    pub second: &'a mut [f32],
}

impl Update {
    /// Returns the update of step number `time`, from 1 on, at learning rate `rate`.
    pub(super) fn new(time: usize, rate: f64, weight_decay: f32) -> Self {
        let steps = i32::try_from(time).unwrap_or(i32::MAX);
        Self {
            shares: BETAS.map(|beta| 1.0 - beta.powi(steps)),
            rate: rate as f32,
            kept: (1.0 - rate * f64::from(weight_decay)) as f32,
        }
    }

    /// Updates a parameter and its averages.
    pub(super) fn apply(self, numbers: Numbers) {
        let Numbers { weights, gradients, first, second } = numbers;
        weights
            .par_chunks_mut(CHUNK)
            .zip(gradients.par_chunks(CHUNK))
            .zip(first.par_chunks_mut(CHUNK))
            .zip(second.par_chunks_mut(CHUNK))
            .for_each(|(((weights, gradients), first), second)| {
                self.apply_to_chunk(Numbers { weights, gradients, first, second });
            });
    }

    fn apply_to_chunk(self, numbers: Numbers) {
        let Numbers { weights, gradients, first, second } = numbers;
        let averages = first.iter_mut().zip(second);
        for ((weight, &gradient), (first, second)) in
            weights.iter_mut().zip(gradients).zip(averages)
        {
            *first = *first * BETAS[0] + gradient * (1.0 - BETAS[0]);
            *second = *second * BETAS[1] + gradient * gradient * (1.0 - BETAS[1]);
            let [mean, square] = [*first / self.shares[0], *second / self.shares[1]];
            *weight = *weight * self.kept - mean / (square.sqrt() + EPSILON) * self.rate;
        }
    }
}
