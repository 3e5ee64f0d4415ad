//! The inner loop of all gradients of weights: the correlation of inputs with output gradients.

use super::tile::Register;

/// Some input channels and some registers of output channels for one tap, and all cells that have
/// this neighbour.
///
/// Inputs and gradients are `[rows, cells, channels]`, in dwords. A row is one board, or two boards
/// if a dword holds two numbers.
pub(super) struct Correlation<'a> {
    /// The cells that have the neighbour.
    pub cells: &'a [u32],
    /// Number of cells of a board.
    pub board: usize,
    /// Number of boards, or of pairs of boards.
    pub rows: usize,
    /// Number of input channels. Only the tiles of AMX ask for it.
    #[cfg_attr(not(target_arch = "x86_64"), allow(dead_code))]
    pub inputs: usize,
    /// Dwords from one cell to the next in the inputs and in the gradients.
    pub strides: [usize; 2],
    /// The inputs at the neighbour of cell 0, which may lie off the board.
    pub input: *const f32,
    /// The gradients at cell 0.
    pub gradient: *const f32,
    /// `[input channels, output channels]`: the gradients that the sums are added to.
    pub output: *mut f32,
}

/// Adds the products of [`Correlation`] for `REGISTERS` registers of output channels and `INPUTS`
/// input channels.
///
/// Products are summed in the order of rows and cells, whatever the size of the tile.
///
/// # Safety
///
/// The CPU must have the instructions of `R`. `input` and `gradient` must be valid for `INPUTS` and
/// `REGISTERS * R::LANES` dwords at each of the cells of each row, and `output` for all sums.
#[inline(always)]
pub(super) unsafe fn correlate<R: Register, const REGISTERS: usize, const INPUTS: usize>(
    of: &Correlation<'_>,
) {
    // SAFETY: the caller guarantees the instructions and all memory.
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
                    // No `zip`, for the reason in `convolve`.
                    for (register, sum) in sums.iter_mut().enumerate() {
                        *sum = sum.accumulate(gradients[register], input);
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
