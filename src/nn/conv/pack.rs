//! Packing of weights into the order in which a kernel reads them.

use super::aligned::Aligned;
use super::dword::dword;
use super::framed::{Step, TOGETHER};
use super::geometry::Geometry;
use super::weights::Layer;

/// How a kernel reads the channels of a layer.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Layout {
    /// Number of channels in a register.
    pub lanes: usize,
    /// Channels are padded with zeros to a multiple of this number, of one register or more.
    pub padding: usize,
    /// Number of channels in a dword, the four bytes that a lane multiplies at a time.
    pub channels: usize,
    /// Number of dwords that are multiplied together. A layer reads a multiple of it from each
    /// cell, padded with zeros.
    pub depth: usize,
    /// Largest number of registers of a tile.
    pub registers: usize,
    /// Bytes are stored less this number, 0 or 128; 0 if the kernel does not multiply bytes.
    pub byte_shift: u8,
    /// Whether boards have a [border](super::framed) and cells a multiple of `depth`.
    pub framed: bool,
}

impl Layout {
    /// The stride of cells, in dwords, that have this number of them.
    pub(crate) fn stride(&self, dwords: usize) -> usize {
        if self.framed { dwords.next_multiple_of(self.depth) } else { dwords }
    }
}

/// The kind of input of a layer.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum InputKind {
    /// Observations, without padding of the channels.
    Planes,
    /// Activations of another layer, with channels padded to whole registers.
    Channels,
    /// Means, then maxima, of the channels of another layer, each padded to whole registers.
    Pooled,
}

/// A layer with packed weights.
#[derive(Debug)]
pub(crate) struct Packed {
    /// Number of dwords read from each cell, padded with zeros to a multiple of the kernel's depth.
    pub depth: usize,
    /// Dwords from one cell to the next in the input.
    pub stride: usize,
    /// Number of cells under the kernel.
    pub taps: usize,
    /// Number of output channels, padded to whole registers; outputs of padding are zero.
    pub channels: usize,
    /// The registers that are computed together.
    pub groups: Vec<RegisterGroup>,
    /// For each group `[taps, depth, registers, lanes]`, in dwords.
    pub weights: Aligned,
    /// `[channels]`.
    pub bias: Aligned,
}

/// Registers that are computed together.
#[derive(Clone, Copy, Debug)]
pub(crate) struct RegisterGroup {
    /// The first register.
    pub start: usize,
    /// Number of registers.
    pub registers: usize,
}

/// The index in a layer's weights of each packed number, to pack the layer again when its weights
/// have changed.
#[derive(Debug)]
pub(crate) struct PackOrder {
    /// Number of weights in a dword.
    each: usize,
    /// For each number of each dword the index of its weight, or [`NOWHERE`].
    places: Vec<u32>,
}

/// The index of a padding number, which is zero.
const NOWHERE: u32 = u32::MAX;

impl Packed {
    /// Packs a layer for a kernel of this layout, with input `source`.
    pub(crate) fn new(layer: &Layer, source: InputKind, layout: Layout) -> Self {
        let (mut packed, order) = Self::empty(layer, source, layout);
        packed.fill(&layer.weights, &layer.bias, &order);
        packed
    }

    /// Returns a packed layer of this layout with zero weights, and the order for
    /// [`fill`](Self::fill).
    pub(crate) fn empty(layer: &Layer, source: InputKind, layout: Layout) -> (Self, PackOrder) {
        let lanes = layout.lanes;
        let half = (layer.inputs / 2).next_multiple_of(layout.padding);
        let (read, room) = match source {
            InputKind::Planes => (layer.inputs, layer.inputs),
            InputKind::Channels => (layer.inputs, layer.inputs.next_multiple_of(layout.padding)),
            InputKind::Pooled => (2 * half, 2 * half),
        };
        let channels = layer.outputs.next_multiple_of(layout.padding);
        let depth = read.div_ceil(layout.channels).next_multiple_of(layout.depth);
        let taps = layer.kernel * layer.kernel;
        let groups = groups(channels / lanes, layout.registers);
        let mut places = Vec::with_capacity(taps * depth * channels * layout.channels);
        for &RegisterGroup { start, registers } in &groups {
            for row in 0..taps * depth {
                let (tap, dword) = (row / depth, row % depth);
                for output in start * lanes..(start + registers) * lanes {
                    let inputs = dword * layout.channels..(dword + 1) * layout.channels;
                    places.extend(inputs.map(|input| {
                        let input = channel(input, source, layer.inputs, half);
                        place(layer, output, input, tap)
                    }));
                }
            }
        }
        let (weights, bias) = (Aligned::zeros(taps * depth * channels), Aligned::zeros(channels));
        let stride = layout.stride(room.div_ceil(layout.channels));
        let packed = Self { depth, stride, taps, channels, groups, weights, bias };
        (packed, PackOrder { each: layout.channels, places })
    }

    /// Packs weights and biases of a layer with the layout that `order` was made for.
    pub(crate) fn fill(&mut self, weights: &[f32], bias: &[f32], order: &PackOrder) {
        let number = |&place: &u32| weights.get(place as usize).copied().unwrap_or(0.0);
        let dwords = order.places.chunks_exact(order.each);
        for (slot, places) in self.weights.iter_mut().zip(dwords) {
            *slot = match places {
                [low, high] => dword(&[number(low), number(high)]),
                places => number(&places[0]),
            };
        }
        self.bias[..bias.len()].copy_from_slice(bias);
    }

    /// Like [`fill`](Self::fill), with dwords of four bytes.
    pub(crate) fn fill_bytes(&mut self, weights: &[i8], bias: &[f32], order: &PackOrder) {
        let byte = |place: u32| weights.get(place as usize).map_or(0, |weight| *weight as u8);
        let dwords = order.places.as_chunks::<4>().0;
        for (slot, &places) in self.weights.iter_mut().zip(dwords) {
            *slot = f32::from_bits(u32::from_le_bytes(places.map(byte)));
        }
        self.bias[..bias.len()].copy_from_slice(bias);
    }

    /// Like [`empty`](Self::empty), for the transposed layer, which computes the gradients of the
    /// inputs from those of the outputs. It has no bias.
    pub(crate) fn reversed(layer: &Layer, source: InputKind, layout: Layout) -> (Self, PackOrder) {
        let half = (layer.inputs / 2).next_multiple_of(layout.padding);
        let outputs = if source == InputKind::Pooled { 2 * half } else { layer.inputs };
        let taps = layer.kernel * layer.kernel;
        let turned = Layer { inputs: layer.outputs, outputs, ..Layer::empty(layer.kernel) };
        let (packed, mut order) = Self::empty(&turned, InputKind::Channels, layout);
        for slot in order.places.iter_mut().filter(|slot| **slot != NOWHERE) {
            let (row, tap) = (*slot as usize / taps, *slot as usize % taps);
            let (input, output) = (row / turned.inputs, row % turned.inputs);
            let input = channel(input, source, layer.inputs, half);
            *slot = place(layer, output, input, taps - 1 - tap);
        }
        (packed, order)
    }

    /// What a framed cell sums for a group: its taps, and the dwords of each. Places of the input are
    /// `stride` dwords apart.
    pub(crate) fn steps(
        &self,
        group: RegisterGroup,
        stride: usize,
        lanes: usize,
        geometry: &Geometry,
    ) -> impl Iterator<Item = Step> + use<> {
        let (spacing, side) = (geometry.framed().spacing(), geometry.kernel());
        let (taps, depth, row) = (self.taps, self.depth, group.registers * lanes);
        let bytes = |dwords: usize| (dwords * size_of::<f32>()) as isize;
        (0..taps).flat_map(move |tap| {
            (0..depth).step_by(TOGETHER).map(move |first| Step {
                input: spacing.offset(side, tap) * bytes(stride) + bytes(first),
                weights: bytes((tap * depth + first) * row),
            })
        })
    }

    /// Returns the weights and biases of a group.
    pub(crate) fn group(&self, group: RegisterGroup, lanes: usize) -> [&[f32]; 2] {
        let (size, range) = (self.taps * self.depth, group.start..group.start + group.registers);
        let part = |each: usize| range.start * lanes * each..range.end * lanes * each;
        [&self.weights[part(size)], &self.bias[part(1)]]
    }
}

/// Splits `registers` into the fewest groups of at most `most`, as evenly as possible.
fn groups(registers: usize, most: usize) -> Vec<RegisterGroup> {
    let count = registers.div_ceil(most);
    let start = |group| registers * group / count;
    (0..count)
        .map(|group| RegisterGroup {
            start: start(group),
            registers: start(group + 1) - start(group),
        })
        .collect()
}

/// The input channel at a place with padding, if it is not padding.
pub(crate) fn channel(
    place: usize,
    source: InputKind,
    inputs: usize,
    half: usize,
) -> Option<usize> {
    let found = match source {
        InputKind::Planes | InputKind::Channels => Some(place),
        InputKind::Pooled if place < half => Some(place).filter(|&place| place < inputs / 2),
        InputKind::Pooled => Some(inputs / 2 + place - half),
    };
    found.filter(|&channel| channel < inputs)
}

/// The index of the weight from `input` to `output`.
fn place(layer: &Layer, output: usize, input: Option<usize>, tap: usize) -> u32 {
    let taps = layer.kernel * layer.kernel;
    match input {
        Some(input) if output < layer.outputs => {
            ((output * layer.inputs + input) * taps + tap) as u32
        }
        _ => NOWHERE,
    }
}
