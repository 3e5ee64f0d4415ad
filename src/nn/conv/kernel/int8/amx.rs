//! AMX with products of bytes. Rounding to bytes uses AVX-512.

use std::arch::x86_64::{_mm512_cvtepi32_ps, _mm512_loadu_si512};
use std::mem::MaybeUninit;

use super::super::framed::BLOCKS;
use super::super::tile::Register;
use super::super::x86::amx::tiles::{self, ABREAST, FramedCells, SIDE, Sums};
use super::super::x86::avx512::F32x16;
use super::tile::{self, ByteTile};
use super::{Int8Kernel, avx512_vnni};
use crate::nn::conv::framed::TOGETHER;

/// Computes a tile of `REGISTERS` registers and two blocks of 16 places. The results are those of the
/// other instruction sets, to the last bit.
///
/// # Safety
///
/// The CPU must have the instructions, and the tiles must be set up. From both inputs on 16 places must
/// have 16 dwords at each step, and the other pointers must have the sizes documented in [`ByteTile`].
#[target_feature(enable = "avx512f,avx512vnni")]
unsafe fn convolve<const REGISTERS: usize>(tile: &ByteTile<'_>) {
    let &ByteTile { steps, stride, weights, ref inputs, ref outputs, .. } = tile;
    let cells = FramedCells {
        steps,
        inputs: [inputs[0], inputs[SIDE]],
        stride,
        weights,
        weight_stride: REGISTERS * SIDE,
        bias: std::ptr::null(),
    };
    let mut sums = MaybeUninit::<Sums>::uninit();
    let sums = sums.as_mut_ptr();
    // SAFETY: the caller guarantees the instructions, the tiles and all memory. The sums of all places
    // are written before they are read.
    unsafe {
        tiles::bytes::MULTIPLY_FRAMED[REGISTERS - 1](&cells, sums);
        for (slot, _) in outputs.iter().enumerate().filter(|(_, output)| !output.is_null()) {
            let mut numbers = [F32x16::splat(0.0); REGISTERS];
            for (register, lanes) in numbers.iter_mut().enumerate() {
                let row = Sums::row::<REGISTERS>(sums, slot, register);
                *lanes = F32x16(_mm512_cvtepi32_ps(_mm512_loadu_si512(row.cast())));
            }
            let weight_sums = tile::weight_sums::<F32x16, REGISTERS>(tile, tile.classes[slot]);
            tile::scale(tile, slot, numbers, &weight_sums);
        }
    }
}

type Convolve = unsafe fn(&ByteTile<'_>);

const _: () = assert!(TOGETHER == SIDE && BLOCKS == 2, "two tiles of places");

/// The functions of this instruction set. They may be called only if the CPU has it and the system
/// permits the process to use it.
///
/// Two registers by two blocks of places read four tiles for four products, and the weights of a layer
/// of 64 channels for two registers take a third of the L1 cache.
pub(super) const KERNEL: Int8Kernel = Int8Kernel {
    depth: SIDE,
    framed: true,
    begin: tiles::begin,
    tiles: &[&[convolve::<1> as Convolve], &[convolve::<2> as Convolve]],
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
        let layer = Quantized::new(&layer, InputKind::Channels, kernel.layout(), geometry, signed);
        let (cells, stride) = (boards * geometry.cells(), layer.packed.stride);
        let mut input = Aligned::zeros(kernel.room(geometry, boards) * stride);
        for (board, cell) in
            (0..boards).flat_map(|board| (0..geometry.cells()).map(move |cell| (board, cell)))
        {
            let place = kernel.start(geometry, board) + kernel.places(geometry)[cell];
            let dwords = &mut input[place * stride..];
            for (index, dword) in dwords[..inputs.div_ceil(4)].iter_mut().enumerate() {
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
            for (board, side) in [([5, 5], 3), ([1, 4], 3), ([8, 8], 3), ([6, 7], 1)] {
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
