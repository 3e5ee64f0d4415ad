//! Convolutions on small boards for several instruction sets, which inference and training share.

mod aligned;
mod geometry;
mod kernel;
mod pack;
mod path;
mod quantized;
mod unit;
mod weights;

pub(crate) use aligned::Aligned;
pub(crate) use geometry::Geometry;
#[cfg(all(test, unix))]
pub(crate) use kernel::guarded::{Edge, guard};
pub(crate) use kernel::int8::{Int8Kernel, Range};
#[cfg(not(target_family = "wasm"))]
pub(crate) use kernel::sweep::{
    Activate, Gate, Moments, NormBackward, Pair, PoolBackward, Products, Round, Sum,
};
pub(crate) use kernel::{Finish, Kernel, Shape};
pub(crate) use pack::{Order, Packed, Source, channel};
pub(crate) use path::{Format, Path, Unsupported};
pub(crate) use quantized::{Quantized, seven_bits};
pub(crate) use unit::unit;
pub(crate) use weights::{Block, Layer, Norm, Normed, NormedBlock, Parameters, VALUES, Weights};
