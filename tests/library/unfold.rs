//! Networks for training made of folded weights.

#![cfg(feature = "net")]

use burn::module::Module;
use burn::tensor::{Tensor, TensorData};

use super::common::networks::network;
use super::net::{SMALL, batch};
use crate::nn::Board;
use crate::nn::burn_net::{Network, Outputs, cpu, fold};
use crate::nn::conv::FoldedWeights;
use crate::registry::{self, Variant};

fn variant(name: &str) -> Variant {
    registry::preset(name).unwrap()
}

/// Observations of random games, and a network for `game` with the weights of one for `from`.
fn unfolded(from: &str, game: &Variant) -> (Vec<f32>, FoldedWeights, Network) {
    let observations = batch(game, 64).observations;
    let weights = fold(&network(&Board::of(&variant(from)), &SMALL));
    let empty = Network::new(&Board::of(game), &SMALL, &cpu());
    let network = empty.unfolded(&weights, &observations);
    (observations, weights, network)
}

#[track_caller]
fn assert_near(found: &[f32], expected: &[f32], what: &str) {
    assert_eq!(found.len(), expected.len(), "{what}");
    let largest = expected.iter().fold(0.0_f32, |largest, number| largest.max(number.abs()));
    for (found, expected) in found.iter().zip(expected) {
        assert!((found - expected).abs() <= 1e-4 * largest, "{what}: {found}, not {expected}");
    }
}

/// All numbers of folded weights.
fn layers(weights: &FoldedWeights) -> Vec<&[f32]> {
    let mut layers = vec![&weights.stem];
    for block in &weights.blocks {
        layers.extend([&block.first, &block.second].into_iter().chain(&block.pool));
    }
    layers.extend([&weights.policy_hidden, &weights.policy_out, &weights.value_features]);
    layers.extend([&weights.value_hidden, &weights.value_out].into_iter().chain(&weights.pass));
    layers.iter().flat_map(|layer| [&*layer.weights, &*layer.bias]).collect()
}

/// Connect Four has a rectangle, Susan a hexagon, Entropy a pass; Neutron 7x7 has a larger board than
/// the weights are from.
#[test]
fn folded_again_the_weights_are_the_same() {
    for (from, game) in [
        ("connect_four", "connect_four"),
        ("susan", "susan"),
        ("entropy", "entropy"),
        ("neutron5", "neutron7"),
    ] {
        let (_, weights, network) = unfolded(from, &variant(game));
        let again = fold(&network);
        for (index, (found, expected)) in layers(&again).iter().zip(layers(&weights)).enumerate() {
            assert_near(found, expected, &format!("{game}, {index}"));
        }
    }
}

/// Norms divide by the deviations in the batch then, which are those that were measured.
#[test]
fn in_training_the_network_computes_the_same() {
    for game in ["connect_four", "susan", "entropy"] {
        let game = variant(game);
        let (observations, _, network) = unfolded(game.name, &game);
        let spec = game.spec();
        let shape = [64, spec.planes, spec.height, spec.width];
        let device = cpu().autodiff();
        let evaluate = |network: &Network, device| -> Vec<f32> {
            let data = TensorData::new(observations.clone(), shape);
            let Outputs { policy, wdl, moves_left } =
                network.forward(Tensor::from_data(data, device));
            let all = [policy, wdl, moves_left];
            all.into_iter()
                .flat_map(|it| it.into_data().iter::<f32>().collect::<Vec<_>>())
                .collect()
        };
        let [expected, found] =
            [evaluate(&network, &cpu()), evaluate(&network.clone().train(), &device)];
        assert_near(&found, &expected, game.name);
    }
}
