//! AMX with products of bf16. All other functions use AVX-512 with bf16.

use std::mem::MaybeUninit;

use super::correlation::correlate;
use super::tiles::{
    self, ABREAST, CellBlock, FramedCells, SIDE, SUMS, Start, Sums, add_products, rows,
};
use crate::nn::conv::kernel::Kernel;
use crate::nn::conv::kernel::correlate::Correlation;
use crate::nn::conv::kernel::framed::FramedTile;
use crate::nn::conv::kernel::learning::Learning;
use crate::nn::conv::kernel::tile::{Epilogue, Register, Tile, finish};
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
        for (cell, &output) in tile.outputs[..count].iter().enumerate() {
            store::<REGISTERS>(sums, cell, output, tile.epilogue);
        }
    }
}

/// Computes a tile of `REGISTERS` registers and two blocks of 16 places.
///
/// # Safety
///
/// The CPU must have the instructions, and the tiles must be set up. From both inputs on 16 places must
/// have 16 dwords at each step, and the other pointers must have the sizes documented in
/// [`FramedTile`].
#[target_feature(enable = "avx512f,avx512bf16")]
unsafe fn convolve_framed<const REGISTERS: usize>(tile: &FramedTile<'_>) {
    let &FramedTile { steps, inputs, stride, weights, weight_stride, bias, .. } = tile;
    let cells = FramedCells { steps, inputs, stride, weights, weight_stride, bias };
    let mut sums = MaybeUninit::<Sums>::uninit();
    let sums = sums.as_mut_ptr();
    // SAFETY: the caller guarantees the instructions, the tiles and all memory. The sums of all places
    // are written before they are read.
    unsafe {
        tiles::bf16::MULTIPLY_FRAMED[REGISTERS - 1](&cells, sums);
        for (slot, &output) in tile.outputs.iter().enumerate() {
            if !output.is_null() {
                store::<REGISTERS>(sums, slot, output, tile.epilogue);
            }
        }
    }
}

/// Stores the sums of a cell.
///
/// # Safety
///
/// As for [`convolve`]; the sums of the cell must be written, and its output must have room for them.
#[inline(always)]
unsafe fn store<const REGISTERS: usize>(
    sums: *const Sums,
    cell: usize,
    output: *mut f32,
    epilogue: Epilogue,
) {
    // SAFETY: the caller guarantees the instructions, the sums and the memory of the output.
    unsafe {
        let mut registers = [Bf16x32::splat(0.0); REGISTERS];
        for (register, lanes) in registers.iter_mut().enumerate() {
            *lanes = Bf16x32::load(Sums::row::<REGISTERS>(sums, cell, register).cast());
        }
        finish(&registers, output, epilogue);
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
type Framed = unsafe fn(&FramedTile<'_>);
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
    framed: &[convolve_framed::<1> as Framed, convolve_framed::<2> as Framed],
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
