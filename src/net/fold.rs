//! The network as plain arrays, for engines that know no tensors.

use burn::nn::conv::Conv2d;
use burn::nn::{BatchNorm, Linear};
use burn::tensor::Tensor;

use super::Network;
use super::model::ConvNorm;
use crate::infer::{Block, Layer, Norm, Weights};

/// The weights of a network as it plays, its norms folded into its convolutions.
pub fn fold(network: &Network) -> Weights {
    let block = |block: &super::model::Residual| Block {
        first: convolution(&block.first),
        pool: block.pool.as_ref().map(|pool| linear(&pool.mix)),
        second: convolution(&block.second),
    };
    let (policy, value) = (&network.policy, &network.value);
    Weights {
        stem: convolution(&network.stem),
        blocks: network.blocks.iter().map(block).collect(),
        policy_hidden: convolution(&policy.hidden),
        policy_out: plain(&policy.out),
        pass: policy.pass.as_ref().map(linear),
        value_features: convolution(&value.features),
        value_hidden: linear(&value.hidden),
        value_out: linear(&value.out),
    }
}

fn convolution(layer: &ConvNorm) -> Layer {
    plain(&layer.conv).folded(&norm(&layer.norm))
}

fn plain(conv: &Conv2d) -> Layer {
    let weight = conv.weight.val();
    let [outputs, inputs, kernel, _] = weight.dims();
    let bias = conv.bias.as_ref().map_or_else(|| vec![0.0; outputs], |bias| numbers(bias.val()));
    Layer { inputs, outputs, kernel, weights: numbers(weight), bias }
}

/// Burn keeps a linear layer's weights as `[inputs, outputs]`.
fn linear(layer: &Linear) -> Layer {
    let weight = layer.weight.val();
    let [inputs, outputs] = weight.dims();
    let bias = layer.bias.as_ref().map_or_else(|| vec![0.0; outputs], |bias| numbers(bias.val()));
    Layer { inputs, outputs, kernel: 1, weights: numbers(weight.transpose()), bias }
}

fn norm(norm: &BatchNorm) -> Norm {
    Norm {
        gamma: numbers(norm.gamma.val()),
        beta: numbers(norm.beta.val()),
        mean: numbers(norm.running_mean.value()),
        variance: numbers(norm.running_var.value()),
        epsilon: norm.epsilon,
    }
}

fn numbers<const D: usize>(tensor: Tensor<D>) -> Vec<f32> {
    tensor.into_data().iter::<f32>().collect()
}
