//! The forward pass with products of bytes, layer by layer.
//!
//! Convolutions read bytes, with a range for each position, and write numbers. Residuals are added
//! as numbers too. What reads pooled channels is a small part of the work and is computed in `f32`
//! by instructions of every CPU. So the results are the same for all instruction sets.

use super::micro_batches::Forward;
use super::model::{CACHE, POSITIONS, wdl_of_values};
use crate::nn::Board;
use crate::nn::conv::{
    self, Aligned, Epilogue, FoldedWeights, Geometry, InputKind, InstructionSet, Int8Kernel,
    Kernel, Layout, Packed, QuantizationRange, Quantized,
};

/// A network with packed weights, for boards of one size. It is immutable.
#[derive(Debug)]
pub(super) struct Int8Model {
    kernel: &'static Int8Kernel,
    /// For what reads pooled channels.
    plain: &'static Kernel,
    board: Board,
    around: Geometry,
    cells: Geometry,
    /// For each cell its place on its board of bytes.
    places: Vec<usize>,
    whole: Geometry,
    stem: Quantized,
    blocks: Vec<QuantizedBlock>,
    policy_hidden: Quantized,
    policy_out: Quantized,
    pass: Option<Packed>,
    value_features: Quantized,
    value_hidden: Packed,
    value_out: Packed,
}

#[derive(Debug)]
struct QuantizedBlock {
    first: Quantized,
    pool: Option<Packed>,
    second: Quantized,
}

/// The buffers of a forward pass.
#[derive(Debug)]
pub(super) struct Int8Scratch {
    /// Number of positions that fit.
    positions: usize,
    /// `[positions, planes, cells]`, written by the caller.
    observations: Vec<f32>,
    /// `[room, dwords]` of the planes.
    input: Aligned,
    /// `[room, dwords]` of the channels.
    bytes: Aligned,
    /// `[room, dwords]` of the channels within the policy head.
    policy_bytes: Aligned,
    /// What the bytes stand for, `[positions]`.
    ranges: Vec<QuantizationRange>,
    /// `[positions, cells, channels]`.
    trunk: Aligned,
    inner: Aligned,
    policy: Aligned,
    /// `[positions, 2 * channels]`.
    pooled: Aligned,
    /// `[positions, channels]`.
    hidden: Aligned,
    numbers: Aligned,
}

impl Int8Model {
    /// Packs a network. Returns `None` if this CPU lacks the instructions of `set`, or that does not
    /// multiply bytes.
    ///
    /// # Panics
    ///
    /// If the layers do not have the sizes of the board.
    pub(super) fn new(weights: &FoldedWeights, set: InstructionSet) -> Option<Self> {
        weights.check();
        let (kernel, plain) = (Int8Kernel::find(set)?, Kernel::find(InstructionSet::Portable)?);
        // Their layers read and write channels that are padded alike.
        let shape = Layout { padding: kernel.layout().lanes, ..plain.layout() };
        let [around, cells] = [3, 1].map(|side| Geometry::of(&weights.board, side));
        let bytes = |layer: &conv::Layer, source, signed| {
            let geometry = if layer.kernel == 1 { &cells } else { &around };
            Quantized::new(layer, source, kernel.layout(), geometry, signed)
        };
        let numbers = |layer: &_, source| Packed::new(layer, source, shape);
        let block = |block: &conv::ResidualBlock| QuantizedBlock {
            first: bytes(&block.first, InputKind::Channels, false),
            pool: block.pool.as_ref().map(|pool| numbers(pool, InputKind::Pooled)),
            // The bias of the pooled channels can make numbers negative.
            second: bytes(&block.second, InputKind::Channels, block.pool.is_some()),
        };
        Some(Self {
            kernel,
            plain,
            board: weights.board.clone(),
            whole: Geometry::new(1, 1, 1),
            stem: bytes(&weights.stem, InputKind::Planes, true),
            blocks: weights.blocks.iter().map(block).collect(),
            policy_hidden: bytes(&weights.policy_hidden, InputKind::Channels, false),
            policy_out: bytes(&weights.policy_out, InputKind::Channels, false),
            pass: weights.pass.as_ref().map(|pass| numbers(pass, InputKind::Pooled)),
            value_features: bytes(&weights.value_features, InputKind::Channels, false),
            value_hidden: numbers(&weights.value_hidden, InputKind::Pooled),
            value_out: numbers(&weights.value_out, InputKind::Channels),
            places: kernel.places(&cells),
            around,
            cells,
        })
    }

    fn channels(&self) -> usize {
        self.stem.packed.channels
    }

    /// Rounds observations, `[planes, cells]`, to bytes, `[room, dwords]`.
    fn encode(&self, scratch: &mut Int8Scratch, count: usize) {
        let (frame, dwords) = (self.board.spec().cells(), self.stem.packed.stride);
        let observations = scratch.observations.chunks_exact(self.board.spec().observation());
        let boards = observations.zip(&mut scratch.ranges[..count]).enumerate();
        for (board, (observation, range)) in boards {
            let input = &mut scratch.input[self.kernel.start(&self.cells, board) * dwords..];
            let low = observation.iter().fold(0.0, |low: f32, &value| low.min(value));
            let high = observation.iter().fold(0.0, |high: f32, &value| high.max(value));
            let inverse;
            (*range, inverse) = QuantizationRange::new(low, high);
            for (dword, planes) in observation.chunks(4 * frame).enumerate() {
                for (place, cell) in self.places.iter().zip(self.board.cells()) {
                    let mut bytes = [self.kernel.byte_shift(); 4];
                    for (byte, plane) in bytes.iter_mut().zip(planes.chunks_exact(frame)) {
                        *byte ^= ((plane[cell] - range.low) * inverse + 0.5) as u8;
                    }
                    input[place * dwords + dword] = f32::from_bits(u32::from_le_bytes(bytes));
                }
            }
        }
    }

    fn run_trunk(&self, scratch: &mut Int8Scratch, count: usize) {
        let Int8Scratch { input, bytes, ranges, trunk, inner, pooled, numbers, .. } = scratch;
        let (kernel, plain, around, ranges) =
            (self.kernel, self.plain, &self.around, &mut ranges[..count]);
        let [cells, channels] = [self.cells.cells(), self.channels()];
        kernel.convolve(&self.stem, around, ranges, input, trunk, Epilogue::Relu);
        kernel.quantize(around, channels, trunk, bytes, ranges);
        for QuantizedBlock { first, pool, second } in &self.blocks {
            kernel.convolve(first, around, ranges, bytes, inner, Epilogue::Relu);
            if let Some(pool) = pool {
                plain.pool([count, cells, channels], inner, pooled);
                plain.convolve(pool, &self.whole, count, pooled, numbers, Epilogue::Logits);
                plain.add([count, cells, channels], numbers, inner);
            }
            kernel.quantize(around, channels, inner, bytes, ranges);
            kernel.convolve(second, around, ranges, bytes, trunk, Epilogue::AddRelu);
            kernel.quantize(around, channels, trunk, bytes, ranges);
        }
    }

    /// Reads the bytes of the trunk.
    fn run_value(&self, scratch: &mut Int8Scratch, count: usize, wdl: &mut [[f32; 3]]) {
        let Int8Scratch { bytes, ranges, inner, pooled, hidden, numbers, .. } = scratch;
        let (kernel, plain, whole) = (self.kernel, self.plain, &self.whole);
        let (features, sizes) = (
            &self.value_features,
            [count, self.cells.cells(), self.value_features.packed.channels],
        );
        kernel.convolve(features, &self.cells, &ranges[..count], bytes, inner, Epilogue::Relu);
        plain.pool(sizes, inner, pooled);
        plain.convolve(&self.value_hidden, whole, count, pooled, hidden, Epilogue::Relu);
        plain.convolve(&self.value_out, whole, count, hidden, numbers, Epilogue::Logits);
        wdl_of_values(count, numbers, self.value_out.channels, wdl);
    }

    /// Reads the bytes of the trunk, and overwrites what they stand for.
    fn run_policy(&self, scratch: &mut Int8Scratch, count: usize, policy: &mut [f32]) {
        let Int8Scratch { bytes, policy_bytes, ranges, inner, .. } = scratch;
        let Int8Scratch { pooled, policy: logits, numbers, .. } = scratch;
        let (kernel, cells, ranges) = (self.kernel, &self.cells, &mut ranges[..count]);
        let (hidden, out) = (&self.policy_hidden, &self.policy_out);
        let sizes = [cells.cells(), hidden.packed.channels];
        kernel.convolve(hidden, cells, ranges, bytes, inner, Epilogue::Relu);
        kernel.quantize(cells, sizes[1], inner, policy_bytes, ranges);
        kernel.convolve(out, cells, ranges, policy_bytes, logits, Epilogue::Logits);
        conv::policy_of_cells(&self.board, count, logits, out.packed.channels, policy);
        if let Some(pass) = &self.pass {
            self.plain.pool([count, sizes[0], sizes[1]], inner, pooled);
            self.plain.convolve(pass, &self.whole, count, pooled, numbers, Epilogue::Logits);
            conv::policy_of_pass(self.board.spec(), count, numbers, pass.channels, policy);
        }
    }
}

impl Forward for Int8Model {
    type Scratch = Int8Scratch;

    fn positions(&self) -> usize {
        // Two buffers of numbers and one of bytes: those of most layers.
        let board = self.cells.cells() * self.channels() * (2 * size_of::<f32>() + 1);
        (CACHE / board).clamp(1, POSITIONS)
    }

    fn scratch(&self) -> Int8Scratch {
        let none = || Aligned::zeros(0);
        Int8Scratch {
            positions: 0,
            observations: Vec::new(),
            input: none(),
            bytes: none(),
            policy_bytes: none(),
            ranges: Vec::new(),
            trunk: none(),
            inner: none(),
            policy: none(),
            pooled: none(),
            hidden: none(),
            numbers: none(),
        }
    }

    fn observations<'a>(&self, scratch: &'a mut Int8Scratch, count: usize) -> &'a mut [f32] {
        if count > scratch.positions {
            let (spec, channels) = (self.board.spec(), self.channels());
            let (cells, room) = (count * self.cells.cells(), self.kernel.room(&self.cells, count));
            let stride = |layer: &Quantized| layer.packed.stride;
            let numbers = channels.max(self.value_out.channels);
            *scratch = Int8Scratch {
                positions: count,
                observations: vec![0.0; count * spec.observation()],
                input: Aligned::zeros(room * stride(&self.stem)),
                bytes: Aligned::zeros(room * stride(&self.value_features)),
                policy_bytes: Aligned::zeros(room * stride(&self.policy_out)),
                ranges: vec![QuantizationRange::default(); count],
                trunk: Aligned::zeros(cells * channels),
                inner: Aligned::zeros(cells * channels),
                policy: Aligned::zeros(cells * self.policy_out.packed.channels),
                pooled: Aligned::zeros(count * 2 * channels),
                hidden: Aligned::zeros(count * self.value_hidden.channels),
                numbers: Aligned::zeros(count * numbers),
            };
        }
        &mut scratch.observations
    }

    fn run(
        &self,
        scratch: &mut Int8Scratch,
        count: usize,
        policy: &mut [f32],
        wdl: &mut [[f32; 3]],
    ) {
        self.encode(scratch, count);
        self.run_trunk(scratch, count);
        self.run_value(scratch, count, wdl);
        self.run_policy(scratch, count, policy);
    }
}
