//! The network evaluator of self-play and of trained players, with the configured engine.

use anyhow::{Context, Result};

#[cfg(feature = "net")]
use crate::nn::burn_net::{BurnEvaluator, Network, cpu, float, fold};
use crate::nn::conv::FoldedWeights;
use crate::nn::infer::{CpuEvaluator, Settings};
use crate::registry::Position;
use crate::search::{Evaluator, Wdl};

/// Evaluates positions by a network.
#[derive(Clone, Debug)]
pub enum PlayEvaluator {
    /// With this program's own forward pass.
    Fast(CpuEvaluator),
    /// With burn's forward pass, the reference.
    #[cfg(feature = "net")]
    Burn(Box<BurnEvaluator>),
}

impl PlayEvaluator {
    /// Creates an evaluator on the device of `network`, for games with its board. On a
    /// device other than the CPU, burn computes and the configured engine is ignored.
    ///
    /// # Errors
    ///
    /// If this CPU lacks the instructions of the engine, or the device lacks the precision.
    #[cfg(feature = "net")]
    pub fn new(network: Network, settings: &Settings) -> Result<Self> {
        let device = network.device();
        let set = if device == cpu() { settings.engine.instruction_set()? } else { None };
        if let Some(set) = set {
            return Ok(Self::Fast(CpuEvaluator::new(&fold(&network), set)?));
        }
        let float = float(settings.precision, &device)?;
        Ok(Self::Burn(Box::new(BurnEvaluator::new(network, device).in_precision(float))))
    }

    /// Creates an evaluator from plain weights, for this program's own forward pass.
    ///
    /// # Errors
    ///
    /// If this CPU lacks the instructions of the engine, or the engine is burn.
    pub fn of_weights(weights: &FoldedWeights, settings: &Settings) -> Result<Self> {
        let set = settings.engine.instruction_set()?.context(
            "an exported player cannot use the engine `burn`; choose another engine or name a \
             checkpoint of its run",
        )?;
        Ok(Self::Fast(CpuEvaluator::new(weights, set)?))
    }
}

impl Evaluator for PlayEvaluator {
    fn evaluate(&mut self, positions: &[Position], policy: &mut [f32], wdl: &mut [Wdl]) {
        match self {
            Self::Fast(engine) => engine.evaluate(positions, policy, wdl),
            #[cfg(feature = "net")]
            Self::Burn(network) => network.evaluate(positions, policy, wdl),
        }
    }
}
