//! What evaluates the positions of a job of self-play.

use anyhow::Result;
use burn::tensor::Device;

use super::SelfplayJob;
use crate::registry::{Position, Variant};
use crate::runs::config::Config;
use crate::runs::trained::PlayEvaluator;
use crate::search::{Evaluator, HeuristicEvaluator, Wdl};
use crate::selfplay::is_bootstrapped;

/// The network, or the heuristic in bootstrap iterations.
#[derive(Clone)]
pub(crate) enum SelfplayEvaluator {
    Network(PlayEvaluator),
    Heuristic(HeuristicEvaluator),
}

impl SelfplayEvaluator {
    /// The evaluator of a job of the run with this config.
    ///
    /// # Errors
    ///
    /// If the weights do not fit the network, or the device lacks the precision or the engine.
    pub(crate) fn new(
        job: &SelfplayJob,
        variant: &Variant,
        config: &Config,
        device: &Device,
    ) -> Result<Self> {
        Ok(match is_bootstrapped(variant, job.iteration) {
            true => Self::Heuristic(HeuristicEvaluator::default()),
            false => Self::Network(job.weights.evaluator(config, device)?),
        })
    }
}

impl Evaluator for SelfplayEvaluator {
    fn evaluate(&mut self, positions: &[Position], policy: &mut [f32], wdl: &mut [Wdl]) {
        match self {
            Self::Network(network) => network.evaluate(positions, policy, wdl),
            Self::Heuristic(heuristic) => heuristic.evaluate(positions, policy, wdl),
        }
    }
}
