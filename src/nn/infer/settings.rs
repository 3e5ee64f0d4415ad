//! Settings of the arithmetic that evaluates positions.

use serde::{Deserialize, Serialize};

use crate::base::checks::Fault;
use crate::nn::conv::{Format, Path, Unsupported};

/// How positions are evaluated: the `[inference]` table of a config.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct Settings {
    /// The engine of self-play and of trained players.
    pub engine: EngineName,
    /// The floating-point format of the tensor library's forward pass.
    pub precision: Precision,
}

impl Settings {
    /// Checks all settings.
    ///
    /// # Errors
    ///
    /// If this CPU cannot run the engine.
    pub fn check(&self) -> Result<(), Fault> {
        self.engine.check()
    }
}

/// The floating-point format of weights and activations in the tensor library's forward pass. Its
/// outputs are `f32` in any case.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Precision {
    /// Half precision on an accelerator that supports it, `f32` elsewhere.
    #[default]
    Auto,
    /// 32 bits.
    F32,
    /// bfloat16: 16 bits with 8 bits of precision.
    Bf16,
    /// Half precision: 16 bits with 11 bits of precision.
    F16,
}

impl Precision {
    /// The name in configs.
    pub fn text(self) -> &'static str {
        match self {
            Self::Auto => "auto",
            Self::F32 => "f32",
            Self::Bf16 => "bf16",
            Self::F16 => "f16",
        }
    }
}

/// An engine that can be requested.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum EngineName {
    /// The fastest that this CPU supports; see [`Path::best`].
    #[default]
    Auto,
    /// The forward pass of burn, the tensor library.
    Burn,
    /// See [`Path::Portable`].
    Portable,
    /// See [`Path::Neon`].
    Neon,
    /// See [`Path::Avx2`].
    Avx2,
    /// See [`Path::Avx512`].
    Avx512,
    /// See [`Path::Avx512Bf16`].
    Avx512Bf16,
    /// See [`Path::AmxBf16`].
    AmxBf16,
    /// The fastest that multiplies bytes; see [`Path::best_int8`].
    Int8,
    /// See [`Path::Int8Portable`].
    Int8Portable,
    /// See [`Path::Int8Neon`].
    Int8Neon,
    /// See [`Path::Int8Avx2`].
    Int8Avx2,
    /// See [`Path::Int8AvxVnni`].
    Int8AvxVnni,
    /// See [`Path::Int8Avx512`].
    Int8Avx512,
}

impl EngineName {
    /// All engines.
    pub const ALL: [Self; 14] = [
        Self::Auto,
        Self::Burn,
        Self::Portable,
        Self::Neon,
        Self::Avx2,
        Self::Avx512,
        Self::Avx512Bf16,
        Self::AmxBf16,
        Self::Int8,
        Self::Int8Portable,
        Self::Int8Neon,
        Self::Int8Avx2,
        Self::Int8AvxVnni,
        Self::Int8Avx512,
    ];

    /// The name in configs and on the command line.
    pub fn text(self) -> &'static str {
        match self {
            Self::Auto => "auto",
            Self::Burn => "burn",
            Self::Portable => Path::Portable.text(),
            Self::Neon => Path::Neon.text(),
            Self::Avx2 => Path::Avx2.text(),
            Self::Avx512 => Path::Avx512.text(),
            Self::Avx512Bf16 => Path::Avx512Bf16.text(),
            Self::AmxBf16 => Path::AmxBf16.text(),
            Self::Int8 => "int8",
            Self::Int8Portable => Path::Int8Portable.text(),
            Self::Int8Neon => Path::Int8Neon.text(),
            Self::Int8Avx2 => Path::Int8Avx2.text(),
            Self::Int8AvxVnni => Path::Int8AvxVnni.text(),
            Self::Int8Avx512 => Path::Int8Avx512.text(),
        }
    }

    /// Checks that this CPU has the instructions of the engine.
    ///
    /// # Errors
    ///
    /// If it lacks them.
    pub fn check(self) -> Result<(), Fault> {
        self.path().map(|_| ()).map_err(|error| ("engine", error.to_string()))
    }

    /// Like [`check`](Self::check), for an engine that computes gradients.
    ///
    /// # Errors
    ///
    /// If the CPU lacks the instructions, or the engine only evaluates.
    pub fn check_training(self) -> Result<(), Fault> {
        self.check()?;
        match self.path() {
            Ok(Some(path)) if path.format() == Format::Int8 => {
                let text = self.text();
                Err(("engine", format!("`{text}` only evaluates, it cannot train; use \"auto\"")))
            }
            _ => Ok(()),
        }
    }

    /// Returns the instruction set of the engine, or none for burn, which chooses its own.
    ///
    /// # Errors
    ///
    /// If this CPU lacks the instructions.
    pub fn path(self) -> Result<Option<Path>, Unsupported> {
        let path = match self {
            Self::Burn => return Ok(None),
            Self::Auto => Path::best(),
            Self::Portable => Path::Portable,
            Self::Neon => Path::Neon,
            Self::Avx2 => Path::Avx2,
            Self::Avx512 => Path::Avx512,
            Self::Avx512Bf16 => Path::Avx512Bf16,
            Self::AmxBf16 => Path::AmxBf16,
            Self::Int8 => Path::best_int8(),
            Self::Int8Portable => Path::Int8Portable,
            Self::Int8Neon => Path::Int8Neon,
            Self::Int8Avx2 => Path::Int8Avx2,
            Self::Int8AvxVnni => Path::Int8AvxVnni,
            Self::Int8Avx512 => Path::Int8Avx512,
        };
        if path.is_supported() { Ok(Some(path)) } else { Err(Unsupported(path)) }
    }
}
