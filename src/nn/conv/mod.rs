//! Convolutions on small boards for several instruction sets, which inference and training share.
//!
//! In the order of their dependencies:
//!
//! * `aligned`, `framed`, `geometry`, `weights`, `dword`, `instruction_set`: buffers, boards, layers,
//!   numbers, and the names of the instruction sets;
//! * `pack`, then `quantized`: weights in the order in which a kernel reads them;
//! * `planes`: what games read and write, in the order of a kernel;
//! * `kernel`: the arithmetic, for all instruction sets;
//! * `timing`: which of them is the fastest of those that compute the same;
//! * `support`: which of them this CPU has.

mod aligned;
mod dword;
mod framed;
mod geometry;
#[cfg(all(test, unix))]
mod guarded;
mod instruction_set;
mod kernel;
mod pack;
mod planes;
mod quantized;
mod support;
mod timing;
mod weights;

pub(crate) use aligned::Aligned;
pub(crate) use dword::dword;
pub(crate) use geometry::Geometry;
#[cfg(all(test, unix))]
pub(crate) use guarded::{Edge, guard};
pub(crate) use instruction_set::{InstructionSet, NumberFormat};
pub(crate) use kernel::int8::{Int8Kernel, QuantizationRange};
#[cfg(not(target_family = "wasm"))]
pub(crate) use kernel::row_ops::{
    Activate, Gate, InterleaveBoards, NormBackward, PoolBackward, Products, Round, RowMoments, Sum,
};
pub(crate) use kernel::{Epilogue, Kernel};
pub(crate) use pack::{InputKind, Layout, PackOrder, Packed, channel};
#[cfg(not(target_family = "wasm"))]
pub(crate) use planes::cells_of_policy;
pub(crate) use planes::{encode, policy_of_cells, policy_of_pass};
pub(crate) use quantized::{Quantized, seven_bits};
pub(crate) use support::Unsupported;
#[cfg(feature = "net")]
pub(crate) use timing::{Timed, int8_by_time};
pub(crate) use weights::{
    FoldedWeights, Layer, NetworkParameters, Norm, Normed, NormedBlock, ResidualBlock, VALUES,
};
