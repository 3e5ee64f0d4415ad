//! Batch norm in training: statistics of a batch, and the gradients through them.

use crate::nn::conv::{Aligned, Norm};

/// The norm of a layer, with channels padded to whole registers.
#[derive(Debug)]
pub(super) struct BatchNorm {
    epsilon: f64,
    channels: usize,
    gamma: Vec<f32>,
    beta: Vec<f32>,
    /// Mean of each channel over the batch.
    pub mean: Aligned,
    variance: Vec<f64>,
    /// The output of the norm is `scale * input + shift`.
    pub scale: Aligned,
    pub shift: Aligned,
    /// The gradient of its input is `scale * gradient + slope * input + offset`.
    pub slope: Aligned,
    pub offset: Aligned,
    gamma_gradient: Vec<f32>,
    beta_gradient: Vec<f32>,
}

/// The gradient of a norm, and the statistics of the batch.
#[derive(Clone, PartialEq, Debug)]
pub(crate) struct NormGradient {
    /// Gradient of the scale of each channel.
    pub gamma: Vec<f32>,
    /// Gradient of the offset of each channel.
    pub beta: Vec<f32>,
    /// Mean of each channel over the batch.
    pub mean: Vec<f32>,
    /// Variance of each channel over the batch, biased.
    pub variance: Vec<f32>,
}

/// Statistics of a shard, two numbers per channel. In the forward pass they are mean and sum of
/// squared deviations, in the backward pass the sums of [`Products`](crate::nn::conv::Products).
#[derive(Debug)]
pub(super) struct Statistics {
    /// Number of rows, one per position and cell.
    pub rows: usize,
    pub first: Aligned,
    pub second: Aligned,
}

impl BatchNorm {
    /// Buffers for a norm with `width` channels including padding.
    pub(super) fn new(norm: &Norm, width: usize) -> Self {
        let zeros = || Aligned::zeros(width);
        Self {
            epsilon: norm.epsilon,
            channels: norm.gamma.len(),
            gamma: vec![0.0; width],
            beta: vec![0.0; width],
            mean: zeros(),
            variance: vec![0.0; width],
            scale: zeros(),
            shift: zeros(),
            slope: zeros(),
            offset: zeros(),
            gamma_gradient: vec![0.0; width],
            beta_gradient: vec![0.0; width],
        }
    }

    pub(super) fn load(&mut self, norm: &Norm) {
        self.gamma[..self.channels].copy_from_slice(&norm.gamma);
        self.beta[..self.channels].copy_from_slice(&norm.beta);
    }

    /// Combines the means and squares of all shards (Chan, Golub and LeVeque 1979).
    pub(super) fn combine_statistics<'a>(
        &mut self,
        shards: impl Iterator<Item = &'a Statistics> + Clone,
    ) {
        let rows: usize = shards.clone().map(|shard| shard.rows).sum();
        for channel in 0..self.gamma.len() {
            let of = |shard: &Statistics| (shard.rows as f64, f64::from(shard.first[channel]));
            let sum: f64 = shards.clone().map(of).map(|(rows, mean)| rows * mean).sum();
            let mean = sum / rows as f64;
            let squares = shards.clone().map(|part| {
                let (rows, part_mean) = of(part);
                f64::from(part.second[channel]) + rows * (part_mean - mean).powi(2)
            });
            let variance = squares.sum::<f64>() / rows as f64;
            let scale = f64::from(self.gamma[channel]) / (variance + self.epsilon).sqrt();
            self.mean[channel] = mean as f32;
            self.variance[channel] = variance;
            self.scale[channel] = scale as f32;
            self.shift[channel] = (f64::from(self.beta[channel]) - mean * scale) as f32;
        }
    }

    /// Combines the sums and products of all shards.
    pub(super) fn combine_gradient_sums<'a>(
        &mut self,
        shards: impl Iterator<Item = &'a Statistics> + Clone,
    ) {
        let rows = shards.clone().map(|shard| shard.rows).sum::<usize>() as f64;
        for channel in 0..self.gamma.len() {
            let sum: f64 = shards.clone().map(|shard| f64::from(shard.first[channel])).sum();
            let products: f64 = shards.clone().map(|shard| f64::from(shard.second[channel])).sum();
            let inverse = 1.0 / (self.variance[channel] + self.epsilon).sqrt();
            let scale = f64::from(self.gamma[channel]) * inverse;
            let slope = -scale * inverse * inverse * products / rows;
            let offset = -scale * sum / rows - slope * f64::from(self.mean[channel]);
            self.slope[channel] = slope as f32;
            self.offset[channel] = offset as f32;
            self.gamma_gradient[channel] = (products * inverse) as f32;
            self.beta_gradient[channel] = sum as f32;
        }
    }

    pub(super) fn gradient(&self) -> NormGradient {
        let own = |values: &[f32]| values[..self.channels].to_vec();
        NormGradient {
            gamma: own(&self.gamma_gradient),
            beta: own(&self.beta_gradient),
            mean: own(&self.mean),
            variance: self.variance[..self.channels].iter().map(|&value| value as f32).collect(),
        }
    }
}

impl Statistics {
    pub(super) fn new(rows: usize, width: usize) -> Self {
        Self { rows, first: Aligned::zeros(width), second: Aligned::zeros(width) }
    }
}
