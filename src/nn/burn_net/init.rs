//! Initial weights, which depend on the seed only.

use burn::module::{Module, ModuleMapper, Param, ParamId};
use burn::tensor::{Tensor, TensorData};
use rand_distr::{Distribution, Normal};

use super::Network;
use crate::base::rng::{Purpose, mix, stream};

/// Gives every parameter its initial value and a fixed ID.
///
/// Weights of convolutions and linear layers are sampled from the normal distribution of He et al.
/// (2015). The last layers of the heads have a tenth of its deviation, so that the outputs of an
/// untrained network are nearly uniform. Norms begin as the identity and biases at zero.
///
/// The random stream of a parameter is named by its index in the network, so neither burn's
/// generator nor the order of creation matters. IDs are fixed so that two runs write the same
/// bytes.
pub(crate) fn initialize(network: Network, seed: u64) -> Network {
    network.map(&mut Initializer { seed, path: Vec::new(), next: 0 })
}

struct Initializer {
    seed: u64,
    path: Vec<String>,
    next: u64,
}

impl Initializer {
    fn values(&self, dims: &[usize]) -> Vec<f32> {
        let name = self.path.join(".");
        let count = dims.iter().product();
        let fan_in: usize = match dims.len() {
            1 => return vec![constant(&name); count],
            2 => dims[0],
            _ => dims[1..].iter().product(),
        };
        let scale = if is_output(&name) { 0.1 } else { 1.0 };
        let deviation = scale * (2.0 / fan_in as f32).sqrt();
        let normal = Normal::new(0.0, deviation).expect("a layer has inputs");
        let mut rng = stream(self.seed, 0, self.next, Purpose::Weights);
        normal.sample_iter(&mut rng).take(count).collect()
    }
}

/// The initial value of a bias, or of a parameter or running statistic of a norm.
fn constant(name: &str) -> f32 {
    f32::from(u8::from(name.ends_with("gamma") || name.ends_with("running_var")))
}

fn is_output(name: &str) -> bool {
    let heads = ["policy.out", "policy.pass", "value.out"];
    heads.iter().any(|head| name.starts_with(head))
}

impl ModuleMapper for Initializer {
    fn enter_module(&mut self, name: &str, _: &str) {
        self.path.push(name.to_owned());
    }

    fn exit_module(&mut self, _: &str, _: &str) {
        self.path.pop();
    }

    fn map_float<const D: usize>(&mut self, param: Param<Tensor<D>>) -> Param<Tensor<D>> {
        self.next += 1;
        let dims: [usize; D] = param.lazy_shape().dims();
        let data = TensorData::new(self.values(&dims), dims);
        let value = Tensor::from_data(data, &param.lazy_device());
        // Burn's hash maps need IDs that are spread over all bits.
        let id = ParamId::from(mix(self.next));
        Param::initialized(id, value.set_require_grad(param.is_require_grad()))
    }
}
