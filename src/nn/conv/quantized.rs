//! Layers whose weights are rounded to seven bits.

use super::aligned::Aligned;
use super::framed::{Spacing, Step};
use super::geometry::Geometry;
use super::pack::{InputKind, Layout, PackOrder, Packed, RegisterGroup};
use super::weights::Layer;

/// The largest weight. A pair of products by activations of up to 255 then fits into 16 bits.
const LARGEST: f32 = 63.0;

/// The narrowest row of weights that is told from zeros, so that its inverse is finite.
const NARROWEST: f32 = 1e-30;

/// Returns what an integer of 1 stands for, and the weights of an output as integers.
pub(crate) fn seven_bits(row: &[f32]) -> (f32, impl Iterator<Item = i8>) {
    let largest = row.iter().fold(0.0_f32, |most, weight| most.max(weight.abs()));
    let inverse = if largest < NARROWEST { 0.0 } else { LARGEST / largest };
    // Numbers beyond the range, and NaN, become the nearest integer, and zero.
    (largest / LARGEST, row.iter().map(move |weight| (weight * inverse).round() as i8))
}

/// A layer with packed weights of one byte each, for boards of one shape.
#[derive(Debug)]
pub(crate) struct Quantized {
    /// The weights as integers.
    pub packed: Packed,
    /// What an integer of 1 stands for, `[channels]`.
    scales: Aligned,
    /// For each group `[classes of cells, registers, lanes]` the sum of all weights that a cell
    /// multiplies, if inputs can be negative; else empty.
    weight_sums: Aligned,
    /// The same sums of the integers, times what the kernel stores bytes less by, as bits of
    /// integers; empty if that is 0.
    compensation: Aligned,
    /// Number of classes of cells.
    classes: usize,
    /// What a framed cell sums, for each group `[taps, blocks of dwords]`; empty if boards have no
    /// border.
    steps: Vec<Step>,
    spacing: Spacing,
}

/// The parts of a layer that belong to a group of registers.
#[derive(Clone, Copy, Debug)]
pub(crate) struct QuantizedGroup<'a> {
    pub scales: &'a [f32],
    /// `[classes, registers, lanes]`, or empty.
    pub weight_sums: &'a [f32],
    /// `[classes, registers, lanes]`, or empty.
    pub compensation: &'a [f32],
    pub steps: &'a [Step],
}

impl Quantized {
    /// Rounds the weights of each output to integers with a scale of their own.
    ///
    /// Only if `signed`, the inputs can be negative.
    pub(crate) fn new(
        layer: &Layer,
        source: InputKind,
        layout: Layout,
        geometry: &Geometry,
        signed: bool,
    ) -> Self {
        let (mut packed, order): (Packed, PackOrder) = Packed::empty(layer, source, layout);
        let each = layer.weights.len() / layer.outputs;
        let mut scales = Aligned::zeros(packed.channels);
        let mut integers = Vec::with_capacity(layer.weights.len());
        for (row, scale) in layer.weights.chunks_exact(each).zip(scales.iter_mut()) {
            let (its, row) = seven_bits(row);
            *scale = its;
            integers.extend(row);
        }
        packed.fill_bytes(&integers, &layer.bias, &order);
        let spacing = geometry.framed().spacing();
        let of_group = |&group| packed.steps(group, packed.stride, layout.lanes, geometry);
        let groups = packed.groups.iter().filter(|_| layout.framed);
        let steps: Vec<Step> = groups.flat_map(of_group).collect();
        let [weight_sums, compensation] = [(); 2].map(|()| Aligned::zeros(0));
        let classes = geometry.classes().len();
        let mut quantized =
            Self { packed, scales, weight_sums, compensation, classes, steps, spacing };
        let lanes = layout.lanes;
        if signed {
            let number = |sums: &[i32], scale| {
                sums.iter().fold(0.0, |total, &sum| total + sum as f32 * scale)
            };
            quantized.weight_sums = quantized.sum(layer, &integers, lanes, geometry, number);
        }
        if layout.byte_shift > 0 {
            let integer = |sums: &[i32], _| {
                let shifted = i32::from(layout.byte_shift) * sums.iter().sum::<i32>();
                f32::from_bits(shifted as u32)
            };
            quantized.compensation = quantized.sum(layer, &integers, lanes, geometry, integer);
        }
        quantized
    }

    /// For each group, class of cells and output: what `form` makes of the sums of the integers of
    /// each tap that such cells have, and of the scale.
    fn sum(
        &self,
        layer: &Layer,
        integers: &[i8],
        lanes: usize,
        geometry: &Geometry,
        form: impl Fn(&[i32], f32) -> f32,
    ) -> Aligned {
        let taps = self.packed.taps;
        let rows = integers.chunks_exact(taps * layer.inputs);
        let mut tap_sums: Vec<i32> = rows
            .flat_map(|row| (0..taps).map(|tap| row.iter().skip(tap).step_by(taps)))
            .map(|weights| weights.map(|&weight| i32::from(weight)).sum())
            .collect();
        // Outputs of padding have no weights.
        tap_sums.resize(self.packed.channels * taps, 0);
        let mut sums = Vec::with_capacity(self.classes * self.packed.channels);
        for group in &self.packed.groups {
            for (_, there) in geometry.classes() {
                for output in group.start * lanes..(group.start + group.registers) * lanes {
                    let of_taps: Vec<i32> =
                        there.iter().map(|tap| tap_sums[output * taps + tap.index]).collect();
                    sums.push(form(&of_taps, self.scales[output]));
                }
            }
        }
        let mut aligned = Aligned::zeros(sums.len());
        aligned.copy_from_slice(&sums);
        aligned
    }

    /// Returns the parts of a group.
    pub(crate) fn group(&self, group: RegisterGroup, lanes: usize) -> QuantizedGroup<'_> {
        let range = group.start..group.start + group.registers;
        let part = |each: usize| range.start * lanes * each..range.end * lanes * each;
        let of_classes =
            |sums: &'_ Aligned| if sums.is_empty() { 0..0 } else { part(self.classes) };
        let [weight_sums, compensation] = [&self.weight_sums, &self.compensation].map(of_classes);
        let each = self.steps.len() / self.packed.groups.len();
        let before = self.packed.groups.iter().take_while(|it| it.start < group.start).count();
        QuantizedGroup {
            scales: &self.scales[part(1)],
            weight_sums: &self.weight_sums[weight_sums],
            compensation: &self.compensation[compensation],
            steps: &self.steps[before * each..][..each],
        }
    }

    /// Whether it was made for boards of this shape.
    pub(crate) fn fits(&self, geometry: &Geometry) -> bool {
        let same = self.spacing == geometry.framed().spacing();
        same && self.classes == geometry.classes().len() && self.packed.taps == geometry.taps()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_output_has_its_scale() {
        let layout = Layout {
            lanes: 4,
            padding: 4,
            channels: 4,
            depth: 1,
            registers: 2,
            byte_shift: 0,
            framed: false,
        };
        let weights = vec![0.5, -1.0, 0.0, 126.0, 0.0, 0.0];
        let layer = Layer { inputs: 2, outputs: 3, kernel: 1, weights, bias: vec![7.0; 3] };
        let quantized =
            Quantized::new(&layer, InputKind::Channels, layout, &Geometry::new(2, 2, 1), true);
        assert_eq!(quantized.scales[..4], [1.0 / 63.0, 2.0, 0.0, 0.0]);
        let dwords = quantized.packed.weights.iter().map(|dword| dword.to_bits().to_le_bytes());
        let integers: Vec<_> = dwords.map(|dword| dword.map(|byte| byte as i8)).collect();
        assert_eq!(integers[..2], [[32, -63, 0, 0], [0, 63, 0, 0]]);
        assert_eq!(quantized.weight_sums[..4], [-31.0 * (1.0 / 63.0), 126.0, 0.0, 0.0]);
        assert_eq!(quantized.packed.bias[..4], [7.0, 7.0, 7.0, 0.0]);
    }
}
