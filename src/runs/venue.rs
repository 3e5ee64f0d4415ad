//! Where the matches of a ladder are played.

use std::sync::atomic::{AtomicBool, Ordering};

use anyhow::Result;

use super::match_players::MatchPlayers;
use super::players::LoadedPlayer;
use crate::play::arena::{Opening, Played};
use crate::registry::Variant;

/// A match of a ladder, or what is left of it.
pub(crate) struct LadderMatch<'a> {
    /// Both players.
    pub players: [&'a LoadedPlayer; 2],
    /// The seed of their random numbers.
    pub seed: u64,
    /// The openings, from each of which two games are played.
    pub openings: Vec<Opening>,
}

impl<'a> LadderMatch<'a> {
    /// The names of both players.
    pub(crate) fn names(&self) -> [&'a str; 2] {
        self.players.map(|player| player.name.as_str())
    }
}

/// Pairs of games in the order of their openings; those that were not finished are `None`.
pub(crate) type Pairs = Vec<Option<[Played; 2]>>;

/// A place where matches are played. The games depend on the matches only, so that each venue plays
/// the same ones.
pub(crate) trait Venue {
    /// The most matches that [`play`](Self::play) makes use of.
    fn matches_at_once(&self) -> usize {
        1
    }

    /// Plays the first openings of the first match, as many as are well played together, until
    /// `stop` is set. The other matches follow later, so that a venue may begin them now. `watch`
    /// receives the number of finished games.
    ///
    /// # Errors
    ///
    /// If a player cannot play.
    fn play(
        &mut self,
        matches: &[LadderMatch<'_>],
        watch: &(dyn Fn(u64) + Sync),
        stop: &AtomicBool,
    ) -> Result<Pairs>;

    /// Called when the games that were returned last are written. The ladder has `games` games now,
    /// of `of`; 0 if their number is not limited.
    fn written(&mut self, games: u64, of: u64) {
        let _ = (games, of);
    }

    /// Called at the end. If the ladder is not done, it may be continued later.
    ///
    /// # Errors
    ///
    /// If what the venue holds elsewhere cannot be given back.
    fn close(&mut self, is_done: bool) -> Result<()> {
        let _ = is_done;
        Ok(())
    }
}

/// All threads of this process.
pub(crate) struct ThisProcess {
    variant: Variant,
    /// Simulations of a trained player without a limit.
    simulations: u32,
    /// The players of the last match, by their names.
    players: Option<([String; 2], MatchPlayers)>,
}

impl ThisProcess {
    /// A venue for games of `variant`.
    pub(crate) fn new(variant: Variant, simulations: u32) -> Self {
        Self { variant, simulations, players: None }
    }

    /// The players of a match, which stay for the rest of it.
    fn players(&mut self, given: &LadderMatch<'_>) -> Result<&mut MatchPlayers> {
        let names = given.names().map(str::to_owned);
        // The players before end first: they may be programs.
        let known = self.players.take().filter(|(known, _)| *known == names);
        let players = match known {
            Some((_, players)) => players,
            None => {
                let (pairs, threads) = (given.openings.len(), rayon::current_num_threads());
                let LadderMatch { players, seed, .. } = *given;
                MatchPlayers::new(&self.variant, players, seed, self.simulations, pairs, threads)?
            }
        };
        Ok(&mut self.players.insert((names, players)).1)
    }
}

impl Venue for ThisProcess {
    fn play(
        &mut self,
        matches: &[LadderMatch<'_>],
        watch: &(dyn Fn(u64) + Sync),
        stop: &AtomicBool,
    ) -> Result<Pairs> {
        // After an interruption no engine starts any more.
        let Some(next) = matches.first().filter(|_| !stop.load(Ordering::Relaxed)) else {
            return Ok(Vec::new());
        };
        let players = self.players(next)?;
        let together = players.pairs_at_once().min(next.openings.len());
        Ok(players.play(&next.openings[..together], watch, stop))
    }
}
