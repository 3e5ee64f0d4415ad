//! Two players of `match` or `ladder`, loaded for batched or sequential games.

use anyhow::{Context, Result};

use crate::games::Game;
use crate::games::Variant;
use crate::play::arena::{self, Contestant, Opening, Played};
use crate::play::players::{Pairing, Seat};
use super::entrant::Entrant;
use crate::runs::trained::PlayEvaluator;

/// The two players, ready to play.
pub enum Table<G: Game> {
    /// Two trained players without time limits, and the number of threads.
    Batched(Box<[Contestant<PlayEvaluator>; 2]>, usize),
    /// Any other players, a pairing for each thread.
    Sequential(Vec<Pairing<G>>),
}

impl<G: Game> Table<G> {
    /// Prepares two players for `pairs` pairs of games.
    ///
    /// # Errors
    ///
    /// If one of them cannot play this game.
    pub fn new(
        variant: &Variant<G>,
        entrants: [&Entrant; 2],
        seed: u64,
        simulations: u32,
        pairs: usize,
    ) -> Result<Self> {
        let threads = rayon::current_num_threads();
        if let [Some(first), Some(second)] = entrants.map(|entrant| entrant.contestant(simulations))
        {
            return Ok(Self::Batched(Box::new([first, second]), threads));
        }
        // With a time limit games run one at a time, so that none takes CPU time from another.
        let timed = entrants.iter().any(|entrant| entrant.is_timed());
        let tables = if timed { 1 } else { threads.min(pairs).max(1) };
        let each = if timed && both_can_share(entrants) { threads } else { 1 };
        let seated = |player: usize| {
            let seat = Seat { seed, player: player as u64 };
            let seated = entrants[player].seated(variant, seat, simulations, each);
            seated.with_context(|| format!("player `{}`", entrants[player].name))
        };
        let pairings = (0..tables).map(|_| Ok([seated(0)?, seated(1)?]));
        Ok(Self::Sequential(pairings.collect::<Result<_>>()?))
    }

    /// Plays two games from each opening; `watch` receives the number of finished games.
    pub fn play(
        &mut self,
        openings: &[Opening<G>],
        watch: impl Fn(u64) + Sync,
    ) -> Vec<[Played; 2]> {
        match self {
            Self::Batched(players, threads) => {
                arena::play_batched(openings, &players[0], &players[1], *threads, watch)
            }
            Self::Sequential(pairings) => arena::play_sequential(openings, pairings, watch),
        }
    }

    /// Returns the number of pairs that keep all threads busy.
    pub fn pairs_at_once(&self) -> usize {
        match self {
            Self::Batched(..) => usize::MAX,
            Self::Sequential(pairings) => pairings.len(),
        }
    }

    /// Returns the units in which the work of both players is counted.
    pub fn units(&self) -> [Option<&'static str>; 2] {
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
fn both_can_share(entrants: [&Entrant; 2]) -> bool {
    entrants.iter().all(|entrant| entrant.trained().is_some())
}
