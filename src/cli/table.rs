//! How the games of two players are shared out: all at once, or one after the other on each thread.

use anyhow::{Context, Result};

use crate::cli::entrant::Entrant;
use crate::games::Game;
use crate::games::Variant;
use crate::play::arena::{self, Contestant, Opening, Played};
use crate::play::opponents::{Pairing, Seat};
use crate::runs::trained::PlayEvaluator;

/// The two players, ready to play.
pub enum Table<G: Game> {
    /// Two trained players with simulations to spend, on so many threads.
    Batched(Box<[Contestant<PlayEvaluator>; 2]>, usize),
    /// Anybody, a pairing for each thread.
    Sequential(Vec<Pairing<G>>),
}

impl<G: Game> Table<G> {
    /// Sets the players up for so many pairs of games.
    ///
    /// # Errors
    ///
    /// If one of them does not play this game.
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
        // Nobody's time is to be spent on another game.
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

    /// The two games from each opening; `watch` is told how many of these are finished.
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

    /// Pairs of games that keep all threads busy.
    pub fn pairs_at_once(&self) -> usize {
        match self {
            Self::Batched(..) => usize::MAX,
            Self::Sequential(pairings) => pairings.len(),
        }
    }

    /// What the work of the two is counted in.
    pub fn units(&self) -> [Option<&'static str>; 2] {
        match self {
            Self::Batched(..) => [Some("simulations"); 2],
            Self::Sequential(pairings) => {
                pairings.first().map_or([None; 2], |pair| pair.each_ref().map(|one| one.unit()))
            }
        }
    }
}

/// Whether both search on several threads, if they get them; otherwise nobody does, so that time
/// means the same to both.
fn both_can_share(entrants: [&Entrant; 2]) -> bool {
    entrants.iter().all(|entrant| entrant.trained().is_some())
}
