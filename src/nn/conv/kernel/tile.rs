//! The inner loop of every convolution, generic over instruction sets.

use std::hint::black_box;

use crate::nn::conv::geometry::Tap;

/// Largest number of cells in a tile.
pub(super) const CELLS: usize = 32;

/// Number of registers that [`peak`] accumulates into.
pub(super) const ABREAST: usize = 12;

/// What is done with the sums of a cell before they are stored, and how they are stored.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Epilogue {
    /// ReLU; stored as dwords.
    Relu,
    /// The output's previous value is added, then ReLU; stored as dwords.
    AddRelu,
    /// Stored unchanged, as `f32` for all instruction sets.
    Logits,
    /// Added to the output's previous value, as `f32` for all instruction sets.
    Add,
}

/// Some cells of the same class, possibly on several boards, and some registers of their output
/// channels.
pub(super) struct Tile<'a> {
    /// The neighbours.
    pub taps: &'a [Tap],
    /// Number of cells.
    pub cells: usize,
    /// Dwords from one cell to the next in the input.
    pub stride: usize,
    /// Number of dwords read from each neighbour; those beyond the `stride` count as zero.
    pub depth: usize,
    /// `[taps of the kernel, depth, registers]`.
    pub weights: *const f32,
    /// `[registers]`.
    pub bias: *const f32,
    /// What is done with the sums.
    pub epilogue: Epilogue,
    /// The cells in the input.
    pub inputs: [*const f32; CELLS],
    /// The cells in the output, at the first of the tile's channels.
    pub outputs: [*mut f32; CELLS],
}

/// A register of an instruction set.
///
/// Activations are stored as *dwords*, the four bytes that a lane multiplies at a time: one `f32`,
/// or two bf16. Weights are stored as dwords too; a register of them holds the weights of the same
/// input and consecutive outputs. The default methods are for sets whose dwords are `f32`.
///
/// # Safety
///
/// An implementation accesses no more memory than the functions say, at any alignment of an `f32`.
/// `LANES` is at most 16, and a multiple of `CHANNELS`. The loops rely on both: they compute by
/// them which memory they hand to these functions.
///
/// Whoever calls a function guarantees that the CPU has the instructions of this set, and that
/// pointers are valid for all that the function reads or writes.
pub(crate) unsafe trait Register: Copy {
    /// Number of lanes. In sums each lane is a channel.
    const LANES: usize;
    /// Number of channels in a dword.
    const CHANNELS: usize;
    /// Sets all lanes to `value`.
    unsafe fn splat(value: f32) -> Self;
    /// Reads `LANES` numbers or dwords.
    unsafe fn load(from: *const f32) -> Self;
    /// Writes `LANES` numbers.
    unsafe fn store(self, to: *mut f32);
    /// Adds the products of dwords to the sums in `self`.
    unsafe fn accumulate(self, weights: Self, input: Self) -> Self;
    /// The sum of each lane.
    unsafe fn add(self, other: Self) -> Self;
    /// The product of each lane.
    unsafe fn mul(self, other: Self) -> Self;
    /// The maximum of each lane.
    unsafe fn max(self, other: Self) -> Self;
    /// Sets the lanes to zero where `left` is not less than `right`.
    unsafe fn where_less(self, left: Self, right: Self) -> Self;
    /// Combines channels of as many boards as fit into a dword.
    #[inline(always)]
    unsafe fn dword(low: Self, _high: Self) -> Self {
        low
    }
    /// Reads the activations of `LANES` channels: `LANES / CHANNELS` dwords.
    #[inline(always)]
    unsafe fn load_channels(from: *const f32) -> Self {
        // SAFETY: as for this function.
        unsafe { Self::load(from) }
    }
    /// Writes the activations of `LANES` channels: `LANES / CHANNELS` dwords.
    #[inline(always)]
    unsafe fn store_channels(self, to: *mut f32) {
        // SAFETY: as for this function.
        unsafe { self.store(to) };
    }
}

/// Computes a tile of `CELLS` cells and `REGISTERS` registers of channels.
///
/// The products of a cell and channel are summed in the order of taps and input channels, whatever
/// the size of the tile.
///
/// # Safety
///
/// The CPU must have the instructions of `R`. The first `CELLS` inputs must have `depth` dwords at
/// each tap, the outputs must have room for all registers, and `weights` and `bias` must have the
/// sizes documented there.
#[inline(always)]
pub(super) unsafe fn convolve<R: Register, const REGISTERS: usize, const CELLS: usize>(
    tile: &Tile<'_>,
) {
    // SAFETY: the caller guarantees the instructions and all memory of the tile.
    unsafe {
        let mut sums = [[R::splat(0.0); REGISTERS]; CELLS];
        for sums in &mut sums {
            for (register, sum) in sums.iter_mut().enumerate() {
                *sum = R::load(tile.bias.add(register * R::LANES));
            }
        }
        let step = REGISTERS * R::LANES;
        for tap in tile.taps {
            let offset = tap.offset * tile.stride as isize;
            let mut inputs = [std::ptr::null(); CELLS];
            for (cell, input) in inputs.iter_mut().enumerate() {
                *input = tile.inputs[cell].offset(offset);
            }
            let mut weights = tile.weights.add(tap.index * tile.depth * step);
            for dword in 0..tile.depth {
                let mut row = [R::splat(0.0); REGISTERS];
                for (register, row) in row.iter_mut().enumerate() {
                    *row = R::load(weights.add(register * R::LANES));
                }
                // No `zip`: parts of it become calls where a crate is compiled without link-time
                // optimisation between its units.
                for (cell, sums) in sums.iter_mut().enumerate() {
                    let input = R::splat(*inputs[cell].add(dword));
                    for (register, sum) in sums.iter_mut().enumerate() {
                        *sum = sum.accumulate(row[register], input);
                    }
                }
                weights = weights.add(step);
            }
        }
        for (cell, sums) in sums.iter().enumerate() {
            // A copy: sums that something refers to would be written to memory in each round of the
            // loop where a crate is compiled without link-time optimisation between its units.
            let sums = *sums;
            finish(&sums, tile.outputs[cell], tile.epilogue);
        }
    }
}

/// Stores the sums of a cell.
///
/// # Safety
///
/// The CPU must have the instructions of `R`, and the output must have room for all registers.
#[inline(always)]
pub(super) unsafe fn finish<R: Register, const REGISTERS: usize>(
    sums: &[R; REGISTERS],
    output: *mut f32,
    epilogue: Epilogue,
) {
    // SAFETY: as for this function.
    unsafe {
        for (register, &sum) in sums.iter().enumerate() {
            let logits = output.add(register * R::LANES);
            let channels = output.add(register * R::LANES / R::CHANNELS);
            match epilogue {
                Epilogue::Logits => sum.store(logits),
                Epilogue::Add => sum.add(R::load(logits)).store(logits),
                Epilogue::Relu => sum.max(R::splat(0.0)).store_channels(channels),
                Epilogue::AddRelu => {
                    let sum = sum.add(R::load_channels(channels));
                    sum.max(R::splat(0.0)).store_channels(channels);
                }
            }
        }
    }
}

/// Computes the mean and the maximum over `cells` cells of `registers` registers of channels.
///
/// # Safety
///
/// The CPU must have the instructions of `R`. `input` must have all cells and channels, with cells
/// `stride` dwords apart, and `output` must have room for twice the channels.
#[inline(always)]
pub(super) unsafe fn pool<R: Register>(
    input: *const f32,
    [cells, stride, registers]: [usize; 3],
    output: *mut f32,
) {
    // SAFETY: as for this function.
    unsafe {
        let dwords = R::LANES / R::CHANNELS;
        for register in 0..registers {
            let input = input.add(register * dwords);
            let mut sum = R::load_channels(input);
            let mut largest = sum;
            for cell in 1..cells {
                let value = R::load_channels(input.add(cell * stride));
                sum = sum.add(value);
                largest = largest.max(value);
            }
            let mean = sum.mul(R::splat(1.0 / cells as f32));
            mean.store_channels(output.add(register * dwords));
            largest.store_channels(output.add((registers + register) * dwords));
        }
    }
}

/// Adds `bias`, one number per channel, to `cells` cells of `registers` registers of channels.
///
/// # Safety
///
/// The CPU must have the instructions of `R`. `output` must have all cells and channels, with cells
/// `stride` dwords apart, and `bias` must have a number for each channel.
#[inline(always)]
pub(super) unsafe fn add<R: Register>(
    bias: *const f32,
    [cells, stride, registers]: [usize; 3],
    output: *mut f32,
) {
    // SAFETY: as for this function.
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

/// Accumulates `rounds` times into each of [`ABREAST`] independent registers, as fast as the CPU
/// can. The returned number has no meaning.
///
/// # Safety
///
/// The CPU must have the instructions of `R`.
#[inline(always)]
pub(super) unsafe fn peak<R: Register>(rounds: u64) -> f32 {
    // SAFETY: the caller guarantees the instructions; `out` is large enough for the registers of
    // all instruction sets.
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
