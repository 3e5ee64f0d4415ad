//! The optimizer of the learner, whose saved state loads on any device.

use burn::module::{Module, ModuleVisitor, Param, ParamGroup, ParamId};
use burn::optim::{
    AdamW, AdamWConfig, AdamWState, LearningRate, ModuleOptimizer, Optimizer, RecordState,
    StateSink, StateSource,
};
use burn::tensor::{Device, Tensor};

use super::{Network, cpu};

/// Small enough not to slow down parameters with small gradients. Burn's default is 1e-5.
const EPSILON: f32 = 1e-8;

/// AdamW (Loshchilov and Hutter 2019) with weight decay on the weights of layers only.
pub(super) fn optimizer(network: &Network, weight_decay: f32) -> ModuleOptimizer {
    let config = AdamWConfig::new().with_epsilon(EPSILON).with_weight_decay(0.0);
    let decaying = config.clone().with_weight_decay(weight_decay).build();
    let mut weights = WeightIds(Vec::new());
    network.visit(&mut weights);
    let group = ParamGroup::from_ids(weights.0);
    ModuleOptimizer::from(Portable(config.build())).with_group(group, Portable(decaying), None)
}

/// Collects the parameters of more than one dimension: the weights of layers.
struct WeightIds(Vec<ParamId>);

impl ModuleVisitor for WeightIds {
    fn visit_float<const D: usize>(&mut self, param: &Param<Tensor<D>>) {
        if D > 1 {
            self.0.push(param.id);
        }
    }
}

/// AdamW whose saved state loads onto the CPU; the next step moves it to the device of the
/// parameters. Burn would load it onto its default device. That is an accelerator if support for
/// one is built in, even if the machine has none.
#[derive(Clone)]
struct Portable(AdamW);

/// The state of [`Portable`], with the same bytes as the state of AdamW.
#[derive(Clone)]
struct PortableState<const D: usize>(AdamWState<D>);

impl Optimizer for Portable {
    type State<const D: usize> = PortableState<D>;

    fn step<const D: usize>(
        &self,
        rate: LearningRate,
        tensor: Tensor<D>,
        gradient: Tensor<D>,
        state: Option<PortableState<D>>,
    ) -> (Tensor<D>, Option<PortableState<D>>) {
        let (tensor, state) = self.0.step(rate, tensor, gradient, state.map(|state| state.0));
        (tensor, state.map(PortableState))
    }

    fn to_device<const D: usize>(state: PortableState<D>, device: &Device) -> PortableState<D> {
        PortableState(AdamW::to_device(state.0, device))
    }
}

impl<const D: usize> RecordState for PortableState<D> {
    fn state_flatten(&self, prefix: &str, out: &mut StateSink) {
        self.0.state_flatten(prefix, out);
    }

    fn state_unflatten(prefix: &str, source: &mut StateSource, _: &Device) -> Option<Self> {
        AdamWState::state_unflatten(prefix, source, &cpu()).map(Self)
    }
}
