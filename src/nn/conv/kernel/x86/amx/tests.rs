//! Convolutions and gradients by AMX against plain loops. All numbers are small integers, so that
//! no sum is rounded and results are equal bit for bit.

use rand::{RngExt, SeedableRng};

use super::{detection, emulation};
use crate::base::rng::Rng;
use crate::nn::conv::aligned::Aligned;
use crate::nn::conv::dword;
use crate::nn::conv::geometry::Geometry;
use crate::nn::conv::kernel::{Epilogue, Kernel, x86};
use crate::nn::conv::pack::{InputKind, Packed};
use crate::nn::conv::weights::Layer;

/// The kernel, if this CPU has AMX or can emulate it.
fn kernel() -> Option<&'static Kernel> {
    let kernel = x86::emulated_amx_bf16();
    if kernel.is_none() {
        eprintln!("skipped: this CPU has no AVX-512 with bf16");
    }
    kernel
}

struct Case {
    board: [usize; 2],
    kernel: usize,
    inputs: usize,
    outputs: usize,
    source: InputKind,
    boards: usize,
}

fn whole(rng: &mut Rng, count: usize) -> Vec<f32> {
    (0..count).map(|_| rng.random_range(-3..=3) as f32).collect()
}

/// Converts `[boards, cells, inputs]` to the dwords that `layer` reads, followed by NaNs that it
/// must not read.
fn dwords(input: &[f32], inputs: usize, layer: &Packed) -> Aligned {
    let cells = input.len() / inputs;
    let mut dwords = Aligned::zeros(cells * layer.stride + layer.depth);
    dwords[cells * layer.stride..].fill(f32::NAN);
    for (cell, dwords) in input.chunks_exact(inputs).zip(dwords.chunks_exact_mut(layer.stride)) {
        for (pair, slot) in cell.chunks(2).zip(dwords) {
            *slot = dword(&[pair[0], pair.get(1).copied().unwrap_or(0.0)]);
        }
    }
    dwords
}

/// Computes a layer by plain loops: from `[boards, cells, inputs]` to `[boards, cells, outputs]`.
fn convolved(case: &Case, layer: &Layer, input: &[f32]) -> Vec<f32> {
    let [height, width] = case.board.map(|side| side as isize);
    let reach = case.kernel as isize / 2;
    let mut output = Vec::new();
    for board in input.chunks_exact((height * width) as usize * case.inputs) {
        for cell in 0..height * width {
            let mut sums = layer.bias.clone();
            for tap in 0..case.kernel * case.kernel {
                let row = cell / width + (tap / case.kernel) as isize - reach;
                let column = cell % width + (tap % case.kernel) as isize - reach;
                if !(0..height).contains(&row) || !(0..width).contains(&column) {
                    continue;
                }
                let neighbour = &board[(row * width + column) as usize * case.inputs..];
                for (output, sum) in sums.iter_mut().enumerate() {
                    for (input, &value) in neighbour[..case.inputs].iter().enumerate() {
                        let place = output * case.inputs + input;
                        *sum += value * layer.weights[place * case.kernel * case.kernel + tap];
                    }
                }
            }
            output.extend(sums);
        }
    }
    output
}

fn check(kernel: &Kernel, case: &Case) {
    let mut rng = Rng::seed_from_u64(7);
    let taps = case.kernel * case.kernel;
    let layer = Layer {
        inputs: case.inputs,
        outputs: case.outputs,
        kernel: case.kernel,
        weights: whole(&mut rng, case.outputs * case.inputs * taps),
        bias: whole(&mut rng, case.outputs),
    };
    let packed = Packed::new(&layer, case.source, kernel.layout());
    let geometry = Geometry::new(case.board[0], case.board[1], case.kernel);
    let cells = case.boards * geometry.cells();
    let numbers = whole(&mut rng, cells * case.inputs);
    let input = &dwords(&numbers, case.inputs, &packed);
    let expected = convolved(case, &layer, &numbers);

    // `before` is what the output contributes to the sums of a cell.
    let mut output = Aligned::zeros(cells * packed.channels);
    for (epilogue, before) in [(Epilogue::Logits, 0.0), (Epilogue::Add, 2.0)] {
        output.fill(2.0);
        kernel.convolve(&packed, &geometry, case.boards, input, &mut output, epilogue);
        let found = output.chunks_exact(packed.channels);
        for (found, expected) in found.zip(expected.chunks_exact(case.outputs)) {
            let expected: Vec<f32> = expected.iter().map(|sum| sum + before).collect();
            assert_eq!(found[..case.outputs], expected, "{epilogue:?}");
            assert!(found[case.outputs..].iter().all(|&number| number == before));
        }
    }
    let mut output = Aligned::zeros(cells * packed.channels / 2);
    for (epilogue, before) in [(Epilogue::Relu, 0.0), (Epilogue::AddRelu, 2.0)] {
        output.fill(dword(&[2.0, 2.0]));
        kernel.convolve(&packed, &geometry, case.boards, input, &mut output, epilogue);
        let found = output.chunks_exact(packed.channels / 2);
        for (found, expected) in found.zip(expected.chunks_exact(case.outputs)) {
            for (found, sums) in found.iter().zip(expected.chunks(2)) {
                let sum = |half: usize| (sums.get(half).unwrap_or(&0.0) + before).max(0.0);
                assert_eq!(found.to_bits(), dword(&[sum(0), sum(1)]).to_bits(), "{epilogue:?}");
            }
        }
    }
}

#[test]
fn convolutions_add_up_all_products() {
    let Some(kernel) = kernel() else { return };
    for channels in [1, 17, 32, 48, 64, 130] {
        for board in [[5, 5], [6, 7], [1, 4]] {
            let case = Case {
                board,
                kernel: 3,
                inputs: channels,
                outputs: channels,
                source: InputKind::Channels,
                boards: 3,
            };
            check(kernel, &case);
        }
    }
}

#[test]
fn any_number_of_cells_is_computed() {
    let Some(kernel) = kernel() else { return };
    for boards in 0..40 {
        for (inputs, source) in [(33, InputKind::Channels), (64, InputKind::Pooled)] {
            for outputs in [5, 20, 48] {
                let board = [1, 1];
                check(kernel, &Case { board, kernel: 1, inputs, outputs, source, boards });
            }
        }
    }
}

#[test]
fn only_the_dwords_of_a_cell_are_read() {
    let Some(kernel) = kernel() else { return };
    for inputs in 1..70 {
        for source in [InputKind::Planes, InputKind::Channels] {
            let case = Case { board: [2, 3], kernel: 3, inputs, outputs: 7, source, boards: 2 };
            check(kernel, &case);
        }
    }
}

/// Gradients of weights by plain loops, added to 1: from inputs and gradients, both `[boards,
/// cells, channels]`, to `[taps, input channels, output channels]`.
fn correlated(
    geometry: &Geometry,
    [inputs, outputs]: [usize; 2],
    [input, gradient]: [&[f32]; 2],
) -> Vec<f32> {
    let mut sums = vec![1.0; geometry.taps() * inputs * outputs];
    let boards = input.chunks_exact(geometry.cells() * inputs);
    for (input, gradient) in boards.zip(gradient.chunks_exact(geometry.cells() * outputs)) {
        for (tap, cells) in geometry.neighbours() {
            for &cell in cells {
                let gradient = &gradient[cell as usize * outputs..][..outputs];
                let neighbour = cell as isize + tap.offset;
                let input = &input[neighbour as usize * inputs..][..inputs];
                let sums = &mut sums[tap.index * inputs * outputs..][..inputs * outputs];
                for (sums, input) in sums.chunks_exact_mut(outputs).zip(input) {
                    sums.iter_mut().zip(gradient).for_each(|(sum, number)| *sum += input * number);
                }
            }
        }
    }
    sums
}

#[test]
fn gradients_of_weights_add_up_all_products() {
    let Some(kernel) = kernel() else { return };
    let mut rng = Rng::seed_from_u64(9);
    // More than fill the cache once, and few enough for a part of a block.
    for (boards, board, side) in [(2, [6, 7], 3), (40, [5, 5], 3), (2, [1, 1], 1), (34, [1, 1], 1)]
    {
        let geometry = Geometry::new(board[0], board[1], side);
        for channels in [[16, 48], [32, 32], [48, 16], [64, 64], [80, 112]] {
            let numbers = channels.map(|count| whole(&mut rng, boards * geometry.cells() * count));
            // A dword holds the numbers of two boards.
            let [input, gradient] = [0, 1].map(|which: usize| {
                let board = geometry.cells() * channels[which];
                let pairs = numbers[which].chunks_exact(2 * board).map(|pair| pair.split_at(board));
                pairs
                    .flat_map(|(low, high)| {
                        low.iter().zip(high).map(|(&low, &high)| dword(&[low, high]))
                    })
                    .collect::<Vec<f32>>()
            });
            let mut output = Aligned::zeros(geometry.taps() * channels[0] * channels[1]);
            output.fill(1.0);
            kernel.correlate(channels, &geometry, &input, &gradient, &mut output);
            let expected = correlated(&geometry, channels, [&numbers[0], &numbers[1]]);
            assert_eq!(output[..], expected, "{boards} boards of {board:?}, {channels:?}");
        }
    }
}

#[test]
fn the_reported_number_of_products_is_right() {
    let Some(kernel) = kernel() else { return };
    let before = emulation::products();
    let reported = kernel.work(2);
    // A CPU that has the instructions does not count them.
    assert!(detection::has_bf16() || reported == emulation::products() - before);
}

#[test]
fn sums_do_not_depend_on_what_else_is_computed() {
    let Some(kernel) = kernel() else { return };
    let mut rng = Rng::seed_from_u64(3);
    let mut numbers =
        |count: usize| -> Vec<f32> { (0..count).map(|_| rng.random_range(-1.0..1.0)).collect() };
    let (channels, boards, geometry) = (64, 5, Geometry::new(5, 5, 3));
    let (weights, bias) = (numbers(channels * channels * 9), numbers(channels));
    let layer = Layer { inputs: channels, outputs: channels, kernel: 3, weights, bias };
    let packed = Packed::new(&layer, InputKind::Channels, kernel.layout());
    let input = dwords(&numbers(boards * 25 * channels), channels, &packed);
    let mut all = Aligned::zeros(boards * 25 * channels);
    kernel.convolve(&packed, &geometry, boards, &input, &mut all, Epilogue::Logits);
    for board in 0..boards {
        let mut alone = Aligned::zeros(25 * channels);
        let input = &input[board * 25 * packed.stride..];
        kernel.convolve(&packed, &geometry, 1, input, &mut alone, Epilogue::Logits);
        let bits = |sums: &[f32]| sums.iter().map(|sum| sum.to_bits()).collect::<Vec<_>>();
        assert_eq!(bits(&alone), bits(&all[board * 25 * channels..][..25 * channels]));
    }
}
