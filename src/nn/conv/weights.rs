//! The architecture and the weights of a network as plain arrays.

use std::ops::Range;

use super::geometry::Geometry;
use crate::nn::Board;

/// The trained parameters of a network, with norms separate from convolutions. [`FoldedWeights`]
/// describes the parts.
#[derive(Clone, PartialEq, Debug)]
pub(crate) struct NetworkParameters {
    /// See [`FoldedWeights::board`].
    pub board: Board,
    /// See [`FoldedWeights::stem`].
    pub stem: Normed,
    /// See [`FoldedWeights::blocks`].
    pub blocks: Vec<NormedBlock>,
    /// See [`FoldedWeights::policy_hidden`].
    pub policy_hidden: Normed,
    /// See [`FoldedWeights::policy_out`].
    pub policy_out: Layer,
    /// See [`FoldedWeights::pass`].
    pub pass: Option<Layer>,
    /// See [`FoldedWeights::value_features`].
    pub value_features: Normed,
    /// See [`FoldedWeights::value_hidden`].
    pub value_hidden: Layer,
    /// See [`FoldedWeights::value_out`].
    pub value_out: Layer,
}

/// A residual block; see [`ResidualBlock`].
#[derive(Clone, PartialEq, Debug)]
pub(crate) struct NormedBlock {
    /// See [`ResidualBlock::first`].
    pub first: Normed,
    /// See [`ResidualBlock::pool`].
    pub pool: Option<Layer>,
    /// See [`ResidualBlock::second`].
    pub second: Normed,
}

/// A convolution, whose bias is zero, followed by batch norm.
#[derive(Clone, PartialEq, Debug)]
pub(crate) struct Normed {
    /// The convolution.
    pub layer: Layer,
    /// Its norm.
    pub norm: Norm,
}

impl NetworkParameters {
    /// Folds the norms into the convolutions, for inference.
    pub(crate) fn folded(self) -> FoldedWeights {
        let block = |block: NormedBlock| ResidualBlock {
            first: block.first.folded(),
            pool: block.pool,
            second: block.second.folded(),
        };
        FoldedWeights {
            board: self.board,
            stem: self.stem.folded(),
            blocks: self.blocks.into_iter().map(block).collect(),
            policy_hidden: self.policy_hidden.folded(),
            policy_out: self.policy_out,
            pass: self.pass,
            value_features: self.value_features.folded(),
            value_hidden: self.value_hidden,
            value_out: self.value_out,
        }
    }

    /// All layers, with their norms if they have one, in the order in which they are computed:
    /// stem, blocks, policy head, value head.
    pub(crate) fn layers(&self) -> Vec<(&Layer, Option<&Norm>)> {
        fn normed(part: &Normed) -> (&Layer, Option<&Norm>) {
            (&part.layer, Some(&part.norm))
        }
        let mut layers = vec![normed(&self.stem)];
        for block in &self.blocks {
            layers.push(normed(&block.first));
            layers.extend(block.pool.iter().map(|pool| (pool, None)));
            layers.push(normed(&block.second));
        }
        layers.extend([normed(&self.policy_hidden), (&self.policy_out, None)]);
        layers.extend(self.pass.iter().map(|pass| (pass, None)));
        layers.push(normed(&self.value_features));
        layers.extend([(&self.value_hidden, None), (&self.value_out, None)]);
        layers
    }
}

impl NetworkParameters {
    /// Like [`layers`](Self::layers), mutable and without norms.
    #[cfg(test)]
    pub(crate) fn layers_mut(&mut self) -> Vec<&mut Layer> {
        let mut layers = vec![&mut self.stem.layer];
        for block in &mut self.blocks {
            layers.push(&mut block.first.layer);
            layers.extend(&mut block.pool);
            layers.push(&mut block.second.layer);
        }
        layers.extend([&mut self.policy_hidden.layer, &mut self.policy_out]);
        layers.extend(&mut self.pass);
        layers.push(&mut self.value_features.layer);
        layers.extend([&mut self.value_hidden, &mut self.value_out]);
        layers
    }
}

impl Normed {
    fn folded(self) -> Layer {
        self.layer.folded(&self.norm)
    }
}

/// The weights of a network for inference, with norms folded into the convolutions.
///
/// None of them but `board` depends on the board size. With `c` channels, the network is:
///
/// * trunk: `stem`, then `blocks`;
/// * policy head: `policy_hidden`, then `policy_out`; the logit of the pass is `pass` of the pooled
///   `policy_hidden`;
/// * value head: `value_features`, pooled, then `value_hidden` and `value_out`.
///
/// Pooling takes the mean of every channel over all cells, then the maximum of every channel, which
/// are `2 * c` numbers.
#[derive(Clone, PartialEq, Debug)]
pub struct FoldedWeights {
    /// The cells that it computes.
    pub board: Board,
    /// 3x3, from the planes of an observation to `c` channels; ReLU.
    pub stem: Layer,
    /// The residual blocks, in order.
    pub blocks: Vec<ResidualBlock>,
    /// 1x1, from `c` to `c`; ReLU.
    pub policy_hidden: Layer,
    /// 1x1, from `c` channels to the planes of the action space.
    pub policy_out: Layer,
    /// From `2 * c` to the logit of the pass, in games with one.
    pub pass: Option<Layer>,
    /// 1x1, from `c` to `c`; ReLU.
    pub value_features: Layer,
    /// From `2 * c` to the hidden layer; ReLU.
    pub value_hidden: Layer,
    /// From the hidden layer to the [`VALUES`].
    pub value_out: Layer,
}

impl FoldedWeights {
    /// Checks that the layers have the sizes of the board.
    ///
    /// # Panics
    ///
    /// If they do not.
    pub(crate) fn check(&self) {
        let spec = self.board.spec();
        assert_eq!(self.stem.inputs, spec.planes, "the stem reads the planes");
        assert_eq!(self.policy_out.outputs, spec.displacements.len(), "one for each plane");
        assert_eq!(self.pass.is_some(), spec.pass, "a logit for the pass, if there is one");
    }

    /// Number of multiply-adds of an evaluation, without borders and padding.
    pub(crate) fn products(&self) -> usize {
        let each = |layer: &Layer| layer.inputs * layer.outputs;
        let blocks = self.blocks.iter();
        let trunk = blocks.clone().map(|block| each(&block.first) + each(&block.second));
        let pools = blocks.filter_map(|block| block.pool.as_ref());
        let around = each(&self.stem) + trunk.sum::<usize>();
        let cells = [&self.policy_hidden, &self.policy_out, &self.value_features];
        let whole = pools.chain(&self.pass).chain([&self.value_hidden, &self.value_out]);
        around * Geometry::of(&self.board, 3).reads()
            + cells.into_iter().map(each).sum::<usize>() * self.board.cells().len()
            + whole.map(each).sum::<usize>()
    }
}

/// Number of outputs of the value head: the logits of win, draw and loss for the side to move, and
/// `ln(1 + n)` for the expected number `n` of turns to the end of the game.
pub(crate) const VALUES: usize = 4;

/// A residual block: `relu(x + second(y))`, where `y = relu(first(x))`, plus `pool` of the pooled
/// `y` if the block has global pooling.
#[derive(Clone, PartialEq, Debug)]
pub struct ResidualBlock {
    /// 3x3, from `c` to `c`; ReLU.
    pub first: Layer,
    /// Global pooling, from `2 * c` to `c`: a bias that is added to each cell.
    pub pool: Option<Layer>,
    /// 3x3, from `c` to `c`; the input of the block is added, then ReLU.
    pub second: Layer,
}

/// A convolution with a bias; a linear layer is one with a 1x1 kernel on a board of one cell.
#[derive(Clone, PartialEq, Debug)]
pub struct Layer {
    /// Number of input channels.
    pub inputs: usize,
    /// Number of output channels.
    pub outputs: usize,
    /// Side of the square kernel, 1 or 3.
    pub kernel: usize,
    /// `[outputs, inputs, kernel, kernel]`.
    pub weights: Vec<f32>,
    /// `[outputs]`.
    pub bias: Vec<f32>,
}

/// Batch norm in inference: `gamma * (x - mean) / sqrt(variance + epsilon) + beta`.
#[derive(Clone, PartialEq, Debug)]
pub struct Norm {
    /// Scale of each channel.
    pub gamma: Vec<f32>,
    /// Offset of each channel.
    pub beta: Vec<f32>,
    /// Running mean of each channel.
    pub mean: Vec<f32>,
    /// Running variance of each channel.
    pub variance: Vec<f32>,
    /// Added to the variance, so that the root is positive.
    pub epsilon: f64,
}

impl Layer {
    /// A layer without channels.
    pub fn empty(kernel: usize) -> Self {
        Self { inputs: 0, outputs: 0, kernel, weights: Vec::new(), bias: Vec::new() }
    }

    /// Returns the part of the layer that computes a range of its outputs.
    ///
    /// # Panics
    ///
    /// If the range exceeds the outputs.
    pub fn rows(&self, outputs: Range<usize>) -> Self {
        let each = self.weights.len() / self.outputs;
        let weights = &self.weights[outputs.start * each..outputs.end * each];
        let (weights, bias) = (weights.to_vec(), self.bias[outputs.clone()].to_vec());
        Self { outputs: outputs.len(), weights, bias, ..*self }
    }

    /// Returns one layer that computes this layer followed by `norm`.
    ///
    /// # Panics
    ///
    /// If the norm has fewer channels than [`outputs`](Self::outputs).
    pub fn folded(mut self, norm: &Norm) -> Self {
        let each = self.weights.len() / self.outputs;
        for (channel, weights) in self.weights.chunks_exact_mut(each).enumerate() {
            let deviation = (f64::from(norm.variance[channel]) + norm.epsilon).sqrt();
            let scale = f64::from(norm.gamma[channel]) / deviation;
            weights.iter_mut().for_each(|weight| *weight = (f64::from(*weight) * scale) as f32);
            let centred = f64::from(self.bias[channel]) - f64::from(norm.mean[channel]);
            self.bias[channel] = (centred * scale + f64::from(norm.beta[channel])) as f32;
        }
        self
    }
}
