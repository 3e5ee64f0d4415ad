//! The functions of a kernel that only training needs.

use super::correlate::Correlation;
use super::row_ops::{
    Activate, Gate, InterleaveBoards, NormBackward, PoolBackward, Products, Round, RowMoments, Sum,
};
use super::{Kernel, shares};
use crate::nn::conv::geometry::Geometry;

/// A [`Learning::near`] for the L1 cache.
pub(super) const L1_CACHE: usize = 32_000;

/// The training functions of an instruction set.
#[derive(Clone, Copy)]
pub(super) struct Learning {
    /// The function for each number of registers of output channels, and then of input channels.
    pub correlations: &'static [&'static [unsafe fn(&Correlation<'_>)]],
    /// Bytes of inputs and gradients that are correlated for all weights of a layer before the next
    /// ones, few enough to stay in a cache.
    pub near: usize,
    pub moments: unsafe fn(&mut RowMoments<'_>),
    pub activate: unsafe fn(&mut Activate<'_>),
    pub gate: unsafe fn(&mut Gate<'_>),
    pub products: unsafe fn(&mut Products<'_>),
    pub norm_backward: unsafe fn(&mut NormBackward<'_>),
    pub round: unsafe fn(&mut Round<'_>),
    pub pair: unsafe fn(&mut InterleaveBoards<'_>),
    pub sum: unsafe fn(&mut Sum<'_>),
    pub pool_backward: unsafe fn(&mut PoolBackward<'_>),
}

/// Defines the methods that run an operation on rows.
macro_rules! row_ops {
    ($($name:ident: $operation:ident;)*) => {
        impl Kernel {
            $(
                #[doc = concat!("See [`", stringify!($operation), "`].")]
                pub(crate) fn $name(&self, mut operation: $operation<'_>) {
                    // SAFETY: `find` returns only kernels that the CPU can run. The operation
                    // checks the sizes of its buffers.
                    unsafe { (self.learning.$name)(&mut operation) };
                }
            )*
        }
    };
}

row_ops! {
    moments: RowMoments;
    activate: Activate;
    gate: Gate;
    products: Products;
    norm_backward: NormBackward;
    round: Round;
    pair: InterleaveBoards;
    sum: Sum;
    pool_backward: PoolBackward;
}

impl Kernel {
    /// Adds the gradients of the weights of a layer, from its inputs and the gradients of its
    /// outputs, to `output`, `[taps, input channels, output channels]`.
    ///
    /// Both are `[rows, cells, channels]`, in dwords. A row is one board, or two boards if a dword
    /// holds two numbers. `channels` are the numbers of input and output channels, which must fill
    /// whole registers.
    pub(crate) fn correlate(
        &self,
        channels: [usize; 2],
        geometry: &Geometry,
        input: &[f32],
        gradient: &[f32],
        output: &mut [f32],
    ) {
        let [inputs, outputs] = channels;
        let board = geometry.cells();
        let rows = gradient.len() / (board * outputs);
        assert!(channels.iter().all(|&channels| channels > 0 && channels % self.lanes == 0));
        assert_eq!(gradient.len(), rows * board * outputs);
        assert_eq!(input.len(), rows * board * inputs);
        assert_eq!(output.len(), geometry.taps() * inputs * outputs);
        let row = board * (inputs + outputs) * size_of::<f32>();
        let near = (self.learning.near / row).max(1);
        let parts = input.chunks(near * board * inputs);
        // SAFETY: `find` returns only kernels that the CPU can run.
        unsafe { (self.begin)() };
        for (input, gradient) in parts.zip(gradient.chunks(near * board * outputs)) {
            for (tap, cells) in geometry.neighbours() {
                let offset = tap.offset * inputs as isize;
                let of = Correlation {
                    cells,
                    board,
                    rows: gradient.len() / (board * outputs),
                    inputs,
                    strides: channels,
                    input: input.as_ptr().wrapping_offset(offset),
                    gradient: gradient.as_ptr(),
                    output: output[tap.index * inputs * outputs..].as_mut_ptr(),
                };
                // SAFETY: the slices hold all rows, as asserted. The cells have the neighbour on
                // the board. The output has room for all taps.
                unsafe { self.correlate_tap(of) };
            }
        }
        // SAFETY: as for `begin`.
        unsafe { (self.end)() };
    }

    /// Computes all channels of a tap.
    ///
    /// # Safety
    ///
    /// The pointers of `of` must be valid for all rows and channels.
    unsafe fn correlate_tap(&self, of: Correlation<'_>) {
        let [inputs, outputs] = of.strides;
        let mut register = 0;
        for registers in shares(outputs / self.lanes, self.tiles.len()) {
            let tiles = self.learning.correlations[registers - 1];
            let mut first = 0;
            for count in shares(inputs, tiles.len()) {
                // SAFETY: the caller guarantees memory for all channels and registers. `find`
                // returns only kernels that the CPU can run.
                unsafe {
                    let tile = Correlation {
                        inputs: count,
                        input: of.input.wrapping_add(first),
                        gradient: of.gradient.add(register * self.lanes),
                        output: of.output.add(first * outputs + register * self.lanes),
                        ..of
                    };
                    tiles[count - 1](&tile);
                }
                first += count;
            }
            register += registers;
        }
    }
}
