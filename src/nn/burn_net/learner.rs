//! The learner: a network, its optimizer, and the training step.

use anyhow::{Context, Result, anyhow};
use burn::module::{Module, ModuleVisitor, Param};
use burn::optim::{GradientsParams, ModuleOptimizer};
use burn::store::ModuleRecord;
use burn::tensor::{Device, Tensor};

use super::bytes::{checked_state, checked_weights, sorted_state};
use super::optimizer::optimizer;
use super::plain::sync_running_statistics;
use super::{Network, cpu, initialize, losses, parameters, register_gradients};
use crate::nn::backprop::{Backprop, BatchLosses};
use crate::nn::conv::Unsupported;
use crate::nn::settings::{LearnerSettings, NetworkSettings};
use crate::nn::{Batch, Board};

/// A network in training.
pub(crate) struct Learner {
    settings: LearnerSettings,
    device: Device,
    network: Network,
    optimizer: ModuleOptimizer,
    /// Computes the gradients; none if burn computes them.
    backprop: Option<Backprop>,
}

impl std::fmt::Debug for Learner {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Learner").field("board", &self.network.board).finish_non_exhaustive()
    }
}

/// Losses and gradient norm of a training step.
#[derive(Clone, Copy, PartialEq, Debug, Default)]
pub(crate) struct StepReport {
    /// Policy loss before the step.
    pub policy: f32,
    /// Value loss before the step.
    pub value: f32,
    /// Moves-left loss before the step.
    pub moves_left: f32,
    /// Entropy of the policy before the step.
    pub entropy: f32,
    /// Norm of the gradient over all parameters, before clipping.
    pub gradient_norm: f32,
}

impl Learner {
    /// Returns a learner on the CPU with a new network, whose weights depend on `seed` only.
    ///
    /// # Errors
    ///
    /// If this CPU lacks the instructions of `settings.engine`.
    #[cfg(test)]
    pub(crate) fn new(
        board: &Board,
        network: &NetworkSettings,
        settings: LearnerSettings,
        seed: u64,
    ) -> Result<Self, Unsupported> {
        Self::on(&cpu(), board, network, settings, seed)
    }

    /// Returns a learner on any device. On devices other than the CPU, burn computes the gradients,
    /// whatever the engine.
    ///
    /// # Errors
    ///
    /// As [`new`](Self::new).
    pub(crate) fn on(
        device: &Device,
        board: &Board,
        network: &NetworkSettings,
        settings: LearnerSettings,
        seed: u64,
    ) -> Result<Self, Unsupported> {
        let set = if *device == cpu() { settings.engine.instruction_set_to_train()? } else { None };
        let tracked = device.clone().autodiff();
        let network = initialize(Network::new(board, network, &tracked), seed);
        let (network, device) = match set {
            Some(_) => (untracked(network.no_grad()), device.clone()),
            None => (network, tracked),
        };
        let optimizer = optimizer(&network, settings.weight_decay);
        let backprop = set.map(|set| Backprop::new(&parameters(&network), set));
        let backprop = backprop.transpose()?;
        Ok(Self { settings, device, network, optimizer, backprop })
    }

    /// Returns the network for inference: without gradients, with frozen norms.
    pub(crate) fn network(&self) -> Network {
        self.network.valid()
    }

    /// Number of parameters of the network.
    pub(crate) fn parameters(&self) -> usize {
        self.network.num_params()
    }

    /// Returns the weights as bytes in burn's format.
    ///
    /// # Errors
    ///
    /// If burn cannot encode them.
    pub(crate) fn weights(&self) -> Result<Vec<u8>> {
        weight_bytes(self.network())
    }

    /// Returns the state of the optimizer as bytes in burn's format. The same state has the same
    /// bytes.
    ///
    /// # Errors
    ///
    /// If burn cannot encode it.
    pub(crate) fn optimizer(&self) -> Result<Vec<u8>> {
        optimizer_bytes(&self.optimizer)
    }

    /// Restores saved weights and, unless it is empty, a saved state of the optimizer.
    ///
    /// # Errors
    ///
    /// If they do not fit this network.
    pub(crate) fn restore(mut self, weights: &[u8], state: &[u8]) -> Result<Self> {
        self.network = load_weights(self.network, weights)?;
        let weight_decay = self.settings.weight_decay;
        self.optimizer = match state {
            [] => optimizer(&self.network, weight_decay),
            state => load_optimizer(&self.network, weight_decay, state)?,
        };
        Ok(self)
    }

    /// Trains the network on a batch, with one step of the optimizer at learning rate `rate`.
    ///
    /// # Errors
    ///
    /// If a loss or the gradient is not finite. The network is then unchanged.
    ///
    /// # Panics
    ///
    /// If the batch has another shape than the learner's game.
    pub(crate) fn step(&mut self, batch: &Batch, rate: f64) -> Result<StepReport> {
        let (losses, mut gradients) = self.gradients(batch);
        let gradient_norm = norm(&self.network, &gradients);
        let BatchLosses { policy, value, moves_left, entropy } = losses;
        let report = StepReport { policy, value, moves_left, entropy, gradient_norm };
        if !(report.policy + report.value + gradient_norm).is_finite() {
            return Err(anyhow!(
                "training diverged: policy loss {}, value loss {}, gradient norm {gradient_norm}; \
                 a lower learner.learning_rate usually helps",
                report.policy,
                report.value
            ));
        }
        if gradient_norm > self.settings.clip_norm {
            let factor = self.settings.clip_norm / gradient_norm;
            self.network.visit(&mut Scaler { gradients: &mut gradients, factor });
        }
        self.network = match self.backprop {
            // The optimizer takes tracked tensors only.
            Some(_) => {
                untracked(self.optimizer.step(rate, self.network.clone().train(), gradients))
            }
            None => self.optimizer.step(rate, self.network.clone(), gradients),
        };
        Ok(report)
    }

    /// Returns the losses of a batch and the gradients of their weighted sum.
    fn gradients(&mut self, batch: &Batch) -> (BatchLosses, GradientsParams) {
        let weights = self.settings.loss_weights();
        let Some(backprop) = &mut self.backprop else {
            let losses = losses(&self.network, batch, &self.device);
            sync_running_statistics(&self.network);
            let total = losses.total(weights);
            let gradients = GradientsParams::from_grads(total.backward(), &self.network);
            return (fetched(losses), gradients);
        };
        let (losses, gradients) = backprop.run(&parameters(&self.network), batch, weights);
        let gradients = register_gradients(&self.network, &self.device, gradients);
        sync_running_statistics(&self.network);
        (losses, gradients)
    }
}

/// Returns a network, none of whose parameters requires gradients, without burn's automatic
/// differentiation. Burn takes notes of every operation on a tracked tensor and frees them in its
/// own backward pass only, which our engines do not call: memory would grow with every step.
fn untracked(network: Network) -> Network {
    network.valid()
}

/// Returns the weights of a network as bytes in burn's format.
///
/// # Errors
///
/// If burn cannot encode them.
pub(crate) fn weight_bytes(network: Network) -> Result<Vec<u8>> {
    let bytes = network.into_record().into_bytes();
    Ok(bytes.context("cannot encode the weights")?.to_vec())
}

/// Returns the state of an optimizer as bytes in burn's format.
///
/// # Errors
///
/// If burn cannot encode it.
pub(crate) fn optimizer_bytes(optimizer: &ModuleOptimizer) -> Result<Vec<u8>> {
    let encoded = optimizer.into_bytes().context("cannot encode the optimizer's state")?;
    sorted_state(encoded).context("cannot encode the optimizer's state")
}

/// Makes the optimizer of a network and loads its state.
///
/// # Errors
///
/// If the state is damaged, or belongs to another network.
pub(crate) fn load_optimizer(
    network: &Network,
    weight_decay: f32,
    state: &[u8],
) -> Result<ModuleOptimizer> {
    let bytes = checked_state(state, network);
    let loaded = bytes.and_then(|bytes| Ok(optimizer(network, weight_decay).from_bytes(bytes)?));
    loaded.context("cannot read the optimizer's state")
}

/// Loads weights into a network of the same shape.
///
/// # Errors
///
/// If the weights are damaged, belong to a network of another shape, or are not finite.
pub(crate) fn load_weights(network: Network, weights: &[u8]) -> Result<Network> {
    let bytes = checked_weights(weights, &network)?;
    let record = ModuleRecord::from_bytes(bytes).context("cannot read the weights")?;
    network.try_load_record(record).context("cannot use the weights")
}

/// Fetches the losses from their device.
fn fetched(losses: super::LossTensors) -> BatchLosses {
    let super::LossTensors { policy, value, moves_left, entropy } = losses;
    let [policy, value, moves_left, entropy] =
        numbers(vec![policy, value, moves_left, entropy])[..]
    else {
        unreachable!("a number for each loss")
    };
    BatchLosses { policy, value, moves_left, entropy }
}

/// Fetches tensors of one number from their device in a single transfer.
fn numbers(tensors: Vec<Tensor<1>>) -> Vec<f32> {
    Tensor::cat(tensors, 0).into_data().iter::<f32>().collect()
}

fn norm(network: &Network, gradients: &GradientsParams) -> f32 {
    let mut squares = Squares { gradients, sums: Vec::new() };
    network.visit(&mut squares);
    let sum: f64 = numbers(squares.sums).into_iter().map(f64::from).sum();
    sum.sqrt() as f32
}

/// Computes the sum of squares of each gradient.
struct Squares<'a> {
    gradients: &'a GradientsParams,
    sums: Vec<Tensor<1>>,
}

impl ModuleVisitor for Squares<'_> {
    fn visit_float<const D: usize>(&mut self, param: &Param<Tensor<D>>) {
        let gradient = self.gradients.get::<D>(param.id);
        self.sums.extend(gradient.map(|gradient| gradient.square().sum()));
    }
}

struct Scaler<'a> {
    gradients: &'a mut GradientsParams,
    factor: f32,
}

impl ModuleVisitor for Scaler<'_> {
    fn visit_float<const D: usize>(&mut self, param: &Param<Tensor<D>>) {
        if let Some(gradient) = self.gradients.remove::<D>(param.id) {
            self.gradients.register(param.id, gradient * self.factor);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::games::{ConnectFour, Game};
    use crate::nn::infer::{EngineName, InstructionSet};

    /// The number of parameters and statistics that burn may differentiate.
    struct Tracked(usize);

    impl ModuleVisitor for Tracked {
        fn visit_float<const D: usize>(&mut self, param: &Param<Tensor<D>>) {
            self.0 += usize::from(param.val().device().is_autodiff());
        }
    }

    fn tracked(learner: &Learner) -> usize {
        let mut tracked = Tracked(0);
        learner.network.visit(&mut tracked);
        tracked.0
    }

    /// Burn kept some kilobytes for each of them in every step.
    #[test]
    fn only_burn_itself_learns_with_tensors_that_it_differentiates() {
        let network = NetworkSettings { channels: 4, blocks: 1, ..Default::default() };
        let of = |engine| {
            let settings = LearnerSettings { engine, ..Default::default() };
            Learner::new(&Board::whole(ConnectFour::SPEC), &network, settings, 1).unwrap()
        };
        assert!(tracked(&of(EngineName::Burn)) > 0);
        let mut ours = of(EngineName::Cpu(InstructionSet::Portable));
        assert_eq!((tracked(&ours), ours.device.is_autodiff()), (0, false));
        assert!(ours.step(&batch(), 1e-3).is_ok());
        assert_eq!(tracked(&ours), 0);
        let (weights, state) = (ours.weights().unwrap(), ours.optimizer().unwrap());
        assert_eq!(tracked(&ours.restore(&weights, &state).unwrap()), 0);
    }

    /// Two positions without a piece, whose policy target is the first action.
    fn batch() -> Batch {
        let (spec, size) = (ConnectFour::SPEC, 2);
        let mut policy = vec![0.0; size * spec.actions()];
        (0..size).for_each(|row| policy[row * spec.actions()] = 1.0);
        Batch {
            size,
            observations: vec![0.0; size * spec.observation()],
            policy,
            mask: vec![0.0; size * spec.actions()],
            wdl: [1.0, 0.0, 0.0].repeat(size),
            moves_left: vec![1.0; size],
        }
    }
}
