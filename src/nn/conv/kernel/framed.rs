//! Layers on boards with a border of zeros, where cells are read where they lie.

use std::cell::RefCell;
use std::ptr::null_mut;

use super::Kernel;
use super::tile::{CELLS, Epilogue};
use crate::nn::conv::aligned::Aligned;
use crate::nn::conv::framed::{Framed, Spacing, Step, TOGETHER};
use crate::nn::conv::geometry::Geometry;
use crate::nn::conv::pack::Packed;

/// Number of blocks of places in a tile.
pub(super) const BLOCKS: usize = CELLS / TOGETHER;

/// Some blocks of places, and some registers of their output channels.
#[cfg_attr(not(target_arch = "x86_64"), allow(dead_code))]
pub(super) struct FramedTile<'a> {
    /// What each place sums.
    pub steps: &'a [Step],
    /// The first place of each block.
    pub inputs: [*const f32; BLOCKS],
    /// Dwords from one place to the next.
    pub stride: usize,
    /// The weights of the first step, at the first of the tile's channels.
    pub weights: *const f32,
    /// Dwords from the weights of a dword of the input to those of the next.
    pub weight_stride: usize,
    /// `[registers]`.
    pub bias: *const f32,
    /// What is done with the sums.
    pub epilogue: Epilogue,
    /// The places in the output, at the first of the tile's channels; null where there is no cell.
    pub outputs: [*mut f32; CELLS],
}

/// A cell that has a place in a tile.
#[derive(Clone, Copy, Debug)]
pub(super) struct Placed {
    pub board: usize,
    /// Counted over all boards.
    pub cell: usize,
    pub class: usize,
}

/// Visits all cells of `boards` boards, with the first place of each block and the cells that have a
/// place in these. A block that is missing at the end is the one before once more, without cells.
pub(super) fn walk(
    geometry: &Geometry,
    boards: usize,
    mut visit: impl FnMut([usize; BLOCKS], &[Option<Placed>; CELLS]),
) {
    let framed = geometry.framed();
    let all = (0..boards).flat_map(|board| framed.blocks().iter().map(move |it| (board, it)));
    let mut all = all.peekable();
    while all.peek().is_some() {
        let (mut places, mut cells) = ([0; BLOCKS], [None; CELLS]);
        for (index, (board, block)) in all.by_ref().take(BLOCKS).enumerate() {
            places[index..].fill(framed.start(board) + block.first);
            for it in &block.cells {
                let cell = board * geometry.cells() + it.cell;
                cells[index * TOGETHER + it.slot] = Some(Placed { board, cell, class: it.class });
            }
        }
        visit(places, &cells);
    }
}

/// A copy of activations on boards with a border.
#[derive(Debug)]
struct FramedCopy {
    dwords: Aligned,
    /// The shape of what was copied last.
    shape: Shape,
    /// Number of dwords of which all are zero that no cell of that shape has.
    clean: usize,
    steps: Vec<Step>,
}

/// Which dwords of a copy cells have.
#[derive(PartialEq, Debug, Default)]
struct Shape {
    /// The places of the cells of a board.
    places: Vec<usize>,
    spacing: Option<Spacing>,
    /// Dwords of a cell in the input, and from one place to the next.
    strides: [usize; 2],
}

thread_local! {
    static COPY: RefCell<FramedCopy> = RefCell::default();
}

impl Default for FramedCopy {
    fn default() -> Self {
        let (dwords, shape) = (Aligned::zeros(0), Shape::default());
        Self { dwords, shape, clean: 0, steps: Vec::new() }
    }
}

impl Shape {
    fn is_of(&self, framed: &Framed, strides: [usize; 2]) -> bool {
        let spacing = Some(framed.spacing());
        self.spacing == spacing && self.places == framed.places() && self.strides == strides
    }

    fn set(&mut self, framed: &Framed, strides: [usize; 2]) {
        self.places.clear();
        self.places.extend_from_slice(framed.places());
        self.spacing = Some(framed.spacing());
        self.strides = strides;
    }
}

impl FramedCopy {
    /// Copies `[boards, cells, strides[0]]` to `[room, strides[1]]`.
    fn fill(&mut self, framed: &Framed, boards: usize, strides: [usize; 2], input: &[f32]) {
        if cfg!(test) {
            // Without room to spare, so that nothing is read beyond it unnoticed.
            (self.dwords, self.clean) = (Aligned::zeros(framed.room(boards) * strides[1]), 0);
        }
        self.fill_reused(framed, boards, strides, input);
    }

    /// The same in the memory of before, if that is large enough.
    fn fill_reused(&mut self, framed: &Framed, boards: usize, strides: [usize; 2], input: &[f32]) {
        let ([from, to], len) = (strides, framed.room(boards) * strides[1]);
        if self.dwords.len() < len {
            (self.dwords, self.clean) = (Aligned::zeros(len), 0);
        }
        if !self.shape.is_of(framed, strides) || self.clean < len {
            self.dwords[..len].fill(0.0);
            self.shape.set(framed, strides);
            self.clean = len;
        }
        let runs = (0..boards).flat_map(|board| framed.runs().map(move |run| (board, run)));
        let mut input = input.chunks_exact(from);
        for (board, run) in runs {
            let output = &mut self.dwords[(framed.start(board) + run.place) * to..];
            for (output, cell) in output.chunks_exact_mut(to).zip(input.by_ref().take(run.cells)) {
                output[..from].copy_from_slice(cell);
            }
        }
    }
}

impl Kernel {
    /// [`convolve`](Self::convolve) by a copy of the input on boards with a border.
    ///
    /// # Safety
    ///
    /// The instructions must have begun. The output must hold all cells.
    pub(super) unsafe fn convolve_framed(
        &self,
        layer: &Packed,
        geometry: &Geometry,
        boards: usize,
        input: &[f32],
        output: &mut [f32],
        epilogue: Epilogue,
    ) {
        COPY.with_borrow_mut(|copy| {
            copy.fill(geometry.framed(), boards, [layer.stride, layer.depth], input);
            for &group in &layer.groups {
                let [weights, bias] = layer.group(group, self.lanes);
                copy.steps.clear();
                copy.steps.extend(layer.steps(group, layer.depth, self.lanes, geometry));
                for first in (0..group.registers).step_by(self.framed.len()) {
                    let registers = (group.registers - first).min(self.framed.len());
                    let lane = first * self.lanes;
                    let tile = FramedTile {
                        steps: &copy.steps,
                        inputs: [copy.dwords.as_ptr(); BLOCKS],
                        stride: layer.depth,
                        weights: weights[lane..].as_ptr(),
                        weight_stride: group.registers * self.lanes,
                        bias: bias[lane..].as_ptr(),
                        epilogue,
                        outputs: [null_mut(); CELLS],
                    };
                    let channels = self.channels_stored(epilogue);
                    let to =
                        [(group.start * self.lanes + lane) / channels, layer.channels / channels];
                    // SAFETY: the copy has all places, and the steps are those of this geometry. The
                    // caller guarantees the output. `group` has checked the sizes of weights and
                    // bias.
                    unsafe { self.convolve_blocks(tile, registers, geometry, boards, output, to) };
                }
            }
        });
    }

    /// Computes the registers of `tile` for all cells, whose inputs point to the first place. Cells
    /// begin `to[1]` dwords apart in the output, the channels of the tile at `to[0]` of them.
    ///
    /// # Safety
    ///
    /// The pointers of `tile` must be valid for all places, and the output must hold all cells.
    unsafe fn convolve_blocks(
        &self,
        mut tile: FramedTile<'_>,
        registers: usize,
        geometry: &Geometry,
        boards: usize,
        output: &mut [f32],
        to: [usize; 2],
    ) {
        let (input, output) = (tile.inputs[0], output[to[0]..].as_mut_ptr());
        walk(geometry, boards, |places, cells| {
            // SAFETY: the caller guarantees memory for all places.
            tile.inputs = places.map(|place| unsafe { input.add(place * tile.stride) });
            for (slot, cell) in tile.outputs.iter_mut().zip(cells) {
                // SAFETY: the caller guarantees memory for all cells.
                *slot = cell.map_or(null_mut(), |it| unsafe { output.add(it.cell * to[1]) });
            }
            // SAFETY: `find` returns only kernels that the CPU can run. All places of a block and of
            // its neighbours are within the room of the boards.
            unsafe { self.framed[registers - 1](&tile) };
        });
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// What was copied before leaves nothing where cells of another shape read zeros.
    #[test]
    fn all_that_no_cell_has_is_zero() {
        let whole = Framed::new(0..6, [2, 3], &[0; 6]);
        let part = Framed::new(1..5, [2, 3], &[0; 4]);
        let mut copy = FramedCopy { dwords: Aligned::zeros(1000), ..FramedCopy::default() };
        for (framed, boards, strides) in [
            (&whole, 3, [2, 2]),
            (&whole, 2, [4, 4]),
            (&whole, 2, [1, 4]),
            (&part, 2, [1, 4]),
            (&part, 3, [1, 4]),
            (&whole, 1, [3, 3]),
        ] {
            let [from, to] = strides;
            let cells = framed.places().len();
            let input: Vec<f32> = (1..=boards * cells * from).map(|number| number as f32).collect();
            copy.fill_reused(framed, boards, strides, &input);
            let mut expected = vec![0.0; framed.room(boards) * to];
            for (cell, numbers) in input.chunks_exact(from).enumerate() {
                let place = framed.start(cell / cells) + framed.places()[cell % cells];
                expected[place * to..][..from].copy_from_slice(numbers);
            }
            assert_eq!(copy.dwords[..expected.len()], expected);
        }
    }

    #[test]
    fn every_cell_has_a_place() {
        for boards in 1..=3 {
            let geometry = Geometry::new(3, 5, 3);
            let mut seen = vec![0; boards * 15];
            walk(&geometry, boards, |places, cells| {
                for (slot, cell) in cells.iter().enumerate() {
                    let Some(Placed { board, cell, .. }) = *cell else { continue };
                    let framed = geometry.framed();
                    let place = places[slot / TOGETHER] + slot % TOGETHER;
                    assert_eq!(place, framed.start(board) + framed.places()[cell % 15]);
                    assert_eq!(board, cell / 15);
                    seen[cell] += 1;
                }
            });
            assert!(seen.iter().all(|&times| times == 1));
        }
    }
}
