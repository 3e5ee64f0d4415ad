//! Products of tiles.
//!
//! A row of the left factor is 16 dwords of a cell. A row of the right factor is the weights of a
//! dword for 16 output channels, as stored in memory. On boards with a border of zeros cells are
//! equidistant, and are read where they lie. Elsewhere they are first gathered.
//!
//! A multiplication has a throughput of 16 cycles and a latency of 52, so four independent sums
//! alternate. (Intel 64 and IA-32 Architectures Optimization Reference Manual, chapter on AMX;
//! instructions as in the Software Developer's Manual, volume 2.)

use std::arch::asm;
use std::arch::x86_64::{_mm512_maskz_loadu_ps, _mm512_storeu_ps};
use std::mem::MaybeUninit;

use crate::nn::conv::framed::Step;
use crate::nn::conv::geometry::Tap;
use crate::nn::conv::kernel::tile::CELLS;

/// Number of rows of a tile, and of numbers or dwords in a row.
pub(in crate::nn::conv::kernel) const SIDE: usize = 16;

/// A tile in memory.
pub(in crate::nn::conv::kernel) type TileMatrix = [[f32; SIDE]; SIDE];

/// Number of matrices gathered at a time: those that a 3x3 kernel reads of 16 cells with 64
/// channels.
pub(super) const GATHERED: usize = 18;

/// Number of matrices of sums.
pub(in crate::nn::conv::kernel) const SUMS: usize = 4;

/// The factors of matrix products.
#[repr(C, align(64))]
pub(in crate::nn::conv::kernel) struct Factors {
    /// `[blocks, rows of tiles]`: the gathered dwords.
    pub inputs: [TileMatrix; GATHERED],
    /// `[blocks]`: the weights of these dwords, or the gradients at these places.
    pub weights: [*const f32; GATHERED],
}

/// The sums, `[rows of tiles, registers]`.
#[repr(C, align(64))]
pub(in crate::nn::conv::kernel) struct Sums([TileMatrix; SUMS]);

impl Sums {
    /// Sums that are added to.
    pub(in crate::nn::conv::kernel) fn start(sums: *const Self) -> Start {
        let row = size_of::<[f32; SIDE]>();
        Start { from: sums.cast(), row, sum: size_of::<TileMatrix>() }
    }

    /// The sums of a cell and one of `REGISTERS` registers.
    ///
    /// # Safety
    ///
    /// There must be memory for sums, not necessarily written, and a matrix for that cell.
    #[inline(always)]
    pub(in crate::nn::conv::kernel) unsafe fn row<const REGISTERS: usize>(
        sums: *const Self,
        cell: usize,
        register: usize,
    ) -> *const [f32; SIDE] {
        let matrix = cell / SIDE * REGISTERS + register;
        // SAFETY: the caller guarantees memory; no reference to it is made.
        unsafe { &raw const (*sums).0[matrix][cell % SIDE] }
    }
}

/// The initial value of the sums.
#[derive(Clone, Copy)]
pub(in crate::nn::conv::kernel) struct Start {
    pub(in crate::nn::conv::kernel) from: *const f32,
    /// Bytes from one row to the next; 0 if all rows are the same.
    pub(in crate::nn::conv::kernel) row: usize,
    /// Bytes from one of the [`SUMS`] to the next.
    pub(in crate::nn::conv::kernel) sum: usize,
}

/// Sums that start at zero.
pub(in crate::nn::conv::kernel) const ZEROS: Start =
    Start { from: &raw const ZERO_ROW as *const f32, row: 0, sum: 0 };
static ZERO_ROW: [f32; SIDE] = [0.0; SIDE];

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

/// Sets up all tiles.
///
/// # Safety
///
/// The CPU must have AMX, and the system permit it.
pub(in crate::nn::conv::kernel) unsafe fn begin() {
    // SAFETY: the caller guarantees the instructions.
    unsafe { tiles!("ldtilecfg [{sizes}]"; sizes = in(reg) &raw const SIZES,) };
}

/// Releases the tiles, so that context switches need not save them.
///
/// # Safety
///
/// As for [`begin`].
pub(in crate::nn::conv::kernel) unsafe fn end() {
    // SAFETY: the caller guarantees the instructions.
    unsafe { tiles!("tilerelease";) };
}

/// Adds to the start the products of a number of blocks, at least one, whose rows of weights have a
/// stride in bytes.
///
/// # Safety
///
/// As for [`begin`], and the tiles must be set up. The start must be readable, the sums writable,
/// and all blocks of factors written.
pub(in crate::nn::conv::kernel) type Multiply =
    unsafe fn(*const Factors, usize, usize, Start, *mut Sums);

/// Defines a [`Multiply`].
macro_rules! multiply {
    ($name:ident, $block:literal, $($line:expr),+ $(,)?) => {
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

/// Some cells of boards with a border, and the weights of some registers.
pub(in crate::nn::conv::kernel) struct FramedCells<'a> {
    /// What each of them sums.
    pub steps: &'a [Step],
    /// The first of the 16 places of each of the two rows of tiles.
    pub inputs: [*const f32; 2],
    /// Dwords from one place to the next.
    pub stride: usize,
    /// The weights of the registers.
    pub weights: *const f32,
    /// Dwords from the weights of a dword of the input to those of the next.
    pub weight_stride: usize,
    /// What sums of bf16 begin with, `[registers]`.
    pub bias: *const f32,
}

/// Computes the sums of all products of two rows of tiles, `[rows of tiles, registers]`.
///
/// # Safety
///
/// As for [`begin`], and the tiles must be set up. Both rows of places must be readable at all steps,
/// and so must the weights and, for bf16, the bias.
pub(in crate::nn::conv::kernel) type MultiplyFramed = unsafe fn(&FramedCells<'_>, *mut Sums);

/// Defines a [`MultiplyFramed`]: how the sums begin, the products of the rows in tiles 4 and 5 by the
/// weights from tile 6 on, and how the sums are stored.
macro_rules! multiply_framed {
    (
        $name:ident($cells:ident),
        [$($start:expr),+], [$($product:expr),+], [$($store:expr),+]
        $(, $operand:ident = $value:expr)?
    ) => {
        unsafe fn $name($cells: &FramedCells<'_>, sums: *mut Sums) {
            // The loop counts down.
            assert!(!$cells.steps.is_empty(), "a sum has products");
            let [first, second] = $cells.inputs;
            // SAFETY: the caller guarantees the instructions, the places, the weights, and room for
            // the sums.
            unsafe {
                tiles!(
                    $($start),+,
                    "2:",
                    "mov {near}, qword ptr [{steps}]",
                    "mov {row}, qword ptr [{steps} + 8]",
                    "lea {far}, [{near} + {second}]",
                    "add {near}, {first}",
                    "add {row}, {weights}",
                    "tileloadd tmm4, [{near} + {cell}*1]",
                    "tileloadd tmm6, [{row} + {weight}*1]",
                    "tileloadd tmm5, [{far} + {cell}*1]",
                    $($product),+,
                    "add {steps}, 16",
                    "dec {count}",
                    "jnz 2b",
                    $($store),+;
                    steps = inout(reg) $cells.steps.as_ptr() => _,
                    count = inout(reg) $cells.steps.len() => _,
                    first = in(reg) first,
                    second = in(reg) second,
                    cell = in(reg) $cells.stride * size_of::<f32>(),
                    weights = in(reg) $cells.weights,
                    weight = in(reg) $cells.weight_stride * size_of::<f32>(),
                    sums = in(reg) sums,
                    $($operand = in(reg) $value,)?
                    near = out(reg) _,
                    far = out(reg) _,
                    // Also the bytes of a row of biases and of sums.
                    row = out(reg) _,
                );
            }
        }
    };
}

/// Defines a module for an instruction that multiplies tiles: its functions, and `peak`.
macro_rules! products {
    ($(#[$attribute:meta])* $name:ident, $instruction:literal, $($functions:tt)+) => {
        $(#[$attribute])*
        pub(in crate::nn::conv::kernel) mod $name {
            use super::*;

            $($functions)+

            /// Multiplies `rounds` times into each of [`ABREAST`] tiles.
            ///
            /// # Safety
            ///
            /// As for [`begin`].
            pub(in crate::nn::conv::kernel) unsafe fn peak(rounds: u64) -> f32 {
                // SAFETY: the caller guarantees the instructions.
                unsafe {
                    begin();
                    tiles!(
                        "tilezero tmm6",
                        "tilezero tmm7",
                        "2:",
                        concat!($instruction, " tmm0, tmm6, tmm7"),
                        concat!($instruction, " tmm1, tmm6, tmm7"),
                        concat!($instruction, " tmm2, tmm6, tmm7"),
                        concat!($instruction, " tmm3, tmm6, tmm7"),
                        concat!($instruction, " tmm4, tmm6, tmm7"),
                        concat!($instruction, " tmm5, tmm6, tmm7"),
                        "dec {rounds}",
                        "jnz 2b";
                        rounds = inout(reg) rounds => _,
                    );
                    end();
                }
                0.0
            }
        }
    };
}

/// Defines the [`Multiply`] of an instruction for each number of registers.
macro_rules! gathered {
    ($instruction:literal) => {
        multiply! { multiply_1, 2048,
            "tileloadd tmm4, [{inputs} + {row}*1]",
            "tileloadd tmm5, [{inputs} + {row}*1 + 1024]",
            "tileloadd tmm6, [{weights} + {stride}*1]",
            concat!($instruction, " tmm0, tmm4, tmm6"),
            concat!($instruction, " tmm1, tmm5, tmm6"),
        }

        multiply! { multiply_2, 2048,
            "tileloadd tmm4, [{inputs} + {row}*1]",
            "tileloadd tmm5, [{inputs} + {row}*1 + 1024]",
            "tileloadd tmm6, [{weights} + {stride}*1]",
            "tileloadd tmm7, [{weights} + {stride}*1 + 64]",
            concat!($instruction, " tmm0, tmm4, tmm6"),
            concat!($instruction, " tmm1, tmm4, tmm7"),
            concat!($instruction, " tmm2, tmm5, tmm6"),
            concat!($instruction, " tmm3, tmm5, tmm7"),
        }

        multiply! { multiply_3, 1024,
            "tileloadd tmm4, [{inputs} + {row}*1]",
            "tileloadd tmm5, [{weights} + {stride}*1]",
            "tileloadd tmm6, [{weights} + {stride}*1 + 64]",
            "tileloadd tmm7, [{weights} + {stride}*1 + 128]",
            concat!($instruction, " tmm0, tmm4, tmm5"),
            concat!($instruction, " tmm1, tmm4, tmm6"),
            concat!($instruction, " tmm2, tmm4, tmm7"),
        }

        multiply! { multiply_4, 1024,
            "tileloadd tmm4, [{inputs} + {row}*1]",
            "tileloadd tmm5, [{weights} + {stride}*1]",
            "tileloadd tmm6, [{weights} + {stride}*1 + 64]",
            "tileloadd tmm7, [{weights} + {stride}*1 + 128]",
            concat!($instruction, " tmm0, tmm4, tmm5"),
            "tileloadd tmm5, [{weights} + {stride}*1 + 192]",
            concat!($instruction, " tmm1, tmm4, tmm6"),
            concat!($instruction, " tmm2, tmm4, tmm7"),
            concat!($instruction, " tmm3, tmm4, tmm5"),
        }

        /// The function for each number of registers.
        pub(in crate::nn::conv::kernel) const MULTIPLY: [Multiply; 4] =
            [multiply_1, multiply_2, multiply_3, multiply_4];
    };
}

/// Defines the [`MultiplyFramed`] of an instruction for each number of registers, with what the sums of
/// one and of two registers begin with.
macro_rules! framed {
    (
        $instruction:literal, [$($one:expr),+], [$($two:expr),+] $(, $operand:ident)?
    ) => {
        multiply_framed! {
            multiply_framed_1(cells),
            [$($one),+],
            [
                concat!($instruction, " tmm0, tmm4, tmm6"),
                concat!($instruction, " tmm1, tmm5, tmm6")
            ],
            [
                "mov {row}, 64",
                "tilestored [{sums} + {row}*1], tmm0",
                "tilestored [{sums} + {row}*1 + 1024], tmm1"
            ]
            $(, $operand = cells.$operand)?
        }

        multiply_framed! {
            multiply_framed_2(cells),
            [$($two),+],
            [
                "tileloadd tmm7, [{row} + {weight}*1 + 64]",
                concat!($instruction, " tmm0, tmm4, tmm6"),
                concat!($instruction, " tmm2, tmm5, tmm6"),
                concat!($instruction, " tmm1, tmm4, tmm7"),
                concat!($instruction, " tmm3, tmm5, tmm7")
            ],
            [
                "mov {row}, 64",
                "tilestored [{sums} + {row}*1], tmm0",
                "tilestored [{sums} + {row}*1 + 1024], tmm1",
                "tilestored [{sums} + {row}*1 + 2048], tmm2",
                "tilestored [{sums} + {row}*1 + 3072], tmm3"
            ]
            $(, $operand = cells.$operand)?
        }

        /// The function for each number of registers.
        pub(in crate::nn::conv::kernel) const MULTIPLY_FRAMED: [MultiplyFramed; 2] =
            [multiply_framed_1, multiply_framed_2];
    };
}

products! {
    /// Products of bf16, with sums in `f32`.
    bf16, "tdpbf16ps",
    gathered! { "tdpbf16ps" }
    framed! {
        "tdpbf16ps",
        [
            "xor {row:e}, {row:e}",
            "tileloadd tmm0, [{bias} + {row}*1]",
            "tileloadd tmm1, [{bias} + {row}*1]"
        ],
        [
            "xor {row:e}, {row:e}",
            "tileloadd tmm0, [{bias} + {row}*1]",
            "tileloadd tmm1, [{bias} + {row}*1 + 64]",
            "tileloadd tmm2, [{bias} + {row}*1]",
            "tileloadd tmm3, [{bias} + {row}*1 + 64]"
        ],
        bias
    }
}

products! {
    /// Products of unsigned by signed bytes, with sums of 32 bits.
    bytes, "tdpbusd",
    framed! {
        "tdpbusd",
        ["tilezero tmm0", "tilezero tmm1"],
        ["tilezero tmm0", "tilezero tmm1", "tilezero tmm2", "tilezero tmm3"]
    }
}

/// Number of independent sums in `peak`.
pub(in crate::nn::conv::kernel) const ABREAST: usize = 6;

/// Number of rows of tiles per call, so that there are enough independent sums.
pub(in crate::nn::conv::kernel) const fn rows(registers: usize) -> usize {
    if registers <= 2 { 2 } else { 1 }
}

/// Some cells, at most [`SIDE`] for each row of tiles, and the weights of some registers.
pub(in crate::nn::conv::kernel) struct CellBlock<'a> {
    /// The neighbours.
    pub taps: &'a [Tap],
    /// The cells in the input; those beyond `count` are ignored.
    pub inputs: &'a [*const f32; CELLS],
    pub count: usize,
    /// Dwords from one cell to the next in the input.
    pub stride: usize,
    /// Number of dwords read from each neighbour; those beyond the `stride` count as zero.
    pub depth: usize,
    /// `[taps of the kernel, depth, registers]`.
    pub weights: *const f32,
}

/// Computes the sums of all products of `REGISTERS` registers, `[rows of tiles, registers]`.
/// Products are summed in the order of taps and input channels, whatever the number of cells.
///
/// # Safety
///
/// As for [`begin`], and the tiles must be set up. There must be a cell, a tap and a dword. All
/// cells must have `stride` dwords at each tap, and `start` must be readable.
#[target_feature(enable = "avx512f")]
pub(in crate::nn::conv::kernel) unsafe fn add_products<const REGISTERS: usize>(
    cells: &CellBlock<'_>,
    multiply: &[Multiply; 4],
    mut start: Start,
    sums: *mut Sums,
) {
    let (rows, step) = (rows(REGISTERS), REGISTERS * SIDE);
    let (multiply, stride) = (multiply[REGISTERS - 1], step * size_of::<f32>());
    let mut factors = MaybeUninit::<Factors>::uninit();
    let factors = factors.as_mut_ptr();
    // SAFETY: the caller guarantees the instructions, the tiles and all memory. Only parts of
    // factors and sums that were written are read.
    unsafe {
        let mut blocks = 0;
        for tap in cells.taps {
            for first in (0..cells.depth).step_by(SIDE) {
                if blocks == GATHERED / rows {
                    multiply(factors, blocks, stride, start, sums);
                    start = Sums::start(sums);
                    blocks = 0;
                }
                let inputs = (&raw mut (*factors).inputs).cast::<f32>();
                gather(cells, tap.offset, first, rows, inputs.add(blocks * rows * SIDE * SIDE));
                let weights = cells.weights.add((tap.index * cells.depth + first) * step);
                (&raw mut (*factors).weights[blocks]).write(weights);
                blocks += 1;
            }
        }
        multiply(factors, blocks, stride, start, sums);
    }
}

/// Copies the dwords from `first` on of the neighbours of all cells. Missing cells repeat the last
/// one.
///
/// # Safety
///
/// As for [`add_products`], with the `offset` of a tap; `inputs` must have room for `rows`
/// matrices.
#[target_feature(enable = "avx512f")]
unsafe fn gather(
    cells: &CellBlock<'_>,
    offset: isize,
    first: usize,
    rows: usize,
    inputs: *mut f32,
) {
    let dwords = cells.stride.saturating_sub(first).min(SIDE);
    let there = ((1_u32 << dwords) - 1) as u16;
    for slot in 0..rows * SIDE {
        let cell = cells.inputs[slot.min(cells.count - 1)];
        // SAFETY: the caller guarantees the dwords of the neighbour, and room for all rows.
        unsafe {
            let from = cell.offset(offset * cells.stride as isize).wrapping_add(first);
            _mm512_storeu_ps(inputs.add(slot * SIDE), _mm512_maskz_loadu_ps(there, from));
        }
    }
}
