//! Positions whose right turns are proven, and how many of them a player finds.
//!
//! A match says which of two players is better; these positions say how far one is from playing
//! without a mistake. What is right was found by a solver or by the [prover](crate::classic::prover), never
//! by an evaluation.
//!
//! * [`mod@file`]: sets of positions as files;
//! * [`builtin`]: the sets that come with the program;
//! * [`classify`]: what is proven of a position;
//! * [`gather`]: positions from games between two players;
//! * [`values`]: random positions of solved games;
//! * [`accuracy`]: the share of them in which a player chooses a correct turn.

pub mod builtin;
pub mod classify;
pub mod accuracy;
pub mod file;
pub mod gather;
mod kind;
pub mod values;

pub use kind::{Kind, KindError};

use crate::games::{Game, Text};

/// A position and the turns that are right in it.
#[derive(Clone, PartialEq, Debug)]
pub struct Position<G> {
    /// What is asked.
    pub kind: Kind,
    /// Its number in its set, which names the random numbers of a player who draws any.
    pub number: u64,
    /// The turns that lead to it from the start position.
    pub moves: Vec<Text>,
    /// The position, at the beginning of a turn.
    pub game: G,
    /// The right turns, sorted; at least one.
    pub right: Vec<Text>,
    /// How many turns are legal.
    pub legal: usize,
}

impl<G: Game> Position<G> {
    /// Whether it matters which turn is chosen: some legal turn is not right.
    pub fn matters(&self) -> bool {
        self.right.len() < self.legal
    }

    /// Whether a turn is a right one.
    pub fn is_solved_by(&self, turn: &Text) -> bool {
        self.right.binary_search(turn).is_ok()
    }
}
