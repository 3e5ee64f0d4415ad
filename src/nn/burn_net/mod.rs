//! The policy-value network on burn, its training, and its evaluator.
//!
//! A network is made for a [`Board`](super::Board) and knows no rules. Only
//! [`BurnEvaluator`] handles both games and tensors.

mod adamw;
mod bytes;
mod cells;
mod device;
mod evaluator;
mod init;
mod learner;
mod loss;
mod model;
mod optimizer;
mod plain;
mod unfold;

pub(crate) use device::{cpu, float, open};
pub(crate) use evaluator::BurnEvaluator;
pub(crate) use init::initialize;
pub(crate) use learner::{Learner, StepReport, load_weights, weight_bytes};
#[cfg(any(test, feature = "fuzzing"))]
pub(crate) use learner::{load_optimizer, optimizer_bytes};
pub(crate) use loss::{LossTensors, losses};
pub(crate) use model::{Network, Outputs};
pub(crate) use plain::{fold, parameters, register_gradients};
