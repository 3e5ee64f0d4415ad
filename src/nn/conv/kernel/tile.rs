//! The inner loop of every convolution, written once for all instruction sets.

use std::hint::black_box;

use crate::nn::conv::geometry::Tap;

/// The most cells that are computed side by side.
pub const CELLS: usize = 32;

/// Registers that [`peak`] accumulates into.
pub const ABREAST: usize = 12;

/// What becomes of a computed cell.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Finish {
    /// Negative values become zero.
    Relu,
    /// What is at the output already is added, then negative values become zero.
    AddRelu,
    /// Nothing; it is stored as `f32` whatever the engine computes with.
    Logits,
    /// It is added to the `f32` that are at the output already.
    Add,
}

/// Some cells, perhaps of several boards, that read the same neighbours, and some registers full
/// of their channels.
pub struct Tile<'a> {
    /// The neighbours.
    pub taps: &'a [Tap],
    /// How many cells there are.
    pub cells: usize,
    /// Units from a cell to the next in the input.
    pub stride: usize,
    /// Units read from each neighbour; those beyond the `stride` count as zero.
    pub depth: usize,
    /// `[taps of the kernel, depth, registers]`.
    pub weights: *const f32,
    /// `[registers]`.
    pub bias: *const f32,
    /// What becomes of the sums.
    pub finish: Finish,
    /// The cells in the input.
    pub inputs: [*const f32; CELLS],
    /// The cells in the output, at the first of the tile's channels.
    pub outputs: [*mut f32; CELLS],
}

/// A register of an instruction set.
///
/// Activations lie in memory as *units* of four bytes, which is what a lane multiplies at a time:
/// an `f32`, or two bf16. Weights lie as units too, a register of them for the same input and
/// consecutive outputs. What is said of units and channels by default is right where a unit is an
/// `f32`.
///
/// # Safety
///
/// All functions demand that the CPU has the instructions of this set, and that pointers are good
/// for as many values as are read or written through them.
pub trait Register: Copy {
    /// Lanes, each the sum for a channel.
    const LANES: usize;
    /// Channels in a unit.
    const CHANNELS: usize;
    /// All lanes the same.
    unsafe fn splat(value: f32) -> Self;
    /// Reads `LANES` numbers or units.
    unsafe fn load(from: *const f32) -> Self;
    /// Writes `LANES` numbers.
    unsafe fn store(self, to: *mut f32);
    /// Adds the products of units to the sums in `self`.
    unsafe fn accumulate(self, weights: Self, input: Self) -> Self;
    /// The sum of two.
    unsafe fn add(self, other: Self) -> Self;
    /// The product of two.
    unsafe fn mul(self, other: Self) -> Self;
    /// The larger of two.
    unsafe fn max(self, other: Self) -> Self;
    /// The same, but zero in the lanes where `left` is not less than `right`.
    unsafe fn where_less(self, left: Self, right: Self) -> Self;
    /// The units of channels of as many boards as fit into one.
    #[inline(always)]
    unsafe fn unit(low: Self, _high: Self) -> Self {
        low
    }
    /// Reads the activations of `LANES` channels.
    #[inline(always)]
    unsafe fn load_channels(from: *const f32) -> Self {
        // SAFETY: as the caller vouches.
        unsafe { Self::load(from) }
    }
    /// Writes the activations of `LANES` channels.
    #[inline(always)]
    unsafe fn store_channels(self, to: *mut f32) {
        // SAFETY: as the caller vouches.
        unsafe { self.store(to) };
    }
}

/// Computes a tile of `CELLS` cells and `REGISTERS` registers of channels.
///
/// The order in which the products of a cell and channel are summed up is that of taps and input
/// channels, whatever the tile.
///
/// # Safety
///
/// The CPU has the instructions of `R`. The first `CELLS` inputs have `depth` units at each tap,
/// and the outputs have room for all registers; `weights` and `bias` are as large as said there.
#[inline(always)]
pub unsafe fn convolve<R: Register, const REGISTERS: usize, const CELLS: usize>(tile: &Tile<'_>) {
    // SAFETY: the caller vouches for the CPU and for all memory a tile tells of.
    unsafe {
        let mut sums = [[R::splat(0.0); REGISTERS]; CELLS];
        for sums in &mut sums {
            for (register, sum) in sums.iter_mut().enumerate() {
                *sum = R::load(tile.bias.add(register * R::LANES));
            }
        }
        let step = REGISTERS * R::LANES;
        for tap in tile.taps {
            let shift = tap.shift * tile.stride as isize;
            let mut inputs = [std::ptr::null(); CELLS];
            for (input, cell) in inputs.iter_mut().zip(&tile.inputs) {
                *input = cell.offset(shift);
            }
            let mut weights = tile.weights.add(tap.index * tile.depth * step);
            for unit in 0..tile.depth {
                let mut row = [R::splat(0.0); REGISTERS];
                for (register, row) in row.iter_mut().enumerate() {
                    *row = R::load(weights.add(register * R::LANES));
                }
                for (sums, input) in sums.iter_mut().zip(&inputs) {
                    let input = R::splat(*input.add(unit));
                    for (sum, &weights) in sums.iter_mut().zip(&row) {
                        *sum = sum.accumulate(weights, input);
                    }
                }
                weights = weights.add(step);
            }
        }
        for (sums, &output) in sums.iter().zip(&tile.outputs) {
            finish(sums, output, tile.finish);
        }
    }
}

/// Stores the sums of a cell.
///
/// # Safety
///
/// The CPU has the instructions of `R`, and the output has room for all registers.
#[inline(always)]
pub unsafe fn finish<R: Register, const REGISTERS: usize>(
    sums: &[R; REGISTERS],
    output: *mut f32,
    finish: Finish,
) {
    // SAFETY: as the caller vouches.
    unsafe {
        for (register, &sum) in sums.iter().enumerate() {
            let logits = output.add(register * R::LANES);
            let channels = output.add(register * R::LANES / R::CHANNELS);
            match finish {
                Finish::Logits => sum.store(logits),
                Finish::Add => sum.add(R::load(logits)).store(logits),
                Finish::Relu => sum.max(R::splat(0.0)).store_channels(channels),
                Finish::AddRelu => {
                    let sum = sum.add(R::load_channels(channels));
                    sum.max(R::splat(0.0)).store_channels(channels);
                }
            }
        }
    }
}

/// The mean over `cells` cells and the largest value of `registers` registers of channels.
///
/// # Safety
///
/// The CPU has the instructions of `R`; `input` has so many cells and channels, `stride` units
/// apart, and `output` has room for twice the channels.
#[inline(always)]
pub unsafe fn pool<R: Register>(
    input: *const f32,
    [cells, stride, registers]: [usize; 3],
    output: *mut f32,
) {
    // SAFETY: as the caller vouches.
    unsafe {
        let units = R::LANES / R::CHANNELS;
        for register in 0..registers {
            let input = input.add(register * units);
            let mut sum = R::load_channels(input);
            let mut largest = sum;
            for cell in 1..cells {
                let value = R::load_channels(input.add(cell * stride));
                sum = sum.add(value);
                largest = largest.max(value);
            }
            let mean = sum.mul(R::splat(1.0 / cells as f32));
            mean.store_channels(output.add(register * units));
            largest.store_channels(output.add((registers + register) * units));
        }
    }
}

/// Adds `bias`, one number for each channel, to each of `cells` cells of `registers` registers of
/// channels.
///
/// # Safety
///
/// The CPU has the instructions of `R`; `cells` has so many cells and channels, `stride` units
/// apart, and `bias` has a number for each channel.
#[inline(always)]
pub unsafe fn add<R: Register>(
    bias: *const f32,
    [cells, stride, registers]: [usize; 3],
    output: *mut f32,
) {
    // SAFETY: as the caller vouches.
    unsafe {
        for register in 0..registers {
            let bias = R::load(bias.add(register * R::LANES));
            let output = output.add(register * (R::LANES / R::CHANNELS));
            for cell in 0..cells {
                let cell = output.add(cell * stride);
                R::load_channels(cell).add(bias).store_channels(cell);
            }
        }
    }
}

/// Accumulates `rounds` times into each of [`ABREAST`] registers, all of them independent: the most
/// that the CPU can do. The sums are of no meaning.
///
/// # Safety
///
/// The CPU has the instructions of `R`.
#[inline(always)]
pub unsafe fn peak<R: Register>(rounds: u64) -> f32 {
    // SAFETY: the CPU as the caller vouches; the memory is that of `out`, large enough for any
    // register there is.
    unsafe {
        let (weights, input) = (R::splat(black_box(0.5)), R::splat(black_box(0.25)));
        let mut sums = [R::splat(black_box(1.0)); ABREAST];
        for _ in 0..rounds {
            for sum in &mut sums {
                *sum = sum.accumulate(weights, input);
            }
        }
        let mut out = [0.0; 64];
        sums[1..].iter().fold(sums[0], |all, &sum| all.add(sum)).store(out.as_mut_ptr());
        black_box(out)[0]
    }
}
