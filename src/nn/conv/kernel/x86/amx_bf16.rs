//! AMX: 8 tiles of 16 rows of 64 bytes, which are multiplied as matrices.
//!
//! A row of the left factor is 16 units of a cell. A row of the right factor is the weights of a
//! unit for 16 output channels, as stored in memory. Cells are not equidistant in memory, so they
//! are first gathered. All passes other than convolutions use AVX-512 with bf16.
//!
//! A multiplication has a throughput of 16 cycles and a latency of 52, so four independent sums
//! alternate. (Intel 64 and IA-32 Architectures Optimization Reference Manual, chapter on AMX;
//! instructions as in the Software Developer's Manual, volume 2.)

use std::arch::asm;
use std::arch::x86_64::{_mm512_maskz_loadu_ps, _mm512_storeu_ps};
use std::mem::MaybeUninit;

use super::avx512_bf16::{self, Lanes};
use crate::nn::conv::kernel::Kernel;
use crate::nn::conv::kernel::tile::{Register, Tile, finish};

/// Number of rows of a tile, and of numbers or units in a row.
const SIDE: usize = 16;

/// A tile in memory.
type Matrix = [[f32; SIDE]; SIDE];

/// Number of matrices gathered at a time: those that a 3x3 kernel reads of 16 cells with 64
/// channels.
const GATHERED: usize = 18;

/// Number of matrices of sums.
const SUMS: usize = 4;

/// The factors of matrix products.
#[repr(C, align(64))]
struct Factors {
    /// `[blocks, rows of tiles]`: the gathered units.
    inputs: [Matrix; GATHERED],
    /// `[blocks]`: the weights of these units.
    weights: [*const f32; GATHERED],
}

/// The sums, `[rows of tiles, registers]`.
#[repr(C, align(64))]
struct Sums([Matrix; SUMS]);

/// The initial value of the sums.
#[derive(Clone, Copy)]
struct Start {
    from: *const f32,
    /// Bytes from one row to the next; 0 if all rows are the same.
    row: usize,
    /// Bytes from one of the [`SUMS`] to the next.
    sum: usize,
}

/// The operand of `ldtilecfg`: palette and 15 zero bytes, then the bytes per row of each tile, then
/// the rows of each tile.
#[repr(C, align(64))]
struct Sizes([u8; 16], [u16; 16], [u8; 16]);

/// All eight tiles at their largest size.
static SIZES: Sizes = {
    let mut sizes = Sizes([0; 16], [0; 16], [0; 16]);
    sizes.0[0] = 1;
    let mut tile = 0;
    while tile < 8 {
        sizes.1[tile] = (SIDE * size_of::<f32>()) as u16;
        sizes.2[tile] = SIDE as u8;
        tile += 1;
    }
    sizes
};

/// Inline assembly that clobbers all tiles.
macro_rules! tiles {
    ($($line:expr),+ ; $($operands:tt)*) => {
        asm!(
            $($line,)+
            $($operands)*
            out("tmm0") _, out("tmm1") _, out("tmm2") _, out("tmm3") _,
            out("tmm4") _, out("tmm5") _, out("tmm6") _, out("tmm7") _,
            options(nostack),
        )
    };
}

unsafe fn begin() {
    // SAFETY: the caller guarantees the instructions.
    unsafe { tiles!("ldtilecfg [{sizes}]"; sizes = in(reg) &raw const SIZES,) };
}

/// Releases the tiles, so that context switches need not save them.
unsafe fn end() {
    // SAFETY: the caller guarantees the instructions.
    unsafe { tiles!("tilerelease";) };
}

/// Defines a function that adds the products of at least one block to a start. The rows of weights
/// are `stride` bytes apart.
macro_rules! multiply {
    ($name:ident, $block:literal, $($line:literal)+) => {
        unsafe fn $name(
            factors: *const Factors,
            blocks: usize,
            stride: usize,
            start: Start,
            sums: *mut Sums,
        ) {
            // SAFETY: the caller guarantees the instructions, a valid start, room for the sums,
            // and `blocks` blocks of factors.
            unsafe {
                tiles!(
                    "tileloadd tmm0, [{from} + {start_row}*1]",
                    "add {from}, {start_sum}",
                    "tileloadd tmm1, [{from} + {start_row}*1]",
                    "add {from}, {start_sum}",
                    "tileloadd tmm2, [{from} + {start_row}*1]",
                    "add {from}, {start_sum}",
                    "tileloadd tmm3, [{from} + {start_row}*1]",
                    "2:",
                    "mov {weights}, qword ptr [{list}]",
                    $($line),+,
                    "add {list}, 8",
                    concat!("add {inputs}, ", $block),
                    "dec {blocks}",
                    "jnz 2b",
                    "tilestored [{sums} + {row}*1], tmm0",
                    "tilestored [{sums} + {row}*1 + 1024], tmm1",
                    "tilestored [{sums} + {row}*1 + 2048], tmm2",
                    "tilestored [{sums} + {row}*1 + 3072], tmm3";
                    from = inout(reg) start.from => _,
                    start_row = in(reg) start.row,
                    start_sum = in(reg) start.sum,
                    sums = in(reg) sums,
                    row = in(reg) size_of::<[f32; SIDE]>(),
                    inputs = inout(reg) &raw const (*factors).inputs => _,
                    list = inout(reg) &raw const (*factors).weights => _,
                    weights = out(reg) _,
                    stride = in(reg) stride,
                    blocks = inout(reg) blocks => _,
                );
            }
        }
    };
}

multiply! { multiply_1, 2048,
    "tileloadd tmm4, [{inputs} + {row}*1]"
    "tileloadd tmm5, [{inputs} + {row}*1 + 1024]"
    "tileloadd tmm6, [{weights} + {stride}*1]"
    "tdpbf16ps tmm0, tmm4, tmm6"
    "tdpbf16ps tmm1, tmm5, tmm6"
}

multiply! { multiply_2, 2048,
    "tileloadd tmm4, [{inputs} + {row}*1]"
    "tileloadd tmm5, [{inputs} + {row}*1 + 1024]"
    "tileloadd tmm6, [{weights} + {stride}*1]"
    "tileloadd tmm7, [{weights} + {stride}*1 + 64]"
    "tdpbf16ps tmm0, tmm4, tmm6"
    "tdpbf16ps tmm1, tmm4, tmm7"
    "tdpbf16ps tmm2, tmm5, tmm6"
    "tdpbf16ps tmm3, tmm5, tmm7"
}

multiply! { multiply_3, 1024,
    "tileloadd tmm4, [{inputs} + {row}*1]"
    "tileloadd tmm5, [{weights} + {stride}*1]"
    "tileloadd tmm6, [{weights} + {stride}*1 + 64]"
    "tileloadd tmm7, [{weights} + {stride}*1 + 128]"
    "tdpbf16ps tmm0, tmm4, tmm5"
    "tdpbf16ps tmm1, tmm4, tmm6"
    "tdpbf16ps tmm2, tmm4, tmm7"
}

multiply! { multiply_4, 1024,
    "tileloadd tmm4, [{inputs} + {row}*1]"
    "tileloadd tmm5, [{weights} + {stride}*1]"
    "tileloadd tmm6, [{weights} + {stride}*1 + 64]"
    "tileloadd tmm7, [{weights} + {stride}*1 + 128]"
    "tdpbf16ps tmm0, tmm4, tmm5"
    "tileloadd tmm5, [{weights} + {stride}*1 + 192]"
    "tdpbf16ps tmm1, tmm4, tmm6"
    "tdpbf16ps tmm2, tmm4, tmm7"
    "tdpbf16ps tmm3, tmm4, tmm5"
}

/// Number of rows of tiles per call, so that there are enough independent sums.
const fn rows(registers: usize) -> usize {
    if registers <= 2 { 2 } else { 1 }
}

/// Computes a tile of `REGISTERS` registers with at most 16 cells for each row of tiles. Products
/// are summed in the order of taps and input channels, whatever the size of the tile.
///
/// # Safety
///
/// As for [`convolve`](crate::nn::conv::kernel::tile::convolve); the tiles must also be configured.
#[target_feature(enable = "avx512f,avx512bf16")]
unsafe fn convolve<const REGISTERS: usize>(tile: &Tile<'_>) {
    let rows = rows(REGISTERS);
    let step = REGISTERS * SIDE;
    let mut factors = MaybeUninit::<Factors>::uninit();
    let factors = factors.as_mut_ptr();
    let mut sums = MaybeUninit::<Sums>::uninit();
    let sums = sums.as_mut_ptr();
    // SAFETY: as for this function; only parts of factors and sums that were written are read.
    unsafe {
        let biases = biases::<REGISTERS>(tile);
        let row = size_of::<[f32; SIDE]>();
        let mut start = Start { from: biases.as_ptr().cast(), row: 0, sum: row };
        let mut blocks = 0;
        for tap in tile.taps {
            for first in (0..tile.depth).step_by(SIDE) {
                if blocks == GATHERED / rows {
                    multiply::<REGISTERS>(factors, blocks, start, sums);
                    start = Start { from: sums.cast(), row, sum: size_of::<Matrix>() };
                    blocks = 0;
                }
                let inputs = (&raw mut (*factors).inputs).cast::<f32>();
                gather(tile, tap.shift, first, rows, inputs.add(blocks * rows * SIDE * SIDE));
                let weights = tile.weights.add((tap.index * tile.depth + first) * step);
                (&raw mut (*factors).weights[blocks]).write(weights);
                blocks += 1;
            }
        }
        multiply::<REGISTERS>(factors, blocks, start, sums);
        store::<REGISTERS>(tile, sums);
    }
}

/// Stores the sums of all cells.
#[inline(always)]
unsafe fn store<const REGISTERS: usize>(tile: &Tile<'_>, sums: *const Sums) {
    for (cell, &output) in tile.outputs[..tile.cells].iter().enumerate() {
        // SAFETY: the caller guarantees the instructions, the sums and the memory of the outputs.
        unsafe {
            let mut registers = [Lanes::splat(0.0); REGISTERS];
            for (register, lanes) in registers.iter_mut().enumerate() {
                let matrix = cell / SIDE * REGISTERS + register;
                *lanes = Lanes::load((&raw const (*sums).0[matrix][cell % SIDE]).cast());
            }
            finish(&registers, output, tile.finish);
        }
    }
}

/// The biases of each matrix of sums, which are the same for all rows.
#[inline(always)]
unsafe fn biases<const REGISTERS: usize>(tile: &Tile<'_>) -> [[f32; SIDE]; SUMS] {
    let mut biases = [[0.0; SIDE]; SUMS];
    for (index, row) in biases.iter_mut().enumerate() {
        // SAFETY: the caller guarantees a bias for each lane of the registers.
        *row = unsafe { tile.bias.add(index % REGISTERS * SIDE).cast::<[f32; SIDE]>().read() };
    }
    biases
}

/// Copies the units from `first` on of the neighbours of all cells. Missing cells repeat the last
/// one.
#[target_feature(enable = "avx512f")]
unsafe fn gather(tile: &Tile<'_>, shift: isize, first: usize, rows: usize, inputs: *mut f32) {
    let units = tile.stride.saturating_sub(first).min(SIDE);
    let there = ((1_u32 << units) - 1) as u16;
    for slot in 0..rows * SIDE {
        let cell = tile.inputs[slot.min(tile.cells - 1)];
        // SAFETY: the caller guarantees the units of the neighbour, and room for all rows.
        unsafe {
            let from = cell.offset(shift * tile.stride as isize).wrapping_add(first);
            _mm512_storeu_ps(inputs.add(slot * SIDE), _mm512_maskz_loadu_ps(there, from));
        }
    }
}

#[inline(always)]
unsafe fn multiply<const REGISTERS: usize>(
    factors: *const Factors,
    blocks: usize,
    start: Start,
    sums: *mut Sums,
) {
    let stride = REGISTERS * size_of::<[f32; SIDE]>();
    // SAFETY: as for this function.
    unsafe {
        match REGISTERS {
            1 => multiply_1(factors, blocks, stride, start, sums),
            2 => multiply_2(factors, blocks, stride, start, sums),
            3 => multiply_3(factors, blocks, stride, start, sums),
            _ => multiply_4(factors, blocks, stride, start, sums),
        }
    }
}

/// Number of independent sums in [`peak`].
const ABREAST: usize = 6;

/// Multiplies `rounds` times into each of [`ABREAST`] tiles.
unsafe fn peak(rounds: u64) -> f32 {
    // SAFETY: the caller guarantees the instructions.
    unsafe {
        begin();
        tiles!(
            "tilezero tmm6",
            "tilezero tmm7",
            "2:",
            "tdpbf16ps tmm0, tmm6, tmm7",
            "tdpbf16ps tmm1, tmm6, tmm7",
            "tdpbf16ps tmm2, tmm6, tmm7",
            "tdpbf16ps tmm3, tmm6, tmm7",
            "tdpbf16ps tmm4, tmm6, tmm7",
            "tdpbf16ps tmm5, tmm6, tmm7",
            "dec {rounds}",
            "jnz 2b";
            rounds = inout(reg) rounds => _,
        );
        end();
    }
    0.0
}

type Convolve = unsafe fn(&Tile<'_>);

/// The functions of this instruction set. They may be called only if the CPU has it and the system
/// permits the process to use it.
pub(super) const KERNEL: Kernel = Kernel {
    depth: SIDE,
    begin,
    tiles: &[
        &[convolve::<1> as Convolve; rows(1) * SIDE],
        &[convolve::<2> as Convolve; rows(2) * SIDE],
        &[convolve::<3> as Convolve; rows(3) * SIDE],
        &[convolve::<4> as Convolve; rows(4) * SIDE],
    ],
    end,
    peak,
    round: ABREAST * 2 * SIDE * SIDE * SIDE,
    ..avx512_bf16::KERNEL
};

#[cfg(all(test, target_os = "linux"))]
pub(super) mod emulation;
#[cfg(all(test, target_os = "linux"))]
mod tests;
