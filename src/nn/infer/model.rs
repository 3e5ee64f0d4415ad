//! The forward pass, layer by layer.

use super::micro_batches::Forward;
use crate::nn::Board;
use crate::nn::conv::{
    self, Aligned, Epilogue, FoldedWeights, Geometry, InputKind, Kernel, Packed,
};

/// Bytes of activations of a micro-batch, few enough to stay in the cache together with the weights
/// of a layer.
pub(super) const CACHE: usize = 400_000;

/// Largest number of positions in a micro-batch.
pub(super) const POSITIONS: usize = 64;

/// A network with packed weights, for boards of one size. It is immutable.
#[derive(Debug)]
pub(super) struct FloatModel {
    kernel: &'static Kernel,
    board: Board,
    /// The board for 3x3 kernels.
    around: Geometry,
    /// The board for 1x1 kernels.
    cells: Geometry,
    /// A board of one cell, for layers that read pooled channels.
    whole: Geometry,
    stem: Packed,
    blocks: Vec<PackedBlock>,
    policy_hidden: Packed,
    policy_out: Packed,
    pass: Option<Packed>,
    value_features: Packed,
    value_hidden: Packed,
    value_out: Packed,
}

#[derive(Debug)]
struct PackedBlock {
    first: Packed,
    pool: Option<Packed>,
    second: Packed,
}

/// The buffers of a forward pass.
#[derive(Debug)]
pub(super) struct FloatScratch {
    /// Number of positions that fit.
    positions: usize,
    /// `[positions, planes, cells]`, written by the caller.
    observations: Vec<f32>,
    /// `[positions, cells, dwords]`.
    input: Aligned,
    trunk: Aligned,
    inner: Aligned,
    /// `[positions, 2 * dwords]`.
    pooled: Aligned,
    /// `[positions, dwords]`.
    hidden: Aligned,
    /// `[positions, cells, channels]` of the policy.
    policy: Aligned,
    /// `[positions, channels]`.
    numbers: Aligned,
}

impl FloatModel {
    /// Packs a network.
    ///
    /// # Panics
    ///
    /// If the layers do not have the sizes of the board.
    pub(super) fn new(weights: &FoldedWeights, kernel: &'static Kernel) -> Self {
        weights.check();
        let pack = |layer: &conv::Layer, source| Packed::new(layer, source, kernel.layout());
        let block = |block: &conv::ResidualBlock| PackedBlock {
            first: pack(&block.first, InputKind::Channels),
            pool: block.pool.as_ref().map(|pool| pack(pool, InputKind::Pooled)),
            second: pack(&block.second, InputKind::Channels),
        };
        Self {
            kernel,
            board: weights.board.clone(),
            around: Geometry::of(&weights.board, 3),
            cells: Geometry::of(&weights.board, 1),
            whole: Geometry::new(1, 1, 1),
            stem: pack(&weights.stem, InputKind::Planes),
            blocks: weights.blocks.iter().map(block).collect(),
            policy_hidden: pack(&weights.policy_hidden, InputKind::Channels),
            policy_out: pack(&weights.policy_out, InputKind::Channels),
            pass: weights.pass.as_ref().map(|pass| pack(pass, InputKind::Pooled)),
            value_features: pack(&weights.value_features, InputKind::Channels),
            value_hidden: pack(&weights.value_hidden, InputKind::Pooled),
            value_out: pack(&weights.value_out, InputKind::Channels),
        }
    }

    /// Converts observations from `[planes, cells]` to `[cells, dwords]`.
    fn encode(&self, scratch: &mut FloatScratch, count: usize) {
        let sizes = [self.kernel.channels(), self.stem.stride];
        let observations = scratch.observations.chunks_exact(self.board.spec().observation());
        let inputs = scratch.input.chunks_exact_mut(self.cells.cells() * self.stem.stride);
        for (observation, input) in observations.zip(inputs).take(count) {
            conv::encode(&self.board, observation, sizes, input);
        }
    }

    fn run_trunk(&self, scratch: &mut FloatScratch, count: usize) {
        let FloatScratch { input, trunk, inner, pooled, numbers, .. } = scratch;
        let (kernel, around) = (self.kernel, &self.around);
        kernel.convolve(&self.stem, around, count, input, trunk, Epilogue::Relu);
        for PackedBlock { first, pool, second } in &self.blocks {
            kernel.convolve(first, around, count, trunk, inner, Epilogue::Relu);
            if let Some(pool) = pool {
                let sizes = [count, self.cells.cells(), first.channels];
                kernel.pool(sizes, inner, pooled);
                kernel.convolve(pool, &self.whole, count, pooled, numbers, Epilogue::Logits);
                kernel.add(sizes, numbers, inner);
            }
            kernel.convolve(second, around, count, inner, trunk, Epilogue::AddRelu);
        }
    }

    fn run_policy(&self, scratch: &mut FloatScratch, count: usize, policy: &mut [f32]) {
        let FloatScratch { trunk, inner, pooled, policy: logits, numbers, .. } = scratch;
        let (kernel, cells) = (self.kernel, &self.cells);
        let (hidden, out) = (&self.policy_hidden, &self.policy_out);
        kernel.convolve(hidden, cells, count, trunk, inner, Epilogue::Relu);
        kernel.convolve(out, cells, count, inner, logits, Epilogue::Logits);
        conv::policy_of_cells(&self.board, count, logits, out.channels, policy);
        if let Some(pass) = &self.pass {
            kernel.pool([count, cells.cells(), hidden.channels], inner, pooled);
            kernel.convolve(pass, &self.whole, count, pooled, numbers, Epilogue::Logits);
            conv::policy_of_pass(self.board.spec(), count, numbers, pass.channels, policy);
        }
    }

    fn run_value(&self, scratch: &mut FloatScratch, count: usize, wdl: &mut [[f32; 3]]) {
        let FloatScratch { trunk, inner, pooled, hidden, numbers, .. } = scratch;
        let (kernel, whole, features) = (self.kernel, &self.whole, &self.value_features);
        kernel.convolve(features, &self.cells, count, trunk, inner, Epilogue::Relu);
        kernel.pool([count, self.cells.cells(), features.channels], inner, pooled);
        kernel.convolve(&self.value_hidden, whole, count, pooled, hidden, Epilogue::Relu);
        kernel.convolve(&self.value_out, whole, count, hidden, numbers, Epilogue::Logits);
        wdl_of_values(count, numbers, self.value_out.channels, wdl);
    }
}

/// Copies the logits of win, draw and loss, the first of `[count, channels]`.
pub(super) fn wdl_of_values(count: usize, values: &[f32], channels: usize, wdl: &mut [[f32; 3]]) {
    let values = values.chunks_exact(channels).take(count);
    for (wdl, values) in wdl.iter_mut().zip(values) {
        wdl.copy_from_slice(&values[..3]);
    }
}

impl Forward for FloatModel {
    type Scratch = FloatScratch;

    fn positions(&self) -> usize {
        let board = self.cells.cells() * self.stem.channels * size_of::<f32>();
        (CACHE * self.kernel.channels() / (2 * board)).clamp(1, POSITIONS)
    }

    fn scratch(&self) -> FloatScratch {
        let none = || Aligned::zeros(0);
        FloatScratch {
            positions: 0,
            observations: Vec::new(),
            input: none(),
            trunk: none(),
            inner: none(),
            pooled: none(),
            hidden: none(),
            policy: none(),
            numbers: none(),
        }
    }

    fn observations<'a>(&self, scratch: &'a mut FloatScratch, count: usize) -> &'a mut [f32] {
        if count > scratch.positions {
            let (spec, channels) = (self.board.spec(), self.stem.channels);
            let (cells, each) = (count * self.cells.cells(), self.kernel.channels());
            let numbers = channels.max(self.value_out.channels);
            *scratch = FloatScratch {
                positions: count,
                observations: vec![0.0; count * spec.observation()],
                input: Aligned::zeros(cells * self.stem.stride),
                trunk: Aligned::zeros(cells * channels / each),
                inner: Aligned::zeros(cells * channels / each),
                pooled: Aligned::zeros(count * 2 * channels / each),
                hidden: Aligned::zeros(count * self.value_hidden.channels / each),
                policy: Aligned::zeros(cells * self.policy_out.channels),
                numbers: Aligned::zeros(count * numbers),
            };
        }
        &mut scratch.observations
    }

    fn run(
        &self,
        scratch: &mut FloatScratch,
        count: usize,
        policy: &mut [f32],
        wdl: &mut [[f32; 3]],
    ) {
        self.encode(scratch, count);
        self.run_trunk(scratch, count);
        self.run_policy(scratch, count, policy);
        self.run_value(scratch, count, wdl);
    }
}
