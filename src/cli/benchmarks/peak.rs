//! Comparison of inference with the peak arithmetic of the CPU.

use std::time::Duration;

use anyhow::Result;
use serde::Serialize;

use super::{Finding, Options, network};
use crate::games::{Game, Variant};
use crate::nn::infer::{self, Path};

/// Duration of the measurement of a peak.
const TIME: Duration = Duration::from_millis(300);

/// The peak of one thread, and the share of it that inference reached. In 10^9 operations a second;
/// a multiplication and an addition are two operations.
#[derive(Clone, Copy, PartialEq, Debug, Serialize)]
pub(crate) struct Peak {
    /// Name of the engine.
    pub engine: &'static str,
    /// Measured peak of the fastest instructions for `f32`.
    pub f32_gflops: f64,
    /// Measured peak of bf16 products, if the CPU has them.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub bf16_gflops: Option<f64>,
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
pub(crate) fn peak<G: Game>(
    variant: &Variant<G>,
    finding: &Finding,
    options: &Options,
) -> Result<Option<Peak>> {
    let path =
        if options.device.is_accelerator() { None } else { options.inference.engine.path()? };
    let Some(path) = path else { return Ok(None) };
    let products = network::products(variant, path)? as f64;
    let gflops = |path| infer::peak(path, TIME).map(|products| 2e-9 * products);
    let best = |is_f32: bool| {
        let paths = Path::ALL.into_iter().filter(move |path| path.is_f32() == is_f32);
        paths.filter_map(gflops).reduce(f64::max)
    };
    let (f32_gflops, bf16_gflops) = (best(true).unwrap_or(0.0), best(false));
    let used_gflops = 2e-9 * products * finding.value / finding.threads as f64;
    let own = if path.is_f32() { Some(f32_gflops) } else { bf16_gflops };
    let ratio = used_gflops / own.unwrap_or(f64::NAN);
    Ok(Some(Peak { engine: path.text(), f32_gflops, bf16_gflops, used_gflops, ratio }))
}
