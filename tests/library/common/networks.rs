//! Networks with random parameters, as after some training.

use burn::module::{Module, ModuleMapper, Param};
use burn::tensor::{Tensor, TensorData};
use rand::RngExt;

use crate::base::rng::{Purpose, Rng, stream};
use crate::nn::Board;
use crate::nn::burn_net::{Network, cpu};
use crate::nn::settings::NetworkSettings;

/// Gives every parameter a random value.
struct Trained {
    rng: Rng,
    path: Vec<String>,
}

impl Trained {
    fn value(&mut self, dims: &[usize]) -> f32 {
        let uniform = 2.0 * self.rng.random::<f32>() - 1.0;
        match self.path.last().map(String::as_str) {
            Some("gamma") => 1.0 + 0.5 * uniform,
            Some("running_var") => 1.0 + 0.7 * uniform,
            Some("beta" | "running_mean" | "bias") => 0.3 * uniform,
            _ => {
                let fan_in: usize =
                    if dims.len() == 2 { dims[0] } else { dims[1..].iter().product() };
                uniform * (4.0 / fan_in as f32).sqrt()
            }
        }
    }
}

impl ModuleMapper for Trained {
    fn enter_module(&mut self, name: &str, _: &str) {
        self.path.push(name.to_owned());
    }

    fn exit_module(&mut self, _: &str, _: &str) {
        self.path.pop();
    }

    fn map_float<const D: usize>(&mut self, param: Param<Tensor<D>>) -> Param<Tensor<D>> {
        let dims: [usize; D] = param.lazy_shape().dims();
        let count: usize = dims.iter().product();
        let values: Vec<f32> = (0..count).map(|_| self.value(&dims)).collect();
        let value = Tensor::from_data(TensorData::new(values, dims), &cpu());
        Param::initialized(param.id, value)
    }
}

/// A network with random parameters.
pub fn network(board: &Board, settings: &NetworkSettings) -> Network {
    let rng = stream(11, 0, settings.channels as u64, Purpose::Weights);
    Network::new(board, settings, &cpu()).map(&mut Trained { rng, path: Vec::new() })
}
