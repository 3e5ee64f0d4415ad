//! Which of the instruction sets that compute the same bits is the fastest on this machine, by its
//! clock: matrix units are on some and not on others, whatever their CPUs have in common.

use std::sync::OnceLock;
use std::time::{Duration, Instant};

use super::aligned::Aligned;
use super::geometry::Geometry;
use super::instruction_set::InstructionSet;
use super::kernel::Epilogue;
use super::kernel::int8::{Int8Kernel, QuantizationRange};
use super::pack::InputKind;
use super::quantized::Quantized;
use super::weights::Layer;

/// Products of bytes with instructions of their own, any of which may be the fastest.
const CANDIDATES: [InstructionSet; 3] =
    [InstructionSet::Int8AvxVnni, InstructionSet::Int8Avx512, InstructionSet::Int8Amx];

/// How often each of them computes the layer, in turns. The shortest time counts.
const ROUNDS: usize = 12;

/// The layer: its channels, and the boards and their sides.
const CHANNELS: usize = 64;
const BOARDS: usize = 16;
const SIDE: usize = 7;

/// An instruction set and how long it took for a layer.
pub(crate) type Timed = (InstructionSet, Duration);

/// The candidates that this CPU has, fastest first. They are timed once in a process, for some
/// milliseconds, and not at all if there are fewer than two.
pub(crate) fn int8_by_time() -> &'static [Timed] {
    static FOUND: OnceLock<Vec<Timed>> = OnceLock::new();
    FOUND.get_or_init(|| {
        let named = |set| Some((set, Int8Kernel::find(set)?));
        timed(&CANDIDATES.into_iter().filter_map(named).collect::<Vec<_>>())
    })
}

/// Times kernels that compute the same.
fn timed(kernels: &[(InstructionSet, &Int8Kernel)]) -> Vec<Timed> {
    let mut found: Vec<Timed> = kernels.iter().map(|&(set, _)| (set, Duration::MAX)).collect();
    if kernels.len() < 2 {
        return found;
    }
    let mut layers: Vec<_> = kernels.iter().map(|(_, kernel)| Sample::new(kernel)).collect();
    for _ in 0..ROUNDS {
        for (layer, (_, shortest)) in layers.iter_mut().zip(&mut found) {
            let begun = Instant::now();
            layer.compute();
            *shortest = begun.elapsed().min(*shortest);
        }
    }
    found.sort_by_key(|&(_, shortest)| shortest);
    found
}

/// A layer of a network with its input.
struct Sample<'a> {
    kernel: &'a Int8Kernel,
    layer: Quantized,
    geometry: Geometry,
    input: Aligned,
    output: Aligned,
}

impl<'a> Sample<'a> {
    fn new(kernel: &'a Int8Kernel) -> Self {
        let geometry = Geometry::new(SIDE, SIDE, 3);
        let weights = (0..CHANNELS * CHANNELS * 9).map(|index| (index % 7) as f32 - 3.0).collect();
        let layer = Layer {
            inputs: CHANNELS,
            outputs: CHANNELS,
            kernel: 3,
            weights,
            bias: vec![0.0; CHANNELS],
        };
        let (source, layout) = (InputKind::Channels, kernel.layout());
        let layer = Quantized::new(&layer, source, layout, &geometry, false);
        let input = Aligned::zeros(kernel.room(&geometry, BOARDS) * layer.packed.stride);
        let output = Aligned::zeros(BOARDS * geometry.cells() * layer.packed.channels);
        Self { kernel, layer, geometry, input, output }
    }

    fn compute(&mut self) {
        let ranges = [QuantizationRange { scale: 1.0, low: 0.0 }; BOARDS];
        let Self { kernel, layer, geometry, input, output } = self;
        kernel.convolve(layer, geometry, &ranges, input, output, Epilogue::Relu);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_fastest_comes_first() {
        let [portable, other] = [InstructionSet::Int8Portable, InstructionSet::Int8Avx512];
        let named = |set| Some((set, Int8Kernel::find(set)?));
        let kernels: Vec<_> = [portable, other].into_iter().filter_map(named).collect();
        let found = timed(&kernels);
        assert_eq!(found.len(), kernels.len());
        assert!(found.is_sorted_by_key(|&(_, shortest)| shortest), "{found:?}");
        if let [fastest, slowest] = found[..] {
            assert_eq!((fastest.0, slowest.0), (other, portable), "it has products of bytes");
            assert!(slowest.1 < Duration::MAX);
        }
    }

    #[test]
    fn what_auto_takes_is_the_fastest_of_those_timed() {
        let timed = int8_by_time();
        assert!(timed.iter().all(|(set, _)| set.is_supported()));
        if let Some((fastest, _)) = timed.first() {
            assert_eq!((InstructionSet::best_int8(), InstructionSet::best()), (*fastest, *fastest));
        }
    }
}
