//! Settings of the network and of its training, also for builds without tensors.

use serde::{Deserialize, Serialize};

use crate::base::checks::{Fault, positive, within};
use crate::nn::infer::EngineName;

/// The most numbers for each cell of the board that the learner keeps for its gradients.
const MOST_ACTIVATIONS: usize = 1 << 27;

/// The most weights of a network: a limit for settings that are each in range.
const MOST_WEIGHTS: usize = 100_000_000;

/// Learning rate at the end of a cosine schedule, as a share of the highest.
const FLOOR: f64 = 0.1;

/// The size of the network: the `[network]` table of a config.
#[derive(Clone, Copy, PartialEq, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct NetworkSettings {
    /// Number of channels of the trunk.
    pub channels: usize,
    /// Number of residual blocks, of two convolutions each.
    pub blocks: usize,
    /// Whether every second block has global pooling.
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
    /// Whether the block of this index has global pooling.
    pub fn is_pooled(&self, block: usize) -> bool {
        self.global_pooling && block % 2 == 1
    }

    /// Checks all settings.
    ///
    /// # Errors
    ///
    /// The first invalid setting.
    pub fn check(&self) -> Result<(), Fault> {
        within("channels", self.channels, [1, 1024])?;
        within("blocks", self.blocks, [0, 100])?;
        within("value_hidden", self.value_hidden, [1, 4096])?;
        let weights = self.least_weights();
        if weights > MOST_WEIGHTS {
            let reason = format!(
                "with {} channels the network would have {weights} weights, the limit is \
                 {MOST_WEIGHTS}",
                self.channels
            );
            return Err(("blocks", reason));
        }
        Ok(())
    }

    /// Checks that a file of this many bytes can hold the weights of a network with these settings,
    /// before memory for the network is allocated.
    ///
    /// # Errors
    ///
    /// If the file is too small.
    pub(crate) fn expect_bytes(&self, bytes: usize) -> Result<(), String> {
        let least = size_of::<f32>() * self.least_weights();
        match bytes < least {
            true => Err(format!("they have {bytes} bytes, too few for the network of run.json")),
            false => Ok(()),
        }
    }

    /// More bytes than the weights take in any game, and in any format of a file.
    pub(crate) fn most_bytes(&self) -> u64 {
        // What depends on the game, the names of tensors among it, is far below the second part.
        4 * (size_of::<f32>() * self.least_weights()) as u64 + (16 << 20)
    }

    /// The number of weights of a network with these settings, which must be in range, without
    /// those that depend on the game.
    pub(crate) fn least_weights(&self) -> usize {
        let Self { channels, blocks, value_hidden, .. } = *self;
        let pooled = (0..blocks).filter(|&block| self.is_pooled(block)).count();
        let trunk = (18 * blocks + 2 * pooled) * channels * channels;
        trunk + 2 * channels * channels + 2 * channels * value_hidden
    }
}

/// How the network is trained: the `[learner]` table of a config.
#[derive(Clone, Copy, PartialEq, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub(crate) struct LearnerSettings {
    /// The engine that computes the gradients.
    pub engine: EngineName,
    /// Number of examples in a batch.
    pub batch: usize,
    /// The highest learning rate.
    pub learning_rate: f64,
    /// Number of steps over which the learning rate rises linearly to its highest value.
    pub warmup_steps: u64,
    /// How the learning rate falls over the run.
    pub schedule: Schedule,
    /// Decoupled weight decay of the weights. Biases and norms are not decayed.
    pub weight_decay: f32,
    /// Largest norm of the gradient over all parameters; longer gradients are scaled down to it.
    pub clip_norm: f32,
    /// Weight of the moves-left loss relative to the policy loss; 0 disables it.
    pub moves_left_weight: f32,
}

/// Weights of the losses relative to the policy loss, whose weight is 1.
#[derive(Clone, Copy, PartialEq, Debug)]
pub(crate) struct LossWeights {
    /// Weight of the value loss.
    pub value: f32,
    /// Weight of the moves-left loss.
    pub moves_left: f32,
}

/// How the learning rate changes over a run.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum Schedule {
    /// It stays constant.
    Constant,
    /// It follows a half cosine down to a tenth (Loshchilov and Hutter 2017).
    Cosine,
}

impl Default for LearnerSettings {
    fn default() -> Self {
        Self {
            engine: EngineName::Auto,
            batch: 256,
            learning_rate: 1e-2,
            warmup_steps: 100,
            schedule: Schedule::Cosine,
            weight_decay: 1e-2,
            clip_norm: 5.0,
            moves_left_weight: 0.1,
        }
    }
}

impl LearnerSettings {
    /// Checks all settings.
    ///
    /// # Errors
    ///
    /// The first invalid setting.
    pub(crate) fn check(&self) -> Result<(), Fault> {
        self.engine.check_training()?;
        within("batch", self.batch, [2, 65_536])?;
        positive("learning_rate", self.learning_rate as f32)?;
        within("learning_rate", self.learning_rate, [0.0, 10.0])?;
        within("weight_decay", self.weight_decay, [0.0, 1.0])?;
        positive("clip_norm", self.clip_norm)?;
        within("moves_left_weight", self.moves_left_weight, [0.0, 100.0])
    }
}

impl LearnerSettings {
    /// Checks that the memory for the gradients of a network is within reason. Both settings must
    /// be in range.
    ///
    /// # Errors
    ///
    /// If the batch is too large for the network.
    pub(crate) fn check_size(&self, network: &NetworkSettings) -> Result<(), Fault> {
        // The outputs of all layers with `channels` channels.
        let most = MOST_ACTIVATIONS / (network.channels * (2 * network.blocks + 3));
        match self.batch <= most {
            true => Ok(()),
            false => Err((
                "batch",
                format!("must be at most {most} for a network of this size, is {}", self.batch),
            )),
        }
    }

    /// The weights of the losses.
    pub(crate) fn loss_weights(&self) -> LossWeights {
        LossWeights { value: 1.0, moves_left: self.moves_left_weight }
    }

    /// Returns the learning rate of a step. `step` counts from 0 at the start of the run, of which
    /// the share `done` is done.
    pub(crate) fn rate(&self, step: u64, done: f64) -> f64 {
        let warmup = ((step + 1) as f64 / self.warmup_steps.max(1) as f64).min(1.0);
        let decay = match self.schedule {
            Schedule::Constant => 1.0,
            Schedule::Cosine => {
                FLOOR + (1.0 - FLOOR) * (1.0 + (std::f64::consts::PI * done.min(1.0)).cos()) / 2.0
            }
        };
        self.learning_rate * warmup * decay
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::nn::infer::InstructionSet;

    #[test]
    fn engines_that_only_evaluate_are_refused() {
        for engine in [EngineName::Int8, EngineName::Cpu(InstructionSet::Int8Portable)] {
            let (key, reason) =
                LearnerSettings { engine, ..Default::default() }.check().unwrap_err();
            assert_eq!(key, "engine");
            assert!(reason.contains(engine.text()) && reason.contains("cannot train"), "{reason}");
        }
        LearnerSettings { engine: EngineName::Cpu(InstructionSet::Portable), ..Default::default() }
            .check()
            .unwrap();
    }

    #[test]
    fn the_learning_rate_rises_then_falls() {
        let settings =
            LearnerSettings { learning_rate: 1.0, warmup_steps: 10, ..Default::default() };
        assert!((settings.rate(0, 0.0) - 0.1).abs() < 1e-12);
        assert!((settings.rate(9, 0.0) - 1.0).abs() < 1e-12);
        assert!((settings.rate(999, 0.5) - 0.55).abs() < 1e-12);
        assert!((settings.rate(999, 1.0) - FLOOR).abs() < 1e-12);
        assert!((settings.rate(999, 5.0) - FLOOR).abs() < 1e-12, "constant after the end");
    }
}
