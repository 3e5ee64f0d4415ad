//! Numbers of a layer as they are stored.

use half::f16;

use super::Precision;
use crate::nn::conv::{Layer, seven_bits};

/// A tensor as it is stored, in bytes, little-endian.
#[derive(Clone, PartialEq, Debug)]
pub(super) enum Stored {
    /// Numbers of 32 bits.
    Full(Vec<u8>),
    /// Numbers of 16 bits.
    Half(Vec<u8>),
    /// Integers of 8 bits, and for each output a number of 32 bits: what an integer of 1 stands
    /// for.
    Bytes { integers: Vec<u8>, scales: Vec<u8> },
}

impl Stored {
    /// The weights of a layer that is applied to each cell.
    pub(super) fn weights_of_cells(layer: &Layer, precision: Precision) -> Self {
        match precision {
            Precision::Full | Precision::Half => Self::numbers(&layer.weights, precision),
            Precision::Bytes => Self::bytes(layer),
        }
    }

    /// All other numbers.
    pub(super) fn numbers(numbers: &[f32], precision: Precision) -> Self {
        match precision {
            Precision::Full => {
                Self::Full(numbers.iter().flat_map(|number| number.to_le_bytes()).collect())
            }
            Precision::Half | Precision::Bytes => {
                let halves = numbers.iter().map(|&number| f16::from_f32(number));
                Self::Half(halves.flat_map(f16::to_le_bytes).collect())
            }
        }
    }

    fn bytes(layer: &Layer) -> Self {
        let (mut integers, mut scales) = (Vec::with_capacity(layer.weights.len()), Vec::new());
        for row in layer.weights.chunks_exact(layer.weights.len() / layer.outputs) {
            let (scale, row) = seven_bits(row);
            integers.extend(row.map(|integer| integer as u8));
            scales.extend(exact(scale).to_le_bytes());
        }
        Self::Bytes { integers, scales }
    }
}

/// The numbers that integers of 8 bits stand for; `scales` has one for each output.
pub(super) fn scaled(integers: &[u8], scales: &[f32]) -> Vec<f32> {
    let rows = integers.chunks_exact(integers.len() / scales.len()).zip(scales);
    rows.flat_map(|(row, scale)| row.iter().map(move |&it| f32::from(it as i8) * scale)).collect()
}

/// Numbers of 32 bits, little-endian.
pub(super) fn numbers_of(bytes: &[u8]) -> Vec<f32> {
    bytes.as_chunks().0.iter().map(|&it| f32::from_le_bytes(it)).collect()
}

/// A scale whose products by all integers of seven bits are exact: the last seven bits are zeros.
/// So weights that were read are rounded to the same integers and the same scale again.
fn exact(scale: f32) -> f32 {
    f32::from_bits(scale.to_bits() & !0x7f)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn weights_from_bytes_are_rounded_to_the_same_bytes() {
        let weights = vec![0.1_f32, -0.3, 0.007, 0.0, 0.0, 0.0, 17.3, -2.1, 5.9];
        let layer = Layer { inputs: 3, outputs: 3, kernel: 1, weights, bias: vec![0.0; 3] };
        let stored = Stored::weights_of_cells(&layer, Precision::Bytes);
        let Stored::Bytes { integers, scales } = &stored else { panic!("{stored:?}") };
        let weights = scaled(integers, &numbers_of(scales));
        let signs: Vec<i8> = integers.iter().map(|&integer| integer as i8).collect();
        assert_eq!(signs, [21, -63, 1, 0, 0, 0, 63, -8, 21]);
        let again = Layer { weights, ..layer };
        assert_eq!(Stored::weights_of_cells(&again, Precision::Bytes), stored);
    }
}
