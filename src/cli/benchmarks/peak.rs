//! Comparison of inference with the peak arithmetic of the CPU.

use std::time::Duration;

use anyhow::Result;
use serde::Serialize;

use super::{Finding, Options, network};
use crate::nn::infer::{self, InstructionSet, NumberFormat};
use crate::registry::Variant;

/// Duration of the measurement of a peak.
const TIME: Duration = Duration::from_millis(300);

/// The peak of one thread, and the share of it that inference reached. In 10^9 operations a second;
/// a multiplication and an addition are two operations.
#[derive(Clone, Copy, PartialEq, Debug, Serialize)]
pub(crate) struct Peak {
    /// Name of the engine.
    pub engine: &'static str,
    /// Measured peak of `f32`, by the engine in use or else the fastest.
    pub f32_gflops: f64,
    /// Measured peak of bf16 products, if the CPU has them.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub bf16_gflops: Option<f64>,
    /// Measured peak of products of bytes, by the engine in use or else the fastest.
    pub int8_gflops: f64,
    /// Useful operations of each thread, without board borders and padding.
    pub used_gflops: f64,
    /// `used_gflops` as a share of the peak of the number format in use.
    pub ratio: f64,
}

/// Compares the result of the benchmark `inference` with the peak, which is measured here. Returns
/// `None` for burn's own forward pass and for accelerators.
///
/// # Errors
///
/// If this CPU lacks the engine.
pub(crate) fn peak(
    variant: &Variant,
    finding: &Finding,
    options: &Options,
) -> Result<Option<Peak>> {
    let set = if options.device.is_accelerator() {
        None
    } else {
        options.inference.engine.instruction_set()?
    };
    let Some(set) = set else { return Ok(None) };
    let products = network::products(variant) as f64;
    let gflops = |set| infer::peak(set, TIME).map(|products| 2e-9 * products);
    // The engine in use is compared with itself, the other formats with their fastest.
    let best = |format: NumberFormat| {
        let sets = InstructionSet::ALL.into_iter().filter(|other| other.format() == format);
        let sets = sets.filter(|other| set.format() != format || *other == set);
        sets.filter_map(gflops).reduce(f64::max)
    };
    let [f32_gflops, int8_gflops] =
        [NumberFormat::F32, NumberFormat::Int8].map(|format| best(format).unwrap_or(0.0));
    let bf16_gflops = best(NumberFormat::Bf16);
    let used_gflops = 2e-9 * products * finding.value / finding.threads as f64;
    let own = match set.format() {
        NumberFormat::F32 => Some(f32_gflops),
        NumberFormat::Bf16 => bf16_gflops,
        NumberFormat::Int8 => Some(int8_gflops),
    };
    let ratio = used_gflops / own.unwrap_or(f64::NAN);
    let engine = set.text();
    Ok(Some(Peak { engine, f32_gflops, bf16_gflops, int8_gflops, used_gflops, ratio }))
}
