//! AMX with products of bytes. Rounding to bytes uses AVX-512.

use std::arch::x86_64::{_mm512_cvtepi32_ps, _mm512_loadu_si512};
use std::mem::MaybeUninit;

use super::super::tile::Register;
use super::super::x86::amx::tiles::{
    self, ABREAST, CellBlock, SIDE, Sums, ZEROS, add_products, rows,
};
use super::super::x86::avx512::F32x16;
use super::tile::{self, ByteTile};
use super::{Int8Kernel, avx512_vnni};

/// Computes a tile of `REGISTERS` registers with at most 16 cells for each row of tiles. The
/// results are those of the other instruction sets, to the last bit.
///
/// # Safety
///
/// As for [`convolve`](tile::convolve); the tiles must also be set up.
#[target_feature(enable = "avx512f,avx512vnni")]
unsafe fn convolve<const REGISTERS: usize>(tile: &ByteTile<'_>) {
    let &ByteTile { taps, cells: count, stride, depth, weights, ref inputs, .. } = tile;
    let cells = CellBlock { taps, inputs, count, stride, depth, weights };
    let mut sums = MaybeUninit::<Sums>::uninit();
    let sums = sums.as_mut_ptr();
    // SAFETY: the caller guarantees the instructions, the tiles and all memory. `add_products`
    // writes the sums of all cells.
    unsafe {
        add_products::<REGISTERS>(&cells, &tiles::bytes::MULTIPLY, ZEROS, sums);
        let weight_sums = tile::weight_sums::<F32x16, REGISTERS>(tile);
        for cell in 0..count {
            let mut numbers = [F32x16::splat(0.0); REGISTERS];
            for (register, lanes) in numbers.iter_mut().enumerate() {
                let row = Sums::row::<REGISTERS>(sums, cell, register);
                *lanes = F32x16(_mm512_cvtepi32_ps(_mm512_loadu_si512(row.cast())));
            }
            tile::scale(tile, cell, numbers, &weight_sums);
        }
    }
}

type Convolve = unsafe fn(&ByteTile<'_>);

/// The functions of this instruction set. They may be called only if the CPU has it and the system
/// permits the process to use it.
pub(super) const KERNEL: Int8Kernel = Int8Kernel {
    depth: SIDE,
    begin: tiles::begin,
    tiles: &[
        &[convolve::<1> as Convolve; rows(1) * SIDE],
        &[convolve::<2> as Convolve; rows(2) * SIDE],
        &[convolve::<3> as Convolve; rows(3) * SIDE],
        &[convolve::<4> as Convolve; rows(4) * SIDE],
    ],
    end: tiles::end,
    peak: tiles::bytes::peak,
    round: ABREAST * 4 * SIDE * SIDE * SIDE,
    ..avx512_vnni::KERNEL
};

#[cfg(all(test, target_os = "linux"))]
mod tests {
    use rand::{RngExt, SeedableRng};

    use super::super::super::Epilogue;
    use super::super::super::x86::amx::{detection, emulation};
    use super::super::{Int8Kernel, QuantizationRange};
    use crate::base::rng::Rng;
    use crate::nn::conv::{Aligned, Geometry, InputKind, InstructionSet, Layer, Quantized};

    /// Computes a layer with random weights and inputs, `[boards, cells, channels]`.
    fn convolved(
        kernel: &Int8Kernel,
        [inputs, outputs]: [usize; 2],
        geometry: &Geometry,
        boards: usize,
        signed: bool,
        epilogue: Epilogue,
    ) -> Vec<Vec<u32>> {
        let mut rng = Rng::seed_from_u64(5);
        let mut numbers = |count: usize| -> Vec<f32> {
            (0..count).map(|_| rng.random_range(-1.0..1.0)).collect()
        };
        let side = geometry.taps().isqrt();
        let weights = numbers(outputs * inputs * side * side);
        let layer = Layer { inputs, outputs, kernel: side, weights, bias: numbers(outputs) };
        let layer = Quantized::new(&layer, InputKind::Channels, kernel.layout(), signed);
        let cells = boards * geometry.cells();
        let mut input = Aligned::zeros(cells * layer.packed.stride);
        for cell in input.chunks_exact_mut(layer.packed.stride) {
            for (index, dword) in cell.iter_mut().enumerate() {
                let byte = |at| if 4 * index + at < inputs { rng.random_range(0..=255) } else { 0 };
                *dword = f32::from_bits(u32::from_le_bytes(std::array::from_fn(byte)));
            }
        }
        let low = if signed { -0.5 } else { 0.0 };
        let ranges: Vec<QuantizationRange> = (0..boards)
            .map(|board| QuantizationRange { scale: 0.01 + board as f32, low })
            .collect();
        let mut output = Aligned::zeros(cells * layer.packed.channels);
        output.fill(2.0);
        kernel.convolve(&layer, geometry, &ranges, &input, &mut output, epilogue);
        let bits = |cell: &[f32]| cell[..outputs].iter().map(|number| number.to_bits()).collect();
        output.chunks_exact(layer.packed.channels).map(bits).collect()
    }

    #[test]
    fn sums_are_those_of_the_portable_kernel() {
        let Some(kernel) = Int8Kernel::emulated_amx() else {
            eprintln!("skipped: this CPU has no AVX-512 with VNNI");
            return;
        };
        let portable = Int8Kernel::find(InstructionSet::Int8Portable).unwrap();
        let mut checked = 0;
        for channels in [[1, 3], [17, 20], [48, 48], [64, 64], [130, 70]] {
            for (board, side) in [([5, 5], 3), ([1, 4], 3), ([6, 7], 1)] {
                let geometry = Geometry::new(board[0], board[1], side);
                for epilogue in [Epilogue::Logits, Epilogue::Add, Epilogue::Relu, Epilogue::AddRelu]
                {
                    let signed = checked % 2 == 1;
                    let [found, expected] = [kernel, portable]
                        .map(|it| convolved(it, channels, &geometry, 3, signed, epilogue));
                    assert_eq!(found, expected, "{channels:?} {board:?} {epilogue:?}");
                    checked += 1;
                }
            }
        }
    }

    #[test]
    fn the_reported_number_of_products_is_right() {
        let Some(kernel) = Int8Kernel::emulated_amx() else { return };
        let before = emulation::products();
        let reported = kernel.work(2);
        // A CPU that has the instructions does not count them.
        assert!(detection::has_bytes() || reported == emulation::products() - before);
    }
}
