//! Matches whose games workers play: the order of the learner, and the players at the worker.

use std::sync::Arc;

use anyhow::{Context as _, Error, Result, bail};

use super::blobs::{Blob, Blobs};
use super::dispatcher::Order;
use super::wire::{Job, JobKind, MAX_BLOB, PairResult, SentMatch, SentNetwork, SentPlayer};
use crate::exact::book::Book;
use crate::nn::Board;
use crate::nn::conv::FoldedWeights;
use crate::nn::infer::{self, EngineName};
use crate::nn::settings::NetworkSettings;
use crate::play::arena::{Opening, Played};
use crate::play::players::{Baseline, PlayerSeed, PlayerSpec};
use crate::registry::Variant;
use crate::runs::exported::{weights_from_bytes, weights_to_bytes};
use crate::runs::players::LoadedPlayer;
use crate::runs::trained::{NetworkPlayer, PlayEvaluator};
use crate::search::Settings;

/// A player of a match, as the learner sends it, with the file of its weights.
#[derive(Clone)]
pub(super) struct Contestant {
    sent: SentPlayer,
    weights: Option<Blob>,
}

impl Contestant {
    /// A player without a network.
    pub(super) fn of_baseline(baseline: &Baseline) -> Self {
        Self { sent: SentPlayer::Baseline(baseline.to_string()), weights: None }
    }

    /// A network with a search of its own.
    ///
    /// # Errors
    ///
    /// If the weights cannot be written as a file.
    pub(super) fn of_network(
        weights: &FoldedWeights,
        size: NetworkSettings,
        engine: EngineName,
        search: Settings,
    ) -> Result<Self> {
        let weights = Blob::new(weights_to_bytes(weights)?);
        let sent = SentNetwork {
            weights: weights.name.clone(),
            size,
            engine,
            search,
            simulations: None,
            weakening: Default::default(),
            book: None,
        };
        Ok(Self { sent: SentPlayer::Network(Box::new(sent)), weights: Some(weights) })
    }

    /// A player of a ladder of a game. With `any_engine`, a network may be evaluated by any engine.
    ///
    /// # Errors
    ///
    /// If workers cannot play it, or its files cannot be read.
    pub(super) fn of_player(
        player: &LoadedPlayer,
        variant: &Variant,
        any_engine: bool,
    ) -> Result<Self> {
        if player.is_timed() {
            bail!(
                "workers play without a clock and start no other programs; leave it out, or play without --cluster"
            );
        }
        if let Some(baseline) = player.baseline() {
            let seed = PlayerSeed { seed: 0, player: 0 };
            if *baseline == Baseline::Perfect && baseline.player(variant.game(), seed).is_err() {
                bail!(
                    "workers have no solution of {}; leave it out, or play without --cluster",
                    variant.name
                );
            }
            return Ok(Self::of_baseline(baseline));
        }
        let trained = player.trained().context("workers do not play by the policy alone")?;
        let (size, weights) = trained.weights()?;
        let engine = if any_engine { EngineName::Auto } else { resolved(trained.engine)? };
        let network = &trained.network;
        let mut contestant = Self::of_network(&weights, size, engine, network.search)?;
        if let SentPlayer::Network(sent) = &mut contestant.sent {
            (sent.simulations, sent.weakening) = (network.simulations, network.weakening);
            sent.book = network.book.as_ref().map(|book| book.text().to_owned());
        }
        Ok(contestant)
    }
}

/// The order for the games of a match, by the numbers of the openings in the list.
pub(super) fn order(
    variant: &Variant,
    players: [Contestant; 2],
    seed: u64,
    simulations: u32,
    openings: Vec<Opening>,
) -> Order<[Played; 2]> {
    let is_batched = players.iter().all(|it| matches!(it.sent, SentPlayer::Network(_)));
    // Two networks play many games at once. Other games are long, and each is a task for one
    // thread.
    let part = if is_batched { 4 } else { 1 };
    let blobs = players.iter().filter_map(|player| player.weights.clone()).collect();
    let players = players.map(|player| player.sent);
    let sent = SentMatch::new(variant, players, seed, simulations, &openings);
    let job = Job::new(JobKind::Match(sent));
    let count = openings.len() as u64;
    let read = move |bytes: &[u8]| PairResult::read(bytes, &openings);
    Order::new(&job, blobs, count, part, Arc::new(read))
}

/// Fetches what a player of a match needs, and makes it.
///
/// # Errors
///
/// If the server does not have it, it is damaged, or this CPU lacks the engine.
pub(super) async fn player(
    sent: &SentPlayer,
    variant: &Variant,
    blobs: &Blobs,
) -> Result<LoadedPlayer> {
    match sent {
        SentPlayer::Baseline(text) => match text.parse()? {
            PlayerSpec::Baseline(baseline) => Ok(LoadedPlayer::of_baseline(baseline)),
            _ => bail!("a learner may not ask for the player `{text}`"),
        },
        SentPlayer::Network(sent) => {
            let bytes = blobs.get(&sent.weights, MAX_BLOB).await?;
            let weights = weights_from_bytes(&bytes, &sent.size, &Board::of(variant))?;
            let settings = infer::Settings { engine: sent.engine, ..infer::Settings::default() };
            let evaluator = PlayEvaluator::of_weights(&weights, &settings)?;
            let book = sent.book.as_ref().map(|text| Book::read(text, variant)).transpose()?;
            let network = NetworkPlayer {
                simulations: sent.simulations,
                weakening: sent.weakening,
                book: book.map(Arc::new),
                ..NetworkPlayer::new(evaluator, sent.search)
            };
            Ok(LoadedPlayer::of_network("a network", network))
        }
    }
}

/// The engine by which workers have to play: the one that is the fastest on this CPU, if a run or a
/// player leaves the choice. Engines that compute the same are one.
///
/// # Errors
///
/// If it is burn, or this CPU lacks its instructions.
pub(super) fn resolved(engine: EngineName) -> Result<EngineName> {
    let set = engine.instruction_set()?;
    let set = set.context("workers do not play by the engine `burn`; choose another")?;
    EngineName::find(set.arithmetic()).map_err(Error::msg)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::registry;

    fn variant() -> Variant {
        registry::preset("tic_tac_toe").unwrap()
    }

    /// A worker would look for the solution in its own folders.
    #[test]
    fn a_perfect_player_needs_a_solver() {
        let player = LoadedPlayer::load("perfect".parse().unwrap()).unwrap();
        assert!(Contestant::of_player(&player, &variant(), false).is_ok());
        let neutron = registry::preset("neutron5").unwrap();
        let refused = Contestant::of_player(&player, &neutron, false).err().unwrap();
        assert!(refused.to_string().contains("no solution of neutron5"), "{refused}");
    }

    #[test]
    fn workers_search_as_the_learner_does() {
        for spec in ["tic_tac_toe", "tic_tac_toe?level=1", "tic_tac_toe?policy_temperature=2"] {
            let player = LoadedPlayer::load(spec.parse().unwrap()).unwrap();
            let contestant = Contestant::of_player(&player, &variant(), true).unwrap();
            let text = serde_json::to_string(&contestant.sent).unwrap();
            let SentPlayer::Network(sent) = serde_json::from_str(&text).unwrap() else {
                panic!("{spec} is sent as {text}");
            };
            assert_eq!(sent.search, player.trained().unwrap().network.search, "{spec}");
        }
    }
}
