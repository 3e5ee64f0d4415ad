//! The games of an evaluation.

use std::sync::atomic::AtomicBool;

use anyhow::Result;

use super::Weights;
use crate::games::{Game, Outcome, Variant};
use crate::nn::burn_net::cpu;
use crate::play::arena::{self, Opening};
use crate::play::players::Plain;
use crate::runs::config::Config;
use crate::runs::match_players::MatchPlayers;
use crate::runs::players::LoadedPlayer;
use crate::runs::trained::NetworkPlayer;
use crate::search::Settings;

/// Random turns at the start of each pair of games.
const OPENING: u32 = 2;

/// The games of a network of the run against one opponent.
pub(crate) struct EvaluationJob {
    /// The iteration that is evaluated.
    #[cfg_attr(
        not(feature = "cluster"),
        expect(dead_code, reason = "a cluster keeps games by it")
    )]
    pub iteration: u64,
    /// The network.
    pub own: Weights,
    /// Its opponent.
    pub opponent: Opponent,
}

/// An opponent in an evaluation.
pub(crate) enum Opponent {
    /// A player without a network.
    Plain(Plain),
    /// An earlier network of the run.
    Network(Weights),
}

/// The results of two games from one opening. The network that is evaluated moves first in the first.
pub(crate) type PairOutcomes = [Outcome; 2];

/// The search of the networks: that of trained players, but without the root prover. It takes time
/// and would hide the strength of the network.
pub(crate) fn search_of_evaluation(config: &Config) -> Settings {
    Settings { proof_nodes: 0, ..config.search.for_play() }
}

/// The openings of the games against each opponent; fewer than configured if the game has fewer.
///
/// # Errors
///
/// If there is none.
pub(crate) fn openings_of_evaluation<G: Game>(
    variant: &Variant<G>,
    config: &Config,
) -> Result<Vec<Opening<G>>> {
    let pairs = config.evaluation.games.div_ceil(2) as usize;
    let found = arena::openings(variant, OPENING, pairs, config.seed);
    let found = found.or_else(|few| arena::openings(variant, OPENING, few.found(), config.seed));
    Ok(found?)
}

impl EvaluationJob {
    /// Plays the games on all threads of this process, on the CPU even if the network is trained on
    /// another device: games against most opponents leave batches of one position. `None` if
    /// interrupted. `watch` receives the number of finished games.
    ///
    /// # Errors
    ///
    /// If the weights do not fit the network, or the opponent cannot play the game.
    pub(super) fn play<G: Game>(
        &self,
        variant: &Variant<G>,
        config: &Config,
        watch: &(dyn Fn(u64) + Sync),
        stop: &AtomicBool,
    ) -> Result<Option<Vec<PairOutcomes>>> {
        let network = |name, weights: &Weights| -> Result<LoadedPlayer> {
            let evaluator = weights.evaluator::<G>(config, &cpu())?;
            let network = NetworkPlayer::new(evaluator, search_of_evaluation(config));
            Ok(LoadedPlayer::of_network(name, network))
        };
        let own = network("the newest network", &self.own)?;
        let other = match &self.opponent {
            Opponent::Plain(plain) => LoadedPlayer::of_plain(*plain),
            Opponent::Network(weights) => network("the network before", weights)?,
        };
        let openings = openings_of_evaluation(variant, config)?;
        let (seed, simulations) = (config.seed, config.evaluation.simulations);
        let (pairs, threads) = (openings.len(), rayon::current_num_threads());
        let mut players =
            MatchPlayers::new(variant, [&own, &other], seed, simulations, pairs, threads)?;
        let played = players.play(&openings, watch, stop);
        let outcomes = played.into_iter().map(|pair| Some(pair?.map(|game| game.outcome)));
        Ok(outcomes.collect())
    }
}
