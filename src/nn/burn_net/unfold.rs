//! Training that goes on from folded weights, in which the statistics of the norms are lost.
//!
//! A norm in inference is a scale and an offset, and both are folded into its convolution. In
//! training it divides by the deviations in the batch instead. So the statistics are measured on
//! some positions, and the scale and the offset of each norm undo them: the network computes what
//! the folded weights compute, and nearly so in training, as far as batches are like these positions.
//!
//! A norm undoes the size of the weights before it, but training does not: Adam changes a weight by
//! about the learning rate whatever its size, so that small weights are soon others. In training they
//! grow, and folded they are small. So they get the size back that trained ones have.

use burn::module::Param;
use burn::nn::Linear;
use burn::nn::conv::Conv2d;
use burn::tensor::activation::relu;
use burn::tensor::{Tensor, TensorData};

use super::Network;
use super::cells::Cells;
use super::model::{ConvNorm, Residual, running};
use crate::nn::conv::{FoldedWeights, Layer, ResidualBlock};

/// The root of the mean square of the weights before a norm after some minutes of training: 0.38 to
/// 0.5 in all layers of networks for Neutron after two and ten minutes.
const SIZE: f32 = 0.5;

impl Network {
    /// This network with these weights, and the statistics of its norms in `observations`,
    /// `[positions, planes, height, width]`. The board of the weights may have another size.
    ///
    /// # Panics
    ///
    /// If the weights are of a network of another shape, or there is no observation.
    pub(crate) fn unfolded(mut self, weights: &FoldedWeights, observations: &[f32]) -> Self {
        let (spec, device) = (*self.board.spec(), self.device());
        let positions = observations.len() / spec.observation();
        let data = TensorData::new(
            observations.to_vec(),
            [positions, spec.planes, spec.height, spec.width],
        );
        let (cells, planes) = (&Cells::new(&self.board, &device), Tensor::from_data(data, &device));
        let mut trunk = relu(self.stem.unfold(&weights.stem, cells.only(planes), cells));
        for (block, from) in self.blocks.iter_mut().zip(&weights.blocks) {
            trunk = block.unfold(from, trunk, cells);
        }
        let (policy, value) = (&mut self.policy, &mut self.value);
        policy.hidden.unfold(&weights.policy_hidden, trunk.clone(), cells);
        set_convolution(&mut policy.out, &weights.policy_out);
        if let (Some(pass), Some(from)) = (&mut policy.pass, &weights.pass) {
            set_linear(pass, from);
        }
        value.features.unfold(&weights.value_features, trunk, cells);
        set_linear(&mut value.hidden, &weights.value_hidden);
        set_linear(&mut value.out, &weights.value_out);
        self
    }
}

impl Residual {
    /// Takes the weights of a block, and returns its outputs.
    fn unfold(&mut self, block: &ResidualBlock, x: Tensor<4>, cells: &Cells) -> Tensor<4> {
        let mut inner = relu(self.first.unfold(&block.first, x.clone(), cells));
        if let (Some(pool), Some(from)) = (&mut self.pool, &block.pool) {
            set_linear(&mut pool.mix, from);
            inner = pool.forward(inner, cells);
        }
        relu(x + self.second.unfold(&block.second, inner, cells))
    }
}

impl ConvNorm {
    /// Takes the weights of a layer, and returns its outputs.
    fn unfold(&mut self, layer: &Layer, x: Tensor<4>, cells: &Cells) -> Tensor<4> {
        let (device, channels) = (x.device(), layer.outputs);
        let (weights, factors) = enlarged(layer);
        self.conv.weight = set(&self.conv.weight, &weights);
        let sums = self.conv.forward(x);
        let each = cells.listed(sums.clone()).swap_dims(0, 1).flatten::<2>(1, 2);
        let (variance, mean) = each.var_mean_bias(1);
        let [variance, mean] = [variance, mean].map(|it| it.reshape([channels]));
        let factors = Tensor::from_data(TensorData::new(factors, [channels]), &device);
        let norm = &mut self.norm;
        let scale = variance.clone().add_scalar(norm.epsilon).sqrt() / factors.clone();
        let offset = mean.clone() / factors;
        norm.beta = set(&norm.beta, &layer.bias).map(|bias| bias + offset);
        norm.gamma = norm.gamma.clone().map(|_| scale);
        norm.running_mean = running(mean);
        norm.running_var = running(variance);
        cells.norm(norm, sums)
    }
}

/// The weights of a layer before a norm with each output channel in the size of training, and the
/// factors of the channels.
fn enlarged(layer: &Layer) -> (Vec<f32>, Vec<f32>) {
    let each = layer.weights.len() / layer.outputs;
    let factor = |channel: &[f32]| {
        let squares: f32 = channel.iter().map(|weight| weight * weight).sum();
        if squares > 0.0 { SIZE / (squares / each as f32).sqrt() } else { 1.0 }
    };
    let factors: Vec<f32> = layer.weights.chunks_exact(each).map(factor).collect();
    let channels = layer.weights.chunks_exact(each).zip(&factors);
    let weights = channels.flat_map(|(channel, factor)| channel.iter().map(move |it| it * factor));
    (weights.collect(), factors)
}

/// Sets the weights of a convolution, and its bias if it has one.
fn set_convolution(conv: &mut Conv2d, layer: &Layer) {
    conv.weight = set(&conv.weight, &layer.weights);
    conv.bias = conv.bias.as_ref().map(|bias| set(bias, &layer.bias));
}

/// Burn stores the weights of a linear layer as `[inputs, outputs]`.
fn set_linear(linear: &mut Linear, layer: &Layer) {
    let weights = TensorData::new(layer.weights.clone(), [layer.outputs, layer.inputs]);
    let set_weights = |old: Tensor<2>| Tensor::from_data(weights, &old.device()).transpose();
    linear.weight = linear.weight.clone().map(set_weights);
    linear.bias = linear.bias.as_ref().map(|bias| set(bias, &layer.bias));
}

fn set<const D: usize>(param: &Param<Tensor<D>>, numbers: &[f32]) -> Param<Tensor<D>> {
    let from = |old: Tensor<D>| {
        let data = TensorData::new(numbers.to_vec(), old.dims());
        Tensor::from_data(data, &old.device())
    };
    param.clone().map(from)
}
