//! Which arithmetic judges positions.

use serde::{Deserialize, Serialize};

use crate::base::checks::Fault;
use crate::nn::conv::{Path, Unsupported};

/// How positions are judged, the `[inference]` table of a config.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct Settings {
    /// The engine of self-play and of trained players.
    pub engine: EngineName,
    /// The numbers that the tensor library's forward pass computes with.
    pub precision: Precision,
}

impl Settings {
    /// Checks every value.
    ///
    /// # Errors
    ///
    /// If this CPU cannot run the engine.
    pub fn check(&self) -> Result<(), Fault> {
        self.engine.check()
    }
}

/// What the weights and activations of the tensor library's forward pass are. What it says of a
/// position is `f32` all the same.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Precision {
    /// Half precision on an accelerator that has it, `f32` elsewhere.
    #[default]
    Auto,
    /// 32 bits.
    F32,
    /// 16 bits, 8 of them precision.
    Bf16,
    /// 16 bits, 11 of them precision.
    F16,
}

impl Precision {
    /// The name as configs spell it.
    pub fn text(self) -> &'static str {
        match self {
            Self::Auto => "auto",
            Self::F32 => "f32",
            Self::Bf16 => "bf16",
            Self::F16 => "f16",
        }
    }
}

/// What can be asked for.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum EngineName {
    /// The fastest that this CPU has; see [`Path::best`].
    #[default]
    Auto,
    /// The tensor library's own forward pass.
    Burn,
    /// See [`Path::Portable`].
    Portable,
    /// See [`Path::Avx2`].
    Avx2,
    /// See [`Path::Avx512`].
    Avx512,
    /// See [`Path::Avx512Bf16`].
    Avx512Bf16,
    /// See [`Path::AmxBf16`].
    AmxBf16,
}

impl EngineName {
    /// All names.
    pub const ALL: [Self; 7] = [
        Self::Auto,
        Self::Burn,
        Self::Portable,
        Self::Avx2,
        Self::Avx512,
        Self::Avx512Bf16,
        Self::AmxBf16,
    ];

    /// The name as configs and the command line spell it.
    pub fn text(self) -> &'static str {
        match self {
            Self::Auto => "auto",
            Self::Burn => "burn",
            Self::Portable => Path::Portable.text(),
            Self::Avx2 => Path::Avx2.text(),
            Self::Avx512 => Path::Avx512.text(),
            Self::Avx512Bf16 => Path::Avx512Bf16.text(),
            Self::AmxBf16 => Path::AmxBf16.text(),
        }
    }

    /// Checks that this CPU has its instructions.
    ///
    /// # Errors
    ///
    /// If it lacks them.
    pub fn check(self) -> Result<(), Fault> {
        self.path().map(|_| ()).map_err(|error| ("engine", error.to_string()))
    }

    /// The path that is meant; none for burn, which has its own.
    ///
    /// # Errors
    ///
    /// If this CPU lacks its instructions.
    pub fn path(self) -> Result<Option<Path>, Unsupported> {
        let path = match self {
            Self::Burn => return Ok(None),
            Self::Auto => Path::best(),
            Self::Portable => Path::Portable,
            Self::Avx2 => Path::Avx2,
            Self::Avx512 => Path::Avx512,
            Self::Avx512Bf16 => Path::Avx512Bf16,
            Self::AmxBf16 => Path::AmxBf16,
        };
        if path.is_supported() { Ok(Some(path)) } else { Err(Unsupported(path)) }
    }
}
