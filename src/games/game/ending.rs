//! Why a game ended, in words.

use serde::Serialize;

use super::Outcome;
use crate::games::board::{Cells, bits};

/// Why a game ended.
#[derive(Clone, PartialEq, Eq, Debug, Serialize)]
pub struct Ending {
    /// A sentence for people, without its full stop.
    pub reason: String,
    /// The cells that decided the game, ascending; none if no single cells did. They are numbered
    /// row by row from the top of the board as it is printed, whichever side moved last.
    pub cells: Vec<usize>,
}

impl Ending {
    /// An ending that no single cells decided.
    pub fn new(reason: impl Into<String>) -> Self {
        Self { reason: reason.into(), cells: Vec::new() }
    }

    /// The same with the cells that decided it, as bits.
    pub fn on(self, cells: impl Cells) -> Self {
        Self { cells: bits(cells).collect(), ..self }
    }

    /// The end of a game that reached the limit `max_plies`.
    pub fn over_long(max_plies: u16) -> Self {
        Self::new(format!("The limit of {max_plies} turns was reached"))
    }

    /// The end of a game in which lines of `length` win, given the cells of the complete lines.
    pub fn of_lines(outcome: Outcome, winner: &str, length: &str, lines: impl Cells) -> Self {
        match outcome {
            Outcome::Win(_) => Self::new(format!("{winner} has {length} in a line")).on(lines),
            Outcome::Draw => {
                Self::new(format!("The board is full and nobody has {length} in a line"))
            }
        }
    }
}
