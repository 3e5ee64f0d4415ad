//! The commands by which GoGui asks for the rules of another game than Go.
//!
//! After the manual of GoGui, chapter "Analyze Commands" and its rules commands. GoGui knows square
//! boards of black and white stones: pieces of no colour and holes are shown as empty points.

use super::Engine;
use crate::play::engine::session::{Answer, Colour, Session};
use crate::play::players::PlayerFactory;

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
}

/// Type, label and command of what a front end may show.
const ANALYZE_COMMANDS: [&str; 4] = [
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
    let row = |row: &str| {
        let mut points: Vec<&str> = row.chars().map(point).collect();
        points.resize(size, ".");
        points.join(" ")
    };
    let empty = vec!["."; size].join(" ");
    let mut lines: Vec<String> = rows.map(row).collect();
    // The board stands at the lower left.
    while lines.len() < size {
        lines.insert(0, empty.clone());
    }
    lines.join("\n")
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
