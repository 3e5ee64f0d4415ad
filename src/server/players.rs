//! The players that can be asked, and those of them that are ready for the next question.

use std::sync::Mutex;

use anyhow::Result;
use serde::Serialize;
use serde_json::Value;

use super::desk::{Desk, GameDesk};
use crate::games::AnyVariant;
use crate::play::engine::Cast;

/// Desks kept for each searching thread, for the sake of memory: a trained player has a cache.
const IDLE_A_THREAD: usize = 2;

/// What a player is made of.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Kind {
    /// A network.
    Trained,
    /// Rules alone.
    Plain,
}

/// How a player is introduced.
#[derive(Clone, PartialEq, Debug, Serialize)]
pub struct Listing {
    /// The name by which requests ask for it.
    pub name: String,
    /// A name for people.
    pub title: String,
    /// The only game it plays; none for one that plays all.
    pub game: Option<String>,
    /// The rules under which it plays that; none for any.
    pub rules: Option<Value>,
    /// What it is made of.
    pub kind: Kind,
    /// Whether it can say what it thinks.
    pub thinks: bool,
    /// How many simulations it makes unless asked for more or less, of one that thinks.
    pub simulations: Option<u32>,
    /// What else is known of it, an object.
    pub facts: Option<Value>,
}

/// Makes players, whatever their game.
trait Guests: Send + Sync {
    fn knows(&self, game: &AnyVariant) -> Result<()>;

    fn desk(&self, game: AnyVariant) -> Result<Box<dyn Desk>>;
}

impl<C: Cast + Send + Sync> Guests for C {
    fn knows(&self, game: &AnyVariant) -> Result<()> {
        Cast::knows(self, game)
    }

    fn desk(&self, game: AnyVariant) -> Result<Box<dyn Desk>> {
        with_variant!(game, variant => {
            let player = self.player(&variant)?;
            Ok(Box::new(GameDesk::new(variant, player)))
        })
    }
}

struct Invited {
    listings: Vec<Listing>,
    guests: Box<dyn Guests>,
}

/// A desk that nobody asks at the moment.
struct Idle {
    /// The number of the player.
    player: usize,
    game: AnyVariant,
    desk: Box<dyn Desk>,
}

/// All players.
#[derive(Default)]
pub struct Players {
    invited: Vec<Invited>,
    /// The one that was used last stands last.
    idle: Mutex<Vec<Idle>>,
    most_idle: usize,
}

/// Which player is asked about which game.
#[derive(Clone, Copy)]
pub struct Chair {
    player: usize,
    game: AnyVariant,
}

impl Players {
    /// Nobody.
    pub fn new() -> Self {
        Self::default()
    }

    /// Adds a player. It is listed more than once if it plays several games, but not all; its name
    /// is the same in all these.
    pub fn invite(&mut self, listings: Vec<Listing>, cast: impl Cast + Send + Sync + 'static) {
        self.invited.push(Invited { listings, guests: Box::new(cast) });
    }

    /// The same for so many threads.
    pub(super) fn seated_by(self, threads: usize) -> Self {
        Self { most_idle: IDLE_A_THREAD * threads, ..self }
    }

    /// How all of them are introduced.
    pub(super) fn listings(&self) -> Vec<&Listing> {
        self.invited.iter().flat_map(|invited| &invited.listings).collect()
    }

    /// The player of a name for a game, if there is one of this name.
    pub(super) fn find(&self, name: &str, game: AnyVariant) -> Option<Result<(&Listing, Chair)>> {
        let is_it = |listing: &&Listing| listing.name == name;
        let mut all = self.invited.iter().enumerate();
        let (player, invited, listing) = all.find_map(|(player, invited)| {
            let listing = invited.listings.iter().find(is_it)?;
            Some((player, invited, listing))
        })?;
        Some(invited.guests.knows(&game).map(|()| (listing, Chair { player, game })))
    }

    /// Has a player answer, one that is ready or a new one.
    pub(super) fn ask<T>(&self, chair: Chair, ask: impl FnOnce(&mut dyn Desk) -> T) -> Result<T> {
        let Chair { player, game } = chair;
        let mut desk = match self.take(player, &game) {
            Some(desk) => desk,
            None => self.invited[player].guests.desk(game)?,
        };
        let answer = ask(&mut *desk);
        let mut idle = self.idle.lock().expect("nothing panics while it is locked");
        idle.push(Idle { player, game, desk });
        if idle.len() > self.most_idle {
            let longest = idle.remove(0);
            drop(idle);
            drop(longest);
        }
        Ok(answer)
    }

    fn take(&self, player: usize, game: &AnyVariant) -> Option<Box<dyn Desk>> {
        let mut idle = self.idle.lock().expect("nothing panics while it is locked");
        let fits = |it: &Idle| it.player == player && it.game == *game;
        let at = idle.iter().rposition(fits)?;
        Some(idle.remove(at).desk)
    }
}
