//! Gradients of the losses without a tensor library, for training on the CPU.
//!
//! The inputs are the [`NetworkParameters`] and a [`Batch`], the outputs the losses and a
//! [`Gradient`] per layer. Convolutions are shared with the forward pass of
//! [`infer`](crate::nn::infer).
//!
//! A batch is split into shards of a fixed number of positions, which threads compute in parallel.
//! Batch norm (Ioffe and Szegedy 2015) needs statistics of the whole batch, so after every layer
//! the statistics of the shards are combined, always in the same order. Results therefore do not
//! depend on the number of threads.
//!
//! The gradient of the inputs of a convolution is a convolution with the flipped and transposed
//! kernel. The gradient of its weights is the correlation of inputs with gradients of outputs.
//! Where a dword holds two bf16, they belong to two boards, so that a product sums over both. As in
//! mixed precision training (Micikevicius et al. 2018), activations and the factors of products are
//! in the engine's precision, while sums, norms and all other gradients are in `f32`.

mod backward;
mod forward;
mod forward_backward;
mod layer;
mod layer_indices;
mod loss;
mod norm;
mod shard;

use rayon::prelude::*;

use crate::nn::conv::{InstructionSet, Kernel, NetworkParameters, Unsupported};
use crate::nn::settings::LossWeights;
use crate::nn::{Batch, Board};
use layer::PlannedLayer;
use layer_indices::LayerIndices;
pub(crate) use loss::BatchLosses;
pub(crate) use norm::NormGradient;
use shard::Shard;

/// Positions in a shard: enough to reuse the cached weights of a layer, few enough to occupy all
/// threads.
const SHARD: usize = 32;

/// Computes gradients for networks of one shape.
#[derive(Debug)]
pub(crate) struct Backprop {
    plan: NetworkPlan,
    shards: Vec<Shard>,
    /// Size of the batches that the shards were made for.
    size: usize,
}

/// The layers and the network's structure, which do not change within a pass.
#[derive(Debug)]
struct NetworkPlan {
    kernel: &'static Kernel,
    board: Board,
    indices: LayerIndices,
    layers: Vec<PlannedLayer>,
}

/// The gradient of one layer of [`NetworkParameters::layers`].
#[derive(Clone, PartialEq, Debug)]
pub(crate) struct Gradient {
    /// `[outputs, inputs, kernel, kernel]`
    pub weights: Vec<f32>,
    /// `[outputs]`; empty if a norm follows, since the norm cancels a bias.
    pub bias: Vec<f32>,
    /// The gradient of the norm, if one follows.
    pub norm: Option<NormGradient>,
}

impl Backprop {
    /// Prepares for networks with the shape of `parameters`, on their board.
    ///
    /// # Errors
    ///
    /// If this CPU lacks the instructions of `set`.
    pub(crate) fn new(
        parameters: &NetworkParameters,
        set: InstructionSet,
    ) -> Result<Self, Unsupported> {
        let kernel = Kernel::find(set).ok_or(Unsupported(set))?;
        let indices = LayerIndices::new(parameters);
        let layers = indices.plan(parameters, kernel);
        let plan = NetworkPlan { kernel, board: parameters.board.clone(), indices, layers };
        Ok(Self { plan, shards: Vec::new(), size: 0 })
    }

    /// Returns the losses of a batch and the gradients of their weighted sum, in the order of
    /// [`NetworkParameters::layers`]. It runs on the threads of the current rayon pool.
    ///
    /// # Panics
    ///
    /// If `parameters` or the batch have another shape, or the batch is empty.
    pub(crate) fn run(
        &mut self,
        parameters: &NetworkParameters,
        batch: &Batch,
        weights: LossWeights,
    ) -> (BatchLosses, Vec<Gradient>) {
        self.plan.load(parameters);
        self.reserve(batch.size);
        let losses = self.forward_backward(batch, weights);
        (losses, self.gradients())
    }

    fn reserve(&mut self, size: usize) {
        assert!(size > 0, "a batch has positions");
        if size != self.size {
            let starts = (0..size).step_by(SHARD);
            let range = |start: usize| start..(start + SHARD).min(size);
            self.shards = starts.map(|start| Shard::new(&self.plan, range(start))).collect();
            self.size = size;
        }
    }

    /// Adds up the gradients of the shards.
    fn gradients(&self) -> Vec<Gradient> {
        let of_layer = |(index, layer): (usize, &PlannedLayer)| {
            layer.gradient(self.shards.iter().map(|it| [&it.weights[index], &it.bias[index]]))
        };
        self.plan.layers.par_iter().enumerate().map(of_layer).collect()
    }
}

impl NetworkPlan {
    /// Number of cells of the board.
    fn cells(&self) -> usize {
        self.board.cells().len()
    }

    fn load(&mut self, parameters: &NetworkParameters) {
        let layers = parameters.layers();
        assert_eq!(layers.len(), self.layers.len(), "a network of the same shape");
        let planned = self.layers.par_iter_mut();
        planned.zip(layers).for_each(|(planned, (layer, norm))| planned.load(layer, norm));
    }
}
