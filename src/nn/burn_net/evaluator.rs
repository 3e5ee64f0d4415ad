//! The evaluator that computes a network with burn.

use burn::module::{Module, ModuleMapper, Param};
use burn::tensor::activation::softmax;
use burn::tensor::{Device, FloatDType, Tensor, TensorData};

use super::{Network, Outputs, cpu};
use crate::registry::Position;
use crate::search::{Evaluator, Wdl};

/// Evaluates positions with a network.
#[derive(Clone, Debug)]
pub struct BurnEvaluator {
    network: Network,
    device: Device,
    float: FloatDType,
}

impl BurnEvaluator {
    /// Returns an evaluator in `f32` for `network`, whose parameters are on `device`.
    pub fn new(network: Network, device: Device) -> Self {
        Self { network, device, float: FloatDType::F32 }
    }

    /// Converts weights and activations to another precision, which the device must support. The
    /// outputs stay `f32`.
    pub fn in_precision(self, float: FloatDType) -> Self {
        if float == self.float {
            return self;
        }
        // Clones of a network share its running statistics; `valid` makes a copy of its own.
        let network = self.network.valid().map(&mut Caster(float));
        Self { network, float, ..self }
    }

    /// Number of rows in a batch of `positions` positions. Accelerators choose and tune kernels
    /// for each size, so there it is rounded up to a power of 2.
    fn rows(&self, positions: usize) -> usize {
        if self.device == cpu() { positions } else { positions.next_power_of_two() }
    }
}

impl Evaluator for BurnEvaluator {
    fn evaluate(&mut self, positions: &[Position], policy: &mut [f32], wdl: &mut [Wdl]) {
        let Some(spec) = positions.first().map(Position::spec) else { return };
        let rows = self.rows(positions.len());
        let mut observations = vec![0.0; rows * spec.observation()];
        for (position, planes) in
            positions.iter().zip(observations.chunks_exact_mut(spec.observation()))
        {
            position.observe(planes);
        }
        let shape = [rows, spec.planes, spec.height, spec.width];
        let data = TensorData::new(observations, shape);
        let input = Tensor::<4>::from_data(data, &self.device).cast(self.float);
        let Outputs { policy: logits, wdl: results, .. } = self.network.forward(input);
        let results = softmax(results.cast(FloatDType::F32), 1);
        // One tensor, so that there is one transfer from the device.
        let evaluated = Tensor::cat(vec![logits.cast(FloatDType::F32), results], 1).into_data();
        let evaluated = evaluated.as_slice::<f32>().expect("it was cast to f32");
        let actions = spec.actions();
        let rows = evaluated.chunks_exact(actions + 3);
        for ((row, policy), wdl) in rows.zip(policy.chunks_exact_mut(actions)).zip(wdl) {
            policy.copy_from_slice(&row[..actions]);
            wdl.copy_from_slice(&row[actions..]);
        }
    }
}

/// Casts all parameters and running statistics of a network.
struct Caster(FloatDType);

impl ModuleMapper for Caster {
    fn map_float<const D: usize>(&mut self, param: Param<Tensor<D>>) -> Param<Tensor<D>> {
        let id = param.id;
        Param::initialized(id, param.val().cast(self.0))
    }
}
