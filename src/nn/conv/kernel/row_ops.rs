//! Operations of training on rows of channels: elementwise ones and sums over rows, generic over
//! instruction sets.
//!
//! *Numbers* are `[rows, channels]` in `f32`, *dwords* are `[rows, dwords]`. Channels fill whole
//! registers.

use super::tile::Register;

/// An operation on rows of channels.
///
/// # Safety
///
/// [`run`](Self::run) accesses nothing but its buffers for all registers of the channels that
/// [`channels`](Self::channels) has returned, if that did not panic.
pub(crate) unsafe trait RowOp {
    /// Number of channels in a row. Panics if the sizes of the buffers do not match.
    fn channels<R: Register>(&self) -> usize;

    /// Runs the operation for `REGISTERS` registers from `register` on.
    ///
    /// # Safety
    ///
    /// The CPU must have the instructions of `R`, and [`channels`](Self::channels) must have
    /// returned enough channels for these registers. It must be called after the last change of the
    /// buffers' sizes.
    unsafe fn run<R: Register, const REGISTERS: usize>(&mut self, register: usize);
}

/// Number of registers per run: independent sums hide the latency of additions.
pub(super) const ABREAST: usize = 4;

/// Runs an operation for all registers.
///
/// # Safety
///
/// The CPU must have the instructions of `R`.
#[inline(always)]
pub(crate) unsafe fn run<R: Register, P: RowOp>(operation: &mut P) {
    let channels = operation.channels::<R>();
    assert!(channels.is_multiple_of(R::LANES), "channels fill registers");
    let (registers, mut register) = (channels / R::LANES, 0);
    // SAFETY: the caller guarantees the instructions; `channels` has checked the sizes. No register
    // is beyond these channels.
    unsafe {
        while register + ABREAST <= registers {
            operation.run::<R, ABREAST>(register);
            register += ABREAST;
        }
        while register < registers {
            operation.run::<R, 1>(register);
            register += 1;
        }
    }
}

/// Mean of each channel, and sum of squared deviations from it.
pub(crate) struct RowMoments<'a> {
    /// Numbers.
    pub rows: &'a [f32],
    /// `[channels]`
    pub mean: &'a mut [f32],
    /// `[channels]`
    pub squares: &'a mut [f32],
}

/// A norm, an optional residual, and ReLU: `max(0, scale * input + shift + residual)`.
pub(crate) struct Activate<'a> {
    /// Numbers.
    pub input: &'a [f32],
    /// `[channels]`
    pub scale: &'a [f32],
    /// `[channels]`
    pub shift: &'a [f32],
    /// Dwords.
    pub residual: Option<&'a [f32]>,
    /// Dwords.
    pub output: &'a mut [f32],
}

/// The gradient through a ReLU: it becomes zero where the activation is zero.
pub(crate) struct Gate<'a> {
    /// Dwords.
    pub activation: &'a [f32],
    /// Numbers.
    pub gradient: &'a mut [f32],
}

/// The sums over all rows that the gradient of a norm needs: of gradients, and of gradients times
/// deviations from the mean.
pub(crate) struct Products<'a> {
    /// Numbers.
    pub gradient: &'a [f32],
    /// Numbers.
    pub input: &'a [f32],
    /// `[channels]`
    pub mean: &'a [f32],
    /// `[channels]`
    pub sums: &'a mut [f32],
    /// `[channels]`
    pub products: &'a mut [f32],
}

/// The gradient through a norm: `scale * gradient + slope * input + offset`.
pub(crate) struct NormBackward<'a> {
    /// Numbers.
    pub gradient: &'a [f32],
    /// Numbers.
    pub input: &'a [f32],
    /// `[channels]`
    pub scale: &'a [f32],
    /// `[channels]`
    pub slope: &'a [f32],
    /// `[channels]`
    pub offset: &'a [f32],
    /// Dwords.
    pub output: &'a mut [f32],
}

/// Conversion of numbers to dwords.
pub(crate) struct Round<'a> {
    /// Numbers.
    pub input: &'a [f32],
    /// Dwords.
    pub output: &'a mut [f32],
}

/// Combination of two boards: from dwords of two channels of one board to dwords of the same
/// channel of two boards.
pub(crate) struct InterleaveBoards<'a> {
    /// Dwords of the first board.
    pub low: &'a [f32],
    /// Dwords of the second board.
    pub high: &'a [f32],
    /// `[rows, channels]`, in dwords.
    pub output: &'a mut [f32],
}

/// The sum of all rows, which is added to `sums`.
pub(crate) struct Sum<'a> {
    /// Numbers.
    pub rows: &'a [f32],
    /// `[channels]`
    pub sums: &'a mut [f32],
}

/// The gradient through means and maxima, which is added to `gradient`. Of equal values the first
/// one counts as the maximum.
pub(crate) struct PoolBackward<'a> {
    /// Dwords: the input of the pooling.
    pub activation: &'a [f32],
    /// `[channels]`: the gradient of the means.
    pub mean: &'a [f32],
    /// `[channels]`: the gradient of the maxima.
    pub largest: &'a [f32],
    /// Numbers.
    pub gradient: &'a mut [f32],
}

/// Loads `N` registers of numbers from index `at` on.
///
/// # Safety
///
/// The CPU must have the instructions of `R`, and `from` as many numbers from there on.
#[inline(always)]
unsafe fn load<R: Register, const N: usize>(from: &[f32], at: usize) -> [R; N] {
    // SAFETY: the caller guarantees the instructions.
    let mut registers = [unsafe { R::splat(0.0) }; N];
    for (index, register) in registers.iter_mut().enumerate() {
        // SAFETY: the caller guarantees the instructions and the memory.
        *register = unsafe { R::load(from.as_ptr().add(at + index * R::LANES)) };
    }
    registers
}

/// Like [`load`] for dwords; `at` is the index among numbers.
///
/// # Safety
///
/// As for [`load`], with the dwords of as many numbers.
#[inline(always)]
unsafe fn load_dwords<R: Register, const N: usize>(from: &[f32], at: usize) -> [R; N] {
    // SAFETY: the caller guarantees the instructions.
    let mut registers = [unsafe { R::splat(0.0) }; N];
    for (index, register) in registers.iter_mut().enumerate() {
        let place = (at + index * R::LANES) / R::CHANNELS;
        // SAFETY: the caller guarantees the instructions and the memory.
        *register = unsafe { R::load_channels(from.as_ptr().add(place)) };
    }
    registers
}

/// Stores registers of numbers from index `at` on.
///
/// # Safety
///
/// As for [`load`].
#[inline(always)]
unsafe fn store<R: Register, const N: usize>(registers: [R; N], to: &mut [f32], at: usize) {
    for (index, register) in registers.into_iter().enumerate() {
        // SAFETY: the caller guarantees the instructions and the memory.
        unsafe { register.store(to.as_mut_ptr().add(at + index * R::LANES)) };
    }
}

/// Like [`store`] for dwords; `at` is the index among numbers.
///
/// # Safety
///
/// As for [`load_dwords`].
#[inline(always)]
unsafe fn store_dwords<R: Register, const N: usize>(registers: [R; N], to: &mut [f32], at: usize) {
    for (index, register) in registers.into_iter().enumerate() {
        let place = (at + index * R::LANES) / R::CHANNELS;
        // SAFETY: the caller guarantees the instructions and the memory.
        unsafe { register.store_channels(to.as_mut_ptr().add(place)) };
    }
}

/// Panics unless `dwords` holds as many numbers as `numbers`.
fn check_dwords<R: Register>(dwords: &[f32], numbers: &[f32]) {
    assert_eq!(dwords.len() * R::CHANNELS, numbers.len(), "as many dwords as numbers");
}

/// The width of a row for operations that treat every number alike: one register. Panics unless the
/// numbers fill registers.
fn check_whole<R: Register>(numbers: &[f32]) -> usize {
    assert!(numbers.len().is_multiple_of(R::LANES), "numbers fill registers");
    R::LANES
}

/// The number of channels in a row. Panics unless the numbers are whole rows and all `channels`
/// have the same length.
fn check_rows(numbers: &[f32], channels: &[&[f32]]) -> usize {
    let width = channels[0].len();
    assert!(channels.iter().all(|channel| channel.len() == width), "as many of each channel");
    assert!(width > 0 && numbers.len().is_multiple_of(width), "whole rows");
    width
}

// In `run` of all implementations the caller guarantees the instructions, and `channels` has
// checked the sizes: all numbers are whole rows, all dwords are those of as many numbers, and what
// there is once for each channel is as long as a row.

// SAFETY: `channels` checks that all buffers have whole rows of as many channels.
unsafe impl RowOp for RowMoments<'_> {
    fn channels<R: Register>(&self) -> usize {
        assert!(!self.rows.is_empty(), "there are rows");
        check_rows(self.rows, &[self.mean, self.squares])
    }

    #[inline(always)]
    unsafe fn run<R: Register, const N: usize>(&mut self, register: usize) {
        // SAFETY: as above.
        unsafe {
            let (width, first) = (self.mean.len(), register * R::LANES);
            let places = || (first..self.rows.len()).step_by(width);
            let mut sums = [R::splat(0.0); N];
            for at in places() {
                let row = load::<R, N>(self.rows, at);
                (0..N).for_each(|i| sums[i] = sums[i].add(row[i]));
            }
            let negative = R::splat(-1.0 / (self.rows.len() / width) as f32);
            let minus = sums.map(|sum| sum.mul(negative));
            let mut squares = [R::splat(0.0); N];
            for at in places() {
                let row = load::<R, N>(self.rows, at);
                for i in 0..N {
                    let rest = row[i].add(minus[i]);
                    squares[i] = squares[i].add(rest.mul(rest));
                }
            }
            store(minus.map(|minus| minus.mul(R::splat(-1.0))), self.mean, first);
            store(squares, self.squares, first);
        }
    }
}

// SAFETY: `channels` checks that all buffers have whole rows of as many channels.
unsafe impl RowOp for Activate<'_> {
    fn channels<R: Register>(&self) -> usize {
        check_dwords::<R>(self.output, self.input);
        if let Some(residual) = self.residual {
            check_dwords::<R>(residual, self.input);
        }
        check_rows(self.input, &[self.scale, self.shift])
    }

    #[inline(always)]
    unsafe fn run<R: Register, const N: usize>(&mut self, register: usize) {
        // SAFETY: as above.
        unsafe {
            let (width, first) = (self.scale.len(), register * R::LANES);
            let (scale, shift) = (load::<R, N>(self.scale, first), load::<R, N>(self.shift, first));
            let zero = R::splat(0.0);
            for at in (first..self.input.len()).step_by(width) {
                let mut row = load::<R, N>(self.input, at);
                (0..N).for_each(|i| row[i] = row[i].mul(scale[i]).add(shift[i]));
                if let Some(residual) = self.residual {
                    let residual = load_dwords::<R, N>(residual, at);
                    (0..N).for_each(|i| row[i] = row[i].add(residual[i]));
                }
                store_dwords(row.map(|value| value.max(zero)), self.output, at);
            }
        }
    }
}

// SAFETY: `channels` checks that all buffers have as many numbers, which fill registers. A row is
// a register, so that there is one register only.
unsafe impl RowOp for Gate<'_> {
    fn channels<R: Register>(&self) -> usize {
        check_dwords::<R>(self.activation, self.gradient);
        check_whole::<R>(self.gradient)
    }

    #[inline(always)]
    unsafe fn run<R: Register, const N: usize>(&mut self, register: usize) {
        // SAFETY: as above.
        unsafe {
            let zero = R::splat(0.0);
            for at in (register * R::LANES..self.gradient.len()).step_by(R::LANES) {
                let [came] = load_dwords::<R, 1>(self.activation, at);
                let [gradient] = load::<R, 1>(self.gradient, at);
                store([gradient.where_less(zero, came)], self.gradient, at);
            }
        }
    }
}

// SAFETY: `channels` checks that all buffers have whole rows of as many channels.
unsafe impl RowOp for Products<'_> {
    fn channels<R: Register>(&self) -> usize {
        assert_eq!(self.gradient.len(), self.input.len(), "a gradient for each number");
        check_rows(self.input, &[self.mean, self.sums, self.products])
    }

    #[inline(always)]
    unsafe fn run<R: Register, const N: usize>(&mut self, register: usize) {
        // SAFETY: as above.
        unsafe {
            let (width, first) = (self.mean.len(), register * R::LANES);
            let minus = load::<R, N>(self.mean, first).map(|mean| mean.mul(R::splat(-1.0)));
            let (mut sums, mut products) = ([R::splat(0.0); N], [R::splat(0.0); N]);
            for at in (first..self.input.len()).step_by(width) {
                let gradient = load::<R, N>(self.gradient, at);
                let input = load::<R, N>(self.input, at);
                for i in 0..N {
                    sums[i] = sums[i].add(gradient[i]);
                    products[i] = products[i].add(gradient[i].mul(input[i].add(minus[i])));
                }
            }
            store(sums, self.sums, first);
            store(products, self.products, first);
        }
    }
}

// SAFETY: `channels` checks that all buffers have whole rows of as many channels.
unsafe impl RowOp for NormBackward<'_> {
    fn channels<R: Register>(&self) -> usize {
        assert_eq!(self.gradient.len(), self.input.len(), "a gradient for each number");
        check_dwords::<R>(self.output, self.input);
        check_rows(self.input, &[self.scale, self.slope, self.offset])
    }

    #[inline(always)]
    unsafe fn run<R: Register, const N: usize>(&mut self, register: usize) {
        // SAFETY: as above.
        unsafe {
            let (width, first) = (self.scale.len(), register * R::LANES);
            let (scale, slope) = (load::<R, N>(self.scale, first), load::<R, N>(self.slope, first));
            let offset = load::<R, N>(self.offset, first);
            for at in (first..self.input.len()).step_by(width) {
                let gradient = load::<R, N>(self.gradient, at);
                let mut row = load::<R, N>(self.input, at);
                for i in 0..N {
                    row[i] = row[i].mul(slope[i]).add(offset[i]).add(gradient[i].mul(scale[i]));
                }
                store_dwords(row, self.output, at);
            }
        }
    }
}

// SAFETY: `channels` checks that all buffers have as many numbers, which fill registers. A row is
// a register, so that there is one register only.
unsafe impl RowOp for Round<'_> {
    fn channels<R: Register>(&self) -> usize {
        check_dwords::<R>(self.output, self.input);
        check_whole::<R>(self.input)
    }

    #[inline(always)]
    unsafe fn run<R: Register, const N: usize>(&mut self, register: usize) {
        // SAFETY: as above.
        unsafe {
            for at in (register * R::LANES..self.input.len()).step_by(R::LANES) {
                store_dwords(load::<R, 1>(self.input, at), self.output, at);
            }
        }
    }
}

// SAFETY: `channels` checks that all buffers have as many numbers, which fill registers. A row is
// a register, so that there is one register only.
unsafe impl RowOp for InterleaveBoards<'_> {
    fn channels<R: Register>(&self) -> usize {
        assert_eq!(self.low.len(), self.high.len(), "two boards of a size");
        check_dwords::<R>(self.low, self.output);
        check_whole::<R>(self.output)
    }

    #[inline(always)]
    unsafe fn run<R: Register, const N: usize>(&mut self, register: usize) {
        // SAFETY: as above.
        unsafe {
            for at in (register * R::LANES..self.output.len()).step_by(R::LANES) {
                let [low] = load_dwords::<R, 1>(self.low, at);
                let [high] = load_dwords::<R, 1>(self.high, at);
                store([R::dword(low, high)], self.output, at);
            }
        }
    }
}

// SAFETY: `channels` checks that all buffers have whole rows of as many channels.
unsafe impl RowOp for Sum<'_> {
    fn channels<R: Register>(&self) -> usize {
        check_rows(self.rows, &[self.sums])
    }

    #[inline(always)]
    unsafe fn run<R: Register, const N: usize>(&mut self, register: usize) {
        // SAFETY: as above.
        unsafe {
            let (width, first) = (self.sums.len(), register * R::LANES);
            let mut sums = load::<R, N>(self.sums, first);
            for at in (first..self.rows.len()).step_by(width) {
                let row = load::<R, N>(self.rows, at);
                (0..N).for_each(|i| sums[i] = sums[i].add(row[i]));
            }
            store(sums, self.sums, first);
        }
    }
}

// SAFETY: `channels` checks that all buffers have whole rows of as many channels.
unsafe impl RowOp for PoolBackward<'_> {
    fn channels<R: Register>(&self) -> usize {
        check_dwords::<R>(self.activation, self.gradient);
        assert!(!self.gradient.is_empty(), "there are rows");
        check_rows(self.gradient, &[self.mean, self.largest])
    }

    #[inline(always)]
    unsafe fn run<R: Register, const N: usize>(&mut self, register: usize) {
        // SAFETY: as above.
        unsafe {
            let (width, first) = (self.mean.len(), register * R::LANES);
            let places = || (first..self.gradient.len()).step_by(width);
            let share = R::splat(1.0 / (self.gradient.len() / width) as f32);
            let mean = load::<R, N>(self.mean, first).map(|mean| mean.mul(share));
            let mut left = load::<R, N>(self.largest, first);
            let mut largest = load_dwords::<R, N>(self.activation, first);
            for at in places() {
                let row = load_dwords::<R, N>(self.activation, at);
                (0..N).for_each(|i| largest[i] = largest[i].max(row[i]));
            }
            for at in places() {
                let row = load_dwords::<R, N>(self.activation, at);
                let mut gradient = load::<R, N>(self.gradient, at);
                for i in 0..N {
                    let stays = left[i].where_less(row[i], largest[i]);
                    let taken = left[i].add(stays.mul(R::splat(-1.0)));
                    gradient[i] = gradient[i].add(mean[i]).add(taken);
                    left[i] = stays;
                }
                store(gradient, self.gradient, at);
            }
        }
    }
}
