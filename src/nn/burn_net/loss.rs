//! The training losses on burn.

use burn::tensor::activation::log_softmax;
use burn::tensor::{Device, Tensor, TensorData};

use super::{Network, Outputs};
use crate::nn::Batch;
use crate::nn::settings::LossWeights;

/// The losses of a batch, each a tensor of one number.
#[derive(Debug)]
pub(crate) struct LossTensors {
    /// Cross-entropy of the policy with the policy target, in nats.
    pub policy: Tensor<1>,
    /// Cross-entropy of win, draw and loss with their target, in nats.
    pub value: Tensor<1>,
    /// Squared error of `ln(1 + moves left)`.
    pub moves_left: Tensor<1>,
    /// Entropy of the policy over the legal actions, in nats.
    pub entropy: Tensor<1>,
}

impl LossTensors {
    /// The weighted sum of the losses, which training minimises.
    pub(crate) fn total(&self, weights: LossWeights) -> Tensor<1> {
        self.policy.clone()
            + self.value.clone() * weights.value
            + self.moves_left.clone() * weights.moves_left
    }
}

/// Returns the losses of `network` on `batch`, as means over the examples.
///
/// # Panics
///
/// If the batch has another shape than the network's game.
pub(crate) fn losses(network: &Network, batch: &Batch, device: &Device) -> LossTensors {
    let spec = network.board.spec();
    let (size, actions) = (batch.size, spec.actions());
    let flat = |values: &[f32], width| {
        Tensor::<2>::from_data(TensorData::new(values.to_vec(), [size, width]), device)
    };
    let shape = [size, spec.planes, spec.height, spec.width];
    let data = TensorData::new(batch.observations.clone(), shape);
    let outputs = network.forward(Tensor::from_data(data, device));
    let Outputs { policy, wdl, moves_left } = outputs;

    let legal = log_softmax(policy + flat(&batch.mask, actions), 1);
    let entropy = -(legal.clone().detach().exp() * legal.clone().detach()).sum_dim(1).mean();
    let policy = -(flat(&batch.policy, actions) * legal).sum_dim(1).mean();
    let value = -(flat(&batch.wdl, 3) * log_softmax(wdl, 1)).sum_dim(1).mean();
    let lengths: Vec<f32> = batch.moves_left.iter().copied().map(f32::ln_1p).collect();
    let moves_left = (moves_left - flat(&lengths, 1)).square().mean();
    LossTensors { policy, value, moves_left, entropy }
}
