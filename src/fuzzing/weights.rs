//! Weights and the state of the optimizer, in burn's format.

use crate::games::{Game, TicTacToe};
use crate::nn::Board;
use crate::nn::burn_net::{
    Network, cpu, fold, initialize, load_optimizer, load_weights, optimizer_bytes,
};
use crate::nn::conv::InstructionSet;
use crate::nn::infer::CpuEvaluator;
use crate::nn::settings::{LearnerSettings, NetworkSettings};
use crate::registry::Position;

/// The network that the input is for; seeds are of it.
pub(crate) const NETWORK: NetworkSettings =
    NetworkSettings { channels: 2, blocks: 2, global_pooling: true, value_hidden: 2 };

/// Weights, loaded into a network and evaluated.
pub(super) fn weights(input: &[u8]) {
    let network = Network::new(&Board::whole(TicTacToe::SPEC), &NETWORK, &cpu());
    let Ok(network) = load_weights(network, input) else { return };
    let weights = fold(&network);
    for set in [InstructionSet::Portable, InstructionSet::Int8Portable] {
        let mut engine = CpuEvaluator::new(&weights, set).expect("plain code");
        let mut policy = vec![0.0; TicTacToe::SPEC.actions()];
        let mut wdl = [[0.0; 3]];
        engine.logits(
            &[Position::new(TicTacToe::initial(&Default::default()))],
            &mut policy,
            &mut wdl,
        );
    }
}

/// The network of the seeds, with their IDs. A learner's network would be tracked by burn, which
/// keeps a part of every such network until the process ends.
fn network() -> Network {
    initialize(Network::new(&Board::whole(TicTacToe::SPEC), &NETWORK, &cpu()), 1)
}

/// The state of the optimizer, loaded for a network.
pub(super) fn optimizer(input: &[u8]) {
    let (network, weight_decay) = (network(), LearnerSettings::default().weight_decay);
    let Ok(optimizer) = load_optimizer(&network, weight_decay, input) else { return };
    let written = optimizer_bytes(&optimizer).expect("the state can be encoded");
    let again = load_optimizer(&network, weight_decay, &written);
    let again = optimizer_bytes(&again.expect("what was written can be read"));
    assert!(again.expect("the state can be encoded") == written, "the state has changed");
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_seeds_are_of_the_network() {
        let seed = |name: &str| {
            let root = std::path::Path::new(env!("CARGO_MANIFEST_DIR"));
            std::fs::read(root.join("fuzz/seeds").join(name)).ok()
        };
        // The published crate has no seeds.
        if let (Some(weights), Some(state)) = (seed("weights/network"), seed("optimizer/state")) {
            load_weights(network(), &weights).unwrap();
            load_optimizer(&network(), 0.01, &state).unwrap();
        }
    }
}
