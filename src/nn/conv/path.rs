//! Names of the instruction sets.

use thiserror::Error;

use super::kernel::Kernel;
use super::kernel::int8::Int8Kernel;

/// An instruction set that computes a network.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Path {
    /// Instructions of every CPU.
    Portable,
    /// NEON of 64-bit ARM.
    Neon,
    /// NEON with products of bf16, which have 8 bits of precision, and sums in `f32`.
    NeonBf16,
    /// AVX2 and FMA.
    Avx2,
    /// AVX-512.
    Avx512,
    /// AVX-512 with products of bf16, which have 8 bits of precision, and sums in `f32`.
    Avx512Bf16,
    /// AMX: matrix products of bf16, with sums in `f32`.
    AmxBf16,
    /// Products of bytes by instructions of every CPU, for inference only.
    Int8Portable,
    /// The same with NEON and its dot products.
    Int8Neon,
    /// The same with AVX2.
    Int8Avx2,
    /// The same with AVX-VNNI.
    Int8AvxVnni,
    /// The same with VNNI of AVX-512.
    Int8Avx512,
    /// The same with AMX.
    Int8Amx,
}

/// The numbers that a path multiplies.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Format {
    /// 32 bits.
    F32,
    /// bfloat16: 16 bits with 8 bits of precision.
    Bf16,
    /// Weights of 7 bits and activations of 8.
    Int8,
}

impl Path {
    /// All paths, those of a format together, slower ones first.
    pub const ALL: [Self; 13] = [
        Self::Portable,
        Self::Neon,
        Self::Avx2,
        Self::Avx512,
        Self::NeonBf16,
        Self::Avx512Bf16,
        Self::AmxBf16,
        Self::Int8Portable,
        Self::Int8Neon,
        Self::Int8Avx2,
        Self::Int8AvxVnni,
        Self::Int8Avx512,
        Self::Int8Amx,
    ];

    /// Returns the fastest path that evaluates networks on this CPU, where it was measured.
    ///
    /// It may multiply bytes. Players are as strong by it as by `f32`, also those trained on games
    /// played by it (docs/speed.md).
    pub fn best() -> Self {
        let (floats, bytes) = (Self::best_to_train(), Self::best_int8());
        match bytes {
            Self::Int8AvxVnni | Self::Int8Avx512 => bytes,
            // Without instructions for bytes they are faster than AVX2, but not than AVX-512.
            Self::Int8Avx2 if floats == Self::Avx2 => bytes,
            _ => floats,
        }
    }

    /// Returns the fastest path that can train and that this CPU supports.
    ///
    /// It may compute in bf16. For trained networks of Neutron and Connect Four, bf16 with AVX-512
    /// changes the policy by less than 10^-5 nats, the value by 0.003 and the best action in 0.4 %
    /// of positions. In 4000 games against the same networks in `f32` it scored 50.3 %.
    pub fn best_to_train() -> Self {
        Self::fastest(|path| path.format() != Format::Int8)
    }

    /// Returns the fastest path that multiplies bytes and that this CPU supports.
    pub fn best_int8() -> Self {
        Self::fastest(|path| path.format() == Format::Int8)
    }

    fn fastest(of: impl Fn(Self) -> bool) -> Self {
        let is_fast = |path: &Self| !path.is_unmeasured() && !Kernel::is_slow(*path);
        let mut paths = Self::ALL.into_iter().rev().filter(|path| of(*path) && path.is_supported());
        paths.find(is_fast).unwrap_or(Self::Portable)
    }

    /// Whether it has run on emulated CPUs only, where it computes the right numbers. Until its
    /// speed is known, it is used only by name.
    fn is_unmeasured(self) -> bool {
        matches!(self, Self::NeonBf16 | Self::Int8Amx)
    }

    /// The numbers that it multiplies.
    pub fn format(self) -> Format {
        match self {
            Self::Portable | Self::Neon | Self::Avx2 | Self::Avx512 => Format::F32,
            Self::NeonBf16 | Self::Avx512Bf16 | Self::AmxBf16 => Format::Bf16,
            Self::Int8Portable
            | Self::Int8Neon
            | Self::Int8Avx2
            | Self::Int8AvxVnni
            | Self::Int8Avx512
            | Self::Int8Amx => Format::Int8,
        }
    }

    /// Whether this CPU has the instructions.
    pub fn is_supported(self) -> bool {
        match self.format() {
            Format::Int8 => Int8Kernel::find(self).is_some(),
            _ => Kernel::find(self).is_some(),
        }
    }

    /// The name in configs and on the command line.
    pub fn text(self) -> &'static str {
        match self {
            Self::Portable => "portable",
            Self::Neon => "neon",
            Self::NeonBf16 => "neon_bf16",
            Self::Avx2 => "avx2",
            Self::Avx512 => "avx512",
            Self::Avx512Bf16 => "avx512_bf16",
            Self::AmxBf16 => "amx_bf16",
            Self::Int8Portable => "int8_portable",
            Self::Int8Neon => "int8_neon",
            Self::Int8Avx2 => "int8_avx2",
            Self::Int8AvxVnni => "int8_avx_vnni",
            Self::Int8Avx512 => "int8_avx512",
            Self::Int8Amx => "int8_amx",
        }
    }

    /// The name of what is computed. Paths with the same name compute the same, to the last bit.
    pub fn arithmetic(self) -> &'static str {
        match self.format() {
            Format::Int8 => "int8",
            _ => self.text(),
        }
    }
}

/// The requested engine needs instructions that this CPU lacks.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Error)]
#[error(
    "the engine `{}` needs instructions that this CPU lacks; it supports {}",
    .0.text(), supported()
)]
pub struct Unsupported(pub Path);

/// The names of the paths that this CPU supports.
fn supported() -> String {
    let names = Path::ALL.iter().filter(|path| path.is_supported()).map(|path| path.text());
    names.collect::<Vec<_>>().join(", ")
}
