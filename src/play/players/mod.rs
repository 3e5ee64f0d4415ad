//! Players of every kind, behind one interface.
//!
//! A [`PlayerSpec`] is the text that names a player, such as `random`, `uct?rollouts=1000` or the
//! path of a trained player. A [`PlayerFactory`] makes a [`Player`] for a game. [`SearchPlayer`] is
//! the player with a network and a search.
//!
//! The random numbers of a player depend on the match's seed, the player and the game, not on
//! earlier games.

mod alphabeta;
mod factory;
mod forfeit;
mod gtp;
mod level;
mod options;
mod perfect;
mod policy;
mod random;
mod report;
mod search;
mod solution;
mod spec;
mod uct;

pub use factory::PlayerFactory;
pub(crate) use factory::PlayerSetup;
pub use forfeit::Forfeit;
#[cfg(any(test, feature = "fuzzing"))]
pub(crate) use gtp::scripted;
pub use gtp::{External, stop_engines};
pub(crate) use gtp::{POSITION, position_argument, position_of_argument};
pub(crate) use level::UnknownLevel;
pub use level::{Level, default_levels, find_level};
pub use options::{BookChoice, Changes, SearchOptions};
pub use policy::PolicyPlayer;
pub use report::{Budget, Limits, RankedTurn, SearchReport};
pub use search::SearchPlayer;
pub(crate) use solution::{SOLUTIONS, Solved};
pub use spec::{Baseline, PlayerSpec};

use std::sync::atomic::AtomicBool;
use std::time::Duration;

use anyhow::{Context, Result};

use crate::games::{Action, Text, Turn};
use crate::registry::{GameType, Position};

/// A turn, and the work of choosing it.
#[derive(Clone, PartialEq, Debug)]
pub struct Chosen {
    /// The turn.
    pub turn: Turn,
    /// Simulations, rollouts or nodes; 0 for a player that does not count them.
    pub work: u64,
}

/// A player of a game, which plays one game after another.
pub trait Player: Send {
    /// The unit of its work; `None` for a player that does not count it.
    fn unit(&self) -> Option<&'static str>;

    /// Begins a game. The player's random numbers depend on `game`, its number in the match.
    fn begin_game(&mut self, game: u64);

    /// Sets the time limit of each turn from now on; `None` for no limit. Players whose turns take
    /// hardly any time, and external engines, ignore it.
    fn set_time(&mut self, time: Option<Duration>) {
        let _ = time;
    }

    /// Sets the position that the next games begin in, instead of the start of the game. Most
    /// players need not know.
    ///
    /// # Errors
    ///
    /// If the player can only begin at the start.
    fn start_from(&mut self, position: &Position) -> Result<()> {
        let _ = position;
        Ok(())
    }

    /// Returns a legal turn. `position` is not finished and at the beginning of a turn; `moves` are
    /// the turns to it from the position that the game began in.
    ///
    /// # Errors
    ///
    /// If the player resigns, or has failed and loses the game.
    fn choose(&mut self, position: &Position, moves: &[Text]) -> Result<Chosen, Forfeit> {
        self.choose_while(position, moves, &|| true)
    }

    /// As [`choose`](Self::choose), but stops when `keep_going` returns false. Players whose turns
    /// take little time, or the time set, do not call it.
    ///
    /// # Errors
    ///
    /// As [`choose`](Self::choose), or if it was stopped before it had a turn.
    fn choose_while(
        &mut self,
        position: &Position,
        moves: &[Text],
        keep_going: &dyn Fn() -> bool,
    ) -> Result<Chosen, Forfeit>;

    /// Analyses a position as in [`choose`](Self::choose). Returns `None` if this player cannot.
    fn analyze(&mut self, position: &Position) -> Option<SearchReport> {
        let _ = position;
        None
    }

    /// As [`analyze`](Self::analyze), within `limits` instead of the player's own, and until
    /// `keep_going` returns false.
    fn analyze_within(
        &mut self,
        position: &Position,
        limits: &Limits,
        keep_going: &dyn Fn() -> bool,
    ) -> Option<SearchReport> {
        let _ = (position, limits, keep_going);
        None
    }

    /// As [`analyze_within`](Self::analyze_within), going on with what was found in the same position
    /// before.
    fn analyze_on(
        &mut self,
        position: &Position,
        limits: &Limits,
        keep_going: &dyn Fn() -> bool,
    ) -> Option<SearchReport> {
        self.analyze_within(position, limits, keep_going)
    }

    /// Searches a position while the other side is to move, until `stop` is set. Most players do
    /// nothing.
    fn ponder(&mut self, position: &Position, stop: &AtomicBool) {
        let _ = (position, stop);
    }

    /// Called with every turn of the game after the opening, including its own.
    fn advance(&mut self, turn: &Turn) {
        let _ = turn;
    }
}

/// The two players of a match, the first one first.
pub type Pairing = [Box<dyn Player>; 2];

/// The seed of the random numbers of a player.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct PlayerSeed {
    /// The match's seed.
    pub seed: u64,
    /// 0 for the first player of the match, 1 for the second.
    pub player: u64,
}

impl Baseline {
    /// Makes the player.
    ///
    /// # Errors
    ///
    /// If it does not support this game.
    pub fn player(&self, game: GameType, seed: PlayerSeed) -> Result<Box<dyn Player>> {
        Ok(match *self {
            Self::Random => Box::new(random::Random::new(seed)),
            Self::Uct(limits) => Box::new(uct::UctPlayer::new(limits, seed)),
            Self::AlphaBeta(limits) => Box::new(alphabeta::AlphaBeta::new(limits)),
            Self::Perfect => {
                let solver = perfect::Perfect::of(game);
                let only = "unless solved, perfect plays tic_tac_toe and connect_four only";
                Box::new(solver.context(only)?)
            }
        })
    }
}

/// Chooses a whole turn, action by action.
fn turn_by(start: &Position, mut choose: impl FnMut(&Position) -> Action) -> Turn {
    let (mut position, mut turn) = (*start, Turn::default());
    while position.ply() == start.ply() {
        (position, turn) = turn.extended(&position, choose(&position));
    }
    turn
}
