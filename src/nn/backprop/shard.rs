//! Shards: some positions of a batch with the buffers for their forward and backward pass.

use std::ops::Range;

use super::NetworkPlan;
use super::layer::{GradientScratch, PlannedLayer};
use super::loss::LossSums;
use super::norm::Statistics;
use crate::nn::Batch;
use crate::nn::conv::{Aligned, Epilogue, RowMoments, encode};

/// Some positions of a batch, with their buffers. A *number* is an `f32`, a *dword* holds one `f32`
/// or two bf16.
#[derive(Debug)]
pub(super) struct Shard {
    /// Indices of the positions in the batch.
    pub positions: Range<usize>,
    /// The input of the stem, as dwords.
    pub input: Aligned,
    /// For each layer its outputs before the norm, if there is one, as numbers. For layers without
    /// a norm the backward pass replaces them by their gradients.
    pub numbers: Vec<Aligned>,
    /// For each layer its outputs after norm and ReLU, as dwords; unused if only a loss reads them.
    pub outputs: Vec<Aligned>,
    /// For each layer that reads means and maxima: its input, as dwords.
    pub pooled: Vec<Aligned>,
    /// For each layer of global pooling: the activations with its bias added, as dwords.
    pub mixed: Vec<Aligned>,
    /// For each layer with a norm: the shard's part of the statistics.
    pub statistics: Vec<Statistics>,
    /// The gradient of the trunk, as numbers.
    pub trunk: Aligned,
    /// The gradients within the heads (policy, value), or within a block (the first only), as
    /// numbers.
    pub side: [Aligned; 2],
    /// The gradient of means and maxima.
    pub pooled_gradient: Aligned,
    /// For each layer the gradient of its weights, `[taps, inputs, outputs]`.
    pub weights: Vec<Aligned>,
    /// For each layer the gradient of its bias.
    pub bias: Vec<Aligned>,
    pub scratch: GradientScratch,
    /// The policy logits of a position or their gradients: a number for each action.
    pub row: Vec<f32>,
    pub losses: LossSums,
}

impl Shard {
    pub(super) fn new(plan: &NetworkPlan, positions: Range<usize>) -> Self {
        let (boards, each) = (positions.len(), plan.kernel.channels());
        let (layers, even) = (&plan.layers, boards.next_multiple_of(2));
        let numbers = |layer: &PlannedLayer| boards * layer.cells() * layer.outputs();
        let widest = layers.iter().map(|layer| layer.cells() * layer.outputs().max(layer.inputs()));
        let widest = even * widest.max().unwrap_or(0);
        let trunk = numbers(&layers[plan.indices.trunk()]);
        let pools = layers.iter().map(PlannedLayer::pooled);
        let (stem, most) = (&layers[plan.indices.stem], pools.clone().max().unwrap_or(0));
        let mixes = |index| plan.indices.blocks.iter().any(|block| block.pool == Some(index));
        let mixed = |(index, layer): (usize, &PlannedLayer)| {
            let cells = if mixes(index) { plan.cells() } else { 0 };
            Aligned::zeros(even * cells * layer.outputs() / each)
        };
        Self {
            input: Aligned::zeros(even * stem.cells() * stem.inputs() / each),
            numbers: layers.iter().map(|layer| Aligned::zeros(numbers(layer))).collect(),
            outputs: layers
                .iter()
                .map(|layer| Aligned::zeros(even * layer.cells() * layer.outputs() / each))
                .collect(),
            pooled: pools.map(|width| Aligned::zeros(even * width / each)).collect(),
            mixed: layers.iter().enumerate().map(mixed).collect(),
            statistics: layers
                .iter()
                .map(|layer| Statistics::new(boards * layer.cells(), layer.outputs()))
                .collect(),
            trunk: Aligned::zeros(trunk),
            side: [Aligned::zeros(trunk), Aligned::zeros(trunk)],
            pooled_gradient: Aligned::zeros(boards * most),
            weights: layers.iter().map(|layer| Aligned::zeros(layer.weights())).collect(),
            bias: layers.iter().map(|layer| Aligned::zeros(layer.outputs())).collect(),
            scratch: GradientScratch {
                dwords: Aligned::zeros(widest),
                input_pairs: Aligned::zeros(widest),
                gradient_pairs: Aligned::zeros(widest),
            },
            row: vec![0.0; plan.board.spec().actions()],
            losses: LossSums::default(),
            positions,
        }
    }

    /// Number of boards.
    pub(super) fn boards(&self) -> usize {
        self.positions.len()
    }

    /// Clears all sums, and converts the observations of a batch to dwords.
    pub(super) fn begin(&mut self, plan: &NetworkPlan, batch: &Batch) {
        self.weights.iter_mut().chain(&mut self.bias).for_each(|sums| sums.fill(0.0));
        self.losses = LossSums::default();
        let (spec, each) = (plan.board.spec(), plan.kernel.channels());
        let sizes @ [_, stride] = [each, plan.layers[plan.indices.stem].inputs() / each];
        let observations = batch.observations.chunks_exact(spec.observation());
        let inputs = self.input.chunks_exact_mut(plan.cells() * stride);
        for (input, observation) in inputs.zip(observations.skip(self.positions.start)) {
            encode(&plan.board, observation, sizes, input);
        }
    }

    /// Computes the layer at `index` up to its norm, and the shard's mean and squares for it.
    pub(super) fn compute_normed(&mut self, plan: &NetworkPlan, index: usize, from: LayerInput) {
        let (boards, layer) = (self.boards(), &plan.layers[index]);
        let input = match from {
            LayerInput::Input => &self.input,
            LayerInput::Output(index) => &self.outputs[index],
            LayerInput::Mixed(index) => &self.mixed[index],
        };
        let numbers = &mut self.numbers[index];
        layer.forward(boards, input, numbers, Epilogue::Logits);
        let Statistics { first: mean, second: squares, .. } = &mut self.statistics[index];
        plan.kernel.moments(RowMoments { rows: numbers, mean, squares });
    }
}

/// The input of a layer.
#[derive(Clone, Copy, Debug)]
pub(super) enum LayerInput {
    /// The observations.
    Input,
    /// The output of the layer at this index.
    Output(usize),
    /// The activations with the bias of the global pooling layer at this index.
    Mixed(usize),
}
