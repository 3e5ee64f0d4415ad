//! Settings of the network and of its training.

use serde::{Deserialize, Serialize};

use crate::checks::{Fault, positive, within};

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
            batch: 256,
            learning_rate: 2e-3,
            warmup_steps: 100,
            schedule: Schedule::Cosine,
            weight_decay: 1e-2,
            clip_norm: 5.0,
            value_weight: 1.0,
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
        within("batch", self.batch, [2, 65_536])?;
        positive("learning_rate", self.learning_rate as f32)?;
        within("learning_rate", self.learning_rate, [0.0, 10.0])?;
        within("weight_decay", self.weight_decay, [0.0, 1.0])?;
        positive("clip_norm", self.clip_norm)?;
        positive("value_weight", self.value_weight)
    }
}
