//! The players that the server offers, and a pool of idle instances of them.

use std::sync::Mutex;

use anyhow::Result;
use serde::Serialize;
use serde_json::Value;

use super::player::{AnyPlayer, GamePlayer};
use crate::games::AnyVariant;
use crate::play::players::PlayerFactory;

/// Idle players kept per search thread. The number bounds memory: each trained player has a cache.
const IDLE_A_THREAD: usize = 2;

/// Kinds of players.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum Kind {
    /// A player with a network.
    Trained,
    /// A player without a network.
    Plain,
}

/// An entry of the list of players.
#[derive(Clone, PartialEq, Debug, Serialize)]
pub(crate) struct Listing {
    /// The name that requests use.
    pub name: String,
    /// The name that the page shows.
    pub title: String,
    /// The only game that it plays; `None` for all.
    pub game: Option<String>,
    /// The only rules that it plays by; `None` for any.
    pub rules: Option<Value>,
    /// The kind of player.
    pub kind: Kind,
    /// Whether it can analyse positions.
    pub thinks: bool,
    /// Default number of simulations; `None` if it cannot analyse.
    pub simulations: Option<u32>,
    /// The levels that `?level=N` behind the name chooses, the weakest first.
    pub levels: Vec<ListedLevel>,
    /// Further facts, such as its training, as a JSON object.
    pub facts: Option<Value>,
}

/// A level of a player.
#[derive(Clone, PartialEq, Debug, Serialize)]
pub(crate) struct ListedLevel {
    /// Its number, from 1 for the weakest.
    pub level: u32,
    /// Its name for people.
    pub name: String,
    /// Its rating, if it was measured.
    pub elo: Option<f64>,
    /// Its number of simulations.
    pub simulations: u32,
}

impl Listing {
    /// The number of simulations of a request that sets none.
    pub(super) fn usual_simulations(&self, selection: &Selection) -> Option<u32> {
        match selection.level {
            None => self.simulations,
            Some(level) => self.levels.get(level as usize - 1).map(|it| it.simulations),
        }
    }
}

/// A player factory with its type erased.
trait AnyFactory: Send + Sync {
    fn check(&self, game: &AnyVariant) -> Result<()>;

    /// Makes a player, at a level if one is given.
    fn create(&self, game: AnyVariant, level: Option<u32>) -> Result<Box<dyn AnyPlayer>>;
}

impl<F: PlayerFactory + Send + Sync> AnyFactory for F {
    fn check(&self, game: &AnyVariant) -> Result<()> {
        PlayerFactory::check(self, game)
    }

    fn create(&self, game: AnyVariant, level: Option<u32>) -> Result<Box<dyn AnyPlayer>> {
        with_variant!(game, variant => {
            let player = match level {
                None => self.player(&variant)?,
                Some(level) => self.at_level(&level.to_string())?.player(&variant)?,
            };
            Ok(Box::new(GamePlayer::new(variant, player)))
        })
    }
}

struct Entry {
    listings: Vec<Listing>,
    factory: Box<dyn AnyFactory>,
}

/// A player that is not in use.
struct Idle {
    of: Selection,
    player: Box<dyn AnyPlayer>,
}

/// All players that the server offers.
#[derive(Default)]
pub(crate) struct Players {
    entries: Vec<Entry>,
    /// Ordered by last use, the most recent last.
    idle: Mutex<Vec<Idle>>,
    most_idle: usize,
}

/// Identifies a player, its level and the game that it is to play.
#[derive(Clone, Copy, PartialEq)]
pub(super) struct Selection {
    /// Index of the player in `Players`.
    index: usize,
    /// Number of the level, from 1; `None` for the player as it is.
    level: Option<u32>,
    game: AnyVariant,
}

impl Players {
    /// Returns an empty list.
    pub(crate) fn new() -> Self {
        Self::default()
    }

    /// Adds a player. A player of several but not all games has a listing for each of them, all
    /// with the same name.
    pub(crate) fn add(
        &mut self,
        listings: Vec<Listing>,
        factory: impl PlayerFactory + Send + Sync + 'static,
    ) {
        self.entries.push(Entry { listings, factory: Box::new(factory) });
    }

    /// Sets the size of the pool of idle players for `threads` search threads.
    pub(super) fn for_threads(self, threads: usize) -> Self {
        Self { most_idle: IDLE_A_THREAD * threads, ..self }
    }

    /// Returns the listings of all players.
    pub(super) fn listings(&self) -> Vec<&Listing> {
        self.entries.iter().flat_map(|entry| &entry.listings).collect()
    }

    /// Returns the player with this name, at a level if `?level=N` follows; `None` if there is none,
    /// and an error if it does not play the game.
    pub(super) fn find(
        &self,
        name: &str,
        game: AnyVariant,
    ) -> Option<Result<(&Listing, Selection)>> {
        let at_level = name.rsplit_once("?level=").and_then(|(name, level)| {
            let level = level.parse().ok()?;
            Some((name, Some(level)))
        });
        let (name, level) = at_level.unwrap_or((name, None));
        let has_it = |listing: &Listing| {
            level.is_none_or(|level: u32| (1..=listing.levels.len()).contains(&(level as usize)))
        };
        let is_it = |listing: &&Listing| listing.name == name && has_it(listing);
        let mut all = self.entries.iter().enumerate();
        let (index, entry, listing) = all.find_map(|(index, entry)| {
            let listing = entry.listings.iter().find(is_it)?;
            Some((index, entry, listing))
        })?;
        Some(entry.factory.check(&game).map(|()| (listing, Selection { index, level, game })))
    }

    /// Calls `ask` with an idle player, or with a new one if none is idle.
    ///
    /// # Errors
    ///
    /// If a new player cannot be created.
    pub(super) fn ask<T>(
        &self,
        selection: Selection,
        ask: impl FnOnce(&mut dyn AnyPlayer) -> T,
    ) -> Result<T> {
        let mut player = match self.take(&selection) {
            Some(player) => player,
            None => {
                let Selection { index, level, game } = selection;
                self.entries[index].factory.create(game, level)?
            }
        };
        let answer = ask(&mut *player);
        let mut idle = self.idle.lock().expect("nothing panics while it is locked");
        idle.push(Idle { of: selection, player });
        if idle.len() > self.most_idle {
            let longest = idle.remove(0);
            drop(idle);
            drop(longest);
        }
        Ok(answer)
    }

    fn take(&self, selection: &Selection) -> Option<Box<dyn AnyPlayer>> {
        let mut idle = self.idle.lock().expect("nothing panics while it is locked");
        let at = idle.iter().rposition(|it| it.of == *selection)?;
        Some(idle.remove(at).player)
    }
}
