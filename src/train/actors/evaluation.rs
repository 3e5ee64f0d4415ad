//! The games of an evaluation.

use std::sync::atomic::AtomicBool;

use anyhow::Result;

use super::Weights;
use crate::games::Outcome;
use crate::nn::burn_net::cpu;
use crate::play::arena::{self, Opening};
use crate::play::players::Baseline;
use crate::registry::Variant;
use crate::runs::config::Config;
use crate::runs::match_players::MatchPlayers;
use crate::runs::players::LoadedPlayer;
use crate::runs::trained::NetworkPlayer;
use crate::search::Settings;

/// Random turns at the start of each pair of games.
const OPENING: u32 = 2;

/// The games of a network of the run against some opponents, from the same openings.
pub(crate) struct EvaluationJob {
    /// The iteration that is evaluated.
    #[cfg_attr(
        not(feature = "cluster"),
        expect(dead_code, reason = "a cluster keeps games by it")
    )]
    pub iteration: u64,
    /// The network.
    pub own: Weights,
    /// Its opponents.
    pub opponents: Vec<Opponent>,
}

/// An opponent in an evaluation.
pub(crate) enum Opponent {
    /// A player without a network.
    Baseline(Baseline),
    /// An earlier network of the run.
    Network(Weights),
}

/// What is called with the numbers of finished games and of all games.
pub(crate) type EvaluationWatch<'a> = &'a (dyn Fn([u64; 2]) + Sync);

/// The results of two games from one opening. The network that is evaluated moves first in the
/// first.
pub(crate) type PairOutcomes = [Outcome; 2];

/// The search of the networks: that of trained players, but without the root prover. It takes time
/// and would hide the strength of the network.
pub(crate) fn search_of_evaluation(config: &Config) -> Settings {
    config.search.for_play().without_root_prover()
}

/// The openings of the games against each opponent; fewer than configured if the game has fewer.
///
/// # Errors
///
/// If there is none.
pub(crate) fn openings_of_evaluation(variant: &Variant, config: &Config) -> Result<Vec<Opening>> {
    let pairs = config.evaluation.games.div_ceil(2) as usize;
    let found = arena::openings(variant, OPENING, pairs, config.seed);
    let found = found.or_else(|few| arena::openings(variant, OPENING, few.found(), config.seed));
    Ok(found?)
}

impl EvaluationJob {
    /// Plays the games on all threads of this process, on the CPU even if the network is trained on
    /// another device: games against most opponents leave batches of one position. Returns the
    /// outcomes by opponent and opening; `None` if interrupted.
    ///
    /// # Errors
    ///
    /// If the weights do not fit the network, or an opponent cannot play the game.
    pub(super) fn play(
        &self,
        variant: &Variant,
        config: &Config,
        watch: EvaluationWatch<'_>,
        stop: &AtomicBool,
    ) -> Result<Option<Vec<Vec<PairOutcomes>>>> {
        let network = |name, weights: &Weights| -> Result<LoadedPlayer> {
            let evaluator = weights.evaluator(config, &cpu())?;
            let network = NetworkPlayer::new(evaluator, search_of_evaluation(config));
            Ok(LoadedPlayer::of_network(name, network))
        };
        let own = network("the newest network", &self.own)?;
        let openings = openings_of_evaluation(variant, config)?;
        let (pairs, threads) = (openings.len(), rayon::current_num_threads());
        let (seed, simulations) = (config.seed, config.evaluation.simulations);
        let each = 2 * pairs as u64;
        let all = each * self.opponents.len() as u64;
        let mut outcomes = Vec::new();
        for (opponent, number) in self.opponents.iter().zip(0..) {
            let other = match opponent {
                Opponent::Baseline(baseline) => LoadedPlayer::of_baseline(*baseline),
                Opponent::Network(weights) => network("the network before", weights)?,
            };
            let mut players =
                MatchPlayers::new(variant, [&own, &other], seed, simulations, pairs, threads)?;
            let watch = |games| watch([number * each + games, all]);
            let played = players.play(&openings, &watch, stop);
            let played: Option<Vec<_>> =
                played.into_iter().map(|pair| Some(pair?.map(|game| game.outcome))).collect();
            let Some(played) = played else { return Ok(None) };
            outcomes.push(played);
        }
        Ok(Some(outcomes))
    }
}
