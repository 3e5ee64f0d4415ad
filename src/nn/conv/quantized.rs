//! Layers whose weights are rounded to seven bits.

use super::aligned::Aligned;
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

/// A layer with packed weights of one byte each.
#[derive(Debug)]
pub(crate) struct Quantized {
    /// The weights as integers.
    pub packed: Packed,
    /// What an integer of 1 stands for, `[channels]`.
    scales: Aligned,
    /// For each group `[taps, registers, lanes]` the sum of the weights of all inputs, if these can
    /// be negative; else empty.
    weight_sums: Aligned,
    /// The same sums of the integers, times what the kernel stores bytes less by, as bits of
    /// integers; empty if that is 0.
    compensation: Aligned,
}

impl Quantized {
    /// Rounds the weights of each output to integers with a scale of their own.
    ///
    /// Only if `signed`, the inputs can be negative.
    pub(crate) fn new(layer: &Layer, source: InputKind, layout: Layout, signed: bool) -> Self {
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
        let [weight_sums, compensation] = [(); 2].map(|()| Aligned::zeros(0));
        let mut quantized = Self { packed, scales, weight_sums, compensation };
        if signed {
            let number = |sum, scale| sum as f32 * scale;
            quantized.weight_sums = quantized.sum(layer, &integers, layout.lanes, number);
        }
        if layout.byte_shift > 0 {
            let integer = |sum: i32, _| f32::from_bits((i32::from(layout.byte_shift) * sum) as u32);
            quantized.compensation = quantized.sum(layer, &integers, layout.lanes, integer);
        }
        quantized
    }

    /// The sums of the weights of all inputs, for each tap and output, as `form` makes them of the
    /// integer and the scale.
    fn sum(
        &self,
        layer: &Layer,
        integers: &[i8],
        lanes: usize,
        form: impl Fn(i32, f32) -> f32,
    ) -> Aligned {
        let taps = self.packed.taps;
        let mut sums = Aligned::zeros(taps * self.packed.channels);
        let mut at = 0;
        for group in &self.packed.groups {
            for tap in 0..taps {
                for output in group.start * lanes..(group.start + group.registers) * lanes {
                    let row = integers.chunks_exact(taps * layer.inputs).nth(output);
                    let weights = row.into_iter().flatten().skip(tap).step_by(taps);
                    let sum: i32 = weights.map(|&weight| i32::from(weight)).sum();
                    sums[at] = form(sum, self.scales[output]);
                    at += 1;
                }
            }
        }
        sums
    }

    /// Returns the sums of weights, compensation and scales of a group.
    pub(crate) fn group(&self, group: RegisterGroup, lanes: usize) -> [&[f32]; 3] {
        let range = group.start..group.start + group.registers;
        let part = |each: usize| range.start * lanes * each..range.end * lanes * each;
        let sums = |sums: &'_ Aligned| if sums.is_empty() { 0..0 } else { part(self.packed.taps) };
        let [weight_sums, compensation] = [&self.weight_sums, &self.compensation].map(sums);
        [&self.weight_sums[weight_sums], &self.compensation[compensation], &self.scales[part(1)]]
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_output_has_its_scale() {
        let layout =
            Layout { lanes: 4, padding: 4, channels: 4, depth: 1, registers: 2, byte_shift: 0 };
        let weights = vec![0.5, -1.0, 0.0, 126.0, 0.0, 0.0];
        let layer = Layer { inputs: 2, outputs: 3, kernel: 1, weights, bias: vec![7.0; 3] };
        let quantized = Quantized::new(&layer, InputKind::Channels, layout, true);
        assert_eq!(quantized.scales[..4], [1.0 / 63.0, 2.0, 0.0, 0.0]);
        let dwords = quantized.packed.weights.iter().map(|dword| dword.to_bits().to_le_bytes());
        let integers: Vec<_> = dwords.map(|dword| dword.map(|byte| byte as i8)).collect();
        assert_eq!(integers[..2], [[32, -63, 0, 0], [0, 63, 0, 0]]);
        assert_eq!(quantized.weight_sums[..4], [-31.0 * (1.0 / 63.0), 126.0, 0.0, 0.0]);
        assert_eq!(quantized.packed.bias[..4], [7.0, 7.0, 7.0, 0.0]);
    }
}
