//! Kernels: the arithmetic of a network for several instruction sets.
//!
//! All `unsafe` code of the engines is in this folder. Other code uses a [`Kernel`], which exists
//! only if the CPU has its instructions, and which checks the sizes of all buffers.

#![allow(unsafe_code)]

#[cfg(all(test, unix))]
mod bounds;
#[cfg(not(target_family = "wasm"))]
mod correlate;
mod framed;
pub(super) mod int8;
#[cfg(not(target_family = "wasm"))]
mod learning;
#[cfg(target_arch = "aarch64")]
mod neon;
#[cfg(target_arch = "aarch64")]
mod neon_bf16;
mod portable;
#[cfg(not(target_family = "wasm"))]
pub(super) mod row_ops;
mod tile;
#[cfg(target_arch = "x86_64")]
mod x86;

pub(crate) use tile::Epilogue;

use super::geometry::{Geometry, Tap};
use super::instruction_set::InstructionSet;
use super::pack::{Layout, Packed};
use framed::FramedTile;
#[cfg(not(target_family = "wasm"))]
use learning::Learning;
use tile::{CELLS, Tile};

/// The functions of an instruction set.
#[derive(Clone, Copy)]
pub(crate) struct Kernel {
    lanes: usize,
    channels: usize,
    depth: usize,
    /// To be called before `tiles` and correlations, on the same thread.
    begin: unsafe fn(),
    /// The function for each number of registers, and then of cells.
    tiles: &'static [&'static [unsafe fn(&Tile<'_>)]],
    /// What computes kernels of 3x3 instead, on boards with a border: the function for each number of
    /// registers; none where cells need not be equidistant.
    framed: &'static [unsafe fn(&FramedTile<'_>)],
    /// To be called after them.
    end: unsafe fn(),
    pool: unsafe fn(*const f32, [usize; 3], *mut f32),
    add: unsafe fn(*const f32, [usize; 3], *mut f32),
    peak: unsafe fn(u64) -> f32,
    /// Number of multiply-adds in a round of `peak`.
    round: usize,
    /// What a page, which does not train, is smaller without.
    #[cfg(not(target_family = "wasm"))]
    learning: Learning,
}

impl std::fmt::Debug for Kernel {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "Kernel of {} lanes of {}", self.lanes, self.channels)
    }
}

/// Defines the function of an operation on rows of channels. It may be called only if the CPU has
/// the instructions.
#[cfg(not(target_family = "wasm"))]
macro_rules! row_op {
    ($(#[$attribute:meta])* $register:ty, $name:ident: $operation:ident) => {
        $(#[$attribute])*
        unsafe fn $name(operation: &mut $crate::nn::conv::kernel::row_ops::$operation<'_>) {
            // SAFETY: the caller guarantees the instructions.
            unsafe { $crate::nn::conv::kernel::row_ops::run::<$register, _>(operation) }
        }
    };
}
#[cfg(not(target_family = "wasm"))]
use row_op;

/// Defines the [`Kernel`] of a register type. The table lists the sizes of tiles: each row begins
/// with a number of registers of channels, and continues with the numbers of cells.
///
/// Its functions may be called as those of `tile` and `correlate` with the same names, whose
/// comments say what they need.
macro_rules! kernel {
    ($(#[$attribute:meta])* $register:ty { $($row:literal: $($cells:literal)*;)* }) => {
        $(#[$attribute])*
        unsafe fn convolve<const REGISTERS: usize, const CELLS: usize>(
            tile: &$crate::nn::conv::kernel::tile::Tile<'_>,
        ) {
            // SAFETY: the caller guarantees the instructions and the memory.
            unsafe {
                $crate::nn::conv::kernel::tile::convolve::<$register, REGISTERS, CELLS>(tile);
            }
        }

        $(#[$attribute])*
        unsafe fn pool(input: *const f32, sizes: [usize; 3], output: *mut f32) {
            // SAFETY: the caller guarantees the instructions and the memory.
            unsafe { $crate::nn::conv::kernel::tile::pool::<$register>(input, sizes, output) }
        }

        $(#[$attribute])*
        unsafe fn add(bias: *const f32, sizes: [usize; 3], output: *mut f32) {
            // SAFETY: the caller guarantees the instructions and the memory.
            unsafe { $crate::nn::conv::kernel::tile::add::<$register>(bias, sizes, output) }
        }

        $(#[$attribute])*
        unsafe fn peak(rounds: u64) -> f32 {
            // SAFETY: the caller guarantees the instructions.
            unsafe { $crate::nn::conv::kernel::tile::peak::<$register>(rounds) }
        }

        #[cfg(not(target_family = "wasm"))]
        $(#[$attribute])*
        unsafe fn correlate<const REGISTERS: usize, const INPUTS: usize>(
            of: &$crate::nn::conv::kernel::correlate::Correlation<'_>,
        ) {
            // SAFETY: the caller guarantees the instructions and the memory.
            unsafe {
                $crate::nn::conv::kernel::correlate::correlate::<$register, REGISTERS, INPUTS>(of);
            }
        }

        #[cfg(not(target_family = "wasm"))]
        $crate::nn::conv::kernel::row_op! { $(#[$attribute])* $register, moments: RowMoments }
        #[cfg(not(target_family = "wasm"))]
        $crate::nn::conv::kernel::row_op! { $(#[$attribute])* $register, activate: Activate }
        #[cfg(not(target_family = "wasm"))]
        $crate::nn::conv::kernel::row_op! { $(#[$attribute])* $register, gate: Gate }
        #[cfg(not(target_family = "wasm"))]
        $crate::nn::conv::kernel::row_op! { $(#[$attribute])* $register, products: Products }
        #[cfg(not(target_family = "wasm"))]
        $crate::nn::conv::kernel::row_op! { $(#[$attribute])* $register, norm_backward: NormBackward }
        #[cfg(not(target_family = "wasm"))]
        $crate::nn::conv::kernel::row_op! { $(#[$attribute])* $register, round: Round }
        #[cfg(not(target_family = "wasm"))]
        $crate::nn::conv::kernel::row_op! { $(#[$attribute])* $register, pair: InterleaveBoards }
        #[cfg(not(target_family = "wasm"))]
        $crate::nn::conv::kernel::row_op! { $(#[$attribute])* $register, sum: Sum }
        #[cfg(not(target_family = "wasm"))]
        $crate::nn::conv::kernel::row_op! { $(#[$attribute])* $register, pool_backward: PoolBackward }

        /// The functions of this instruction set. They may be called only if the CPU has it.
        pub(crate) const KERNEL: $crate::nn::conv::kernel::Kernel = $crate::nn::conv::kernel::Kernel {
            lanes: <$register as $crate::nn::conv::kernel::tile::Register>::LANES,
            channels: <$register as $crate::nn::conv::kernel::tile::Register>::CHANNELS,
            depth: 1,
            begin: || (),
            tiles: &[$(&[$(convolve::<$row, $cells>),*]),*],
            framed: &[],
            end: || (),
            pool,
            add,
            peak,
            round: $crate::nn::conv::kernel::tile::ABREAST
                * <$register as $crate::nn::conv::kernel::tile::Register>::LANES
                * <$register as $crate::nn::conv::kernel::tile::Register>::CHANNELS,
            #[cfg(not(target_family = "wasm"))]
            learning: $crate::nn::conv::kernel::learning::Learning {
                correlations: &[$(&[$(correlate::<$row, $cells>),*]),*],
                near: $crate::nn::conv::kernel::learning::L1_CACHE,
                moments,
                activate,
                gate,
                products,
                norm_backward,
                round,
                pair,
                sum,
                pool_backward,
            },
        };
    };
}
use kernel;

impl Kernel {
    /// Returns the kernel of an instruction set, if that computes in floating point and this CPU
    /// has its instructions.
    pub(crate) fn find(set: InstructionSet) -> Option<&'static Self> {
        match set {
            InstructionSet::Portable => Some(&portable::KERNEL),
            #[cfg(target_arch = "x86_64")]
            InstructionSet::Avx2 => x86::avx2(),
            #[cfg(target_arch = "x86_64")]
            InstructionSet::Avx512 => x86::avx512(),
            #[cfg(target_arch = "x86_64")]
            InstructionSet::Avx512Bf16 => x86::avx512_bf16(),
            #[cfg(target_arch = "x86_64")]
            InstructionSet::AmxBf16 => x86::amx_bf16(),
            #[cfg(target_arch = "aarch64")]
            InstructionSet::Neon => Some(&neon::KERNEL),
            #[cfg(target_arch = "aarch64")]
            InstructionSet::NeonBf16 => {
                std::arch::is_aarch64_feature_detected!("bf16").then_some(&neon_bf16::KERNEL)
            }
            _ => None,
        }
    }

    /// Whether this CPU has a faster instruction set of the same or a higher precision.
    pub(crate) fn is_slow(set: InstructionSet) -> bool {
        match set {
            #[cfg(target_arch = "x86_64")]
            InstructionSet::Avx512Bf16 => x86::has_slow_bf16(),
            _ => false,
        }
    }

    /// How layers are packed for this kernel.
    pub(crate) fn layout(&self) -> Layout {
        let Self { lanes, channels, depth, tiles, .. } = *self;
        let registers = tiles.len();
        Layout { lanes, padding: lanes, channels, depth, registers, byte_shift: 0, framed: false }
    }

    /// Number of channels in a dword.
    pub(crate) fn channels(&self) -> usize {
        self.channels
    }

    /// Computes a layer for all cells of `boards` boards.
    ///
    /// `input` and `output` are `[boards, cells, dwords]`, or larger. With [`Epilogue::Logits`] and
    /// [`Epilogue::Add`] the output is `[boards, cells, channels]`.
    pub(crate) fn convolve(
        &self,
        layer: &Packed,
        geometry: &Geometry,
        boards: usize,
        input: &[f32],
        output: &mut [f32],
        epilogue: Epilogue,
    ) {
        let channels = self.channels_stored(epilogue);
        let strides = [layer.stride, layer.channels / channels];
        let cells = boards * geometry.cells();
        assert!(layer.depth <= layer.stride.next_multiple_of(self.depth));
        assert!(layer.depth.is_multiple_of(self.depth) && layer.taps == geometry.taps());
        assert!(layer.depth > 0 && layer.taps > 0, "a sum has products");
        assert!(input.len() >= cells * strides[0] && output.len() >= cells * strides[1]);
        // SAFETY: `find` returns only kernels that the CPU can run.
        unsafe { (self.begin)() };
        // What a page, whose kernel is another one, is smaller without.
        let has_framed = cfg!(target_arch = "x86_64") && !self.framed.is_empty();
        if has_framed && geometry.taps() > 1 {
            // SAFETY: the output holds all cells, as asserted.
            unsafe { self.convolve_framed(layer, geometry, boards, input, output, epilogue) };
            // SAFETY: as for `begin`.
            return unsafe { (self.end)() };
        }
        for &group in &layer.groups {
            let [weights, bias] = layer.group(group, self.lanes);
            assert!((group.start + group.registers) * self.lanes <= layer.channels);
            let tile = Tile {
                taps: &[],
                cells: 0,
                stride: layer.stride,
                depth: layer.depth,
                weights: weights.as_ptr(),
                bias: bias.as_ptr(),
                epilogue,
                inputs: [input.as_ptr(); CELLS],
                outputs: [output[group.start * self.lanes / channels..].as_mut_ptr(); CELLS],
            };
            // SAFETY: input and output hold all cells, as asserted, and a cell of the output holds
            // the registers of the group. `group` has checked the sizes of weights and bias.
            unsafe { self.convolve_group(tile, group.registers, geometry, boards, strides) };
        }
        // SAFETY: as for `begin`.
        unsafe { (self.end)() };
    }

    /// Number of channels in a dword of the output.
    fn channels_stored(&self, epilogue: Epilogue) -> usize {
        match epilogue {
            Epilogue::Logits | Epilogue::Add => 1,
            Epilogue::Relu | Epilogue::AddRelu => self.channels,
        }
    }

    /// Computes the registers of `tile` for all cells of `boards` boards. The pointers of `tile`
    /// are those of the first cell; the strides are the dwords from cell to cell.
    ///
    /// # Safety
    ///
    /// The pointers of `tile` must be valid for all cells.
    unsafe fn convolve_group<'a>(
        &self,
        mut tile: Tile<'a>,
        registers: usize,
        geometry: &'a Geometry,
        boards: usize,
        [input_stride, output_stride]: [usize; 2],
    ) {
        let (input, output) = (tile.inputs[0], tile.outputs[0]);
        let tiles = self.tiles[registers - 1];
        walk(geometry, boards, tiles.len(), |_, taps, cells| {
            tile.taps = taps;
            tile.cells = cells.len();
            for (slot, &cell) in cells.iter().enumerate() {
                // SAFETY: the caller guarantees memory for all cells.
                unsafe {
                    tile.inputs[slot] = input.add(cell * input_stride);
                    tile.outputs[slot] = output.add(cell * output_stride);
                }
            }
            // SAFETY: `find` returns only kernels that the CPU can run. The cells are on their
            // boards, and so are their neighbours at the taps.
            unsafe { tiles[cells.len() - 1](&tile) };
        });
    }

    /// Computes means and maxima of all channels of each board: from `[boards, cells, dwords]` to
    /// `[boards, 2 * dwords]`. The `channels` must fill whole registers.
    pub(crate) fn pool(
        &self,
        [boards, cells, channels]: [usize; 3],
        input: &[f32],
        output: &mut [f32],
    ) {
        let dwords = channels / self.channels;
        assert!(cells > 0 && channels.is_multiple_of(self.lanes));
        assert!(input.len() >= boards * cells * dwords && output.len() >= boards * 2 * dwords);
        let boards = input.chunks_exact(cells * dwords).take(boards);
        for (input, output) in boards.zip(output.chunks_exact_mut(2 * dwords)) {
            let sizes = [cells, dwords, channels / self.lanes];
            // SAFETY: `find` returns only kernels that the CPU can run. The chunks have the sizes
            // that are passed.
            unsafe { (self.pool)(input.as_ptr(), sizes, output.as_mut_ptr()) };
        }
    }

    /// Adds a bias for each board, `[boards, channels]`, to all its cells in `output`,
    /// `[boards, cells, dwords]`. The `channels` must fill whole registers.
    pub(crate) fn add(
        &self,
        [boards, cells, channels]: [usize; 3],
        bias: &[f32],
        output: &mut [f32],
    ) {
        let dwords = channels / self.channels;
        assert!(channels.is_multiple_of(self.lanes));
        assert!(output.len() >= boards * cells * dwords && bias.len() >= boards * channels);
        let boards = bias.chunks_exact(channels).take(boards);
        for (bias, output) in boards.zip(output.chunks_exact_mut(cells * dwords)) {
            let sizes = [cells, dwords, channels / self.lanes];
            // SAFETY: as for `pool`.
            unsafe { (self.add)(bias.as_ptr(), sizes, output.as_mut_ptr()) };
        }
    }

    /// Multiplies and adds as fast as one thread can. Returns the number of multiply-adds.
    pub(crate) fn work(&self, rounds: u64) -> u64 {
        // SAFETY: `find` returns only kernels that the CPU can run.
        std::hint::black_box(unsafe { (self.peak)(rounds) });
        rounds * self.round as u64
    }
}

/// Visits all cells of `boards` boards in tiles of at most `most` of the same class, with the index of
/// the class and its taps. Cells are counted over all boards.
fn walk<'a>(
    geometry: &'a Geometry,
    boards: usize,
    most: usize,
    mut visit: impl FnMut(usize, &'a [Tap], &[usize]),
) {
    let mut tile = [0; CELLS];
    for (class, (members, taps)) in geometry.classes().enumerate() {
        let mut cells = (0..boards)
            .flat_map(|board| members.iter().map(move |cell| board * geometry.cells() + cell));
        for count in shares(boards * members.len(), most) {
            let tile = &mut tile[..count];
            tile.iter_mut().zip(cells.by_ref()).for_each(|(slot, cell)| *slot = cell);
            visit(class, taps, tile);
        }
    }
}

/// Splits `total` into the fewest shares of at most `most`, as evenly as possible.
fn shares(total: usize, most: usize) -> impl Iterator<Item = usize> {
    let count = total.div_ceil(most);
    (0..count).map(move |share| total * (share + 1) / count - total * share / count)
}
