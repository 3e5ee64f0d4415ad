//! The learner: a network, its optimizer, and the step that improves it.

use anyhow::{Context, Result, anyhow};
use burn::module::{Module, ModuleVisitor, Param, ParamGroup, ParamId};
use burn::optim::{AdamWConfig, GradientsParams, ModuleOptimizer};
use burn::store::ModuleRecord;
use burn::tensor::{Bytes, Device, Tensor};

use super::{Network, cpu, initialize, losses, parameters, take_up};
use crate::backprop::{Backprop, Losses};
use crate::conv::Unsupported;
use crate::learning::{LearnerSettings, NetworkSettings};
use crate::replay::Batch;
use crate::spec::Spec;

/// Small enough not to hold back parameters with small gradients; burn's own default is 1e-5.
const EPSILON: f32 = 1e-8;

/// A network in training.
pub struct Learner {
    spec: Spec,
    settings: LearnerSettings,
    device: Device,
    network: Network,
    optimizer: ModuleOptimizer,
    /// What computes the gradients; none if burn does.
    backprop: Option<Backprop>,
}

impl std::fmt::Debug for Learner {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Learner").field("spec", &self.spec).finish_non_exhaustive()
    }
}

/// What a step reports.
#[derive(Clone, Copy, PartialEq, Debug, Default)]
pub struct StepReport {
    /// Policy loss before the step.
    pub policy: f32,
    /// Value loss before the step.
    pub value: f32,
    /// Entropy of the network's policy.
    pub entropy: f32,
    /// Norm of the gradient over all parameters, before clipping.
    pub gradient_norm: f32,
}

impl Learner {
    /// A learner with a new network, whose weights depend on `seed` alone.
    ///
    /// # Errors
    ///
    /// If this CPU lacks the instructions of the engine that is asked for.
    pub fn new(
        spec: Spec,
        network: &NetworkSettings,
        settings: LearnerSettings,
        seed: u64,
    ) -> Result<Self, Unsupported> {
        let device = cpu().autodiff();
        let network = initialize(Network::new(&spec, network, &device), seed);
        let optimizer = new_optimizer(&network, &settings);
        let path = settings.engine.path()?;
        let backprop = path.map(|path| Backprop::new(&parameters(&network), &spec, path));
        let backprop = backprop.transpose()?;
        Ok(Self { spec, settings, device, network, optimizer, backprop })
    }

    /// The network as it plays: without gradients, its norms frozen.
    pub fn network(&self) -> Network {
        self.network.valid()
    }

    /// How many numbers the network consists of.
    pub fn parameters(&self) -> usize {
        self.network.num_params()
    }

    /// The weights as bytes, in burn's own format.
    ///
    /// # Errors
    ///
    /// If burn cannot encode them.
    pub fn weights(&self) -> Result<Vec<u8>> {
        let bytes = self.network().into_record().into_bytes();
        Ok(bytes.context("cannot encode the weights")?.to_vec())
    }

    /// The state of the optimizer as bytes.
    ///
    /// # Errors
    ///
    /// If burn cannot encode it.
    pub fn optimizer(&self) -> Result<Vec<u8>> {
        Ok(self.optimizer.into_bytes().context("cannot encode the optimizer's state")?.to_vec())
    }

    /// Goes on from saved weights and, unless it is empty, a saved state of the optimizer.
    ///
    /// # Errors
    ///
    /// If they do not fit this network.
    pub fn restore(mut self, weights: &[u8], optimizer: &[u8]) -> Result<Self> {
        self.network = load_weights(self.network, weights)?;
        self.optimizer = new_optimizer(&self.network, &self.settings);
        if !optimizer.is_empty() {
            let bytes = Bytes::from_bytes_vec(optimizer.to_vec());
            self.optimizer =
                self.optimizer.from_bytes(bytes).context("cannot read the optimizer's state")?;
        }
        Ok(self)
    }

    /// One step of the optimizer at learning rate `rate`.
    ///
    /// # Errors
    ///
    /// If the loss or the gradient is no longer a finite number; the network is then left as it
    /// was.
    pub fn step(&mut self, batch: &Batch, rate: f64) -> Result<StepReport> {
        let (losses, mut gradients) = self.gradients(batch);
        let gradient_norm = norm(&self.network, &gradients);
        let Losses { policy, value, entropy } = losses;
        let report = StepReport { policy, value, entropy, gradient_norm };
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
        self.network = self.optimizer.step(rate, self.network.clone(), gradients);
        Ok(report)
    }
}

impl Learner {
    /// The losses of a batch and their gradients.
    fn gradients(&mut self, batch: &Batch) -> (Losses, GradientsParams) {
        let weight = self.settings.value_weight;
        let Some(backprop) = &mut self.backprop else {
            let losses = losses(&self.network, &self.spec, batch, &self.device);
            let total = losses.policy.clone() + losses.value.clone() * weight;
            let gradients = GradientsParams::from_grads(total.backward(), &self.network);
            let scalar = |tensor: Tensor<1>| tensor.into_scalar::<f32>();
            let [policy, value, entropy] =
                [losses.policy, losses.value, losses.entropy].map(scalar);
            return (Losses { policy, value, entropy }, gradients);
        };
        let (losses, gradients) = backprop.run(&parameters(&self.network), batch, weight);
        (losses, take_up(&self.network, &self.device, gradients))
    }
}

/// Loads weights into a network of the same shape.
///
/// # Errors
///
/// If they are damaged, of another shape, or hold a number that is not finite.
pub fn load_weights(network: Network, weights: &[u8]) -> Result<Network> {
    let bytes = Bytes::from_bytes_vec(weights.to_vec());
    let record = ModuleRecord::from_bytes(bytes).context("cannot read the weights")?;
    let network = network
        .try_load_record(record)
        .context("the weights are those of a network of another shape")?;
    let mut finite = Finite(true);
    network.visit(&mut finite);
    finite.0.then_some(network).context("the weights hold numbers that are not finite")
}

/// AdamW (Loshchilov and Hutter 2019) with weight decay for the weights of layers only.
fn new_optimizer(network: &Network, settings: &LearnerSettings) -> ModuleOptimizer {
    let config = AdamWConfig::new().with_epsilon(EPSILON).with_weight_decay(0.0);
    let decaying = config.clone().with_weight_decay(settings.weight_decay).build();
    let mut weights = WeightIds(Vec::new());
    network.visit(&mut weights);
    config.init().with_group(ParamGroup::from_ids(weights.0), decaying, None)
}

/// The parameters of more than one dimension: the weights of layers.
struct WeightIds(Vec<ParamId>);

impl ModuleVisitor for WeightIds {
    fn visit_float<const D: usize>(&mut self, param: &Param<Tensor<D>>) {
        if D > 1 {
            self.0.push(param.id);
        }
    }
}

fn norm(network: &Network, gradients: &GradientsParams) -> f32 {
    let mut sum = SumOfSquares { gradients, sum: 0.0 };
    network.visit(&mut sum);
    sum.sum.sqrt() as f32
}

struct SumOfSquares<'a> {
    gradients: &'a GradientsParams,
    sum: f64,
}

impl ModuleVisitor for SumOfSquares<'_> {
    fn visit_float<const D: usize>(&mut self, param: &Param<Tensor<D>>) {
        if let Some(gradient) = self.gradients.get::<D>(param.id) {
            self.sum += f64::from(gradient.square().sum().into_scalar::<f32>());
        }
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

struct Finite(bool);

impl ModuleVisitor for Finite {
    fn visit_float<const D: usize>(&mut self, param: &Param<Tensor<D>>) {
        let values = param.val().into_data();
        self.0 &= values.iter::<f32>().all(f32::is_finite);
    }
}
