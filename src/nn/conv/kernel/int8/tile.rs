//! The inner loop of convolutions with eight-bit products, generic over instruction sets.

use std::hint::black_box;

use super::super::tile::{ABREAST, CELLS, Epilogue, Register, finish};
use super::QuantizationRange;
use crate::nn::conv::framed::Step;
use crate::nn::conv::geometry::Tap;

/// Some cells, possibly on several boards, and some registers of their output channels.
#[cfg_attr(not(target_arch = "x86_64"), allow(dead_code))]
pub(super) struct ByteTile<'a> {
    /// The neighbours; none if boards have a border.
    pub taps: &'a [Tap],
    /// What each cell sums if boards have a border; otherwise none.
    pub steps: &'a [Step],
    /// Dwords from one cell to the next in the input.
    pub stride: usize,
    /// Number of dwords read from each neighbour.
    pub depth: usize,
    /// `[taps of the kernel, depth, registers]`, in dwords.
    pub weights: *const f32,
    /// What a weight of 1 stands for, `[registers]`.
    pub scales: *const f32,
    /// What is added to the sums, times [`QuantizationRange::low`], `[registers]` of the class that all
    /// cells have, or `[classes, registers]` if boards have a border. If there is none, all ranges
    /// begin at 0.
    pub weight_sums: Option<*const f32>,
    /// What the sums begin with, since bytes are stored less [`Dot::BYTE_SHIFT`], `[registers]`,
    /// integers; only if that is not 0.
    pub compensation: *const f32,
    /// `[registers]`.
    pub bias: *const f32,
    /// What is done with the sums. Outputs are numbers, not dwords.
    pub epilogue: Epilogue,
    /// The cells in the input. If boards have a border, only the first of each 16 places counts.
    pub inputs: [*const f32; CELLS],
    /// What the inputs of each cell stand for.
    pub ranges: [QuantizationRange; CELLS],
    /// The cells in the output, at the first of the tile's channels; null where there is no cell.
    pub outputs: [*mut f32; CELLS],
    /// The classes of cells, if boards have a border.
    pub classes: [usize; CELLS],
}

/// A register of sums of 32 bits, or of dwords of four bytes.
///
/// # Safety
///
/// An implementation has as many lanes as its `Floats`, and accesses no more memory than the
/// functions say, at any alignment of an `f32`, for bytes at any. The loops rely on it: they
/// compute by the number of lanes which memory they hand to these functions.
///
/// Whoever calls a function guarantees that the CPU has the instructions of this set, and that
/// pointers are valid for all that the function reads or writes.
pub(super) unsafe trait Dot: Copy {
    /// The register of numbers with as many lanes.
    type Floats: Register;
    /// Bytes are stored less this number, 0 or 128: from then on they are signed.
    const BYTE_SHIFT: u8 = 0;
    /// Sets all lanes to 0.
    unsafe fn zeros() -> Self;
    /// Reads a dword for each lane.
    unsafe fn load(from: *const f32) -> Self;
    /// Reads one dword for all lanes.
    unsafe fn splat(from: *const f32) -> Self;
    /// Adds the four products of each lane to the sums in `self`. Weights are signed and between
    /// -63 and 63, inputs are unsigned or, with a `BYTE_SHIFT`, signed.
    unsafe fn accumulate(self, weights: Self, input: Self) -> Self;
    /// The sums as numbers, rounded to the nearest.
    unsafe fn floats(self) -> Self::Floats;
    /// The sums and other integers, of which `from` has one for each lane.
    unsafe fn add_integers(self, from: *const f32) -> Self {
        let _ = from;
        self
    }
    /// Writes the integer part of each lane, which is at least 0 and below 256, as a byte.
    unsafe fn store_bytes(from: Self::Floats, to: *mut u8);
}

/// Computes a tile of `CELLS` cells and `REGISTERS` registers of channels.
///
/// The sums are exact. What follows is the same operation on each lane in all instruction sets, so
/// that the results are too, to the last bit.
///
/// # Safety
///
/// The CPU must have the instructions of `D`. The first `CELLS` inputs must have `depth` dwords at
/// each tap, the outputs must have room for all registers, and the other pointers must have the
/// sizes documented there.
#[inline(always)]
pub(super) unsafe fn convolve<D: Dot, const REGISTERS: usize, const CELLS: usize>(
    tile: &ByteTile<'_>,
) {
    // SAFETY: the caller guarantees the instructions and all memory of the tile.
    unsafe {
        let lanes = D::Floats::LANES;
        let mut sums = [start::<D, REGISTERS>(tile); CELLS];
        let step = REGISTERS * lanes;
        for tap in tile.taps {
            let offset = tap.offset * tile.stride as isize;
            let mut inputs = [std::ptr::null(); CELLS];
            for (cell, input) in inputs.iter_mut().enumerate() {
                *input = tile.inputs[cell].offset(offset);
            }
            let mut weights = tile.weights.add(tap.index * tile.depth * step);
            for dword in 0..tile.depth {
                let mut row = [D::zeros(); REGISTERS];
                for (register, row) in row.iter_mut().enumerate() {
                    *row = D::load(weights.add(register * lanes));
                }
                // No `zip`: parts of it become calls where a crate is compiled without link-time
                // optimisation between its units.
                for (cell, sums) in sums.iter_mut().enumerate() {
                    let input = D::splat(inputs[cell].add(dword));
                    for (register, sum) in sums.iter_mut().enumerate() {
                        *sum = sum.accumulate(row[register], input);
                    }
                }
                weights = weights.add(step);
            }
        }
        let weight_sums = weight_sums::<D::Floats, REGISTERS>(tile, 0);
        for (cell, sums) in sums.iter().enumerate() {
            let mut numbers = [D::Floats::splat(0.0); REGISTERS];
            for (register, number) in numbers.iter_mut().enumerate() {
                *number = sums[register].floats();
            }
            scale(tile, cell, numbers, &weight_sums);
        }
    }
}

/// Scales the sums of a cell, and stores them.
///
/// # Safety
///
/// As for [`convolve`].
#[inline(always)]
pub(super) unsafe fn scale<F: Register, const REGISTERS: usize>(
    tile: &ByteTile<'_>,
    cell: usize,
    mut numbers: [F; REGISTERS],
    weight_sums: &[F; REGISTERS],
) {
    let QuantizationRange { scale, low } = tile.ranges[cell];
    // SAFETY: as for `convolve`.
    unsafe {
        for (register, number) in numbers.iter_mut().enumerate() {
            let at = register * F::LANES;
            let scale = F::load(tile.scales.add(at)).mul(F::splat(scale));
            let mut sum = number.mul(scale);
            if tile.weight_sums.is_some() {
                sum = sum.add(weight_sums[register].mul(F::splat(low)));
            }
            *number = sum.add(F::load(tile.bias.add(at)));
        }
        finish(&numbers, tile.outputs[cell], tile.epilogue);
    }
}

/// What the sums of every cell begin with: 0, or what bytes are stored less.
///
/// # Safety
///
/// As for [`convolve`].
#[inline(always)]
unsafe fn start<D: Dot, const REGISTERS: usize>(tile: &ByteTile<'_>) -> [D; REGISTERS] {
    // SAFETY: as for `convolve`.
    unsafe {
        let mut sums = [D::zeros(); REGISTERS];
        if D::BYTE_SHIFT > 0 {
            for (register, sum) in sums.iter_mut().enumerate() {
                *sum = sum.add_integers(tile.compensation.add(register * D::Floats::LANES));
            }
        }
        sums
    }
}

/// The sums of all weights that a cell of a class multiplies.
///
/// # Safety
///
/// As for [`convolve`].
#[inline(always)]
pub(super) unsafe fn weight_sums<F: Register, const REGISTERS: usize>(
    tile: &ByteTile<'_>,
    class: usize,
) -> [F; REGISTERS] {
    // SAFETY: as for `convolve`.
    unsafe {
        let mut sums = [F::splat(0.0); REGISTERS];
        if let Some(weight_sums) = tile.weight_sums {
            for (register, sum) in sums.iter_mut().enumerate() {
                *sum = F::load(weight_sums.add((class * REGISTERS + register) * F::LANES));
            }
        }
        sums
    }
}

/// The smallest and the largest of some registers of numbers, or 0 if that is beyond.
///
/// # Safety
///
/// The CPU must have the instructions of `D`. The input must have that many numbers.
#[inline(always)]
pub(super) unsafe fn extremes<D: Dot>(input: *const f32, registers: usize) -> [f32; 2] {
    // SAFETY: as for this function.
    unsafe {
        let splat = |value| D::Floats::splat(value);
        let (mut high, mut low) = (splat(0.0), splat(0.0));
        for register in 0..registers {
            let numbers = D::Floats::load(input.add(register * D::Floats::LANES));
            high = high.max(numbers);
            low = low.max(numbers.mul(splat(-1.0)));
        }
        [-largest(low), largest(high)]
    }
}

/// Rows of numbers that become bytes.
pub(super) struct Rounding {
    /// Number of rows.
    pub rows: usize,
    /// Registers of each row.
    pub registers: usize,
    /// `[rows, registers]`.
    pub input: *const f32,
    /// The bytes of the first row.
    pub output: *mut u8,
    /// Bytes from one row to the next in the output.
    pub stride: usize,
    /// The number that becomes 0.
    pub low: f32,
    /// Bytes for each unit.
    pub inverse: f32,
}

/// Writes numbers as bytes from 0 to 255.
///
/// # Safety
///
/// The CPU must have the instructions of `D`. The numbers must become at most 255, the input and the
/// output must have room for all registers.
#[inline(always)]
pub(super) unsafe fn round<D: Dot>(of: &Rounding) {
    // SAFETY: as for this function.
    unsafe {
        // Copies, as the output might be anywhere.
        let &Rounding { rows, registers, input, output, stride, low, inverse } = of;
        let [low, inverse, half] = [-low, inverse, 0.5].map(|value| D::Floats::splat(value));
        for row in 0..rows {
            let input = input.add(row * registers * D::Floats::LANES);
            let output = output.add(row * stride);
            for register in 0..registers {
                let at = register * D::Floats::LANES;
                let numbers = D::Floats::load(input.add(at));
                D::store_bytes(numbers.add(low).mul(inverse).add(half), output.add(at));
            }
        }
    }
}

/// The largest lane.
///
/// # Safety
///
/// The CPU must have the instructions of `F`.
#[inline(always)]
unsafe fn largest<F: Register>(register: F) -> f32 {
    // SAFETY: the caller guarantees the instructions; no register has more lanes.
    unsafe {
        let mut lanes = [0.0; 16];
        register.store(lanes.as_mut_ptr());
        lanes.into_iter().fold(0.0, |most, lane| if lane > most { lane } else { most })
    }
}

/// Accumulates `rounds` times into each of [`ABREAST`] independent registers, as fast as the CPU
/// can. The returned number has no meaning.
///
/// # Safety
///
/// The CPU must have the instructions of `D`.
#[inline(always)]
pub(super) unsafe fn peak<D: Dot>(rounds: u64) -> f32 {
    // SAFETY: the caller guarantees the instructions; `out` is large enough for all registers.
    unsafe {
        let dwords = [f32::from_bits(0x0101_0101); 16];
        let weights = D::load(black_box(dwords.as_ptr()));
        let mut sums = [weights; ABREAST];
        for _ in 0..rounds {
            // Each multiplies what another had: of equal products only one would be computed.
            let before = sums;
            for (index, sum) in sums.iter_mut().enumerate() {
                *sum = sum.accumulate(weights, before[(index + 1) % ABREAST]);
            }
        }
        let mut out = [0.0; 16];
        for sum in sums {
            sum.floats().store(out.as_mut_ptr());
            black_box(&out);
        }
        out[0]
    }
}
