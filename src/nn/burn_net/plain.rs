//! Conversions between burn's network and plain arrays: parameters out, gradients in.

use burn::module::Param;
use burn::nn::conv::Conv2d;
use burn::nn::{BatchNorm, Linear};
use burn::optim::GradientsParams;
use burn::tensor::{Device, Tensor, TensorData};

use super::model::{ConvNorm, Residual};
use super::{Network, cpu};
use crate::nn::backprop::{Gradient, NormGradient};
use crate::nn::conv::{FoldedWeights, Layer, NetworkParameters, Norm, Normed, NormedBlock};

/// Returns the parameters of a network and the running statistics of its norms as plain arrays.
pub(crate) fn parameters(network: &Network) -> NetworkParameters {
    let block = |block: &Residual| NormedBlock {
        first: normed(&block.first),
        pool: block.pool.as_ref().map(|pool| linear(&pool.mix)),
        second: normed(&block.second),
    };
    let (policy, value) = (&network.policy, &network.value);
    NetworkParameters {
        board: network.board.clone(),
        stem: normed(&network.stem),
        blocks: network.blocks.iter().map(block).collect(),
        policy_hidden: normed(&policy.hidden),
        policy_out: convolution(&policy.out),
        pass: policy.pass.as_ref().map(linear),
        value_features: normed(&value.features),
        value_hidden: linear(&value.hidden),
        value_out: linear(&value.out),
    }
}

/// Returns the network for inference, with its norms folded into its convolutions.
pub(crate) fn fold(network: &Network) -> FoldedWeights {
    parameters(network).folded()
}

/// Converts the gradients of all layers, in the order of [`NetworkParameters::layers`], to burn's
/// form. Also updates the running statistics of the norms with those of the batch.
pub(crate) fn register_gradients(
    network: &Network,
    device: &Device,
    gradients: Vec<Gradient>,
) -> GradientsParams {
    let mut all = GradientsParams::new();
    for (part, gradient) in parts(network).into_iter().zip(gradients) {
        let Gradient { weights, bias, norm } = gradient;
        match part {
            Part::Normed(layer) => {
                register(&mut all, &layer.conv.weight, weights);
                let found = norm.expect("a gradient of the norm");
                update_running_statistics(&layer.norm, &found, device);
                register(&mut all, &layer.norm.gamma, found.gamma);
                register(&mut all, &layer.norm.beta, found.beta);
            }
            Part::Convolution(layer) => {
                register(&mut all, &layer.weight, weights);
                layer.bias.iter().for_each(|param| register(&mut all, param, bias.clone()));
            }
            Part::Linear(layer) => {
                let [inputs, outputs] = layer.weight.dims();
                all.register(layer.weight.id, tensor(weights, [outputs, inputs]).transpose());
                layer.bias.iter().for_each(|param| register(&mut all, param, bias.clone()));
            }
        }
    }
    all
}

/// A layer of the network.
enum Part<'a> {
    Normed(&'a ConvNorm),
    Convolution(&'a Conv2d),
    Linear(&'a Linear),
}

/// All layers in the order of [`NetworkParameters::layers`].
fn parts(network: &Network) -> Vec<Part<'_>> {
    let mut parts = vec![Part::Normed(&network.stem)];
    for block in &network.blocks {
        parts.push(Part::Normed(&block.first));
        parts.extend(block.pool.iter().map(|pool| Part::Linear(&pool.mix)));
        parts.push(Part::Normed(&block.second));
    }
    let (policy, value) = (&network.policy, &network.value);
    parts.extend([Part::Normed(&policy.hidden), Part::Convolution(&policy.out)]);
    parts.extend(policy.pass.iter().map(Part::Linear));
    parts.push(Part::Normed(&value.features));
    parts.extend([Part::Linear(&value.hidden), Part::Linear(&value.out)]);
    parts
}

fn register<const D: usize>(
    all: &mut GradientsParams,
    param: &Param<Tensor<D>>,
    gradient: Vec<f32>,
) {
    all.register(param.id, tensor(gradient, param.dims()));
}

fn tensor<const D: usize>(numbers: Vec<f32>, dims: [usize; D]) -> Tensor<D> {
    Tensor::from_data(TensorData::new(numbers, dims), &cpu())
}

/// Moves the running statistics towards those of a batch, as burn does in its forward pass.
fn update_running_statistics(norm: &BatchNorm, found: &NormGradient, device: &Device) {
    let statistics = [(&norm.running_mean, &found.mean), (&norm.running_var, &found.variance)];
    for (running, found) in statistics {
        let found = TensorData::new(found.clone(), [found.len()]);
        let found = Tensor::<1>::from_data(found, device).mul_scalar(norm.momentum);
        let before = running.value_sync().to_device(device).mul_scalar(1.0 - norm.momentum);
        running.update(before.add(found).detach());
    }
}

/// Applies the pending updates of all running statistics. Burn keeps the updates of a thread until
/// the same thread reads the statistics, but the next step may run on another thread.
pub(super) fn sync_running_statistics(network: &Network) {
    for part in parts(network) {
        if let Part::Normed(layer) = part {
            layer.norm.running_mean.value_sync();
            layer.norm.running_var.value_sync();
        }
    }
}

fn normed(layer: &ConvNorm) -> Normed {
    let norm = &layer.norm;
    let norm = Norm {
        gamma: numbers(norm.gamma.val()),
        beta: numbers(norm.beta.val()),
        mean: numbers(norm.running_mean.value()),
        variance: numbers(norm.running_var.value()),
        epsilon: norm.epsilon,
    };
    Normed { layer: convolution(&layer.conv), norm }
}

fn convolution(conv: &Conv2d) -> Layer {
    let weight = conv.weight.val();
    let [outputs, inputs, kernel, _] = weight.dims();
    let bias = conv.bias.as_ref().map_or_else(|| vec![0.0; outputs], |bias| numbers(bias.val()));
    Layer { inputs, outputs, kernel, weights: numbers(weight), bias }
}

/// Burn stores the weights of a linear layer as `[inputs, outputs]`.
fn linear(layer: &Linear) -> Layer {
    let weight = layer.weight.val();
    let [inputs, outputs] = weight.dims();
    let bias = layer.bias.as_ref().map_or_else(|| vec![0.0; outputs], |bias| numbers(bias.val()));
    Layer { inputs, outputs, kernel: 1, weights: numbers(weight.transpose()), bias }
}

fn numbers<const D: usize>(tensor: Tensor<D>) -> Vec<f32> {
    tensor.into_data().try_into_vec_as::<f32>().expect("numbers")
}
