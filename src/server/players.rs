//! The players that the server offers, and a pool of idle instances of them.

use std::sync::Mutex;

use anyhow::Result;

use super::networks::Network;
use crate::answers::listing::{Listing, factory};
use crate::answers::player::{GamePlayer, create};
use crate::play::players::PlayerFactory;
use crate::registry::Variant;

/// Idle players kept per search thread. The number bounds memory: each trained player has a cache.
const IDLE_A_THREAD: usize = 2;

/// A player factory with its type erased.
trait AnyFactory: Send + Sync {
    fn check(&self, game: &Variant) -> Result<()>;

    /// Makes a player, at a level if one is given.
    fn create(&self, game: Variant, level: Option<u32>) -> Result<GamePlayer>;
}

impl<F: PlayerFactory + Send + Sync> AnyFactory for F {
    fn check(&self, game: &Variant) -> Result<()> {
        PlayerFactory::check(self, game)
    }

    fn create(&self, game: Variant, level: Option<u32>) -> Result<GamePlayer> {
        create(self, game, level)
    }
}

struct ServedPlayer {
    listings: Vec<Listing>,
    factory: Box<dyn AnyFactory>,
}

/// A player that is not in use.
struct Idle {
    of: Selection,
    player: GamePlayer,
}

/// A player that the server offers.
#[derive(Clone, PartialEq)]
enum Who {
    /// The player of this index in `Players`.
    Listed(usize),
    /// A network of a run.
    Network(Network),
}

/// All players that the server offers.
#[derive(Default)]
pub(crate) struct Players {
    entries: Vec<ServedPlayer>,
    /// Ordered by last use, the most recent last.
    idle: Mutex<Vec<Idle>>,
    most_idle: usize,
}

/// Identifies a player, its level and the game that it is to play.
#[derive(Clone, PartialEq)]
pub(super) struct Selection {
    who: Who,
    /// Number of the level, from 1; `None` for the player as it is.
    level: Option<u32>,
    game: Variant,
}

impl Selection {
    /// Selects a network of a run.
    ///
    /// # Errors
    ///
    /// If it does not play the game.
    pub(super) fn network(network: Network, game: Variant) -> Result<Self> {
        network.check(&game)?;
        Ok(Self { who: Who::Network(network), level: None, game })
    }

    /// The same player at a level.
    pub(super) fn at(self, level: Option<u32>) -> Self {
        Self { level, ..self }
    }
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
        self.entries.push(ServedPlayer { listings, factory: Box::new(factory) });
    }

    /// Sets the size of the pool of idle players for `threads` search threads.
    pub(super) fn for_threads(self, threads: usize) -> Self {
        Self { most_idle: IDLE_A_THREAD * threads, ..self }
    }

    /// Returns the listings of all players.
    pub(super) fn listings(&self) -> Vec<&Listing> {
        self.entries.iter().flat_map(|entry| &entry.listings).collect()
    }

    /// Returns the player with this name; `None` if there is none, and an error if it does not play
    /// the game.
    pub(super) fn find(&self, name: &str, game: Variant) -> Option<Result<(&Listing, Selection)>> {
        let is_it = |listing: &&Listing| listing.name == name;
        let mut all = self.entries.iter().enumerate();
        let (index, entry, listing) = all.find_map(|(index, entry)| {
            let listing = entry.listings.iter().find(is_it)?;
            Some((index, entry, listing))
        })?;
        let selection = Selection { who: Who::Listed(index), level: None, game };
        Some(entry.factory.check(&game).map(|()| (listing, selection)))
    }

    /// Calls `ask` with an idle player, or with a new one if none is idle.
    ///
    /// # Errors
    ///
    /// If a new player cannot be created.
    pub(super) fn ask<T>(
        &self,
        selection: Selection,
        ask: impl FnOnce(&mut GamePlayer) -> T,
    ) -> Result<T> {
        let mut player = match self.take(&selection) {
            Some(player) => player,
            None => self.create(&selection)?,
        };
        let answer = ask(&mut player);
        let mut idle = self.idle.lock().expect("nothing panics while it is locked");
        idle.push(Idle { of: selection, player });
        if idle.len() > self.most_idle {
            let longest = idle.remove(0);
            drop(idle);
            drop(longest);
        }
        Ok(answer)
    }

    fn create(&self, Selection { who, level, game }: &Selection) -> Result<GamePlayer> {
        match who {
            Who::Listed(index) => self.entries[*index].factory.create(*game, *level),
            Who::Network(network) => AnyFactory::create(&factory(network.load()?), *game, *level),
        }
    }

    fn take(&self, selection: &Selection) -> Option<GamePlayer> {
        let mut idle = self.idle.lock().expect("nothing panics while it is locked");
        let at = idle.iter().rposition(|it| it.of == *selection)?;
        Some(idle.remove(at).player)
    }
}
