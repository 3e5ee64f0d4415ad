//! No kernel reads or writes out of bounds: every function of every instruction set that this CPU
//! has or can emulate, on boards, channels and batches of many sizes, with buffers next to
//! inaccessible memory. What is computed is checked elsewhere.

use super::row_ops::{
    ABREAST, Activate, Gate, InterleaveBoards, NormBackward, PoolBackward, Products, Round,
    RowMoments, Sum,
};
use super::{Epilogue, Kernel};
use crate::nn::conv::{
    Aligned, Edge, Geometry, InputKind, InstructionSet, Int8Kernel, Layer, Packed,
    QuantizationRange, Quantized, guard,
};

/// The kernels, with whether they run at full speed.
fn kernels() -> impl Iterator<Item = (&'static Kernel, bool)> {
    let found =
        InstructionSet::ALL.into_iter().filter_map(Kernel::find).map(|kernel| (kernel, true));
    found.chain(emulated().map(|kernel| (kernel, false)))
}

/// AMX in software, if the CPU lacks it.
fn emulated() -> Option<&'static Kernel> {
    #[cfg(all(target_arch = "x86_64", target_os = "linux"))]
    if Kernel::find(InstructionSet::AmxBf16).is_none() {
        return super::x86::emulated_amx_bf16();
    }
    None
}

/// Runs `check` for every kernel, with buffers that are guarded at their first and then at their
/// last number.
fn for_every_kernel(check: impl Fn(&Kernel, bool)) {
    for (kernel, is_fast) in kernels() {
        for edge in Edge::ALL {
            guard(edge, || check(kernel, is_fast));
        }
    }
}

/// A buffer of ones, whose bits are also valid dwords.
fn ones(len: usize) -> Aligned {
    filled(len, 1.0)
}

fn filled(len: usize, value: f32) -> Aligned {
    let mut buffer = Aligned::zeros(len);
    buffer.fill(value);
    buffer
}

/// A layer without padding in its weights.
fn layer(inputs: usize, outputs: usize, side: usize) -> Layer {
    let weights = vec![1.0; outputs * inputs * side * side];
    Layer { inputs, outputs, kernel: side, weights, bias: vec![1.0; outputs] }
}

/// Computes a layer with all epilogues. Every number of the output has to be written.
fn convolve(kernel: &Kernel, packed: &Packed, geometry: &Geometry, boards: usize) {
    let cells = boards * geometry.cells();
    let input = ones(cells * packed.stride);
    for epilogues in [[Epilogue::Logits, Epilogue::Add], [Epilogue::Relu, Epilogue::AddRelu]] {
        let each = if epilogues[0] == Epilogue::Relu { kernel.channels() } else { 1 };
        let mut output = filled(cells * packed.channels / each, f32::NAN);
        for epilogue in epilogues {
            kernel.convolve(packed, geometry, boards, &input, &mut output, epilogue);
            assert!(output.iter().all(|number| !number.is_nan()), "{epilogue:?} {boards} boards");
        }
    }
}

/// Numbers of channels around the borders of registers and of groups of registers.
fn channels(kernel: &Kernel) -> Vec<usize> {
    let (lanes, most) = (kernel.lanes, kernel.tiles.len() * kernel.lanes);
    let mut channels = vec![1, 2, lanes - 1, lanes, lanes + 1, 2 * lanes + 1, most, most + 1];
    channels.sort_unstable();
    channels.dedup();
    channels
}

/// Boards of all sizes up to `side`.
fn boards(side: usize) -> impl Iterator<Item = [usize; 2]> {
    (1..=side).flat_map(move |height| (1..=side).map(move |width| [height, width]))
}

#[test]
fn convolutions_of_all_boards_and_channels() {
    for_every_kernel(|kernel, is_fast| {
        let side = if is_fast { 4 } else { 2 };
        for inputs in channels(kernel) {
            for outputs in channels(kernel) {
                for side_of_kernel in [1, 3] {
                    let layer = layer(inputs, outputs, side_of_kernel);
                    let packed = Packed::new(&layer, InputKind::Channels, kernel.layout());
                    for [height, width] in boards(side) {
                        let geometry = Geometry::new(height, width, side_of_kernel);
                        (1..=2).for_each(|boards| convolve(kernel, &packed, &geometry, boards));
                    }
                }
            }
        }
    });
}

#[test]
fn convolutions_of_all_tiles() {
    let geometry = Geometry::new(1, 1, 1);
    for_every_kernel(|kernel, _| {
        for registers in 1..=kernel.tiles.len() + 1 {
            let layer = layer(kernel.lanes + 1, registers * kernel.lanes, 1);
            let packed = Packed::new(&layer, InputKind::Channels, kernel.layout());
            let most = 2 * kernel.tiles[packed.groups[0].registers - 1].len() + 1;
            (1..=most).for_each(|boards| convolve(kernel, &packed, &geometry, boards));
        }
    });
}

#[test]
fn convolutions_of_all_kinds_of_input() {
    for_every_kernel(|kernel, _| {
        for inputs in 1..=4 * kernel.lanes + 1 {
            let layer = layer(inputs, 3, 3);
            for source in [InputKind::Planes, InputKind::Channels] {
                let packed = Packed::new(&layer, source, kernel.layout());
                convolve(kernel, &packed, &Geometry::new(2, 3, 3), 2);
            }
        }
        for inputs in (2..=4 * kernel.lanes + 2).step_by(2) {
            let packed = Packed::new(&layer(inputs, 3, 1), InputKind::Pooled, kernel.layout());
            (1..=3).for_each(|boards| {
                convolve(kernel, &packed, &Geometry::new(1, 1, 1), boards);
            });
        }
    });
}

#[test]
fn convolutions_of_the_boards_of_games() {
    for_every_kernel(|kernel, is_fast| {
        let packed = Packed::new(&layer(32, 32, 3), InputKind::Channels, kernel.layout());
        for [height, width] in [[5, 5], [6, 7], [9, 9]] {
            let geometry = Geometry::new(height, width, 3);
            let most = if is_fast { 9 } else { 2 };
            (1..=most).for_each(|boards| convolve(kernel, &packed, &geometry, boards));
        }
    });
}

#[test]
fn gradients_of_weights() {
    for_every_kernel(|kernel, is_fast| {
        let lanes = kernel.lanes;
        let most = if is_fast { 3 } else { 2 };
        for (inputs, outputs) in [1, 2, 3].into_iter().flat_map(|inputs| {
            (1..=kernel.tiles.len() + 1).map(move |outputs| (inputs * lanes, outputs * lanes))
        }) {
            for [height, width] in boards(most) {
                for (side, rows) in [(1, 1), (1, 2), (3, 1), (3, 2), (3, 3)] {
                    correlate(kernel, [inputs, outputs], &Geometry::new(height, width, side), rows);
                }
            }
        }
        // More than what is computed at a time.
        correlate(kernel, [3 * lanes, 5 * lanes], &Geometry::new(9, 9, 3), 5);
    });
}

fn correlate(kernel: &Kernel, channels: [usize; 2], geometry: &Geometry, rows: usize) {
    let [input, gradient] = channels.map(|channels| ones(rows * geometry.cells() * channels));
    let mut output = Aligned::zeros(geometry.taps() * channels[0] * channels[1]);
    kernel.correlate(channels, geometry, &input, &gradient, &mut output);
    let centre = geometry.taps() / 2 * channels[0] * channels[1];
    assert!(output[centre..][..channels[0] * channels[1]].iter().all(|&sum| sum > 0.0));
}

#[test]
fn pooling() {
    for_every_kernel(|kernel, _| {
        for registers in 1..=5 {
            let channels = registers * kernel.lanes;
            for (boards, cells) in boards(6).map(|[boards, cells]| (boards, cells)) {
                let (sizes, dwords) = ([boards, cells, channels], channels / kernel.channels());
                let mut output = filled(boards * 2 * dwords, f32::NAN);
                kernel.pool(sizes, &ones(boards * cells * dwords), &mut output);
                assert!(output.iter().all(|number| !number.is_nan()));
                let mut output = ones(boards * cells * dwords);
                kernel.add(sizes, &ones(boards * channels), &mut output);
                assert!(output.iter().all(|&number| number != 1.0));
            }
        }
    });
}

#[test]
fn row_operations_of_training() {
    for_every_kernel(|kernel, _| {
        for registers in 1..=2 * ABREAST + 1 {
            for rows in 1..=5 {
                let width = registers * kernel.lanes;
                norms(kernel, rows, width);
                activations(kernel, rows, width);
            }
        }
    });
}

/// The operations that read a number for each channel.
fn norms(kernel: &Kernel, rows: usize, width: usize) {
    let (numbers, dwords) = (ones(rows * width), rows * width / kernel.channels());
    let [scale, shift, mean] = [(); 3].map(|()| ones(width));
    let [mut first, mut second] = [(); 2].map(|()| filled(width, f32::NAN));
    kernel.moments(RowMoments { rows: &numbers, mean: &mut first, squares: &mut second });
    assert!(first.iter().chain(second.iter()).all(|number| !number.is_nan()));
    let [mut sums, mut products] = [(); 2].map(|()| filled(width, f32::NAN));
    kernel.products(Products {
        gradient: &numbers,
        input: &numbers,
        mean: &mean,
        sums: &mut sums,
        products: &mut products,
    });
    assert!(sums.iter().chain(products.iter()).all(|number| !number.is_nan()));
    kernel.sum(Sum { rows: &numbers, sums: &mut sums });
    let residual = ones(dwords);
    for residual in [None, Some(&*residual)] {
        let mut output = filled(dwords, f32::NAN);
        let (input, output_of) = (&*numbers, &mut *output);
        kernel.activate(Activate {
            input,
            scale: &scale,
            shift: &shift,
            residual,
            output: output_of,
        });
        assert!(output.iter().all(|number| !number.is_nan()));
    }
    let mut output = filled(dwords, f32::NAN);
    kernel.norm_backward(NormBackward {
        gradient: &numbers,
        input: &numbers,
        scale: &scale,
        slope: &mean,
        offset: &shift,
        output: &mut output,
    });
    assert!(output.iter().all(|number| !number.is_nan()));
    let mut gradient = ones(rows * width);
    let activation = ones(dwords);
    kernel.pool_backward(PoolBackward {
        activation: &activation,
        mean: &mean,
        largest: &shift,
        gradient: &mut gradient,
    });
    assert!(gradient.iter().all(|&number| number > 1.0));
}

/// The operations that treat every number alike.
fn activations(kernel: &Kernel, rows: usize, width: usize) {
    let (numbers, dwords) = (ones(rows * width), rows * width / kernel.channels());
    let [low, high] = [(); 2].map(|()| ones(dwords));
    kernel.gate(Gate { activation: &low, gradient: &mut ones(rows * width) });
    let mut output = filled(dwords, f32::NAN);
    kernel.round(Round { input: &numbers, output: &mut output });
    assert!(output.iter().all(|number| !number.is_nan()));
    let mut output = filled(rows * width, f32::NAN);
    kernel.pair(InterleaveBoards { low: &low, high: &high, output: &mut output });
    assert!(output.iter().all(|number| !number.is_nan()));
}

/// The kernels that multiply bytes, with whether they run at full speed.
fn int8_kernels() -> impl Iterator<Item = (&'static Int8Kernel, bool)> {
    let found =
        InstructionSet::ALL.into_iter().filter_map(Int8Kernel::find).map(|kernel| (kernel, true));
    found.chain(emulated_int8().map(|kernel| (kernel, false)))
}

/// AMX in software, if the CPU lacks it.
fn emulated_int8() -> Option<&'static Int8Kernel> {
    #[cfg(all(target_arch = "x86_64", target_os = "linux"))]
    if Int8Kernel::find(InstructionSet::Int8Amx).is_none() {
        return Int8Kernel::emulated_amx();
    }
    None
}

#[test]
fn convolutions_of_bytes() {
    for edge in Edge::ALL {
        guard(edge, || {
            int8_kernels().for_each(|(kernel, is_fast)| convolutions_by_bytes(kernel, is_fast));
        });
    }
}

fn convolutions_by_bytes(kernel: &Int8Kernel, is_fast: bool) {
    let shape = kernel.layout();
    let (lanes, most) = (shape.lanes, shape.registers * shape.lanes);
    let channels = [1, 2, lanes - 1, lanes, lanes + 1, 2 * lanes + 1, most, most + 1];
    for (inputs, outputs) in
        channels.iter().flat_map(|&inputs| channels.map(|outputs| (inputs, outputs)))
    {
        for (side, source) in [
            (1, InputKind::Channels),
            (3, InputKind::Channels),
            (1, InputKind::Planes),
            (3, InputKind::Planes),
        ] {
            let layer = layer(inputs, outputs, side);
            for signed in [false, true] {
                for [height, width] in boards(if is_fast { 3 } else { 1 }) {
                    let geometry = Geometry::new(height, width, side);
                    let layer = Quantized::new(&layer, source, shape, &geometry, signed);
                    (1..=2).for_each(|boards| convolve_bytes(kernel, &layer, &geometry, boards));
                }
            }
        }
    }
    for registers in 1..=shape.registers {
        let (layer, geometry) = (layer(lanes + 1, registers * lanes, 1), Geometry::new(1, 1, 1));
        let layer = Quantized::new(&layer, InputKind::Channels, shape, &geometry, false);
        // All sizes of tiles.
        (1..=33).for_each(|boards| convolve_bytes(kernel, &layer, &geometry, boards));
    }
    // The largest number of places.
    let (layer, geometry) = (layer(4 * lanes + 1, 2 * lanes, 3), Geometry::new(9, 9, 3));
    let layer = Quantized::new(&layer, InputKind::Channels, shape, &geometry, true);
    (1..=if is_fast { 3 } else { 2 })
        .for_each(|boards| convolve_bytes(kernel, &layer, &geometry, boards));
}

/// Computes a layer with all epilogues, and rounds it. Every number has to be written.
fn convolve_bytes(kernel: &Int8Kernel, layer: &Quantized, geometry: &Geometry, boards: usize) {
    let (cells, channels) = (geometry.cells(), layer.packed.channels);
    let input = ones(kernel.room(geometry, boards) * layer.packed.stride);
    let mut ranges = vec![QuantizationRange { scale: 1.0, low: 0.0 }; boards];
    for epilogues in [[Epilogue::Logits, Epilogue::Add], [Epilogue::Relu, Epilogue::AddRelu]] {
        let mut output = filled(boards * cells * channels, f32::NAN);
        for epilogue in epilogues {
            kernel.convolve(layer, geometry, &ranges, &input, &mut output, epilogue);
            assert!(output.iter().all(|number| !number.is_nan()), "{epilogue:?} {boards} boards");
        }
        let dwords = kernel.layout().stride(channels / 4);
        let mut bytes = filled(kernel.room(geometry, boards) * dwords, f32::NAN);
        kernel.quantize(geometry, channels, &output, &mut bytes, &mut ranges);
        for (board, cell) in (0..boards).flat_map(|board| (0..cells).map(move |cell| (board, cell)))
        {
            let place = kernel.start(geometry, board) + kernel.places(geometry)[cell];
            let bytes = &bytes[place * dwords..][..channels / 4];
            assert!(bytes.iter().all(|dword| dword.to_bits() != f32::NAN.to_bits()));
        }
    }
}
