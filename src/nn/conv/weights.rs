//! The weights of a network as plain arrays.

use std::ops::Range;

/// What a network of this program's family learns, its norms beside its convolutions. It has the
/// parts of [`Weights`], which says what they are.
#[derive(Clone, PartialEq, Debug)]
pub struct Parameters {
    /// See [`Weights::stem`].
    pub stem: Normed,
    /// See [`Weights::blocks`].
    pub blocks: Vec<NormedBlock>,
    /// See [`Weights::policy_hidden`].
    pub policy_hidden: Normed,
    /// See [`Weights::policy_out`].
    pub policy_out: Layer,
    /// See [`Weights::pass`].
    pub pass: Option<Layer>,
    /// See [`Weights::value_features`].
    pub value_features: Normed,
    /// See [`Weights::value_hidden`].
    pub value_hidden: Layer,
    /// See [`Weights::value_out`].
    pub value_out: Layer,
}

/// A residual block; see [`Block`].
#[derive(Clone, PartialEq, Debug)]
pub struct NormedBlock {
    /// See [`Block::first`].
    pub first: Normed,
    /// See [`Block::pool`].
    pub pool: Option<Layer>,
    /// See [`Block::second`].
    pub second: Normed,
}

/// A convolution, whose bias is zero, and the norm that follows it.
#[derive(Clone, PartialEq, Debug)]
pub struct Normed {
    /// The convolution.
    pub layer: Layer,
    /// Its norm.
    pub norm: Norm,
}

impl Parameters {
    /// The network as it plays.
    pub fn folded(self) -> Weights {
        let block = |block: NormedBlock| Block {
            first: block.first.folded(),
            pool: block.pool,
            second: block.second.folded(),
        };
        Weights {
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

    /// All layers, and the norms of those that have one: stem, blocks, policy, value, each in the
    /// order in which they are computed.
    pub fn layers(&self) -> Vec<(&Layer, Option<&Norm>)> {
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

impl Parameters {
    /// The layers of [`layers`](Self::layers), to be changed.
    pub fn layers_mut(&mut self) -> Vec<&mut Layer> {
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

/// What a network of this program's family consists of, its norms folded into the convolutions.
///
/// Nothing in it depends on the size of the board. With `c` channels, the trunk is the `stem` and
/// then the `blocks`; the policy is `policy_out` of `policy_hidden`, and a `pass` from what
/// `policy_hidden` says of the whole board; win, draw and loss, and how long the game will go on,
/// come from what `value_features` says of the whole board, through `value_hidden` and
/// `value_out`. "The whole board" is the mean
/// of every channel over all cells, then the largest value of every channel: `2 * c` inputs.
#[derive(Clone, PartialEq, Debug)]
pub struct Weights {
    /// 3x3, from the planes of an observation to `c`; ReLU.
    pub stem: Layer,
    /// The residual blocks, in order.
    pub blocks: Vec<Block>,
    /// 1x1, from `c` to `c`; ReLU.
    pub policy_hidden: Layer,
    /// 1x1, from `c` to the planes of the action space.
    pub policy_out: Layer,
    /// From `2 * c` to the logit of the pass, where there is one.
    pub pass: Option<Layer>,
    /// 1x1, from `c` to `c`; ReLU.
    pub value_features: Layer,
    /// From `2 * c` to the hidden layer; ReLU.
    pub value_hidden: Layer,
    /// From the hidden layer to the [`VALUES`].
    pub value_out: Layer,
}

/// What the value head says: the logits of win, draw and loss for the side to move, and `ln(1 + n)`
/// of the expected number `n` of turns to the end of the game.
pub const VALUES: usize = 4;

/// A residual block: `relu(x + second(pooled(relu(first(x)))))`.
#[derive(Clone, PartialEq, Debug)]
pub struct Block {
    /// 3x3, from `c` to `c`; ReLU.
    pub first: Layer,
    /// From `2 * c` to `c`, added to each cell of what it was computed from.
    pub pool: Option<Layer>,
    /// 3x3, from `c` to `c`; the block's input is added to it, then ReLU.
    pub second: Layer,
}

/// A convolution with a bias; a linear layer is one with a 1x1 kernel on a board of one cell.
#[derive(Clone, PartialEq, Debug)]
pub struct Layer {
    /// Channels it reads.
    pub inputs: usize,
    /// Channels it writes.
    pub outputs: usize,
    /// Side of its square kernel, 1 or 3.
    pub kernel: usize,
    /// `[outputs, inputs, kernel, kernel]`.
    pub weights: Vec<f32>,
    /// `[outputs]`.
    pub bias: Vec<f32>,
}

/// A batch norm as it is when playing: `gamma * (x - mean) / sqrt(variance + epsilon) + beta`.
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
    /// What keeps the root from zero.
    pub epsilon: f64,
}

impl Layer {
    /// A layer of no channels.
    pub fn empty(kernel: usize) -> Self {
        Self { inputs: 0, outputs: 0, kernel, weights: Vec::new(), bias: Vec::new() }
    }

    /// The part of the layer that computes these of its outputs.
    ///
    /// # Panics
    ///
    /// If it has no such outputs.
    pub fn rows(&self, outputs: Range<usize>) -> Self {
        let each = self.weights.len() / self.outputs;
        let weights = &self.weights[outputs.start * each..outputs.end * each];
        let (weights, bias) = (weights.to_vec(), self.bias[outputs.clone()].to_vec());
        Self { outputs: outputs.len(), weights, bias, ..*self }
    }

    /// The layer followed by `norm`, as one layer.
    ///
    /// # Panics
    ///
    /// If the norm is not one of [`outputs`](Self::outputs) channels.
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
