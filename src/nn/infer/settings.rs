//! Settings of the arithmetic that evaluates positions.

use serde::de::Error;
use serde::{Deserialize, Deserializer, Serialize, Serializer};

use crate::base::checks::Fault;
use crate::nn::conv::{InstructionSet, NumberFormat, Unsupported};

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
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum EngineName {
    /// The fastest that this CPU supports; see [`InstructionSet::best`] and
    /// [`InstructionSet::best_to_train`].
    #[default]
    Auto,
    /// The forward pass of burn, the tensor library.
    Burn,
    /// The fastest that multiplies bytes; see [`InstructionSet::best_int8`].
    Int8,
    /// That of an instruction set.
    Cpu(InstructionSet),
}

impl EngineName {
    /// All engines.
    pub const ALL: [Self; 3 + InstructionSet::ALL.len()] = {
        let mut all = [Self::Auto; 3 + InstructionSet::ALL.len()];
        (all[1], all[2]) = (Self::Burn, Self::Int8);
        let mut index = 0;
        while index < InstructionSet::ALL.len() {
            all[3 + index] = Self::Cpu(InstructionSet::ALL[index]);
            index += 1;
        }
        all
    };

    /// The name in configs and on the command line.
    pub fn text(self) -> &'static str {
        match self {
            Self::Auto => "auto",
            Self::Burn => "burn",
            Self::Int8 => "int8",
            Self::Cpu(set) => set.text(),
        }
    }

    /// The engine of this name.
    ///
    /// # Errors
    ///
    /// A message with all names.
    pub fn find(text: &str) -> Result<Self, String> {
        Self::ALL.into_iter().find(|engine| engine.text() == text).ok_or_else(|| {
            let names = Self::ALL.map(|engine| format!("`{}`", engine.text())).join(", ");
            format!("there is no engine `{text}`; there are {names}")
        })
    }

    /// Checks that this CPU has the instructions of the engine.
    ///
    /// # Errors
    ///
    /// If it lacks them.
    pub fn check(self) -> Result<(), Fault> {
        match self {
            Self::Cpu(set) if !set.is_supported() => Err(("engine", Unsupported(set).to_string())),
            // The others choose among those that the CPU has, which may take some milliseconds.
            _ => Ok(()),
        }
    }

    /// Like [`check`](Self::check), for an engine that computes gradients.
    ///
    /// # Errors
    ///
    /// If the CPU lacks the instructions, or the engine only evaluates.
    pub fn check_training(self) -> Result<(), Fault> {
        let set = self.instruction_set_to_train().map_err(|error| ("engine", error.to_string()))?;
        if set.is_some_and(|set| set.format() == NumberFormat::Int8) {
            let text = self.text();
            return Err((
                "engine",
                format!("`{text}` only evaluates, it cannot train; use \"auto\""),
            ));
        }
        Ok(())
    }

    /// Returns the instruction set that evaluates positions, or none for burn, which chooses its
    /// own.
    ///
    /// # Errors
    ///
    /// If this CPU lacks the instructions.
    pub fn instruction_set(self) -> Result<Option<InstructionSet>, Unsupported> {
        let set = match self {
            Self::Burn => return Ok(None),
            Self::Auto => InstructionSet::best(),
            Self::Int8 => InstructionSet::best_int8(),
            Self::Cpu(set) => set,
        };
        if set.is_supported() { Ok(Some(set)) } else { Err(Unsupported(set)) }
    }

    /// Like [`instruction_set`](Self::instruction_set), for gradients.
    ///
    /// # Errors
    ///
    /// If this CPU lacks the instructions.
    pub fn instruction_set_to_train(self) -> Result<Option<InstructionSet>, Unsupported> {
        match self {
            Self::Auto => Ok(Some(InstructionSet::best_to_train())),
            _ => self.instruction_set(),
        }
    }
}

impl Serialize for EngineName {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(self.text())
    }
}

impl<'de> Deserialize<'de> for EngineName {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        Self::find(&String::deserialize(deserializer)?).map_err(D::Error::custom)
    }
}
