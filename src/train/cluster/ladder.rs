//! The workers of a cluster as the place where the matches of a ladder are played.

use std::collections::HashMap;
use std::path::Path;
use std::sync::atomic::AtomicBool;

use anyhow::{Context as _, Result};

use super::dispatcher::{Dispatcher, Order};
use super::link::Link;
use super::matches::{self, Contestant};
use super::names::RunName;
use super::presence::{RunEntry, RunKind};
use crate::play::arena::Played;
use crate::registry::Variant;
use crate::runs::players::LoadedPlayer;
use crate::runs::venue::{LadderMatch, Pairs, Venue};

/// The workers of a cluster. All matches of a round are begun at once, so that no worker waits for
/// the end of one.
pub(crate) struct ClusterVenue {
    dispatcher: Dispatcher,
    variant: Variant,
    /// Simulations of a trained player without a limit.
    simulations: u32,
    any_engine: bool,
    contestants: HashMap<String, Contestant>,
    /// The matches that were begun, in their order.
    begun: Vec<Begun>,
    /// The number of the next match.
    next: u64,
    /// The number of the match whose games were returned last, if it is finished.
    finished: Option<u64>,
}

/// A match whose games are with the workers.
struct Begun {
    number: u64,
    key: Key,
    order: Order<[Played; 2]>,
}

/// What tells the matches of a ladder apart: the players, the first opening and the number of pairs.
type Key = ([String; 2], u64, usize);

fn key(given: &LadderMatch<'_>) -> Key {
    let first = given.openings.first().map_or(0, |opening| opening.number);
    (given.names().map(str::to_owned), first, given.openings.len())
}

impl ClusterVenue {
    /// Registers the ladder in `folder` on the server, under the name of the folder. With
    /// `any_engine`, workers whose CPU computes in another way are welcome, and the games may
    /// differ.
    ///
    /// # Errors
    ///
    /// If another run has this name, or the server refuses.
    pub(crate) fn open(
        link: Link,
        folder: &Path,
        variant: &Variant,
        simulations: u32,
        any_engine: bool,
    ) -> Result<Self> {
        let run = RunName::of(folder)?;
        // Each player has an engine of its own.
        let entry = RunEntry::new(RunKind::Ladder, folder, variant.name, "auto");
        Ok(Self {
            dispatcher: Dispatcher::open(link, run, entry)?,
            variant: *variant,
            simulations,
            any_engine,
            contestants: HashMap::new(),
            begun: Vec::new(),
            next: 0,
            finished: None,
        })
    }

    /// Prepares a player, so that one that workers cannot play is refused before any game.
    ///
    /// # Errors
    ///
    /// If its turns depend on the clock or on a solution, it is another program, or a network
    /// without search.
    pub(crate) fn enter(&mut self, player: &LoadedPlayer) -> Result<()> {
        let contestant = Contestant::of_player(player, &self.variant, self.any_engine)
            .with_context(|| format!("player `{}`", player.name))?;
        self.contestants.insert(player.name.clone(), contestant);
        Ok(())
    }

    /// Publishes the games of a match, unless it was begun before.
    fn begin(&mut self, given: &LadderMatch<'_>) {
        let key = key(given);
        if self.begun.iter().any(|begun| begun.key == key) {
            return;
        }
        let players = given.names().map(|name| self.contestants[name].clone());
        let openings = given.openings.clone();
        let mut order =
            matches::order(&self.variant, players, given.seed, self.simulations, openings);
        let number = self.next;
        self.next += 1;
        self.dispatcher.begin(&mut order, number, &|_, _| {});
        self.begun.push(Begun { number, key, order });
    }
}

impl Venue for ClusterVenue {
    fn matches_at_once(&self) -> usize {
        usize::MAX
    }

    fn play(
        &mut self,
        matches: &[LadderMatch<'_>],
        watch: &(dyn Fn(u64) + Sync),
        stop: &AtomicBool,
    ) -> Result<Pairs> {
        matches.iter().for_each(|given| self.begin(given));
        let first = matches.first().map(key);
        let place = self.begun.iter().position(|begun| Some(&begun.key) == first.as_ref());
        let Some(place) = place else { return Ok(Vec::new()) };
        let Begun { number, mut order, .. } = self.begun.remove(place);
        watch(2 * order.finished());
        self.dispatcher.gather(&mut order, &|_, pairs| watch(2 * pairs), stop);
        let pairs = order.into_games();
        self.finished = pairs.iter().all(Option::is_some).then_some(number);
        Ok(pairs)
    }

    fn written(&mut self, games: u64, of: u64) {
        // Nobody will ask for the games of this match again.
        if let Some(number) = self.finished.take() {
            self.dispatcher.forget(number);
        }
        let change = |entry: &mut RunEntry| (entry.finished, entry.games) = (games, of);
        self.dispatcher.heartbeat().change(change);
    }

    fn close(&mut self, is_done: bool) -> Result<()> {
        self.dispatcher.close(is_done)
    }
}
