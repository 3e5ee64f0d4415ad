//! The limits of a search, and its result.

use std::cmp::Ordering;
use std::time::Duration;

use crate::base::clock::Instant;
use crate::games::{Outcome, Side, Turn};
use crate::search::{Wdl, preference};

/// The maximum number of simulations of a turn with a time limit. It bounds memory.
const MOST_TIMED: u32 = 10_000_000;

/// The limits of the search of a turn.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Limits {
    /// The maximum number of simulations.
    pub simulations: u32,
    /// The latest time for the result.
    pub deadline: Option<Instant>,
}

impl Limits {
    /// A number of simulations without a time limit.
    pub fn simulations(simulations: u32) -> Self {
        Self { simulations, deadline: None }
    }

    /// As many simulations as fit before the deadline.
    pub fn until(deadline: Instant) -> Self {
        Self { simulations: MOST_TIMED, deadline: Some(deadline) }
    }
}

/// What a player may spend on a turn.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Budget {
    /// Simulations for each turn.
    Simulations(u32),
    /// Simulations for each turn, unless the time of a turn is set: then as many as there
    /// is time for.
    Otherwise(u32),
    /// Time.
    Time(Duration),
}

impl Budget {
    /// The limits of a turn that begins now, with the time set for a turn, if any.
    pub fn within(self, time: Option<Duration>) -> Limits {
        let deadline = time.map(|time| Instant::now() + time);
        match self {
            Self::Simulations(simulations) => Limits { simulations, deadline },
            Self::Otherwise(simulations) => {
                let simulations = if deadline.is_some() { MOST_TIMED } else { simulations };
                Limits { simulations, deadline }
            }
            Self::Time(own) => Limits::until(Instant::now() + time.unwrap_or(own).min(own)),
        }
    }
}

/// A turn with its statistics.
#[derive(Clone, PartialEq, Debug)]
pub struct RankedTurn {
    /// The turn.
    pub turn: Turn,
    /// Simulations through it.
    pub visits: u32,
    /// Product of the priors of its actions.
    pub prior: f32,
    /// Win, draw and loss for the side that plays it; meaningless without visits.
    pub wdl: Wdl,
    /// The result it leads to, if that is proven.
    pub proven: Option<Outcome>,
}

impl RankedTurn {
    /// The order of turns of `mover`, best first, but for the turn to play, which comes before all
    /// others.
    pub(super) fn preference(&self, other: &Self, mover: Side) -> Ordering {
        let key = |turn: &Self| (turn.proven, turn.visits, turn.prior);
        preference(mover, key(self), key(other))
    }
}

/// The result of the search of a position.
#[derive(Clone, PartialEq, Debug)]
pub struct SearchReport {
    /// The turn to play.
    pub best: Turn,
    /// Win, draw and loss of the position for the side to move, by the search.
    pub value: Wdl,
    /// The same by the evaluator alone.
    pub raw: Wdl,
    /// The result under best play, if it is proven.
    pub proven: Option<Outcome>,
    /// The turns that were searched or proven: the turn to play, proven wins, by descending visits,
    /// proven losses; in a tie by descending prior.
    pub turns: Vec<RankedTurn>,
    /// The principal variation, which begins with `best`.
    pub line: Vec<Turn>,
    /// Simulations made.
    pub simulations: u32,
}
