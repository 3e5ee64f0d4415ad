//! Which instruction sets this CPU has, and which of them is the fastest.

use thiserror::Error;

use super::instruction_set::{InstructionSet, NumberFormat};
use super::kernel::Kernel;
use super::kernel::int8::Int8Kernel;
use super::timing::int8_by_time;

impl InstructionSet {
    /// Returns the fastest instruction set that evaluates networks on this CPU, where it was
    /// measured.
    ///
    /// It may multiply bytes. Players are as strong by it as by `f32`, also those trained on games
    /// played by it (docs/speed.md).
    pub fn best() -> Self {
        let (floats, bytes) = (Self::best_to_train(), Self::best_int8());
        match bytes {
            Self::Int8AvxVnni | Self::Int8Avx512 | Self::Int8Amx => bytes,
            // Without instructions for bytes they are faster than AVX2, but not than AVX-512.
            Self::Int8Avx2 if floats == Self::Avx2 => bytes,
            _ => floats,
        }
    }

    /// Returns the fastest instruction set that can train and that this CPU supports.
    ///
    /// It may compute in bf16. For trained networks of Neutron and Connect Four, bf16 with AVX-512
    /// changes the policy by less than 10^-5 nats, the value by 0.003 and the best action in 0.4 %
    /// of positions. In 4000 games against the same networks in `f32` it scored 50.3 %.
    pub fn best_to_train() -> Self {
        Self::fastest(|set| set.format() != NumberFormat::Int8)
    }

    /// Returns the fastest instruction set that multiplies bytes and that this CPU supports. Those
    /// with instructions of their own for it are timed.
    pub fn best_int8() -> Self {
        match int8_by_time() {
            [(fastest, _), ..] => *fastest,
            [] => Self::fastest(|set| set.format() == NumberFormat::Int8),
        }
    }

    fn fastest(of: impl Fn(Self) -> bool) -> Self {
        let is_fast = |set: &Self| !set.is_by_name_only() && !Kernel::is_slow(*set);
        let mut sets = Self::ALL.into_iter().rev().filter(|set| of(*set) && set.is_supported());
        sets.find(is_fast).unwrap_or(Self::Portable)
    }

    /// Whether it is used by name only: products of bf16 by NEON have run on emulated CPUs alone,
    /// so that their speed is not known.
    fn is_by_name_only(self) -> bool {
        self == Self::NeonBf16
    }

    /// Whether this CPU has the instructions.
    pub fn is_supported(self) -> bool {
        match self.format() {
            NumberFormat::Int8 => Int8Kernel::find(self).is_some(),
            _ => Kernel::find(self).is_some(),
        }
    }
}

/// The requested engine needs instructions that this CPU lacks.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Error)]
#[error(
    "the engine `{}` needs instructions that this CPU lacks; it supports {}",
    .0.text(), supported()
)]
pub struct Unsupported(pub InstructionSet);

/// The names of the instruction sets that this CPU supports.
fn supported() -> String {
    let names = InstructionSet::ALL.iter().filter(|set| set.is_supported()).map(|set| set.text());
    names.collect::<Vec<_>>().join(", ")
}
