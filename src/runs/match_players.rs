//! Two players of `match` or `ladder`, loaded for batched or sequential games.

use std::sync::atomic::AtomicBool;

use anyhow::Result;

use crate::play::arena::{self, BatchedPlayer, Opening, Played};
use crate::play::players::{Pairing, PlayerSeed, PlayerSetup};
use crate::registry::{Position, Variant};
use crate::runs::players::LoadedPlayer;

/// The two players, ready to play.
pub(crate) enum MatchPlayers {
    /// Two trained players without time limits, with an evaluator for each thread.
    Batched(Box<[BatchedPlayer; 2]>),
    /// Any other players, a pairing for each thread.
    Sequential(Vec<Pairing>),
}

impl MatchPlayers {
    /// Prepares two players for `pairs` pairs of games on `threads` threads.
    ///
    /// # Errors
    ///
    /// If one of them cannot play this game.
    pub(crate) fn new(
        variant: &Variant,
        players: [&LoadedPlayer; 2],
        seed: u64,
        simulations: u32,
        pairs: usize,
        threads: usize,
    ) -> Result<Self> {
        let batched = players.map(|player| player.batched(simulations, threads));
        if let [Some(first), Some(second)] = batched {
            return Ok(Self::Batched(Box::new([first, second])));
        }
        // With a time limit games run one at a time, so that none takes CPU time from another.
        let timed = players.iter().any(|player| player.is_timed());
        let tables = if timed { 1 } else { threads.min(pairs).max(1) };
        let each = if timed && both_can_share(players) { threads } else { 1 };
        let player = |index: usize| {
            let seed = PlayerSeed { seed, player: index as u64 };
            players[index].player(variant, &PlayerSetup { seed, simulations, threads: each })
        };
        let pairings = (0..tables).map(|_| Ok([player(0)?, player(1)?]));
        Ok(Self::Sequential(pairings.collect::<Result<_>>()?))
    }

    /// Sets the position that all games begin in.
    ///
    /// # Errors
    ///
    /// If a player can only begin at the start.
    pub(crate) fn start_from(&mut self, position: &Position) -> Result<()> {
        match self {
            Self::Batched(..) => Ok(()),
            Self::Sequential(pairings) => {
                pairings.iter_mut().flatten().try_for_each(|player| player.start_from(position))
            }
        }
    }

    /// Plays two games from each opening, until `stop` is set; a pair that is not finished then is
    /// `None`. `watch` receives the number of finished games.
    pub(crate) fn play(
        &mut self,
        openings: &[Opening],
        watch: &(dyn Fn(u64) + Sync),
        stop: &AtomicBool,
    ) -> Vec<Option<[Played; 2]>> {
        match self {
            Self::Batched(players) => arena::play_batched_until(openings, players, watch, stop),
            Self::Sequential(pairings) => {
                arena::play_sequential_until(openings, pairings, watch, stop)
            }
        }
    }

    /// Returns the number of pairs that keep all threads busy.
    pub(crate) fn pairs_at_once(&self) -> usize {
        match self {
            Self::Batched(..) => usize::MAX,
            Self::Sequential(pairings) => pairings.len(),
        }
    }

    /// Returns the units in which the work of both players is counted.
    pub(crate) fn units(&self) -> [Option<&'static str>; 2] {
        match self {
            Self::Batched(..) => [Some("simulations"); 2],
            Self::Sequential(pairings) => {
                pairings.first().map_or([None; 2], |pair| pair.each_ref().map(|one| one.unit()))
            }
        }
    }
}

/// Whether both players can search on several threads. If one cannot, neither does, so that a time
/// limit means the same to both.
fn both_can_share(players: [&LoadedPlayer; 2]) -> bool {
    players.iter().all(|player| player.trained().is_some())
}
