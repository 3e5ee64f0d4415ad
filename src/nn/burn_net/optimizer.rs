//! The optimizer of the learner, whose saved state loads on any device.

use burn::module::{Module, ModuleVisitor, Param, ParamGroup, ParamId};
use burn::optim::{
    AdamW, AdamWConfig, AdamWState, AdaptiveMomentumState, LearningRate, ModuleOptimizer,
    Optimizer, RecordState, StateSink, StateSource,
};
use burn::tensor::{Device, Tensor, TensorData};

use super::adamw::{BETAS, EPSILON, Numbers, Update};
use super::{Network, cpu};

/// AdamW (Loshchilov and Hutter 2019) with weight decay on the weights of layers only.
pub(super) fn optimizer(network: &Network, weight_decay: f32) -> ModuleOptimizer {
    let mut weights = WeightIds(Vec::new());
    network.visit(&mut weights);
    let group = ParamGroup::from_ids(weights.0);
    let decaying = Portable::new(weight_decay);
    ModuleOptimizer::from(Portable::new(0.0)).with_group(group, decaying, None)
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
struct Portable {
    weight_decay: f32,
    /// Computes the steps on other devices than the CPU.
    by_burn: AdamW,
}

/// The state of [`Portable`], with the same bytes as the state of AdamW.
#[derive(Clone)]
struct PortableState<const D: usize>(AdamWState<D>);

impl Portable {
    fn new(weight_decay: f32) -> Self {
        let config = AdamWConfig::new().with_beta_1(BETAS[0]).with_beta_2(BETAS[1]);
        let config = config.with_epsilon(EPSILON).with_weight_decay(weight_decay);
        Self { weight_decay, by_burn: config.build() }
    }

    /// The step for a parameter on the CPU. Of the parameter a copy is made, as the network shares it;
    /// all else is changed where it is.
    fn step_on_cpu<const D: usize>(
        &self,
        rate: LearningRate,
        tensor: Tensor<D>,
        gradient: Tensor<D>,
        state: Option<AdamWState<D>>,
    ) -> (Tensor<D>, AdamWState<D>) {
        // Whatever is added to -0 remains what it is, even if it is -0.
        let [first, second] = [-0.0, 0.0];
        let begin =
            || AdaptiveMomentumState::new(0, tensor.full_like(first), tensor.full_like(second));
        let momentum = state.map_or_else(begin, |state| state.momentum);
        let (gradients, time) = (gradient.into_data(), momentum.time + 1);
        let update = Update::new(time, rate, self.weight_decay);
        let tensors = [tensor, momentum.moment_1, momentum.moment_2];
        let mut data = tensors.map(Tensor::into_data);
        let [weights, first, second] = data.each_mut().map(numbers_mut);
        let gradients = gradients.as_slice().expect("gradients in `f32`");
        update.apply(Numbers { weights, gradients, first, second });
        let [tensor, first, second] = data.map(|data| Tensor::from_data(data, &cpu()));
        (tensor, AdamWState::new(AdaptiveMomentumState::new(time, first, second)))
    }
}

fn numbers_mut(data: &mut TensorData) -> &mut [f32] {
    data.as_mut_slice().expect("parameters in `f32`")
}

impl Optimizer for Portable {
    type State<const D: usize> = PortableState<D>;

    fn step<const D: usize>(
        &self,
        rate: LearningRate,
        tensor: Tensor<D>,
        gradient: Tensor<D>,
        state: Option<PortableState<D>>,
    ) -> (Tensor<D>, Option<PortableState<D>>) {
        let state = state.map(|state| state.0);
        if tensor.device() == cpu() {
            let (tensor, state) = self.step_on_cpu(rate, tensor, gradient, state);
            return (tensor, Some(PortableState(state)));
        }
        let (tensor, state) = self.by_burn.step(rate, tensor, gradient, state);
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

#[cfg(test)]
mod tests {
    use super::*;

    /// More numbers than a thread takes at once, not a multiple of any vector.
    const SHAPE: [usize; 2] = [97, 129];

    fn waves(shape: [usize; 2], phase: f32, height: f32) -> Tensor<2> {
        let number = |index| (index as f32 + phase).sin() * height;
        let numbers: Vec<f32> = (0..shape[0] * shape[1]).map(number).collect();
        Tensor::from_data(TensorData::new(numbers, shape), &cpu())
    }

    fn bits(tensor: &Tensor<2>) -> Vec<u32> {
        tensor.to_data().as_slice::<f32>().unwrap().iter().map(|number| number.to_bits()).collect()
    }

    #[test]
    fn steps_are_those_of_burn_to_the_last_bit() {
        for weight_decay in [0.0, 0.01] {
            let ours = Portable::new(weight_decay);
            let start = waves(SHAPE, 0.0, 0.1);
            let (mut expected, mut tensor) = (start.clone(), start);
            let (mut burns, mut state) = (None, None);
            for (phase, rate) in [(0.5, 1e-2), (0.9, 3e-3), (1.4, 1e-4), (2.0, 1e-4)] {
                // As those of linear layers; many of both zeros.
                let gradient = waves([SHAPE[1], SHAPE[0]], phase, 1e-3).transpose();
                let gradient = gradient.clone().mask_fill(gradient.lower_elem(2e-4), -0.0);
                (expected, burns) = ours.by_burn.step(rate, expected, gradient.clone(), burns);
                (tensor, state) = ours.step(rate, tensor, gradient, state);
                assert_eq!(bits(&tensor), bits(&expected));
            }
            let (burns, state) = (burns.unwrap().momentum, state.unwrap().0);
            assert_eq!(state.momentum.time, burns.time);
            assert_eq!(bits(&state.momentum.moment_1), bits(&burns.moment_1));
            assert_eq!(bits(&state.momentum.moment_2), bits(&burns.moment_2));
        }
    }
}
