//! Players of every kind, behind one interface.
//!
//! A text, the [`PlayerSpec`], names a player, such as `random`, `uct?rollouts=1000` or a trained player.
//! Whoever can look specs up is a [`PlayerFactory`]; it makes a [`Player`] of a game. [`SearchPlayer`] is the
//! one with a network. The random numbers of a player are named by the match's seed, the player and the
//! game, so that a game does not depend on those before it.

mod alphabeta;
mod factory;
mod forfeit;
mod gtp;
mod options;
mod perfect;
mod policy;
mod random;
mod report;
mod search;
mod spec;
mod uct;

pub use factory::PlayerFactory;
pub use forfeit::Forfeit;
pub use gtp::{External, stop_engines};
pub use options::SearchOptions;
pub use policy::PolicyPlayer;
pub use report::{Budget, Limits, RankedTurn, SearchReport};
pub use search::SearchPlayer;
pub use spec::{Plain, PlayerSpec};

use std::sync::atomic::AtomicBool;
use std::time::Duration;

use anyhow::{Context, Result};

use crate::games::{Action, Game, Text, Turn};

/// A turn, and the work to find it.
#[derive(Clone, PartialEq, Debug)]
pub struct Chosen {
    /// The turn.
    pub turn: Turn,
    /// Simulations, rollouts or nodes; 0 for a player that counts none.
    pub work: u64,
}

/// A player of a game, which plays one game after another.
pub trait Player<G: Game>: Send {
    /// The unit of its work; `None` for a player that counts none.
    fn unit(&self) -> Option<&'static str>;

    /// Begins a game. Its number in the match names the player's random numbers.
    fn begin_game(&mut self, game: u64);

    /// Sets the most time of each turn from now on; `None` for no limit. Players whose turns take
    /// hardly any time, and external engines, ignore it.
    fn set_time(&mut self, time: Option<Duration>) {
        let _ = time;
    }

    /// Returns a legal turn. The position is not finished and at the beginning of a turn; `moves` led
    /// to it from the start position.
    ///
    /// # Errors
    ///
    /// If the player resigns, or has failed and must lose the game.
    fn choose(&mut self, position: &G, moves: &[Text]) -> Result<Chosen, Forfeit>;

    /// As [`choose`](Self::choose), and stops when `keep_going` returns false. Players whose turns take
    /// little time, or the time set, do not call it.
    ///
    /// # Errors
    ///
    /// Also if it was stopped before it had a turn.
    fn choose_while(
        &mut self,
        position: &G,
        moves: &[Text],
        keep_going: &dyn Fn() -> bool,
    ) -> Result<Chosen, Forfeit> {
        let _ = keep_going;
        self.choose(position, moves)
    }

    /// Analyses such a position; `None` if this player cannot.
    fn analyze(&mut self, position: &G) -> Option<SearchReport> {
        let _ = position;
        None
    }

    /// As [`analyze`](Self::analyze), within `limits` instead of the player's own, and until `keep_going`
    /// returns false.
    fn analyze_within(
        &mut self,
        position: &G,
        limits: &Limits,
        keep_going: &dyn Fn() -> bool,
    ) -> Option<SearchReport> {
        let _ = (position, limits, keep_going);
        None
    }

    /// Searches such a position while the other side thinks, until `stop` is set. Does nothing for most
    /// players.
    fn ponder(&mut self, position: &G, stop: &AtomicBool) {
        let _ = (position, stop);
    }

    /// Called with every turn of the game after the opening, including its own.
    fn advance(&mut self, turn: &Turn) {
        let _ = turn;
    }
}

/// The two players of a match, the first player first.
pub type Pairing<G> = [Box<dyn Player<G>>; 2];

/// Names the random numbers of a player.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct PlayerSeed {
    /// The match's seed.
    pub seed: u64,
    /// 0 for the first player of the match, 1 for the second.
    pub player: u64,
}

impl Plain {
    /// Makes the player.
    ///
    /// # Errors
    ///
    /// If it does not play this game.
    pub fn player<G: Game>(&self, seed: PlayerSeed) -> Result<Box<dyn Player<G>>> {
        Ok(match *self {
            Self::Random => Box::new(random::Random::new(seed)),
            Self::Uct(limits) => Box::new(uct::UctPlayer::new(limits, seed)),
            Self::AlphaBeta(limits) => Box::new(alphabeta::AlphaBeta::new(limits)),
            Self::Perfect => {
                let solver = perfect::Perfect::of::<G>();
                Box::new(solver.context("perfect plays tic_tac_toe and connect_four only")?)
            }
        })
    }
}

/// Chooses a whole turn, action by action.
fn turn_by<G: Game>(start: &G, mut choose: impl FnMut(&G) -> Action) -> Turn {
    let (mut position, mut turn) = (*start, Turn::default());
    while position.ply() == start.ply() {
        (position, turn) = turn.extended(&position, choose(&position));
    }
    turn
}
