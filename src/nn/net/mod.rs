//! The policy-value network, its training, and the evaluator that lets a search use it.
//!
//! Nothing here knows rules: a network is made for a [`Spec`](crate::games::Spec). The one place
//! where games and tensors meet is [`NetworkEvaluator`].

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
pub use plain::{fold, parameters, take_up};
