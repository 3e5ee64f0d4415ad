//! What evaluates the positions of a job of self-play.

use anyhow::Result;
use burn::tensor::Device;

use super::SelfplayJob;
use crate::registry::Position;
use crate::runs::config::Config;
use crate::runs::trained::PlayEvaluator;
use crate::search::HeuristicEvaluator;
use crate::search::Rollouts;
use crate::search::{Evaluator, Wdl};
use crate::selfplay::Bootstrap;

/// The network, or what a config has for bootstrap iterations.
#[derive(Clone)]
pub(crate) enum SelfplayEvaluator {
    Network(PlayEvaluator),
    Rollouts(Rollouts),
    Heuristic(HeuristicEvaluator),
}

impl SelfplayEvaluator {
    /// The evaluator of a job of the run with this config.
    ///
    /// # Errors
    ///
    /// If the weights do not fit the network, or the device lacks the precision or the engine.
    pub(crate) fn new(job: &SelfplayJob, config: &Config, device: &Device) -> Result<Self> {
        let settings = &config.selfplay;
        if !settings.is_bootstrapped(job.iteration) {
            return Ok(Self::Network(job.weights.evaluator(config, device)?));
        }
        Ok(match settings.bootstrap {
            Bootstrap::Rollouts => Self::Rollouts(Rollouts::new(config.seed)),
            Bootstrap::Heuristic => Self::Heuristic(HeuristicEvaluator::default()),
        })
    }
}

impl Evaluator for SelfplayEvaluator {
    fn evaluate(&mut self, positions: &[Position], policy: &mut [f32], wdl: &mut [Wdl]) {
        match self {
            Self::Network(network) => network.evaluate(positions, policy, wdl),
            Self::Rollouts(rollouts) => rollouts.evaluate(positions, policy, wdl),
            Self::Heuristic(heuristic) => heuristic.evaluate(positions, policy, wdl),
        }
    }
}
