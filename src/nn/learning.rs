//! Settings of the network and of its training: plain values, known also where there are no
//! tensors.

use serde::{Deserialize, Serialize};

use crate::base::checks::{Fault, positive, within};
use crate::nn::infer::EngineName;

/// What is left of the learning rate at the end of a cosine schedule.
const FLOOR: f64 = 0.1;

/// The size of the network, the `[network]` table of a config.
#[derive(Clone, Copy, PartialEq, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct NetworkSettings {
    /// Channels of the trunk.
    pub channels: usize,
    /// Residual blocks of two convolutions each.
    pub blocks: usize,
    /// Whether every second block adds what it sees on the whole board to each cell.
    pub global_pooling: bool,
    /// Width of the hidden layer of the value head.
    pub value_hidden: usize,
}

impl Default for NetworkSettings {
    fn default() -> Self {
        Self { channels: 32, blocks: 4, global_pooling: true, value_hidden: 64 }
    }
}

impl NetworkSettings {
    /// Whether the block of this index adds what it sees on the whole board to each cell.
    pub fn is_pooled(&self, block: usize) -> bool {
        self.global_pooling && block % 2 == 1
    }

    /// Checks every value.
    ///
    /// # Errors
    ///
    /// The first that makes no sense.
    pub fn check(&self) -> Result<(), Fault> {
        within("channels", self.channels, [1, 1024])?;
        within("blocks", self.blocks, [0, 100])?;
        within("value_hidden", self.value_hidden, [1, 4096])
    }
}

/// How the network is trained, the `[learner]` table of a config.
#[derive(Clone, Copy, PartialEq, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct LearnerSettings {
    /// What computes the gradients.
    pub engine: EngineName,
    /// Examples of a step.
    pub batch: usize,
    /// Highest learning rate.
    pub learning_rate: f64,
    /// Steps over which the learning rate rises to its highest.
    pub warmup_steps: u64,
    /// How it falls over the iterations of the run.
    pub schedule: Schedule,
    /// Decoupled weight decay of the weights; biases and norms have none.
    pub weight_decay: f32,
    /// The gradient is scaled down to this norm, taken over all parameters together.
    pub clip_norm: f32,
    /// Weight of the value loss against the policy loss.
    pub value_weight: f32,
    /// Weight of the loss of the moves left against the policy loss; 0 to learn nothing of them.
    pub moves_left_weight: f32,
}

/// What the losses count beside that of the policy, which counts 1.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct LossWeights {
    /// That of win, draw and loss.
    pub value: f32,
    /// That of the moves left.
    pub moves_left: f32,
}

/// How the learning rate changes over the iterations of a run.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Schedule {
    /// Not at all.
    Constant,
    /// Along a half cosine to a tenth of it (Loshchilov and Hutter 2017).
    Cosine,
}

impl Default for LearnerSettings {
    fn default() -> Self {
        Self {
            engine: EngineName::Auto,
            batch: 256,
            learning_rate: 2e-3,
            warmup_steps: 100,
            schedule: Schedule::Cosine,
            weight_decay: 1e-2,
            clip_norm: 5.0,
            value_weight: 1.0,
            moves_left_weight: 0.1,
        }
    }
}

impl LearnerSettings {
    /// Checks every value.
    ///
    /// # Errors
    ///
    /// The first that makes no sense.
    pub fn check(&self) -> Result<(), Fault> {
        self.engine.check()?;
        within("batch", self.batch, [2, 65_536])?;
        positive("learning_rate", self.learning_rate as f32)?;
        within("learning_rate", self.learning_rate, [0.0, 10.0])?;
        within("weight_decay", self.weight_decay, [0.0, 1.0])?;
        positive("clip_norm", self.clip_norm)?;
        positive("value_weight", self.value_weight)?;
        within("moves_left_weight", self.moves_left_weight, [0.0, 100.0])
    }
}

impl LearnerSettings {
    /// What the losses count.
    pub fn loss_weights(&self) -> LossWeights {
        LossWeights { value: self.value_weight, moves_left: self.moves_left_weight }
    }

    /// The learning rate of a step, counted from the start of the run, in an iteration, counted
    /// from 1, of a run of so many iterations.
    pub fn rate(&self, step: u64, iteration: u64, iterations: u64) -> f64 {
        let warmup = ((step + 1) as f64 / self.warmup_steps.max(1) as f64).min(1.0);
        let decay = match self.schedule {
            Schedule::Constant => 1.0,
            Schedule::Cosine => {
                let done = ((iteration - 1) as f64 / iterations.max(1) as f64).min(1.0);
                FLOOR + (1.0 - FLOOR) * (1.0 + (std::f64::consts::PI * done).cos()) / 2.0
            }
        };
        self.learning_rate * warmup * decay
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn it_rises_then_falls() {
        let settings =
            LearnerSettings { learning_rate: 1.0, warmup_steps: 10, ..Default::default() };
        assert!((settings.rate(0, 1, 100) - 0.1).abs() < 1e-12);
        assert!((settings.rate(9, 1, 100) - 1.0).abs() < 1e-12);
        assert!((settings.rate(999, 51, 100) - 0.55).abs() < 1e-12);
        assert!((settings.rate(999, 101, 100) - FLOOR).abs() < 1e-12);
        assert!((settings.rate(999, 500, 100) - FLOOR).abs() < 1e-12, "beyond the end it stays");
    }
}
