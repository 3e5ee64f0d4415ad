//! Weights in the order in which a kernel reads them.

use super::aligned::Aligned;
use super::kernel::Kernel;
use super::unit::unit;
use super::weights;

/// What a layer reads.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Source {
    /// Observations: no more units a cell than there are.
    Planes,
    /// Another layer: so many channels that they fill whole registers.
    Channels,
    /// Means and largest values of the channels of another layer, each of them filling whole
    /// registers.
    Pooled,
}

/// A layer in the order of a kernel.
#[derive(Debug)]
pub struct Layer {
    /// Units it reads from each cell.
    pub depth: usize,
    /// Units from one cell to the next in its input.
    pub stride: usize,
    /// Cells its kernel covers.
    pub taps: usize,
    /// Channels it writes: whole registers of them, those beyond its own being zero.
    pub channels: usize,
    /// Registers that are computed together.
    pub groups: Vec<Group>,
    /// For each group `[taps, depth, registers, lanes]`, in units.
    pub weights: Aligned,
    /// `[channels]`.
    pub bias: Aligned,
}

/// Registers that are computed together.
#[derive(Clone, Copy, Debug)]
pub struct Group {
    /// The first.
    pub start: usize,
    /// How many.
    pub registers: usize,
}

impl Layer {
    /// The layer for `kernel`, reading `source`.
    pub fn pack(layer: &weights::Layer, source: Source, kernel: &Kernel) -> Self {
        let lanes = kernel.lanes();
        let half = (layer.inputs / 2).next_multiple_of(lanes);
        let (read, room) = match source {
            Source::Planes => (layer.inputs, layer.inputs),
            Source::Channels => (layer.inputs, layer.inputs.next_multiple_of(lanes)),
            Source::Pooled => (2 * half, 2 * half),
        };
        let channels = layer.outputs.next_multiple_of(lanes);
        let (depth, taps) = (read.div_ceil(kernel.channels()), layer.kernel * layer.kernel);
        let groups = groups(channels / lanes, kernel.registers());
        let mut weights = Aligned::zeros(taps * depth * channels);
        let mut slots = weights.iter_mut();
        for &Group { start, registers } in &groups {
            for row in 0..taps * depth {
                let (tap, unit_index) = (row / depth, row % depth);
                for output in start * lanes..(start + registers) * lanes {
                    let weight = |part| {
                        let input = unit_index * kernel.channels() + part;
                        weight(layer, output, channel(input, source, layer.inputs, half), tap)
                    };
                    let values = [weight(0), weight(1)];
                    *slots.next().expect("there is room for all") =
                        unit(&values[..kernel.channels()]);
                }
            }
        }
        let mut bias = Aligned::zeros(channels);
        bias[..layer.outputs].copy_from_slice(&layer.bias);
        let stride = room.div_ceil(kernel.channels());
        Self { depth, stride, taps, channels, groups, weights, bias }
    }
}

impl Layer {
    /// The weights and biases of a group.
    pub fn group(&self, group: Group, lanes: usize) -> [&[f32]; 2] {
        let (size, range) = (self.taps * self.depth, group.start..group.start + group.registers);
        let part = |each: usize| range.start * lanes * each..range.end * lanes * each;
        [&self.weights[part(size)], &self.bias[part(1)]]
    }
}

/// Splits `registers` into the fewest groups of at most `most`, as even as can be.
fn groups(registers: usize, most: usize) -> Vec<Group> {
    let count = registers.div_ceil(most);
    let start = |group| registers * group / count;
    (0..count)
        .map(|group| Group { start: start(group), registers: start(group + 1) - start(group) })
        .collect()
}

/// The layer's own number of the input at a place, if there is one.
fn channel(place: usize, source: Source, inputs: usize, half: usize) -> Option<usize> {
    let found = match source {
        Source::Planes | Source::Channels => Some(place),
        Source::Pooled if place < half => Some(place).filter(|&place| place < inputs / 2),
        Source::Pooled => Some(inputs / 2 + place - half),
    };
    found.filter(|&channel| channel < inputs)
}

/// The weight between two channels; zero where there is no such channel.
fn weight(layer: &weights::Layer, output: usize, input: Option<usize>, tap: usize) -> f32 {
    let taps = layer.kernel * layer.kernel;
    match input {
        Some(input) if output < layer.outputs => {
            layer.weights[(output * layer.inputs + input) * taps + tap]
        }
        _ => 0.0,
    }
}
