//! Opponents: everything that can take a seat in a match, behind one interface.
//!
//! Those that need no network are named by a short text ([`Name`]), such as `random` or
//! `uct?rollouts=1000`. Where an opponent draws random numbers, they are named by the match's seed,
//! its seat and the game, so that a game does not depend on what was played before it.

mod alphabeta;
mod forfeit;
mod gtp;
mod options;
mod perfect;
mod policy;
mod random;
pub mod search;
mod searcher;
mod spec;
mod uct;

pub use forfeit::Forfeit;
pub use gtp::{External, stop_engines};
pub use options::SearchOptions;
pub use policy::Policy;
pub use searcher::Searcher;
pub use spec::{Name, Plain};

use std::sync::atomic::AtomicBool;
use std::time::Duration;

use anyhow::{Context, Result};

use crate::games::{Action, Game, Text, Turn};
use crate::play::players::search::{Limits, SearchReport};

/// A turn, and what it took to find it.
#[derive(Clone, PartialEq, Debug)]
pub struct Chosen {
    /// The turn.
    pub turn: Turn,
    /// Simulations, rollouts or nodes; 0 for an opponent that counts none.
    pub work: u64,
}

/// Someone who plays games, one after the other.
pub trait Opponent<G: Game>: Send {
    /// What its work is counted in; none for an opponent that counts none.
    fn unit(&self) -> Option<&'static str>;

    /// Told before every game; the number of the game in the match names its random numbers.
    fn begin(&mut self, game: u64);

    /// Told how much time a turn has from now on, at the most; none for as much as it takes. Those
    /// whose turns take no time worth speaking of, or whom nobody can hurry, do not listen.
    fn allot(&mut self, time: Option<Duration>) {
        let _ = time;
    }

    /// A legal turn in an unfinished position at the beginning of a turn, to which `moves` led from
    /// the start position.
    ///
    /// # Errors
    ///
    /// If it gives the game up, or has failed and must lose it.
    fn choose(&mut self, position: &G, moves: &[Text]) -> Result<Chosen, Forfeit>;

    /// The same, for as long as it is told to go on. Those whose turns take little time, or the
    /// time allotted, do not ask.
    ///
    /// # Errors
    ///
    /// Also if it was stopped before it had a turn.
    fn choose_while(
        &mut self,
        position: &G,
        moves: &[Text],
        goes_on: &dyn Fn() -> bool,
    ) -> Result<Chosen, Forfeit> {
        let _ = goes_on;
        self.choose(position, moves)
    }

    /// What it thinks of such a position; none if it cannot say.
    fn think(&mut self, position: &G) -> Option<SearchReport> {
        let _ = position;
        None
    }

    /// The same within these limits, whatever its own are, and for as long as it is told to go on.
    fn think_within(
        &mut self,
        position: &G,
        limits: &Limits,
        goes_on: &dyn Fn() -> bool,
    ) -> Option<SearchReport> {
        let _ = (position, limits, goes_on);
        None
    }

    /// Thinks about such a position, while the other side does, until told to stop; or does not.
    fn ponder(&mut self, position: &G, stop: &AtomicBool) {
        let _ = (position, stop);
    }

    /// Told of every turn of the game after the opening, its own ones too.
    fn follow(&mut self, turn: &Turn) {
        let _ = turn;
    }
}

/// The two who play against each other, the match's first player first.
pub type Pairing<G> = [Box<dyn Opponent<G>>; 2];

/// Where an opponent sits, which names its random numbers.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Seat {
    /// The match's seed.
    pub seed: u64,
    /// 0 for the match's first player, 1 for the other.
    pub player: u64,
}

impl Plain {
    /// The opponent in flesh.
    ///
    /// # Errors
    ///
    /// If it does not play this game.
    pub fn seated<G: Game>(&self, seat: Seat) -> Result<Box<dyn Opponent<G>>> {
        Ok(match *self {
            Self::Random => Box::new(random::Random::new(seat)),
            Self::Uct(limits) => Box::new(uct::UctOpponent::new(limits, seat)),
            Self::AlphaBeta(limits) => Box::new(alphabeta::AlphaBeta::new(limits)),
            Self::Perfect => {
                let solver = perfect::Perfect::of::<G>();
                Box::new(solver.context("perfect plays tic_tac_toe and connect_four only")?)
            }
        })
    }
}

/// A whole turn, chosen action by action.
fn turn_by<G: Game>(start: &G, mut choose: impl FnMut(&G) -> Action) -> Turn {
    let (mut position, mut turn) = (*start, Turn::default());
    while position.ply() == start.ply() {
        (position, turn) = turn.extended(&position, choose(&position));
    }
    turn
}
