//! Boards as pictures: positions, names and contents of the cells, for front ends that draw them.
//!
//! The text of a board has the same symbols. Its cells and labels are arranged as in the picture.

use serde::Serialize;

use crate::games::{Ending, Game, Turn};

/// The shape of the cells.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Shape {
    /// Squares in rows and columns.
    Square,
    /// Hexagons with a corner at the top. Adjacent rows are shifted by half a cell.
    Hexagon,
}

/// The form and the colour in which a piece is drawn.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Look {
    /// A piece of Black.
    Black,
    /// A piece of White.
    White,
    /// A piece of neither side. A click on an empty cell moves it there if it is the only one.
    Neutral,
    /// A hole in the board.
    Hole,
}

/// A kind of pieces.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize)]
pub struct Piece {
    /// Its symbol in texts. The case of a position's text is ignored, so letters are lower case.
    pub symbol: char,
    /// Its name for people.
    pub name: &'static str,
    /// How it is drawn.
    pub look: Look,
    /// Up to two characters that are drawn on it. Empty for the usual sign of the look.
    pub sign: &'static str,
}

impl Piece {
    /// The pieces of most games: `x` for Black, `o` for White, `*` for the neutron, `#` for a hole.
    pub const USUAL: &'static [Self] = &[
        Self::new('x', "Black", Look::Black),
        Self::new('o', "White", Look::White),
        Self::new('*', "Neutron", Look::Neutral),
        Self::new('#', "Hole", Look::Hole),
    ];

    /// A kind of pieces with the usual sign of its look.
    pub const fn new(symbol: char, name: &'static str, look: Look) -> Self {
        Self { symbol, name, look, sign: "" }
    }

    /// The same with a sign of up to two characters.
    pub const fn with_sign(self, sign: &'static str) -> Self {
        Self { sign, ..self }
    }
}

/// A letter or a digit beside the board. The unit of the coordinates is the distance between the
/// centres of neighbouring cells, and `y` points down.
#[derive(Clone, Copy, PartialEq, Debug, Serialize)]
pub struct Label {
    /// The letter or digit.
    pub text: char,
    /// The horizontal position of its centre, from the left.
    pub x: f32,
    /// The vertical position of its centre, from the top.
    pub y: f32,
}

/// The labels of columns, from the left, and of rows, from the top.
#[derive(Clone, PartialEq, Debug)]
pub struct Labels {
    /// The labels of columns.
    pub columns: Vec<Label>,
    /// The labels of rows, at the left of the board.
    pub rows: Vec<Label>,
}

impl Labels {
    /// The labels of a square board. Those of the columns are at height `y`: -1 is above the
    /// board, the number of rows is below it.
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
/// The cells are those of its [`Spec`](crate::games::Spec), numbered from the top left of the board
/// as it is printed, whichever side is to move.
pub trait Picture: Game {
    /// The shape of its cells.
    const SHAPE: Shape = Shape::Square;

    /// Whether a turn names a column, in which the piece falls to the lowest empty cell.
    const DROPS: bool = false;

    /// All kinds of pieces by their symbols; `.` is an empty cell. The first of a colour is the one
    /// that this side places. Symbols in the text of a position are also in
    /// [`SYMBOLS`](Game::SYMBOLS).
    const PIECES: &'static [Piece] = Piece::USUAL;

    /// The cells of the board, in the order in which they are printed.
    fn cells() -> Vec<usize> {
        (0..Self::SPEC.cells()).collect()
    }

    /// The centre of a cell, `[x, y]` from the left and from the top, in units of the distance
    /// between neighbouring cells.
    fn centre(cell: usize) -> [f32; 2] {
        [(cell % Self::SPEC.width) as f32, (cell / Self::SPEC.width) as f32]
    }

    /// The labels beside the board.
    fn labels(rules: &Self::Rules) -> Labels;

    /// The symbol of what is on a cell, one of [`PIECES`](Self::PIECES), or `.`.
    fn symbol(&self, cell: usize) -> char;

    /// The numbers of pieces that Black and White have yet to place, in games with pieces in hand.
    fn hand(&self) -> Option<[u32; 2]> {
        None
    }

    /// The cells that a person clicks, in order, to make a turn. They are returned as indices into
    /// `names`, the names of the cells. The legal turns of a position have different paths.
    fn path(names: &[String], turn: &Turn) -> Vec<usize> {
        let (mut path, mut rest) = (Vec::new(), turn.text.as_str());
        while !rest.is_empty() {
            let named = names.iter().position(|name| rest.starts_with(name.as_str()));
            // Between the names of cells there are single characters, such as `-` or `x`.
            rest = &rest[named.map_or(1, |cell| names[cell].len())..];
            path.extend(named);
        }
        path
    }
}

/// The symbol of a cell, given whether the side to move and whether the other side has a piece
/// there.
pub fn piece<G: Game>(game: &G, [own, other]: [bool; 2]) -> char {
    match (own, other) {
        (true, _) => game.to_move().colour(G::FIRST),
        (_, true) => game.to_move().other().colour(G::FIRST),
        _ => '.',
    }
}

/// Why the game ended, with its cells as indices into [`Picture::cells`].
pub fn ending_on_board<G: Picture>(game: &G) -> Option<Ending> {
    let Ending { reason, cells } = game.ending()?;
    let all = G::cells();
    let index = |cell: usize| all.iter().position(|&other| other == cell);
    Some(Ending { reason, cells: cells.into_iter().filter_map(index).collect() })
}
