//! A layer in training: its forward pass and its gradients.

use super::Gradient;
use super::norm::BatchNorm;
use crate::nn::conv::{
    Aligned, Epilogue, Geometry, InputKind, InterleaveBoards, Kernel, Layer, Norm, NormBackward,
    PackOrder, Packed, Round, Sum, channel,
};

/// A layer with its weights packed for the forward and for the backward pass.
#[derive(Debug)]
pub(super) struct PlannedLayer {
    kernel: &'static Kernel,
    geometry: Geometry,
    source: InputKind,
    /// Number of channels, without padding, and size of the kernel; no weights.
    shape: Layer,
    forward: (Packed, PackOrder),
    backward: (Packed, PackOrder),
    pub norm: Option<BatchNorm>,
}

/// The input of a layer: its kind and its board.
pub(super) struct Reads<'a> {
    pub source: InputKind,
    pub geometry: &'a Geometry,
}

/// Buffers for the gradients of one layer.
#[derive(Debug)]
pub(super) struct GradientScratch {
    /// Gradients of outputs, as dwords.
    pub dwords: Aligned,
    /// Inputs of pairs of boards.
    pub input_pairs: Aligned,
    /// Gradients of pairs of boards.
    pub gradient_pairs: Aligned,
}

impl PlannedLayer {
    pub(super) fn new(
        layer: &Layer,
        norm: Option<&Norm>,
        reads: Reads<'_>,
        kernel: &'static Kernel,
    ) -> Self {
        let forward = Packed::empty(layer, reads.source, kernel.layout());
        let width = forward.0.channels;
        let (inputs, outputs) = (layer.inputs, layer.outputs);
        Self {
            kernel,
            geometry: reads.geometry.clone(),
            source: reads.source,
            shape: Layer { inputs, outputs, ..Layer::empty(layer.kernel) },
            forward,
            backward: Packed::reversed(layer, reads.source, kernel.layout()),
            norm: norm.map(|norm| BatchNorm::new(norm, width)),
        }
    }

    /// Copies the weights of `layer` and the parameters of `norm`.
    pub(super) fn load(&mut self, layer: &Layer, norm: Option<&Norm>) {
        let same = |other: &Layer| {
            (other.inputs, other.outputs, other.kernel)
                == (self.shape.inputs, self.shape.outputs, self.shape.kernel)
        };
        assert!(same(layer), "a layer of the same shape");
        let (packed, order) = &mut self.forward;
        packed.fill(&layer.weights, &layer.bias, order);
        let (packed, order) = &mut self.backward;
        packed.fill(&layer.weights, &[], order);
        if let (Some(own), Some(norm)) = (&mut self.norm, norm) {
            own.load(norm);
        }
    }

    /// Number of input channels, padded to whole registers.
    pub(super) fn inputs(&self) -> usize {
        self.backward.0.channels
    }

    /// Number of output channels, padded to whole registers.
    pub(super) fn outputs(&self) -> usize {
        self.forward.0.channels
    }

    /// Number of pooled inputs per board: means and maxima; 0 if the layer reads no pooled inputs.
    pub(super) fn pooled(&self) -> usize {
        if self.source == InputKind::Pooled { self.inputs() } else { 0 }
    }

    /// Number of cells of its board.
    pub(super) fn cells(&self) -> usize {
        self.geometry.cells()
    }

    /// Number of weights, with padded channels.
    pub(super) fn weights(&self) -> usize {
        self.geometry.taps() * self.inputs() * self.outputs()
    }

    /// Computes the outputs of `boards` boards.
    pub(super) fn forward(
        &self,
        boards: usize,
        input: &[f32],
        output: &mut [f32],
        epilogue: Epilogue,
    ) {
        let (kernel, packed) = (self.kernel, &self.forward.0);
        kernel.convolve(packed, &self.geometry, boards, input, output, epilogue);
    }

    /// Computes the gradients of the inputs from those of the outputs, which are dwords.
    pub(super) fn backward(
        &self,
        boards: usize,
        gradient: &[f32],
        input: &mut [f32],
        epilogue: Epilogue,
    ) {
        let (kernel, packed) = (self.kernel, &self.backward.0);
        kernel.convolve(packed, &self.geometry, boards, gradient, input, epilogue);
    }

    /// Adds the gradients of weights and biases to `sums`, from the gradients of the outputs,
    /// `[boards, cells, channels]` numbers. Stores the latter as dwords in `scratch`.
    pub(super) fn add_gradients(
        &self,
        input: &[f32],
        gradient: &[f32],
        sums: (&mut Aligned, &mut Aligned),
        scratch: &mut GradientScratch,
    ) {
        let dwords = gradient.len() / self.kernel.channels();
        self.kernel.round(Round { input: gradient, output: &mut scratch.dwords[..dwords] });
        self.kernel.sum(Sum { rows: gradient, sums: sums.1 });
        self.correlate(input, dwords, sums.0, scratch);
    }

    /// Adds the gradients of the weights to `weights`, from the gradients of the outputs of the
    /// norm. Stores the gradients of the inputs of the norm as dwords in `scratch`.
    pub(super) fn add_gradients_through_norm(
        &self,
        input: &[f32],
        numbers: &[f32],
        gradient: &[f32],
        weights: &mut Aligned,
        scratch: &mut GradientScratch,
    ) {
        let norm = self.norm.as_ref().expect("only of layers that have a norm");
        let dwords = gradient.len() / self.kernel.channels();
        self.kernel.norm_backward(NormBackward {
            gradient,
            input: numbers,
            scale: &norm.scale,
            slope: &norm.slope,
            offset: &norm.offset,
            output: &mut scratch.dwords[..dwords],
        });
        self.correlate(input, dwords, weights, scratch);
    }

    /// Adds the gradients of the weights, from the inputs and from `dwords` dwords of gradients in
    /// `scratch`.
    fn correlate(
        &self,
        input: &[f32],
        dwords: usize,
        weights: &mut Aligned,
        scratch: &mut GradientScratch,
    ) {
        let channels = [self.inputs(), self.outputs()];
        let board = channels.map(|channels| self.cells() * channels / self.kernel.channels());
        let boards = dwords / board[1];
        if self.kernel.channels() == 1 {
            let (input, gradient) = (&input[..boards * board[0]], &scratch.dwords[..dwords]);
            self.kernel.correlate(channels, &self.geometry, input, gradient, weights);
            return;
        }
        // Boards in pairs: if their number is odd, the last one is paired with zeros.
        let pairs = boards.div_ceil(2);
        scratch.dwords[dwords..2 * pairs * board[1]].fill(0.0);
        let GradientScratch { dwords, input_pairs, gradient_pairs } = scratch;
        let input = pair(self.kernel, &input[..2 * pairs * board[0]], board[0], input_pairs);
        let dwords = &dwords[..2 * pairs * board[1]];
        let gradient = pair(self.kernel, dwords, board[1], gradient_pairs);
        self.kernel.correlate(channels, &self.geometry, input, gradient, weights);
    }

    /// Adds up gradients of weights and biases, those of all shards, and converts them to the order
    /// of [`Layer`].
    pub(super) fn gradient<'a>(&self, parts: impl Iterator<Item = [&'a Aligned; 2]>) -> Gradient {
        let Layer { inputs, outputs, kernel, .. } = self.shape;
        let (taps, half) = (kernel * kernel, self.inputs() / 2);
        let mut total = vec![0.0; self.weights()];
        let mut bias = vec![0.0; self.outputs()];
        for [weights, biases] in parts {
            let add = |(sum, &part): (&mut f32, &f32)| *sum += part;
            total.iter_mut().zip(weights.iter()).for_each(add);
            bias.iter_mut().zip(biases.iter()).for_each(add);
        }
        let mut weights = vec![0.0; inputs * outputs * taps];
        for (row, values) in total.chunks_exact(self.outputs()).enumerate() {
            let (tap, input) = (row / self.inputs(), row % self.inputs());
            let Some(input) = channel(input, self.source, inputs, half) else { continue };
            for (output, &value) in values[..outputs].iter().enumerate() {
                weights[(output * inputs + input) * taps + tap] = value;
            }
        }
        bias.truncate(if self.norm.is_some() { 0 } else { outputs });
        Gradient { weights, bias, norm: self.norm.as_ref().map(BatchNorm::gradient) }
    }
}

/// Pairs consecutive boards of `board` dwords each: see [`InterleaveBoards`].
fn pair<'a>(kernel: &Kernel, dwords: &[f32], board: usize, pairs: &'a mut Aligned) -> &'a [f32] {
    for (boards, output) in dwords.chunks_exact(2 * board).zip(pairs.chunks_exact_mut(2 * board)) {
        let (low, high) = boards.split_at(board);
        kernel.pair(InterleaveBoards { low, high, output });
    }
    &pairs[..dwords.len()]
}
