//! Devices that compute tensors.

use burn::tensor::{Device, FloatDType};

use crate::base::device::{DeviceName, Unavailable};
use crate::nn::infer::Precision;

/// The CPU, with burn's flex backend.
pub(crate) fn cpu() -> Device {
    Device::flex()
}

/// Opens the device of this name, the first one if there are several.
///
/// # Errors
///
/// If this program was built without support for it, or no such device works.
pub(crate) fn open(name: DeviceName) -> Result<Device, Unavailable> {
    match name {
        DeviceName::Cpu => Ok(cpu()),
        #[cfg(feature = "cuda")]
        DeviceName::Cuda => accelerator::cuda(),
        #[cfg(feature = "wgpu")]
        DeviceName::Wgpu => accelerator::wgpu(),
        #[cfg(not(all(feature = "cuda", feature = "wgpu")))]
        missing => Err(Unavailable::NotBuilt(missing)),
    }
}

/// Returns the floating-point format in which a device evaluates positions. [`Precision::Auto`] is
/// a half precision on accelerators that support one, and `f32` elsewhere. It prefers bf16, which
/// has the larger range.
///
/// # Errors
///
/// If the device does not support the requested precision.
pub(crate) fn float(precision: Precision, device: &Device) -> Result<FloatDType, Unavailable> {
    let has = |float: &FloatDType| device.supports_dtype(*float);
    let asked = match precision {
        Precision::Auto if *device == cpu() => FloatDType::F32,
        Precision::Auto => {
            let halves = [FloatDType::BF16, FloatDType::F16].into_iter().find(has);
            halves.unwrap_or(FloatDType::F32)
        }
        Precision::F32 => FloatDType::F32,
        Precision::Bf16 => FloatDType::BF16,
        Precision::F16 => FloatDType::F16,
    };
    if has(&asked) { Ok(asked) } else { Err(Unavailable::Precision(precision.text())) }
}

#[cfg(any(feature = "cuda", feature = "wgpu"))]
mod accelerator {
    use std::any::Any;
    use std::panic::{catch_unwind, set_hook, take_hook};

    use burn::tensor::{Device, DeviceType, Tensor};

    use crate::base::device::{DeviceName, Unavailable};

    /// The first NVIDIA GPU in the order of `CUDA_VISIBLE_DEVICES`.
    #[cfg(feature = "cuda")]
    pub(super) fn cuda() -> Result<Device, Unavailable> {
        use burn::tensor::DeviceIndex;
        working(DeviceName::Cuda, DeviceType::Cuda, || Device::cuda(DeviceIndex::Default))
    }

    /// The most powerful GPU that the system offers.
    #[cfg(feature = "wgpu")]
    pub(super) fn wgpu() -> Result<Device, Unavailable> {
        use burn::tensor::DeviceKind;
        working(DeviceName::Wgpu, DeviceType::Wgpu, || Device::wgpu(DeviceKind::DefaultDevice))
    }

    /// Opens a device and checks that it computes a sum. If drivers or compilers are missing or
    /// too old, burn panics when it looks for a device or first uses one.
    fn working(
        device: DeviceName,
        kind: DeviceType,
        make: fn() -> Device,
    ) -> Result<Device, Unavailable> {
        let attempt = || {
            if Device::enumerate(kind).is_empty() {
                return Err("there is no driver, or the driver finds no device".to_owned());
            }
            let found = make();
            let two = (Tensor::<1>::ones([1], &found) + 1.0).into_scalar::<f32>();
            if two == 2.0 { Ok(found) } else { Err(format!("it computes 1 + 1 = {two}")) }
        };
        let opened = quietly(attempt).unwrap_or_else(|panic| Err(message(&*panic)));
        opened.map_err(|reason| Unavailable::NotFound { device, reason })
    }

    /// Runs `attempt` and catches a panic without its message on standard error.
    fn quietly<T>(attempt: impl FnOnce() -> T) -> std::thread::Result<T> {
        let hook = take_hook();
        set_hook(Box::new(|_| {}));
        let result = catch_unwind(std::panic::AssertUnwindSafe(attempt));
        set_hook(hook);
        result
    }

    /// The first line of a panic's message.
    fn message(panic: &(dyn Any + Send)) -> String {
        let text = panic.downcast_ref::<String>().map(String::as_str);
        let text = text.or_else(|| panic.downcast_ref::<&str>().copied());
        let first = text.and_then(|text| text.lines().next());
        first.unwrap_or("its driver panicked without a message").to_owned()
    }
}
