//! Names of the devices that compute tensors, also for builds without tensors.

use std::fmt;
use std::str::FromStr;

use thiserror::Error;

/// A device that can be requested.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum DeviceName {
    /// The CPU.
    #[default]
    Cpu,
    /// A GPU through CUDA.
    Cuda,
    /// A GPU through the system's graphics interface: Vulkan, Metal or DirectX 12.
    Wgpu,
}

impl DeviceName {
    /// All devices.
    pub const ALL: [Self; 3] = [Self::Cpu, Self::Cuda, Self::Wgpu];

    /// The name on the command line, which is also the name of the Cargo feature.
    pub fn text(self) -> &'static str {
        match self {
            Self::Cpu => "cpu",
            Self::Cuda => "cuda",
            Self::Wgpu => "wgpu",
        }
    }

    /// Whether it is a chip other than the CPU, with memory of its own.
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
        known.ok_or_else(|| format!("unknown device `{text}`; known devices: {}", names()))
    }
}

/// Why a device cannot be used.
#[derive(Clone, PartialEq, Eq, Debug, Error)]
pub(crate) enum Unavailable {
    /// The program was built without support for it.
    #[error("this program was built without {0}; rebuild it: cargo build --release --features {0}")]
    NotBuilt(DeviceName),
    /// The machine has no such device, or it does not work.
    #[error("no {device} device: {reason}; use --device cpu to run without one")]
    #[cfg_attr(not(any(feature = "cuda", feature = "wgpu")), allow(dead_code))]
    NotFound {
        /// The requested device.
        device: DeviceName,
        /// Why it cannot be used.
        reason: String,
    },
    /// It does not support the requested precision.
    #[error("the device does not support {0}; use inference.precision=\"auto\"")]
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
        assert_eq!(error, "unknown device `gpu`; known devices: cpu, cuda, wgpu");
    }
}
