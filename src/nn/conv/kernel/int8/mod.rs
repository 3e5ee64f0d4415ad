//! Kernels that multiply bytes: weights of seven bits by activations of eight, with exact sums of
//! 32 bits.
//!
//! Weights are rounded to integers from -63 to 63 with a scale for each output channel, so that a
//! pair of products fits into the 16 bits that AVX2 sums them in. Activations are rounded to 0 to
//! 255 with a range for each board. The same numbers are computed by all instruction sets.

#[cfg(target_arch = "x86_64")]
mod amx;
#[cfg(target_arch = "x86_64")]
mod avx2;
#[cfg(target_arch = "x86_64")]
mod avx512_vnni;
#[cfg(target_arch = "x86_64")]
mod avx_vnni;
#[cfg(target_arch = "aarch64")]
mod neon_dot;
mod portable;
mod tile;

use super::super::framed::TOGETHER;
use super::super::geometry::Geometry;
use super::super::instruction_set::InstructionSet;
use super::super::pack::Layout;
use super::super::quantized::Quantized;
use super::tile::{CELLS, Epilogue};
use super::{framed, walk};
use framed::Placed;
use std::ptr::null_mut;
use tile::{ByteTile, Rounding};

/// The functions of an instruction set. Each board has its own [`QuantizationRange`].
#[derive(Clone, Copy)]
pub(crate) struct Int8Kernel {
    lanes: usize,
    depth: usize,
    /// Whether boards have a [border](super::super::framed).
    framed: bool,
    /// To be called before `tiles`, on the same thread.
    begin: unsafe fn(),
    /// The function for each number of registers, and then of cells; the only one for all numbers of
    /// cells if boards have a border.
    tiles: &'static [&'static [unsafe fn(&ByteTile<'_>)]],
    /// To be called after them.
    end: unsafe fn(),
    extremes: unsafe fn(*const f32, usize) -> [f32; 2],
    round_numbers: unsafe fn(&Rounding),
    /// Bytes are stored less this number.
    byte_shift: u8,
    peak: unsafe fn(u64) -> f32,
    /// Number of multiply-adds in a round of `peak`.
    round: usize,
}

impl std::fmt::Debug for Int8Kernel {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "Int8Kernel of {} lanes", self.lanes)
    }
}

/// What the bytes of a board stand for: `low + scale * byte`.
#[derive(Clone, Copy, PartialEq, Debug, Default)]
pub(crate) struct QuantizationRange {
    pub scale: f32,
    /// At most 0.
    pub low: f32,
}

/// The narrowest range that is told from none, so that its inverse is finite.
const NARROWEST: f32 = 1e-30;

impl QuantizationRange {
    /// Returns the range from `low` to `high`, and the inverse of its scale.
    pub(crate) fn new(low: f32, high: f32) -> (Self, f32) {
        let span = high - low;
        if span < NARROWEST {
            return (Self::default(), 0.0);
        }
        (Self { scale: span / 255.0, low }, 255.0 / span)
    }
}

/// Defines the [`Int8Kernel`] of a register type. The table lists the sizes of tiles: each row
/// begins with a number of registers of channels, and continues with the numbers of cells.
///
/// Its functions may be called as those of [`tile`] with the same names, whose comments say what
/// they need.
macro_rules! int8_kernel {
    ($(#[$attribute:meta])* $dot:ty { $($row:literal: $($cells:literal)*;)* }) => {
        $(#[$attribute])*
        unsafe fn convolve<const REGISTERS: usize, const CELLS: usize>(
            tile: &$crate::nn::conv::kernel::int8::tile::ByteTile<'_>,
        ) {
            // SAFETY: the caller guarantees the instructions and the memory.
            unsafe {
                $crate::nn::conv::kernel::int8::tile::convolve::<$dot, REGISTERS, CELLS>(tile);
            }
        }

        $(#[$attribute])*
        unsafe fn extremes(input: *const f32, registers: usize) -> [f32; 2] {
            // SAFETY: the caller guarantees the instructions and the memory.
            unsafe { $crate::nn::conv::kernel::int8::tile::extremes::<$dot>(input, registers) }
        }

        $(#[$attribute])*
        unsafe fn round_numbers(of: &$crate::nn::conv::kernel::int8::tile::Rounding) {
            // SAFETY: the caller guarantees the instructions and the memory.
            unsafe { $crate::nn::conv::kernel::int8::tile::round::<$dot>(of) }
        }

        $(#[$attribute])*
        unsafe fn peak(rounds: u64) -> f32 {
            // SAFETY: the caller guarantees the instructions.
            unsafe { $crate::nn::conv::kernel::int8::tile::peak::<$dot>(rounds) }
        }

        /// The functions of this instruction set. They may be called only if the CPU has it.
        pub(super) const KERNEL: $crate::nn::conv::kernel::int8::Int8Kernel = {
            type Floats = <$dot as $crate::nn::conv::kernel::int8::tile::Dot>::Floats;
            let lanes = <Floats as $crate::nn::conv::kernel::tile::Register>::LANES;
            $crate::nn::conv::kernel::int8::Int8Kernel {
                lanes,
                depth: 1,
                framed: false,
                begin: || (),
                tiles: &[$(&[$(convolve::<$row, $cells>),*]),*],
                end: || (),
                extremes,
                round_numbers,
                byte_shift: <$dot as $crate::nn::conv::kernel::int8::tile::Dot>::BYTE_SHIFT,
                peak,
                round: $crate::nn::conv::kernel::tile::ABREAST * lanes * 4,
            }
        };
    };
}
use int8_kernel;

impl Int8Kernel {
    /// Returns the kernel of an instruction set, if that multiplies bytes and this CPU has its
    /// instructions.
    pub(crate) fn find(set: InstructionSet) -> Option<&'static Self> {
        #[cfg(target_arch = "x86_64")]
        use std::arch::is_x86_feature_detected as has;
        match set {
            InstructionSet::Int8Portable => Some(&portable::KERNEL),
            #[cfg(target_arch = "x86_64")]
            InstructionSet::Int8Avx2 => (has!("avx2") && has!("fma")).then_some(&avx2::KERNEL),
            #[cfg(target_arch = "x86_64")]
            InstructionSet::Int8AvxVnni => {
                (has!("avx2") && has!("fma") && has!("avxvnni")).then_some(&avx_vnni::KERNEL)
            }
            #[cfg(target_arch = "x86_64")]
            InstructionSet::Int8Avx512 => {
                (has!("avx512f") && has!("avx512vnni")).then_some(&avx512_vnni::KERNEL)
            }
            #[cfg(target_arch = "x86_64")]
            InstructionSet::Int8Amx => {
                let has_rest = Self::find(InstructionSet::Int8Avx512).is_some();
                (has_rest && super::x86::amx::detection::has_bytes()).then_some(&amx::KERNEL)
            }
            #[cfg(target_arch = "aarch64")]
            InstructionSet::Int8Neon => {
                std::arch::is_aarch64_feature_detected!("dotprod").then_some(&neon_dot::KERNEL)
            }
            _ => None,
        }
    }

    /// AMX, emulated if only that is missing.
    #[cfg(all(test, target_arch = "x86_64", target_os = "linux"))]
    pub(super) fn emulated_amx() -> Option<&'static Self> {
        Self::find(InstructionSet::Int8Avx512)?;
        super::x86::amx::emulation::prepare();
        Some(&amx::KERNEL)
    }

    /// Bytes are stored less this number, 0 or 128.
    pub(crate) fn byte_shift(&self) -> u8 {
        self.byte_shift
    }

    /// How layers are packed for this kernel.
    pub(crate) fn layout(&self) -> Layout {
        let Self { lanes, depth, tiles, byte_shift, .. } = *self;
        let framed = self.is_framed();
        let (channels, registers) = (4, tiles.len());
        Layout { lanes, padding: lanes, channels, depth, registers, byte_shift, framed }
    }

    /// Whether boards have a border, which no kernel of a page has: it need not be part of one.
    fn is_framed(&self) -> bool {
        cfg!(target_arch = "x86_64") && self.framed
    }

    /// Number of cells for which the bytes of `boards` boards need room, their border included. Bytes
    /// that no cell has are zero from the start, and nobody writes to them.
    pub(crate) fn room(&self, geometry: &Geometry, boards: usize) -> usize {
        if self.is_framed() { geometry.framed().room(boards) } else { boards * geometry.cells() }
    }

    /// The place of the first place of a board among the bytes of boards.
    pub(crate) fn start(&self, geometry: &Geometry, board: usize) -> usize {
        if self.is_framed() { geometry.framed().start(board) } else { board * geometry.cells() }
    }

    /// For each cell its place on its board.
    pub(crate) fn places(&self, geometry: &Geometry) -> Vec<usize> {
        match self.is_framed() {
            true => geometry.framed().places().to_vec(),
            false => (0..geometry.cells()).collect(),
        }
    }

    /// Computes a layer for all cells of the boards that have `ranges`.
    ///
    /// `input` is `[room, dwords]`, `output` is `[boards, cells, channels]`, or larger.
    /// The ranges begin at 0, unless the layer has sums of weights.
    pub(crate) fn convolve(
        &self,
        layer: &Quantized,
        geometry: &Geometry,
        ranges: &[QuantizationRange],
        input: &[f32],
        output: &mut [f32],
        epilogue: Epilogue,
    ) {
        let packed = &layer.packed;
        let (boards, cells) = (ranges.len(), ranges.len() * geometry.cells());
        assert!(packed.depth <= packed.stride.next_multiple_of(self.depth));
        assert!(packed.depth.is_multiple_of(self.depth) && layer.fits(geometry));
        assert!(packed.depth > 0 && packed.taps > 0, "a sum has products");
        assert!(input.len() >= self.room(geometry, boards) * packed.stride);
        assert!(output.len() >= cells * packed.channels);
        // SAFETY: `find` returns only kernels that the CPU can run.
        unsafe { (self.begin)() };
        for &group in &packed.groups {
            let [weights, bias] = packed.group(group, self.lanes);
            let parts = layer.group(group, self.lanes);
            assert!(self.byte_shift == 0 || !parts.compensation.is_empty());
            assert!(self.is_framed() != parts.steps.is_empty());
            assert!((group.start + group.registers) * self.lanes <= packed.channels);
            let mut tile = ByteTile {
                taps: &[],
                steps: parts.steps,
                stride: packed.stride,
                depth: packed.depth,
                weights: weights.as_ptr(),
                scales: parts.scales.as_ptr(),
                weight_sums: (!parts.weight_sums.is_empty()).then_some(parts.weight_sums.as_ptr()),
                compensation: parts.compensation.as_ptr(),
                bias: bias.as_ptr(),
                epilogue,
                inputs: [input.as_ptr(); CELLS],
                ranges: [QuantizationRange::default(); CELLS],
                outputs: [output[group.start * self.lanes..].as_mut_ptr(); CELLS],
                classes: [0; CELLS],
            };
            // SAFETY: input and output hold all cells, as asserted, and a cell of the output holds
            // the registers of the group. `group` has checked the sizes of weights, bias, sums,
            // compensation, scales and steps, which are those of this geometry, as asserted.
            unsafe {
                match self.is_framed() {
                    true => {
                        self.convolve_framed(&mut tile, group.registers, layer, geometry, ranges)
                    }
                    false => {
                        self.convolve_group(&mut tile, group.registers, layer, geometry, ranges)
                    }
                }
            }
        }
        // SAFETY: as for `begin`.
        unsafe { (self.end)() };
    }

    /// Computes the registers of `tile` for all cells. The pointers of `tile` are those of the first
    /// cell, its sums and compensation those of all classes.
    ///
    /// # Safety
    ///
    /// The pointers of `tile` must be valid for all cells.
    unsafe fn convolve_group<'a>(
        &self,
        tile: &mut ByteTile<'a>,
        registers: usize,
        layer: &Quantized,
        geometry: &'a Geometry,
        ranges: &[QuantizationRange],
    ) {
        let (input, output) = (tile.inputs[0], tile.outputs[0]);
        let (weight_sums, compensation) = (tile.weight_sums, tile.compensation);
        let (tiles, each) = (self.tiles[registers - 1], registers * self.lanes);
        let [from, to, board] = [layer.packed.stride, layer.packed.channels, geometry.cells()];
        walk(geometry, ranges.len(), tiles.len(), |class, taps, cells| {
            tile.taps = taps;
            // Where there are none, these pointers are not read.
            tile.weight_sums = weight_sums.map(|sums| sums.wrapping_add(class * each));
            tile.compensation = compensation.wrapping_add(class * each);
            for (slot, &cell) in cells.iter().enumerate() {
                tile.ranges[slot] = ranges[cell / board];
                // SAFETY: the caller guarantees memory for all cells.
                unsafe {
                    tile.inputs[slot] = input.add(cell * from);
                    tile.outputs[slot] = output.add(cell * to);
                }
            }
            // SAFETY: `find` returns only kernels that the CPU can run. The cells are on their
            // boards, and so are their neighbours at the taps.
            unsafe { tiles[cells.len() - 1](tile) };
        });
    }

    /// The same for boards with a border, in as many blocks at a time as fit into a tile.
    ///
    /// # Safety
    ///
    /// As for [`convolve_group`](Self::convolve_group).
    unsafe fn convolve_framed(
        &self,
        tile: &mut ByteTile<'_>,
        registers: usize,
        layer: &Quantized,
        geometry: &Geometry,
        ranges: &[QuantizationRange],
    ) {
        let (input, output, packed) = (tile.inputs[0], tile.outputs[0], &layer.packed);
        framed::walk(geometry, ranges.len(), |places, cells| {
            for (index, place) in places.into_iter().enumerate() {
                // SAFETY: the caller guarantees memory for all places.
                tile.inputs[index * TOGETHER] = unsafe { input.add(place * packed.stride) };
            }
            tile.outputs = [null_mut(); CELLS];
            for (slot, cell) in cells.iter().enumerate() {
                let Some(Placed { board, cell, class }) = *cell else { continue };
                tile.ranges[slot] = ranges[board];
                tile.classes[slot] = class;
                // SAFETY: the caller guarantees memory for all cells.
                tile.outputs[slot] = unsafe { output.add(cell * packed.channels) };
            }
            // SAFETY: `find` returns only kernels that the CPU can run. All places of a block and
            // of its neighbours are within the room of the boards.
            unsafe { self.tiles[registers - 1][0](tile) };
        });
    }

    /// Rounds each board of `input`, `[boards, cells, channels]`, to bytes with a range of its own:
    /// `[room, dwords]`. The `channels` must fill whole registers.
    pub(crate) fn quantize(
        &self,
        geometry: &Geometry,
        channels: usize,
        input: &[f32],
        output: &mut [f32],
        ranges: &mut [QuantizationRange],
    ) {
        let (each, dwords) = (geometry.cells() * channels, self.layout().stride(channels / 4));
        assert!(channels.is_multiple_of(self.lanes) && input.len() >= ranges.len() * each);
        assert!(output.len() >= self.room(geometry, ranges.len()) * dwords);
        for (board, (input, range)) in input.chunks_exact(each).zip(ranges).enumerate() {
            // SAFETY: `find` returns only kernels that the CPU can run. The chunk has that size.
            let [low, high] = unsafe { (self.extremes)(input.as_ptr(), each / self.lanes) };
            let inverse;
            (*range, inverse) = QuantizationRange::new(low, high);
            let mut round = |cell: usize, place: usize, cells: usize| {
                let all = cells * channels / self.lanes;
                let rows = if self.is_framed() { cells } else { 1 };
                let of = Rounding {
                    rows,
                    registers: all / rows,
                    input: input[cell * channels..][..cells * channels].as_ptr(),
                    output: output[place * dwords..][..cells * dwords].as_mut_ptr().cast(),
                    stride: dwords * size_of::<f32>(),
                    low: range.low,
                    inverse,
                };
                // SAFETY: as before; the slices have the sizes that are passed, and no number is
                // beyond the range.
                unsafe { (self.round_numbers)(&of) };
            };
            if self.is_framed() {
                let start = geometry.framed().start(board);
                let runs = geometry.framed().runs();
                runs.for_each(|run| round(run.cell, start + run.place, run.cells));
            } else {
                round(0, board * geometry.cells(), geometry.cells());
            }
        }
    }

    /// Multiplies and adds as fast as one thread can. Returns the number of multiply-adds.
    pub(crate) fn work(&self, rounds: u64) -> u64 {
        // SAFETY: `find` returns only kernels that the CPU can run.
        std::hint::black_box(unsafe { (self.peak)(rounds) });
        rounds * self.round as u64
    }
}
