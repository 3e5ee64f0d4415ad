//! Averages of networks.

use std::collections::VecDeque;

use burn::module::{Module, ModuleMapper, ModuleVisitor, Param};
use burn::tensor::{Tensor, TensorData};

use super::Network;

/// A network between two of the same shape: `share` of the way from `from` to `to`, statistics of
/// norms included.
pub fn between(from: &Network, to: Network, share: f32) -> Network {
    let mut values = Values(VecDeque::new());
    from.visit(&mut values);
    to.map(&mut Mixer { others: values.0, share })
}

/// What all tensors of a network hold, in their order.
struct Values(VecDeque<TensorData>);

impl ModuleVisitor for Values {
    fn visit_float<const D: usize>(&mut self, param: &Param<Tensor<D>>) {
        self.0.push_back(param.val().into_data());
    }
}

struct Mixer {
    others: VecDeque<TensorData>,
    share: f32,
}

impl ModuleMapper for Mixer {
    fn map_float<const D: usize>(&mut self, param: Param<Tensor<D>>) -> Param<Tensor<D>> {
        let other = self.others.pop_front().expect("networks of the same shape");
        param.map(|tensor| {
            let other = Tensor::from_data(other, &tensor.device());
            tensor * self.share + other * (1.0 - self.share)
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::games::Game;
    use crate::nn::learning::NetworkSettings;
    use crate::nn::net::{cpu, initialize};

    #[test]
    fn a_network_between_two_has_weights_and_statistics_between_theirs() {
        let spec = crate::games::TicTacToe::SPEC;
        let settings = NetworkSettings { channels: 4, blocks: 2, ..Default::default() };
        let network = |seed| initialize(Network::new(&spec, &settings, &cpu()), seed);
        let (from, to) = (network(1), network(2));
        let statistic = Tensor::from_floats([1.0, 2.0, 3.0, 4.0], &cpu());
        to.stem.norm.running_mean.update(statistic);
        let mixed = between(&from, to.valid(), 0.25);
        let all = |network: &Network| {
            let mut values = Values(VecDeque::new());
            network.visit(&mut values);
            let numbers = |data: TensorData| data.iter::<f32>().collect::<Vec<_>>();
            values.0.into_iter().flat_map(numbers).collect::<Vec<_>>()
        };
        let (from, to, mixed) = (all(&from), all(&to.valid()), all(&mixed));
        assert!(from.iter().zip(&to).any(|(a, b)| a != b));
        assert_eq!((from.len(), to.len()), (mixed.len(), mixed.len()));
        for ((from, to), mixed) in from.iter().zip(&to).zip(mixed) {
            assert!((0.75 * from + 0.25 * to - mixed).abs() < 1e-6);
        }
        assert!(to.contains(&3.0), "statistics are among them");
    }
}
