//! Boards as pictures: where cells lie, what they are called and what stands on them.
//!
//! The text of a board is drawn from the same symbols, and a picture agrees with it: cells and
//! labels lie where the text has them.

use serde::Serialize;

use crate::games::{Game, Turn};

/// The shape of cells.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Shape {
    /// Squares in rows and columns.
    Square,
    /// Hexagons with a corner at the top, in rows that stand half a cell to the side of each other.
    Hexagon,
}

/// A letter or a digit beside the board. The unit of places is the distance between the centres of
/// neighbouring cells; `y` counts downwards.
#[derive(Clone, Copy, PartialEq, Debug, Serialize)]
pub struct Label {
    /// The letter or digit.
    pub text: char,
    /// Where its centre lies, from the left.
    pub x: f32,
    /// Where its centre lies, from the top.
    pub y: f32,
}

/// The labels of columns, from the left, and of rows, from the top.
#[derive(Clone, PartialEq, Debug)]
pub struct Labels {
    /// Those of columns.
    pub columns: Vec<Label>,
    /// Those of rows, at the left of the board.
    pub rows: Vec<Label>,
}

impl Labels {
    /// The labels of a square board; those of its columns stand in the row `y`, -1 for above.
    pub fn square(
        columns: impl Iterator<Item = char>,
        rows: impl Iterator<Item = char>,
        y: f32,
    ) -> Self {
        let place = |(x, text): (usize, char)| Label { text, x: x as f32, y };
        let side = |(y, text): (usize, char)| Label { text, x: -1.0, y: y as f32 };
        Self {
            columns: columns.enumerate().map(place).collect(),
            rows: rows.enumerate().map(side).collect(),
        }
    }
}

/// A game whose board can be drawn.
///
/// Cells are those of its [`Spec`](crate::games::Spec), counted from the top left as the board is
/// printed, whichever side is to move.
pub trait Picture: Game {
    /// The shape of its cells.
    const SHAPE: Shape = Shape::Square;

    /// Whether a turn names a column, in which its piece falls to the lowest empty cell.
    const DROPS: bool = false;

    /// The cells of the board, in the order in which they are printed.
    fn cells() -> Vec<usize> {
        (0..Self::SPEC.cells()).collect()
    }

    /// Where the centre of a cell lies, from the left and from the top, in units of the distance
    /// between neighbours.
    fn centre(cell: usize) -> [f32; 2] {
        [(cell % Self::SPEC.width) as f32, (cell / Self::SPEC.width) as f32]
    }

    /// What is written beside the board.
    fn labels(rules: &Self::Rules) -> Labels;

    /// What stands on a cell: `x`, `o`, the neutron `*`, a hole `#`, or `.` for nothing.
    fn symbol(&self, cell: usize) -> char;

    /// The pieces that Black and White have yet to place, in games where these are counted.
    fn hand(&self) -> Option<[u32; 2]> {
        None
    }

    /// The cells that a person points at one after the other to make a turn, given the names of
    /// the cells: indices into these. Turns of one position have different paths.
    fn path(names: &[String], turn: &Turn) -> Vec<usize> {
        let (mut path, mut rest) = (Vec::new(), turn.text.as_str());
        while !rest.is_empty() {
            let named = names.iter().position(|name| rest.starts_with(name.as_str()));
            // What lies between the names of cells are single signs.
            rest = &rest[named.map_or(1, |cell| names[cell].len())..];
            path.extend(named);
        }
        path
    }
}

/// The symbol of a cell, given whether a piece of the side to move stands there and whether one of
/// the other side does.
pub fn piece<G: Game>(game: &G, [own, other]: [bool; 2]) -> char {
    match (own, other) {
        (true, _) => game.to_move().colour(G::FIRST),
        (_, true) => game.to_move().other().colour(G::FIRST),
        _ => '.',
    }
}

/// The names of all cells, in the order of [`Picture::cells`].
pub fn cell_names<G: Picture>(rules: &G::Rules) -> Vec<String> {
    // Who moves first sees the board as it is printed.
    let start = G::initial(rules);
    G::cells().into_iter().map(|cell| start.cell_name(cell)).collect()
}

/// The symbols of all cells, in the order of [`Picture::cells`].
pub fn squares<G: Picture>(game: &G) -> String {
    G::cells().into_iter().map(|cell| game.symbol(cell)).collect()
}
