//! The network on burn: a residual trunk with a policy and a value head.
//!
//! The architecture is that of AlphaZero with residual blocks (He et al., "Identity mappings in
//! deep residual networks", 2016), but its heads do not depend on the board size. The policy is a
//! 1x1 convolution with one channel per plane of the action space. The value is computed from
//! channels that are pooled over the board. The weights of a small board therefore load on a
//! larger one.
//!
//! Tensors have all cells of the frame. Those that the board does not have are zero, and norms and
//! pooled channels leave them out.

use burn::module::{Module, ParamId, RunningState};
use burn::nn::conv::{Conv2d, Conv2dConfig};
use burn::nn::{BatchNorm, BatchNormConfig, Linear, LinearConfig, PaddingConfig2d};
use burn::tensor::activation::relu;
use burn::tensor::{Device, Tensor};

use super::cells::Cells;
use crate::games::Spec;
use crate::nn::Board;
use crate::nn::conv::VALUES;
use crate::nn::settings::NetworkSettings;

/// The policy-value network.
#[derive(Module, Debug)]
pub struct Network {
    #[module(skip)]
    pub(super) board: Board,
    pub(super) stem: ConvNorm,
    pub(super) blocks: Vec<Residual>,
    pub(super) policy: PolicyHead,
    pub(super) value: ValueHead,
}

/// The outputs of the network for a batch of positions.
#[derive(Debug)]
pub struct Outputs {
    /// Logits of all actions, legal or not: `[batch, actions]`.
    pub policy: Tensor<2>,
    /// Logits of win, draw and loss for the side to move: `[batch, 3]`.
    pub wdl: Tensor<2>,
    /// `ln(1 + n)` for the expected number `n` of turns to the end of the game: `[batch, 1]`.
    pub moves_left: Tensor<2>,
}

impl Network {
    /// Returns a network for a board, with burn's default weights. Use
    /// [`initialize`](super::initialize) for reproducible ones.
    pub fn new(board: &Board, settings: &NetworkSettings, device: &Device) -> Self {
        let (spec, channels) = (board.spec(), settings.channels);
        let block = |index| Residual::new(channels, settings.is_pooled(index), device);
        Self {
            board: board.clone(),
            stem: ConvNorm::new(spec.planes, channels, 3, device),
            blocks: (0..settings.blocks).map(block).collect(),
            policy: PolicyHead::new(spec, channels, device),
            value: ValueHead::new(channels, settings.value_hidden, device),
        }
    }

    /// The device of the parameters.
    pub fn device(&self) -> Device {
        self.stem.conv.weight.lazy_device().without_autodiff()
    }

    /// Evaluates `observations`, `[batch, planes, height, width]`.
    pub fn forward(&self, observations: Tensor<4>) -> Outputs {
        let cells = &Cells::new(&self.board, &observations.device());
        let stem = relu(self.stem.forward(cells.only(observations), cells));
        let trunk = self.blocks.iter().fold(stem, |x, block| block.forward(x, cells));
        let policy = self.policy.forward(trunk.clone(), cells);
        let [wdl, moves_left] = self.value.forward(trunk, cells);
        Outputs { policy, wdl, moves_left }
    }
}

/// A convolution that keeps the board size, followed by batch norm.
#[derive(Module, Debug)]
pub(super) struct ConvNorm {
    pub(super) conv: Conv2d,
    pub(super) norm: BatchNorm,
}

impl ConvNorm {
    fn new(from: usize, to: usize, kernel: usize, device: &Device) -> Self {
        let conv = Conv2dConfig::new([from, to], [kernel, kernel])
            .with_padding(PaddingConfig2d::Same)
            .with_bias(false)
            .init(device);
        let mut norm = BatchNormConfig::new(to).init(device);
        for statistic in [&mut norm.running_mean, &mut norm.running_var] {
            *statistic = running(statistic.value());
        }
        Self { conv, norm }
    }

    fn forward(&self, x: Tensor<4>, cells: &Cells) -> Tensor<4> {
        cells.norm(&self.norm, self.conv.forward(x))
    }
}

/// A running statistic of a norm.
///
/// Burn gives each a random ID, which nothing looks up. With the same ID for all, two runs save the
/// same bytes.
pub(super) fn running(value: Tensor<1>) -> RunningState<Tensor<1>> {
    RunningState::with_id(ParamId::from(0), value)
}

/// A residual block of two convolutions.
#[derive(Module, Debug)]
pub(super) struct Residual {
    pub(super) first: ConvNorm,
    pub(super) pool: Option<GlobalBias>,
    pub(super) second: ConvNorm,
}

impl Residual {
    fn new(channels: usize, pooled: bool, device: &Device) -> Self {
        Self {
            first: ConvNorm::new(channels, channels, 3, device),
            pool: pooled.then(|| GlobalBias::new(channels, device)),
            second: ConvNorm::new(channels, channels, 3, device),
        }
    }

    fn forward(&self, x: Tensor<4>, cells: &Cells) -> Tensor<4> {
        let inner = relu(self.first.forward(x.clone(), cells));
        let inner = match &self.pool {
            Some(pool) => pool.forward(inner, cells),
            None => inner,
        };
        relu(x + self.second.forward(inner, cells))
    }
}

/// Global pooling: adds a bias to every cell that is computed from the whole board (D. Wu 2019).
#[derive(Module, Debug)]
pub(super) struct GlobalBias {
    pub(super) mix: Linear,
}

impl GlobalBias {
    fn new(channels: usize, device: &Device) -> Self {
        Self { mix: LinearConfig::new(2 * channels, channels).init(device) }
    }

    pub(super) fn forward(&self, x: Tensor<4>, cells: &Cells) -> Tensor<4> {
        let [batch, channels, ..] = x.dims();
        let bias = self.mix.forward(pooled(x.clone(), cells)).reshape([batch, channels, 1, 1]);
        cells.only(x + bias)
    }
}

/// The means of all channels over the board, then their maxima: `[batch, 2 * channels]`.
fn pooled(x: Tensor<4>, cells: &Cells) -> Tensor<2> {
    let [batch, channels, ..] = x.dims();
    let cells = cells.listed(x);
    let mean = cells.clone().mean_dim(2);
    let largest = cells.max_dim(2);
    Tensor::cat(vec![mean, largest], 1).reshape([batch, 2 * channels])
}

/// The policy head: a channel for each plane of the action space, and the logit of the pass from
/// pooled channels.
#[derive(Module, Debug)]
pub(super) struct PolicyHead {
    pub(super) hidden: ConvNorm,
    pub(super) out: Conv2d,
    pub(super) pass: Option<Linear>,
}

impl PolicyHead {
    fn new(spec: &Spec, channels: usize, device: &Device) -> Self {
        let planes = spec.displacements.len();
        Self {
            hidden: ConvNorm::new(channels, channels, 1, device),
            out: Conv2dConfig::new([channels, planes], [1, 1]).init(device),
            pass: spec.pass.then(|| LinearConfig::new(2 * channels, 1).init(device)),
        }
    }

    fn forward(&self, trunk: Tensor<4>, cells: &Cells) -> Tensor<2> {
        let hidden = relu(self.hidden.forward(trunk, cells));
        let logits: Tensor<2> = cells.only(self.out.forward(hidden.clone())).flatten(1, 3);
        match &self.pass {
            Some(pass) => Tensor::cat(vec![logits, pass.forward(pooled(hidden, cells))], 1),
            None => logits,
        }
    }
}

/// The value head: logits of win, draw and loss, and the moves left.
#[derive(Module, Debug)]
pub(super) struct ValueHead {
    pub(super) features: ConvNorm,
    pub(super) hidden: Linear,
    pub(super) out: Linear,
}

impl ValueHead {
    fn new(channels: usize, hidden: usize, device: &Device) -> Self {
        Self {
            features: ConvNorm::new(channels, channels, 1, device),
            hidden: LinearConfig::new(2 * channels, hidden).init(device),
            out: LinearConfig::new(hidden, VALUES).init(device),
        }
    }

    /// Returns the logits of win, draw and loss, `[batch, 3]`, and `ln(1 + moves left)`,
    /// `[batch, 1]`.
    fn forward(&self, trunk: Tensor<4>, cells: &Cells) -> [Tensor<2>; 2] {
        let features = pooled(relu(self.features.forward(trunk, cells)), cells);
        let values = self.out.forward(relu(self.hidden.forward(features)));
        [values.clone().narrow(1, 0, 3), values.narrow(1, 3, 1)]
    }
}
