//! The matches of a ladder as work for the workers of a cluster.

use std::collections::HashMap;
use std::path::Path;
use std::sync::atomic::AtomicBool;

use anyhow::{Context as _, Result};

use super::dispatcher::{Dispatcher, Order};
use super::link::Link;
use super::matches::{self, Contestant};
use super::names::RunName;
use super::presence::{RunEntry, RunKind};
use crate::play::arena::{Opening, Played};
use crate::registry::Variant;
use crate::runs::players::LoadedPlayer;

/// A match whose games are played by workers: two players, with the seed of their random numbers
/// and the simulations of networks without a limit.
pub(crate) struct ClusterMatch<'a> {
    /// The names of both players, as they were given to [`ClusterMatches::enter`].
    pub players: [&'a str; 2],
    pub seed: u64,
    pub simulations: u32,
    pub openings: Vec<Opening>,
}

/// The matches of a ladder on a cluster. Several may be in progress.
pub(crate) struct ClusterMatches {
    dispatcher: Dispatcher,
    any_engine: bool,
    contestants: HashMap<String, Contestant>,
    /// The matches that were begun, by their numbers.
    begun: HashMap<u64, Order<[Played; 2]>>,
    /// The number of the next match.
    next: u64,
}

impl ClusterMatches {
    /// Registers the ladder in `folder` on the server, under the name of the folder. With
    /// `any_engine`, workers whose CPU computes in another way are welcome, and the games may
    /// differ.
    ///
    /// # Errors
    ///
    /// If another run has this name, or the server refuses.
    pub(crate) fn open(link: Link, folder: &Path, game: &str, any_engine: bool) -> Result<Self> {
        let run = RunName::of(folder)?;
        // Each player has an engine of its own.
        let entry = RunEntry::new(RunKind::Ladder, folder, game, "auto");
        let dispatcher = Dispatcher::open(link, run, entry)?;
        let (contestants, begun) = (HashMap::new(), HashMap::new());
        Ok(Self { dispatcher, any_engine, contestants, begun, next: 0 })
    }

    /// Prepares a player, so that one that workers cannot play is refused before any game.
    ///
    /// # Errors
    ///
    /// If its turns depend on the clock, it is another program, or a network without search.
    pub(crate) fn enter(&mut self, player: &LoadedPlayer) -> Result<()> {
        let contestant = Contestant::of_player(player, self.any_engine)
            .with_context(|| format!("player `{}`", player.name))?;
        self.contestants.insert(player.name.clone(), contestant);
        Ok(())
    }

    /// Publishes the games of a match, and returns its number.
    pub(crate) fn begin(&mut self, variant: &Variant, given: ClusterMatch<'_>) -> u64 {
        let ClusterMatch { players, seed, simulations, openings } = given;
        let players = players.map(|name| self.contestants[name].clone());
        let mut order = matches::order(variant, players, seed, simulations, openings);
        let number = self.next;
        self.next += 1;
        self.dispatcher.begin(&mut order, number, &|_, _| {});
        self.begun.insert(number, order);
        number
    }

    /// Waits for the games of a match that was begun. Pairs that are not there when `stop` is set
    /// are `None`. `watch` receives the number of finished games.
    pub(crate) fn finish(
        &mut self,
        number: u64,
        watch: &(dyn Fn(u64) + Sync),
        stop: &AtomicBool,
    ) -> Vec<Option<[Played; 2]>> {
        let mut order = self.begun.remove(&number).expect("the match was begun");
        watch(2 * order.finished());
        self.dispatcher.gather(&mut order, &|_, pairs| watch(2 * pairs), stop);
        order.into_games()
    }

    /// Called when the games of a match are written: nobody will ask for them again.
    pub(crate) fn written(&mut self, number: u64) {
        self.dispatcher.forget(number);
    }

    /// Removes everything from the server, or leaves the finished games there for the next time.
    ///
    /// # Errors
    ///
    /// If the server is away.
    pub(crate) fn close(&self, is_done: bool) -> Result<()> {
        self.dispatcher.close(is_done)
    }

    /// Tells others how many games are played, of how many.
    pub(crate) fn tell(&self, finished: u64, games: u64) {
        let change = |entry: &mut RunEntry| (entry.finished, entry.games) = (finished, games);
        self.dispatcher.heartbeat().change(change);
    }
}
