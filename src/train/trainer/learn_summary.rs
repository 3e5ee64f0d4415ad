//! The summary of the training steps of an iteration.

use std::time::Duration;

use serde_json::{Value, json};

use crate::base::cores::Spent;
use crate::nn::burn_net::StepReport;
use crate::selfplay::held_out::Losses;

/// The summary of the training steps of an iteration.
#[derive(Clone, Debug)]
pub(super) struct LearnSummary {
    pub steps: u64,
    /// Positions of a step.
    pub batch: usize,
    /// Learning rate of the last step.
    pub rate: f64,
    sum: StepReport,
}

impl LearnSummary {
    /// A summary of `steps` steps, to which their reports are added.
    pub(super) fn new(steps: u64, batch: usize) -> Self {
        Self { steps, batch, rate: 0.0, sum: StepReport::default() }
    }

    /// Adds the report of a step.
    pub(super) fn add(&mut self, report: &StepReport) {
        self.sum.policy += report.policy;
        self.sum.value += report.value;
        self.sum.moves_left += report.moves_left;
        self.sum.entropy += report.entropy;
        self.sum.gradient_norm += report.gradient_norm;
    }

    pub(super) fn mean(&self, of: impl Fn(&StepReport) -> f32) -> f32 {
        of(&self.sum) / self.steps.max(1) as f32
    }

    pub(super) fn positions_per_second(&self, time: Duration) -> f64 {
        self.steps as f64 * self.batch as f64 / time.as_secs_f64().max(1e-9)
    }

    /// The metrics of the phase `learn`; `fresh` are the losses on the new games before training on
    /// them.
    pub(super) fn metrics(&self, spent: Spent, buffer: usize, fresh: Option<Losses>) -> Value {
        json!({
            "steps": self.steps,
            "learning_rate": self.rate,
            "policy_loss": self.mean(|report| report.policy),
            "value_loss": self.mean(|report| report.value),
            "moves_left_loss": self.mean(|report| report.moves_left),
            "fresh_policy_loss": fresh.map(|losses| losses.policy),
            "fresh_value_loss": fresh.map(|losses| losses.value),
            "entropy": self.mean(|report| report.entropy),
            "gradient_norm": self.mean(|report| report.gradient_norm),
            "positions_per_s": self.positions_per_second(spent.time),
            "buffer_positions": buffer,
            "seconds": spent.time.as_secs_f64(),
            "cores": spent.cores,
        })
    }
}
