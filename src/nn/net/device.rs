//! Devices that tensors live on.

use burn::tensor::{Device, FloatDType};

use crate::base::device::{DeviceName, Unavailable};
use crate::nn::infer::Precision;

/// The CPU, through burn's flex backend.
pub fn cpu() -> Device {
    Device::flex()
}

/// The device of this name, the first of several.
///
/// # Errors
///
/// If this program was built without it, or there is none that works.
pub fn open(name: DeviceName) -> Result<Device, Unavailable> {
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

/// The numbers that a device judges positions in. Left to itself, that is a half precision on an
/// accelerator that has one, and `f32` elsewhere; bf16 first, for its range.
///
/// # Errors
///
/// If it does not compute in those that are asked for.
pub fn float(precision: Precision, device: &Device) -> Result<FloatDType, Unavailable> {
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

    /// The first NVIDIA processor; `CUDA_VISIBLE_DEVICES` says which that is.
    #[cfg(feature = "cuda")]
    pub fn cuda() -> Result<Device, Unavailable> {
        use burn::tensor::DeviceIndex;
        working(DeviceName::Cuda, DeviceType::Cuda, || Device::cuda(DeviceIndex::Default))
    }

    /// The most powerful graphics processor that the system offers.
    #[cfg(feature = "wgpu")]
    pub fn wgpu() -> Result<Device, Unavailable> {
        use burn::tensor::DeviceKind;
        working(DeviceName::Wgpu, DeviceType::Wgpu, || Device::wgpu(DeviceKind::DefaultDevice))
    }

    /// A device that has computed something. Drivers and compilers that are missing or too old
    /// make burn panic, at the first use of a device if not when looking for it.
    fn working(
        device: DeviceName,
        kind: DeviceType,
        make: fn() -> Device,
    ) -> Result<Device, Unavailable> {
        let attempt = || {
            if Device::enumerate(kind).is_empty() {
                return Err("there is no driver, or it knows of none".to_owned());
            }
            let found = make();
            let two = (Tensor::<1>::ones([1], &found) + 1.0).into_scalar::<f32>();
            if two == 2.0 { Ok(found) } else { Err(format!("it finds that 1 + 1 is {two}")) }
        };
        let told = quietly(attempt).unwrap_or_else(|panic| Err(message(&*panic)));
        told.map_err(|reason| Unavailable::NotFound { device, reason })
    }

    /// Runs `attempt`, catching a panic without a word on standard error.
    fn quietly<T>(attempt: impl FnOnce() -> T) -> std::thread::Result<T> {
        let hook = take_hook();
        set_hook(Box::new(|_| {}));
        let result = catch_unwind(std::panic::AssertUnwindSafe(attempt));
        set_hook(hook);
        result
    }

    /// What a panic says, on one line.
    fn message(panic: &(dyn Any + Send)) -> String {
        let text = panic.downcast_ref::<String>().map(String::as_str);
        let text = text.or_else(|| panic.downcast_ref::<&str>().copied());
        let first = text.and_then(|text| text.lines().next());
        first.unwrap_or("it does not work").to_owned()
    }
}
