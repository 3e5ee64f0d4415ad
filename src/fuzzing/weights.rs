//! Weights and the state of the optimizer, in burn's format.

use crate::games::{Game, TicTacToe};
use crate::nn::burn_net::{Learner, Network, cpu, fold, load_weights};
use crate::nn::conv::Path;
use crate::nn::infer::Engine;
use crate::nn::settings::{LearnerSettings, NetworkSettings};

/// The network that the input is for; seeds are of it.
pub(crate) const NETWORK: NetworkSettings =
    NetworkSettings { channels: 2, blocks: 2, global_pooling: true, value_hidden: 2 };

/// Weights, loaded into a network and evaluated.
pub(super) fn weights(input: &[u8]) {
    let network = Network::new(&TicTacToe::SPEC, &NETWORK, &cpu());
    let Ok(network) = load_weights(network, input) else { return };
    let weights = fold(&network);
    let mut engine = Engine::new(&weights, &TicTacToe::SPEC, Path::Portable).expect("plain code");
    let mut policy = vec![0.0; TicTacToe::SPEC.actions()];
    let mut wdl = [[0.0; 3]];
    engine.logits(&[TicTacToe::initial(&Default::default())], &mut policy, &mut wdl);
}

/// The state of the optimizer, restored for a learner.
pub(super) fn optimizer(input: &[u8]) {
    let learner = Learner::on(&cpu(), TicTacToe::SPEC, &NETWORK, LearnerSettings::default(), 1);
    let learner = learner.expect("an engine for any CPU");
    let weights = learner.weights().expect("a network can be encoded");
    if let Ok(restored) = learner.restore(&weights, input) {
        let written = restored.optimizer().expect("the state can be encoded");
        let again = Learner::on(&cpu(), TicTacToe::SPEC, &NETWORK, LearnerSettings::default(), 1);
        let again = again.expect("an engine for any CPU").restore(&weights, &written);
        assert!(again.is_ok(), "the state that was written cannot be read");
    }
}
