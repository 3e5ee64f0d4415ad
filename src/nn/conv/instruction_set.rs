//! Names of the instruction sets.

/// An instruction set that computes a network.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum InstructionSet {
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

/// The numbers that an instruction set multiplies.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum NumberFormat {
    /// 32 bits.
    F32,
    /// bfloat16: 16 bits with 8 bits of precision.
    Bf16,
    /// Weights of 7 bits and activations of 8.
    Int8,
}

impl InstructionSet {
    /// All instruction sets, those of a format together, slower ones first.
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

    /// The numbers that it multiplies.
    pub fn format(self) -> NumberFormat {
        match self {
            Self::Portable | Self::Neon | Self::Avx2 | Self::Avx512 => NumberFormat::F32,
            Self::NeonBf16 | Self::Avx512Bf16 | Self::AmxBf16 => NumberFormat::Bf16,
            Self::Int8Portable
            | Self::Int8Neon
            | Self::Int8Avx2
            | Self::Int8AvxVnni
            | Self::Int8Avx512
            | Self::Int8Amx => NumberFormat::Int8,
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
            NumberFormat::Int8 => "int8",
            _ => self.text(),
        }
    }
}
