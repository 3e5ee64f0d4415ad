//! Instruction sets by name.

use thiserror::Error;

use super::kernel::Kernel;

/// A way to compute a network.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Path {
    /// Instructions that every CPU has.
    Portable,
    /// AVX2 and FMA.
    Avx2,
    /// AVX-512.
    Avx512,
    /// AVX-512 with products of bf16, which have 8 bits of precision, and sums of `f32`.
    Avx512Bf16,
    /// AMX: the same numbers, multiplied as matrices.
    AmxBf16,
}

impl Path {
    /// All paths, slower ones first.
    pub const ALL: [Self; 5] =
        [Self::Portable, Self::Avx2, Self::Avx512, Self::Avx512Bf16, Self::AmxBf16];

    /// The fastest that this CPU has.
    ///
    /// That may be one of bf16. By AVX-512 that changes the policy of trained networks of Neutron
    /// and Connect Four by less than 10^-5 nats, the value by 0.003 and the best action in 0.4 % of
    /// positions, and in 4000 games against the same networks in `f32` it scored 50.3 %.
    pub fn best() -> Self {
        let fastest = Self::ALL.into_iter().rev().find(|path| path.is_supported());
        fastest.unwrap_or(Self::Portable)
    }

    /// Whether it computes with `f32` alone.
    pub fn is_f32(self) -> bool {
        !matches!(self, Self::Avx512Bf16 | Self::AmxBf16)
    }

    /// Whether this CPU has its instructions.
    pub fn is_supported(self) -> bool {
        Kernel::find(self).is_some()
    }

    /// Its name.
    pub fn text(self) -> &'static str {
        match self {
            Self::Portable => "portable",
            Self::Avx2 => "avx2",
            Self::Avx512 => "avx512",
            Self::Avx512Bf16 => "avx512_bf16",
            Self::AmxBf16 => "amx_bf16",
        }
    }
}

/// An engine was asked for that this CPU cannot run.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Error)]
#[error(
    "the engine `{}` needs instructions that this CPU does not have; it has those of {}",
    .0.text(), supported()
)]
pub struct Unsupported(pub Path);

/// The names of the paths that this CPU has.
fn supported() -> String {
    let names = Path::ALL.iter().filter(|path| path.is_supported()).map(|path| path.text());
    names.collect::<Vec<_>>().join(", ")
}
