//! Test suites: positions with proven correct turns, and the accuracy of players on them.
//!
//! A match compares two players; a test suite compares a player with perfect play. Correct turns
//! were proven by a solver or by the [prover](crate::classic::prover), not by an evaluation.
//!
//! * [`mod@file`]: test suites as files;
//! * [`builtin`]: the test suites that are part of the program;
//! * [`classify`]: the kind and the correct turns of a position;
//! * [`gather`]: positions from games between two players;
//! * [`values`]: random positions of solved games;
//! * [`accuracy`]: the share of them in which a player chooses a correct turn;
//! * [`solved`]: the same for random positions of a solution;
//! * [`suite_check`]: whether suites agree with a solution.

pub(crate) mod accuracy;
pub(crate) mod builtin;
pub(crate) mod classify;
pub(crate) mod file;
pub(crate) mod gather;
mod kind;
pub(crate) mod solved;
pub(crate) mod suite_check;
pub(crate) mod values;

pub(crate) use kind::Kind;

use crate::games::Text;
use crate::registry::Position;

/// A position and its correct turns.
#[derive(Clone, PartialEq, Debug)]
pub(crate) struct SuitePosition {
    /// The kind, which defines the correct turns.
    pub kind: Kind,
    /// Its number in the test suite, on which the random numbers of players depend.
    pub number: u64,
    /// The turns from the start position to it.
    pub moves: Vec<Text>,
    /// The position, at the beginning of a turn.
    pub game: Position,
    /// The correct turns, sorted; at least one.
    pub right: Vec<Text>,
    /// The number of legal turns.
    pub legal: usize,
}

impl SuitePosition {
    /// Whether some legal turn is not correct.
    pub(crate) fn matters(&self) -> bool {
        self.right.len() < self.legal
    }

    /// Whether a turn is correct.
    pub(crate) fn is_solved_by(&self, turn: &Text) -> bool {
        self.right.binary_search(turn).is_ok()
    }
}
