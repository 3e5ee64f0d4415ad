//! Pictures of boards agree with boards as text and with the turns.

use std::collections::HashSet;

use rand::RngExt;

use crate::base::rng::{Purpose, stream};
use crate::games::picture::{Label, Labels, Shape};
use crate::games::{Turn, legal_turns};
use crate::registry::{GameType, Position, Variant};

/// The distance between rows of hexagons.
const ROW: f32 = 0.866_025_4;

/// How many columns a text board is moved to the right, as labels of several signs need it.
fn indentation(labels: &Labels) -> f32 {
    let start = |label: &Label| 2.0 * label.x + 3.0 - label.text.chars().count() as f32;
    -labels.columns.iter().chain(&labels.rows).map(start).fold(0.0, f32::min)
}

/// The character of a text board at the coordinates of the picture, `None` for a space or outside.
fn sign_at(shape: Shape, board: &str, labels: &Labels, [x, y]: [f32; 2]) -> Option<char> {
    let row = if shape == Shape::Hexagon { y / ROW } else { y };
    // Some boards have a line of labels above.
    let all = labels.columns.iter().chain(&labels.rows);
    let above = if all.into_iter().any(|label| label.y < 0.0) { 1.0 } else { 0.0 };
    let (row, column) = (row + above, 2.0 * x + 2.0 + indentation(labels));
    let is_whole = |number: f32| (number - number.round()).abs() < 1e-3;
    assert!(is_whole(row) && is_whole(column), "{x} {y}");
    board.lines().nth(row.round() as usize)?.chars().nth(column.round() as usize)
}

/// Symbols are those of the pieces, and signs are short enough to be drawn.
fn check_pieces(game: GameType) {
    let is_known = |symbol| game.pieces().iter().any(|piece| piece.symbol == symbol);
    for symbol in game.symbols().chars().filter(|symbol| *symbol != '.') {
        assert!(is_known(symbol), "{symbol} is in SYMBOLS and not in PIECES");
    }
    for (index, piece) in game.pieces().iter().enumerate() {
        let mut others = game.pieces()[..index].iter();
        assert!(others.all(|other| other.symbol != piece.symbol), "{piece:?} is there twice");
        assert!(piece.symbol != '.' && !piece.symbol.is_uppercase(), "{piece:?}");
        assert!(!piece.name.is_empty() && piece.sign.chars().count() <= 2, "{piece:?}");
    }
}

/// All cells and labels are at the same coordinates in the text, and the text has nothing else.
fn check_board(variant: &Variant, game: &Position) {
    let (board, labels) = (game.to_string(), variant.labels());
    let (cells, drawn) = (variant.game().cells(), game.squares());
    let sign_at = |centre| sign_at(variant.game().shape(), &board, &labels, centre);
    assert_eq!(drawn.len(), cells.len());
    for (cell, symbol) in cells.into_iter().zip(drawn.chars()) {
        let found = sign_at(variant.game().centre(cell));
        assert_eq!(found, Some(symbol), "cell {cell} of the picture, in the text:\n{board}");
        let mut pieces = variant.game().pieces().iter();
        let is_known = symbol == '.' || pieces.any(|piece| piece.symbol == symbol);
        assert!(is_known, "{symbol} is not in PIECES");
    }
    let mut beside = 0;
    for label in labels.columns.iter().chain(&labels.rows) {
        for (place, sign) in label.text.chars().rev().enumerate() {
            let found = sign_at([label.x - place as f32 / 2.0, label.y]);
            let [x, y] = [label.x, label.y];
            assert_eq!(
                found,
                Some(sign),
                "the label {} of the picture at [{x}, {y}], in the text:\n{board}",
                label.text
            );
            beside += 1;
        }
    }
    let hand = game.hand().map(|[x, o]| format!("\nhand x={x} o={o}"));
    let hand = hand.unwrap_or_default();
    assert!(board.ends_with(&hand), "{board}");
    let signs = board
        .strip_suffix(&hand)
        .expect("it ends with the hand")
        .chars()
        .filter(|sign| !sign.is_whitespace());
    assert_eq!(signs.count(), drawn.len() + beside, "{board}");
}

/// The cells that a turn names, found independently of the picture: the parts between separators.
fn named_cells<'a>(text: &'a str, names: &[String]) -> Vec<&'a str> {
    let parts = text.split(['-', ',', '@', 'x']);
    parts.filter(|part| names.iter().any(|name| name == part)).collect()
}

/// The path of a turn is the cells that it names. All paths differ.
fn check_paths(game: GameType, names: &[String], turns: &[Turn]) {
    let mut paths = HashSet::new();
    for turn in turns {
        let path = game.path(names, turn);
        let cells: Vec<&str> = path.iter().map(|&cell| names[cell].as_str()).collect();
        if game.drops() {
            assert_eq!(cells.len(), 1);
            assert_eq!(cells[0].split('/').next(), Some(turn.text.as_str()));
        } else {
            assert_eq!(cells, named_cells(&turn.text, names), "{}", turn.text);
            assert_eq!(path.is_empty(), ["pass", "swap"].contains(&turn.text.as_str()));
        }
        assert!(paths.insert(path), "{} is not the only one of its path", turn.text);
    }
}

/// Draws random games, and compares the pictures with the boards as text and with the turns.
pub(crate) fn of_games(variant: &Variant) {
    check_pieces(variant.game());
    let names = variant.cell_names();
    assert_eq!(names.iter().collect::<HashSet<_>>().len(), names.len());
    let mut rng = stream(11, 0, 0, Purpose::Playout);
    for _ in 0..5 {
        let mut game = variant.initial();
        check_board(variant, &game);
        for _ in 0..60 {
            let turns = legal_turns(&game);
            let Some(last) = turns.len().checked_sub(1) else { break };
            check_paths(variant.game(), &names, &turns);
            let turn = &turns[rng.random_range(0..=last)];
            turn.play_on(&mut game);
            check_board(variant, &game);
        }
    }
}

/// The nearest cells are at distance 1 in the picture.
pub(crate) fn distances(game: GameType) {
    let centres: Vec<[f32; 2]> = game.cells().into_iter().map(|cell| game.centre(cell)).collect();
    for (index, [x, y]) in centres.iter().enumerate() {
        let distance = |[u, v]: &[f32; 2]| (x - u).hypot(y - v);
        let others = centres.iter().enumerate().filter(|(other, _)| *other != index);
        let nearest = others.map(|(_, centre)| distance(centre)).fold(f32::INFINITY, f32::min);
        assert!((nearest - 1.0).abs() < 1e-3, "{nearest}");
    }
}

#[cfg(test)]
mod tests {
    use std::fmt;

    use super::*;
    use crate::games::board::{draw_letters, draw_rows, letter};

    /// A board of two columns and ten rows.
    struct Tall;

    impl fmt::Display for Tall {
        fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
            draw_rows(f, [2, 10], |row| 10 - row, |cell| if cell == 1 { 'x' } else { '.' })?;
            writeln!(f)?;
            draw_letters(f, [2, 10], letter)
        }
    }

    #[test]
    fn cells_stand_below_each_other_beside_labels_of_two_signs() {
        let labels = Labels::square((0..2).map(letter), (1..=10).rev(), 10.0);
        let board = Tall.to_string();
        assert!(board.starts_with("10 . x\n 9 . .\n"), "{board}");
        let sign = |x, y| sign_at(Shape::Square, &board, &labels, [x, y]);
        assert_eq!([sign(1.0, 0.0), sign(0.0, 9.0)], [Some('x'), Some('.')]);
        assert_eq!([sign(-1.0, 0.0), sign(-1.5, 0.0)], [Some('0'), Some('1')]);
        assert_eq!([sign(-1.0, 9.0), sign(1.0, 10.0)], [Some('1'), Some('b')]);
    }
}
