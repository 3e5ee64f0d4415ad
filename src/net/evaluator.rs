//! The bridge between games and tensors: an evaluator that asks a network.

use burn::tensor::activation::softmax;
use burn::tensor::{Device, Tensor, TensorData};

use super::{Network, Outputs};
use crate::evaluator::{Evaluator, Wdl};
use crate::game::Game;

/// Judges positions by a network.
#[derive(Clone, Debug)]
pub struct NetworkEvaluator {
    network: Network,
    device: Device,
}

impl NetworkEvaluator {
    /// An evaluator by `network`, whose parameters are on `device`.
    pub fn new(network: Network, device: Device) -> Self {
        Self { network, device }
    }
}

impl<G: Game> Evaluator<G> for NetworkEvaluator {
    fn evaluate(&mut self, positions: &[G], policy: &mut [f32], wdl: &mut [Wdl]) {
        let spec = G::SPEC;
        let mut observations = vec![0.0; positions.len() * spec.observation()];
        for (position, planes) in
            positions.iter().zip(observations.chunks_exact_mut(spec.observation()))
        {
            position.observe(planes);
        }
        let shape = [positions.len(), spec.planes, spec.height, spec.width];
        let data = TensorData::new(observations, shape);
        let outputs = self.network.forward(Tensor::from_data(data, &self.device));
        let Outputs { policy: logits, wdl: results } = outputs;
        copy(logits, policy);
        copy(softmax(results, 1), wdl.as_flattened_mut());
    }
}

fn copy(tensor: Tensor<2>, out: &mut [f32]) {
    let data = tensor.into_data();
    out.copy_from_slice(data.as_slice::<f32>().expect("the CPU computes in f32"));
}
