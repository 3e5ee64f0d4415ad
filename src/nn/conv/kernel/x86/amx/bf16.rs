//! AMX with products of bf16. All other functions use AVX-512 with bf16.

use std::mem::MaybeUninit;

use super::correlation::correlate;
use super::tiles::{self, ABREAST, CellBlock, SIDE, SUMS, Start, Sums, add_products, rows};
use crate::nn::conv::kernel::Kernel;
use crate::nn::conv::kernel::correlate::Correlation;
use crate::nn::conv::kernel::learning::Learning;
use crate::nn::conv::kernel::tile::{Register, Tile, finish};
use crate::nn::conv::kernel::x86::avx512_bf16::{self, Bf16x32};

/// Computes a tile of `REGISTERS` registers with at most 16 cells for each row of tiles.
///
/// # Safety
///
/// As for [`convolve`](crate::nn::conv::kernel::tile::convolve); the tiles must also be set up.
#[target_feature(enable = "avx512f,avx512bf16")]
unsafe fn convolve<const REGISTERS: usize>(tile: &Tile<'_>) {
    let &Tile { taps, cells: count, stride, depth, weights, ref inputs, .. } = tile;
    let cells = CellBlock { taps, inputs, count, stride, depth, weights };
    let mut sums = MaybeUninit::<Sums>::uninit();
    let sums = sums.as_mut_ptr();
    // SAFETY: the caller guarantees the instructions, the tiles and all memory. There is a bias for
    // every sum, and `add_products` writes the sums of all cells.
    unsafe {
        let biases = biases::<REGISTERS>(tile);
        let start = Start { from: biases.as_ptr().cast(), row: 0, sum: size_of::<[f32; SIDE]>() };
        add_products::<REGISTERS>(&cells, &tiles::bf16::MULTIPLY, start, sums);
        store::<REGISTERS>(tile, sums);
    }
}

/// Stores the sums of all cells.
///
/// # Safety
///
/// As for [`convolve`]; the sums of all cells must be written.
#[inline(always)]
unsafe fn store<const REGISTERS: usize>(tile: &Tile<'_>, sums: *const Sums) {
    for (cell, &output) in tile.outputs[..tile.cells].iter().enumerate() {
        // SAFETY: the caller guarantees the instructions, the sums and the memory of the outputs.
        unsafe {
            let mut registers = [Bf16x32::splat(0.0); REGISTERS];
            for (register, lanes) in registers.iter_mut().enumerate() {
                *lanes = Bf16x32::load(Sums::row::<REGISTERS>(sums, cell, register).cast());
            }
            finish(&registers, output, tile.epilogue);
        }
    }
}

/// The biases of each matrix of sums, which are the same for all rows.
///
/// # Safety
///
/// As for [`convolve`].
#[inline(always)]
unsafe fn biases<const REGISTERS: usize>(tile: &Tile<'_>) -> [[f32; SIDE]; SUMS] {
    let mut biases = [[0.0; SIDE]; SUMS];
    for (index, row) in biases.iter_mut().enumerate() {
        // SAFETY: the caller guarantees a bias for each lane of the registers.
        *row = unsafe { tile.bias.add(index % REGISTERS * SIDE).cast::<[f32; SIDE]>().read() };
    }
    biases
}

type Convolve = unsafe fn(&Tile<'_>);
type Correlate = unsafe fn(&Correlation<'_>);

/// A [`Learning::near`] for a part of the L2 cache.
const L2_CACHE: usize = 256_000;

/// The functions of this instruction set. They may be called only if the CPU has it and the system
/// permits the process to use it.
pub(in crate::nn::conv::kernel) const KERNEL: Kernel = Kernel {
    depth: SIDE,
    begin: tiles::begin,
    tiles: &[
        &[convolve::<1> as Convolve; rows(1) * SIDE],
        &[convolve::<2> as Convolve; rows(2) * SIDE],
        &[convolve::<3> as Convolve; rows(3) * SIDE],
        &[convolve::<4> as Convolve; rows(4) * SIDE],
    ],
    end: tiles::end,
    peak: tiles::bf16::peak,
    round: ABREAST * 2 * SIDE * SIDE * SIDE,
    learning: Learning {
        correlations: &[
            &[correlate::<1> as Correlate; rows(1) * SIDE],
            &[correlate::<2> as Correlate; rows(2) * SIDE],
            &[correlate::<3> as Correlate; rows(3) * SIDE],
            &[correlate::<4> as Correlate; rows(4) * SIDE],
        ],
        near: L2_CACHE,
        ..avx512_bf16::KERNEL.learning
    },
    ..avx512_bf16::KERNEL
};
