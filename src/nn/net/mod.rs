//! The policy-value network on burn, its training, and its evaluator.
//!
//! A network is made for a [`Spec`](crate::games::Spec) and knows no rules. Only
//! [`NetworkEvaluator`] handles both games and tensors.

mod device;
mod evaluator;
mod init;
mod learner;
mod loss;
mod model;
mod optimizer;
mod plain;

pub use device::{cpu, float, open};
pub use evaluator::NetworkEvaluator;
pub use init::initialize;
pub use learner::{Learner, StepReport, load_weights};
pub use loss::{Losses, losses};
pub use model::{Network, Outputs};
pub use plain::{fold, parameters, register_gradients};
