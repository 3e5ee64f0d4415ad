//! The gradients of weights by AMX: transposed inputs times the gradients of the outputs.

use std::arch::x86_64::{
    __m512, _mm512_add_ps, _mm512_loadu_ps, _mm512_loadu_si512, _mm512_maskz_loadu_ps,
    _mm512_permutex2var_ps, _mm512_setzero_ps, _mm512_storeu_ps,
};
use std::mem::MaybeUninit;

use super::tiles::{self, Factors, SIDE, Sums, TileMatrix, ZEROS, rows};
use crate::nn::conv::kernel::correlate::Correlation;

/// Number of blocks that are gathered before they are multiplied, few enough to stay in the L1
/// cache. A block is [`SIDE`] places, each a cell of one row of [`Correlation`].
const BLOCKS: usize = 6;
const _: () = assert!(BLOCKS * rows(1) <= tiles::GATHERED);

/// The factors of some blocks.
#[repr(C, align(64))]
struct Blocks {
    /// The inputs, and where the gradients are.
    factors: Factors,
    /// `[blocks, places, registers]`: the gradients of the outputs.
    gradients: [[[f32; SIDE]; tiles::SUMS]; BLOCKS * SIDE],
}

/// Adds the products of [`Correlation`] for `REGISTERS` registers of output channels and at most 16
/// input channels for each row of tiles.
///
/// # Safety
///
/// As for [`correlate`](crate::nn::conv::kernel::correlate::correlate); the tiles must also be set
/// up, and there must be a row and a cell.
#[target_feature(enable = "avx512f")]
pub(super) unsafe fn correlate<const REGISTERS: usize>(of: &Correlation<'_>) {
    let mut blocks = MaybeUninit::<Blocks>::uninit();
    let mut sums = MaybeUninit::<Sums>::uninit();
    let (blocks, sums) = (blocks.as_mut_ptr(), sums.as_mut_ptr());
    let (multiply, mut start) = (tiles::bf16::MULTIPLY[REGISTERS - 1], ZEROS);
    let mut places = (0..of.rows)
        .flat_map(|row| of.cells.iter().map(move |&cell| row * of.board + cell as usize));
    // SAFETY: the caller guarantees all memory. Only blocks and sums that were written are read.
    unsafe {
        loop {
            let count = gather::<REGISTERS>(of, &mut places, blocks);
            if count == 0 {
                break;
            }
            let stride = REGISTERS * size_of::<[f32; SIDE]>();
            multiply(&raw const (*blocks).factors, count, stride, start, sums);
            start = Sums::start(sums);
        }
        add::<REGISTERS>(of, sums);
    }
}

/// Gathers the factors of the next places. Returns the number of blocks, 0 if no place is left.
///
/// # Safety
///
/// As for [`correlate`]. The places must be cells of its rows, and `blocks` valid for writes.
#[target_feature(enable = "avx512f")]
unsafe fn gather<const REGISTERS: usize>(
    of: &Correlation<'_>,
    places: &mut impl Iterator<Item = usize>,
    blocks: *mut Blocks,
) -> usize {
    for index in 0..BLOCKS {
        let block: [Option<usize>; SIDE] = std::array::from_fn(|_| places.next());
        let Some(first) = block[0] else { return index };
        // SAFETY: the caller guarantees the dwords of all places, and there is room for all blocks.
        unsafe {
            let gradients = (&raw mut (*blocks).gradients).cast::<f32>();
            let gradients = gradients.add(index * SIDE * REGISTERS * SIDE);
            copy_gradients::<REGISTERS>(of, block.map(|place| place.unwrap_or(first)), gradients);
            (&raw mut (*blocks).factors.weights[index]).write(gradients);
            for row in 0..rows(REGISTERS) {
                let matrix = index * rows(REGISTERS) + row;
                let inputs = &raw mut (*blocks).factors.inputs[matrix];
                transpose_inputs(of, &block, row * SIDE, inputs);
            }
        }
    }
    BLOCKS
}

/// Copies the gradients of the places of a block. Those of missing places are multiplied by zero.
///
/// # Safety
///
/// As for [`gather`]; `to` must have room for `REGISTERS` registers for each place.
#[target_feature(enable = "avx512f")]
unsafe fn copy_gradients<const REGISTERS: usize>(
    of: &Correlation<'_>,
    block: [usize; SIDE],
    to: *mut f32,
) {
    for (slot, place) in block.into_iter().enumerate() {
        for register in 0..REGISTERS {
            // SAFETY: the caller guarantees the dwords of all places, and room for all registers.
            unsafe {
                let from = of.gradient.add(place * of.strides[1] + register * SIDE);
                _mm512_storeu_ps(
                    to.add((slot * REGISTERS + register) * SIDE),
                    _mm512_loadu_ps(from),
                );
            }
        }
    }
}

/// Writes the inputs from channel `first` on, `[channels, places]`. Missing channels and places are
/// zero.
///
/// # Safety
///
/// As for [`gather`]; `to` must be valid for writes.
#[target_feature(enable = "avx512f")]
unsafe fn transpose_inputs(
    of: &Correlation<'_>,
    block: &[Option<usize>; SIDE],
    first: usize,
    to: *mut TileMatrix,
) {
    let channels = of.inputs.saturating_sub(first).min(SIDE);
    let there = ((1_u32 << channels) - 1) as u16;
    let mut lines = [_mm512_setzero_ps(); SIDE];
    for (line, place) in lines.iter_mut().zip(block) {
        let Some(place) = place else { break };
        let from = of.input.wrapping_add(place * of.strides[0] + first);
        // SAFETY: the caller guarantees the dwords of all places; masked lanes are not read.
        *line = unsafe { _mm512_maskz_loadu_ps(there, from) };
    }
    transpose(&mut lines);
    for (index, &line) in lines.iter().enumerate() {
        // SAFETY: the caller guarantees room for a matrix.
        unsafe { _mm512_storeu_ps(to.cast::<f32>().add(index * SIDE), line) };
    }
}

/// Transposes a matrix.
#[target_feature(enable = "avx512f")]
fn transpose(lines: &mut [__m512; SIDE]) {
    exchange::<1>(lines);
    exchange::<2>(lines);
    exchange::<4>(lines);
    exchange::<8>(lines);
}

/// Exchanges blocks of `DISTANCE` lanes between lines that are as far apart.
#[target_feature(enable = "avx512f")]
#[inline]
fn exchange<const DISTANCE: usize>(lines: &mut [__m512; SIDE]) {
    let lanes = const { lanes(DISTANCE) };
    // SAFETY: both arrays have the size of a register.
    let lanes = lanes.map(|lanes| unsafe { _mm512_loadu_si512(lanes.as_ptr().cast()) });
    for pair in 0..SIDE / 2 {
        let low = pair / DISTANCE * 2 * DISTANCE + pair % DISTANCE;
        let (first, second) = (lines[low], lines[low + DISTANCE]);
        lines[low] = _mm512_permutex2var_ps(first, lanes[0], second);
        lines[low + DISTANCE] = _mm512_permutex2var_ps(first, lanes[1], second);
    }
}

/// Which lanes of two lines make the new ones. Those of the second line are counted from 16.
const fn lanes(distance: usize) -> [[i32; SIDE]; 2] {
    let mut lanes = [[0; SIDE]; 2];
    let mut lane = 0;
    while lane < SIDE {
        let near = lane & distance == 0;
        lanes[0][lane] = (if near { lane } else { SIDE + lane - distance }) as i32;
        lanes[1][lane] = (if near { lane + distance } else { SIDE + lane }) as i32;
        lane += 1;
    }
    lanes
}

/// Adds the sums to the output.
///
/// # Safety
///
/// As for [`correlate`]; the sums of all channels must be written.
#[target_feature(enable = "avx512f")]
unsafe fn add<const REGISTERS: usize>(of: &Correlation<'_>, sums: *const Sums) {
    for channel in 0..of.inputs {
        for register in 0..REGISTERS {
            // SAFETY: the caller guarantees the sums of all channels, and their place in the
            // output.
            unsafe {
                let sum = _mm512_loadu_ps(Sums::row::<REGISTERS>(sums, channel, register).cast());
                let output = of.output.add(channel * of.strides[1] + register * SIDE);
                _mm512_storeu_ps(output, _mm512_add_ps(_mm512_loadu_ps(output), sum));
            }
        }
    }
}
