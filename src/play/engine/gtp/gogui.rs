//! The commands by which GoGui asks for the rules of another game than Go.
//!
//! After the manual of GoGui, chapter "Analyze Commands" and its rules commands. GoGui knows square
//! boards of black and white stones: pieces of no colour and holes are shown as empty points.

use std::collections::BTreeMap;

use super::Engine;
use super::commands::SYNTAX;
use crate::play::engine::session::{Answer, Colour, Session};
use crate::play::players::{PlayerFactory, RankedTurn};

impl<F: PlayerFactory> Engine<F> {
    pub(super) fn rules_game(&mut self, _: &[String]) -> Answer {
        Ok(self.session()?.name().to_owned())
    }

    /// The longer side of the board.
    pub(super) fn rules_size(&mut self, _: &[String]) -> Answer {
        let [width, height] = self.session()?.size();
        Ok(width.max(height).to_string())
    }

    pub(super) fn rules_board(&mut self, _: &[String]) -> Answer {
        let session = self.session()?;
        let [width, height] = session.size();
        Ok(board(&session.position_text(), width.max(height)))
    }

    pub(super) fn rules_legal(&mut self, _: &[String]) -> Answer {
        let session = self.session()?;
        let turns = session.to_move().map(|colour| session.legal(colour)).unwrap_or_default();
        Ok(turns.iter().map(|turn| turn.as_str()).collect::<Vec<_>>().join(" "))
    }

    pub(super) fn rules_mover(&mut self, _: &[String]) -> Answer {
        Ok(self.session()?.to_move().map_or("none", Colour::name).to_owned())
    }

    pub(super) fn rules_result(&mut self, _: &[String]) -> Answer {
        let result = |session: &Session| match session.winner() {
            Err(_) => "the game goes on".to_owned(),
            Ok(None) => "a draw".to_owned(),
            Ok(Some(colour)) => format!("{} wins", colour.name()),
        };
        self.session().map(|session| result(session))
    }

    pub(super) fn analyze_commands(&mut self, _: &[String]) -> Answer {
        Ok(ANALYZE_COMMANDS.join("\n"))
    }

    /// `tavoliere-cells visits|values|policy`: numbers for the cells on which turns end.
    pub(super) fn cell_numbers(&mut self, arguments: &[String]) -> Answer {
        let [what] = arguments else { return Err(SYNTAX.to_owned()) };
        let what = CellNumbers::read(what).ok_or(SYNTAX)?;
        let time = self.session()?.to_move().and_then(|colour| self.allotment(colour));
        let session = self.session()?;
        let [width, height] = session.size();
        let report = session.report(time).ok_or("this player cannot analyse")?;
        let numbers = what.of(&session.ends_of(&report));
        let rows = session.rows_of_cells();
        let number =
            |cell: &usize| numbers.get(cell).map_or("0".to_owned(), |it| format!("{it:.3}"));
        let rows = rows.iter().map(|row| row.iter().map(number).collect()).collect();
        Ok(square(rows, width.max(height), "0"))
    }
}

/// What the numbers of cells say.
#[derive(Clone, Copy)]
enum CellNumbers {
    /// The share of the visits, from 0 to 1.
    Visits,
    /// The expected result after the most visited turn, from -1 to 1.
    Values,
    /// The prior probability, from 0 to 1.
    Policy,
}

impl CellNumbers {
    fn read(word: &str) -> Option<Self> {
        match word {
            "visits" => Some(Self::Visits),
            "values" => Some(Self::Values),
            "policy" => Some(Self::Policy),
            _ => None,
        }
    }

    /// The numbers by cell, from ranked turns, best first, with the cells on which they end.
    fn of(self, turns: &[(usize, &RankedTurn)]) -> BTreeMap<usize, f32> {
        let all: u32 = turns.iter().map(|(_, ranked)| ranked.visits).sum();
        let mut numbers = BTreeMap::new();
        for &(cell, ranked) in turns {
            let [win, _, loss] = ranked.wdl;
            match self {
                Self::Visits => {
                    *numbers.entry(cell).or_insert(0.0) += ranked.visits as f32 / all.max(1) as f32;
                }
                Self::Policy => *numbers.entry(cell).or_insert(0.0) += ranked.prior,
                Self::Values if ranked.visits > 0 || ranked.proven.is_some() => {
                    numbers.entry(cell).or_insert(win - loss);
                }
                Self::Values => {}
            }
        }
        numbers
    }
}

/// Type, label and command of what a front end may show.
const ANALYZE_COMMANDS: [&str; 7] = [
    "dboard/Visits/tavoliere-cells visits",
    "dboard/Values/tavoliere-cells values",
    "dboard/Policy/tavoliere-cells policy",
    "string/Position/tavoliere-position",
    "string/Board/showboard",
    "string/Legal turns/gogui-rules_legal_moves",
    "string/Analysis/tavoliere-analyze",
];

/// The rows of a position's text as `X`, `O` and `.`, filled up to a square.
fn board(position: &str, size: usize) -> String {
    let rows = position.split(' ').next().unwrap_or_default().split('/');
    let point = |piece: char| match piece {
        'x' | 'X' => "X",
        'o' | 'O' => "O",
        _ => ".",
    };
    let rows = rows.map(|row| row.chars().map(|piece| point(piece).to_owned()).collect()).collect();
    square(rows, size, ".")
}

/// Rows of a board, which stands at the lower left of a square that is otherwise `empty`.
fn square(mut rows: Vec<Vec<String>>, size: usize, empty: &str) -> String {
    while rows.len() < size {
        rows.insert(0, Vec::new());
    }
    let row = |mut row: Vec<String>| {
        row.resize(size, empty.to_owned());
        row.join(" ")
    };
    rows.into_iter().map(row).collect::<Vec<_>>().join("\n")
}

#[cfg(test)]
mod tests {
    use super::board;

    #[test]
    fn boards_are_squares_of_stones() {
        assert_eq!(board("xo*/..#/x.x o", 3), "X O .\n. . .\nX . X");
        assert_eq!(board("x../.o. x", 3), ". . .\nX . .\n. O .");
    }
}
