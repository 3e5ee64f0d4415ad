//! Where tensors are computed, by name; known also where there are no tensors.

use std::fmt;
use std::str::FromStr;

use thiserror::Error;

/// What can be asked for.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum DeviceName {
    /// The processor.
    #[default]
    Cpu,
    /// A graphics processor by CUDA.
    Cuda,
    /// A graphics processor by what its system offers: Vulkan, Metal or DirectX 12.
    Wgpu,
}

impl DeviceName {
    /// All names.
    pub const ALL: [Self; 3] = [Self::Cpu, Self::Cuda, Self::Wgpu];

    /// The name as the command line spells it, which is also that of the Cargo feature.
    pub fn text(self) -> &'static str {
        match self {
            Self::Cpu => "cpu",
            Self::Cuda => "cuda",
            Self::Wgpu => "wgpu",
        }
    }

    /// Whether it is another chip than the processor, with memory of its own.
    pub fn is_accelerator(self) -> bool {
        self != Self::Cpu
    }
}

impl fmt::Display for DeviceName {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.text())
    }
}

impl FromStr for DeviceName {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let known = Self::ALL.into_iter().find(|device| device.text() == text);
        let names = || Self::ALL.map(Self::text).join(", ");
        known.ok_or_else(|| format!("there is no device `{text}`; there are {}", names()))
    }
}

/// Why a device cannot do what was asked for.
#[derive(Clone, PartialEq, Eq, Debug, Error)]
pub enum Unavailable {
    /// The program has no support for it.
    #[error("this program was built without {0}: cargo build --release --features {0}")]
    NotBuilt(DeviceName),
    /// It is not there, or does not work.
    #[error("no {device} device: {reason}; --device cpu needs none")]
    NotFound {
        /// What was asked for.
        device: DeviceName,
        /// What went wrong.
        reason: String,
    },
    /// It does not compute with such numbers.
    #[error("the device does not compute in {0}; inference.precision=\"auto\" takes what it has")]
    Precision(&'static str),
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_read_as_they_are_written() {
        for device in DeviceName::ALL {
            assert_eq!(device.to_string().parse(), Ok(device));
        }
        let error = "gpu".parse::<DeviceName>().unwrap_err();
        assert_eq!(error, "there is no device `gpu`; there are cpu, cuda, wgpu");
    }
}
