//! The inner loop of every gradient of weights: how inputs and gradients of outputs go together.

use super::tile::Register;

/// Some input channels and some registers full of output channels of one tap, and all cells that
/// have this neighbour.
///
/// Inputs and gradients are `[rows, cells, channels]`, in units of as many boards as a unit has
/// numbers: a row is a board, or two of them.
pub struct Correlation<'a> {
    /// The cells that have the neighbour.
    pub cells: &'a [u32],
    /// Cells of a board.
    pub board: usize,
    /// Boards, or pairs of them.
    pub rows: usize,
    /// Units from a cell to the next: in the inputs, in the gradients.
    pub strides: [usize; 2],
    /// The inputs at the neighbour of cell 0, which itself may lie off the board.
    pub input: *const f32,
    /// The gradients at cell 0.
    pub gradient: *const f32,
    /// `[input channels, output channels]`, to be added to.
    pub output: *mut f32,
}

/// Adds the products of [`Correlation`] for `REGISTERS` registers of output channels and `INPUTS`
/// input channels.
///
/// The order in which products are summed up is that of rows and cells, whatever the tile.
///
/// # Safety
///
/// The CPU has the instructions of `R`, and there is memory for all that is read and written: at
/// each of the cells of each row, so many units of the inputs and of the gradients.
#[inline(always)]
pub unsafe fn correlate<R: Register, const REGISTERS: usize, const INPUTS: usize>(
    of: &Correlation<'_>,
) {
    // SAFETY: the caller vouches for the CPU and for all memory.
    unsafe {
        let mut sums = [[R::splat(0.0); REGISTERS]; INPUTS];
        let [input_stride, gradient_stride] = of.strides;
        for row in 0..of.rows {
            for &cell in of.cells {
                let cell = row * of.board + cell as usize;
                let input = of.input.wrapping_add(cell * input_stride);
                let gradient = of.gradient.add(cell * gradient_stride);
                let mut gradients = [R::splat(0.0); REGISTERS];
                for (register, value) in gradients.iter_mut().enumerate() {
                    *value = R::load(gradient.add(register * R::LANES));
                }
                for (channel, sums) in sums.iter_mut().enumerate() {
                    let input = R::splat(*input.add(channel));
                    for (sum, &gradient) in sums.iter_mut().zip(&gradients) {
                        *sum = sum.accumulate(gradient, input);
                    }
                }
            }
        }
        for (channel, sums) in sums.iter().enumerate() {
            let output = of.output.add(channel * gradient_stride);
            for (register, &sum) in sums.iter().enumerate() {
                let output = output.add(register * R::LANES);
                R::load(output).add(sum).store(output);
            }
        }
    }
}
