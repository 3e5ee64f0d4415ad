//! Boards as pictures: positions, names and contents of the cells, for front ends that draw them.
//!
//! The text of a board has the same symbols. Its cells and labels are arranged as in the picture.

use serde::Serialize;

use crate::games::{Colour, Ending, Game, Turn};

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

/// A letter or a number beside the board. The unit of the coordinates is the distance between the
/// centres of neighbouring cells, and `y` points down. On the text board its last sign is there.
#[derive(Clone, PartialEq, Debug, Serialize)]
pub struct Label {
    /// The letter or number.
    pub text: String,
    /// The horizontal position of its centre, from the left.
    pub x: f32,
    /// The vertical position of its centre, from the top.
    pub y: f32,
}

impl Label {
    /// A label whose text is a letter or a number.
    pub fn new(text: impl ToString, x: f32, y: f32) -> Self {
        Self { text: text.to_string(), x, y }
    }
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
    /// The labels of a board of squares, letters or numbers: of columns from the left and of rows
    /// from the top. Those of the columns are at height `y`: -1 is above the board, the number of
    /// rows is below it.
    pub fn square(
        columns: impl Iterator<Item = impl ToString>,
        rows: impl Iterator<Item = impl ToString>,
        y: f32,
    ) -> Self {
        let columns = columns.enumerate().map(|(x, text)| Label::new(text, x as f32, y));
        let rows = rows.enumerate().map(|(y, text)| Label::new(text, -1.0, y as f32));
        Self { columns: columns.collect(), rows: rows.collect() }
    }
}

/// A side of the board that belongs to a colour, as in Hex, where each player connects two of them.
#[derive(Clone, PartialEq, Debug)]
pub struct Edge {
    /// Whose side it is.
    pub colour: Colour,
    /// The cells along it, by their numbers.
    pub cells: Vec<usize>,
    /// The direction `[x, y]` away from the board, of any length, with `y` down: `[0.0, -1.0]` at
    /// the top.
    pub outward: [f32; 2],
}

impl Edge {
    /// The side along these cells in the direction `outward`.
    pub fn new(colour: Colour, cells: impl IntoIterator<Item = usize>, outward: [f32; 2]) -> Self {
        Self { colour, cells: cells.into_iter().collect(), outward }
    }
}

/// The lines to draw for an [`Edge`].
#[derive(Clone, PartialEq, Debug, Serialize)]
pub(crate) struct EdgeLines {
    /// `x` or `o`.
    pub colour: char,
    /// Lines from one point to another.
    pub lines: Vec<[[f32; 2]; 2]>,
}

/// A game whose board can be drawn.
///
/// The cells are those of its [`Spec`](crate::games::Spec), numbered from the top left of the board
/// as it is printed, whichever side is to move.
///
/// `tavoliere::testing::contract` checks these laws:
///
/// * The nearest cells are at distance 1.
/// * The text of the board, by `Display`, has the symbols of the cells and the labels where the
///   picture has them, and nothing else. A cell at `[x, y]` is the character `2 * x + 2` of line
///   `y`, where rows of hexagons are `sqrt(3) / 2` apart in the picture. Labels above the board add
///   a line, and labels of two signs at the left a character, as `draw_rows` and `draw_letters` of
///   [`board`](crate::games::board) do. With pieces in hand the last line is `hand x=3 o=4`.
/// * The names of the cells differ. The path of a turn is the cells that its text names between
///   the signs `-`, `,`, `@` and `x`. The legal turns of a position have different paths.
/// * All symbols are those of [`PIECES`](Self::PIECES).
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

    /// The sides of the board that are drawn in the colours of the players, if there are any.
    fn edges() -> Vec<Edge> {
        Vec::new()
    }

    /// The symbol of what is on a cell, one of [`PIECES`](Self::PIECES), or `.`.
    fn symbol(&self, cell: usize) -> char;

    /// The numbers of pieces that Black and White have yet to place, in games with pieces in hand.
    fn hand(&self) -> Option<[u32; 2]> {
        None
    }

    /// The cells that a person clicks, in order, to make a turn: by default those that its text
    /// names, where a name may be the beginning of another, as `a1` of `a10`. They are returned as
    /// indices into `names`, the names of the cells. The legal turns of a position have different
    /// paths.
    fn path(names: &[String], turn: &Turn) -> Vec<usize> {
        let (mut path, mut rest) = (Vec::new(), turn.text.as_str());
        while !rest.is_empty() {
            let is_next = |cell: &usize| rest.starts_with(names[*cell].as_str());
            let named = (0..names.len()).filter(is_next).max_by_key(|&cell| names[cell].len());
            // Between the names of cells there are single characters, such as `-` or `x`.
            rest = &rest[named.map_or(1, |cell| names[cell].len())..];
            path.extend(named);
        }
        path
    }
}

/// The corners of a cell around its centre, for cells that fill the board.
pub(crate) fn outline(shape: Shape) -> Vec<[f32; 2]> {
    match shape {
        Shape::Square => vec![[-0.5, -0.5], [0.5, -0.5], [0.5, 0.5], [-0.5, 0.5]],
        Shape::Hexagon => (0..6)
            .map(|corner| {
                let angle = (corner as f32 + 0.5) * std::f32::consts::FRAC_PI_3;
                [angle.cos(), angle.sin()].map(|part| part / 3_f32.sqrt())
            })
            .collect(),
    }
}

/// The lines of the [edges](Picture::edges) of a game.
pub(crate) fn edge_lines<G: Picture>() -> Vec<EdgeLines> {
    let centres: Vec<[f32; 2]> = G::cells().into_iter().map(G::centre).collect();
    let lines = |Edge { colour, cells, outward }| EdgeLines {
        colour: if colour == Colour::Black { 'x' } else { 'o' },
        lines: (cells.into_iter().map(G::centre))
            .flat_map(|cell| outer_sides(G::SHAPE, &centres, cell, outward))
            .collect(),
    };
    G::edges().into_iter().map(lines).collect()
}

/// The sides of the cell at a centre that face outward and have none of the board's cells behind
/// them.
fn outer_sides(
    shape: Shape,
    centres: &[[f32; 2]],
    [x, y]: [f32; 2],
    [right, down]: [f32; 2],
) -> Vec<[[f32; 2]; 2]> {
    let is_cell = |[x, y]: [f32; 2]| centres.iter().any(|[u, v]| (x - u).hypot(y - v) < 0.3);
    let corners = outline(shape);
    let next = corners.iter().cycle().skip(1);
    let sides = corners.iter().zip(next).filter(|&(&[a, b], &[c, d])| {
        let ahead = ((a + c) * right + (b + d) * down) / right.hypot(down);
        // The next cell is as far behind the side as the centre is before it.
        ahead > 0.3 && !is_cell([x + a + c, y + b + d])
    });
    sides.map(|(&[a, b], &[c, d])| [[x + a, y + b], [x + c, y + d]]).collect()
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::games::{Text, TicTacToe};

    #[test]
    fn a_path_takes_the_longest_name_that_fits() {
        let names = ["a1", "a10", "a11", "b1"].map(str::to_owned);
        let turn = |text| Turn { text: Text::from(text).unwrap(), actions: Default::default() };
        assert_eq!(TicTacToe::path(&names, &turn("a10")), [1]);
        assert_eq!(TicTacToe::path(&names, &turn("a1-a11,b1")), [0, 2, 3]);
    }

    #[test]
    fn the_outer_sides_of_a_row_face_one_way_only() {
        let squares = [[0.0, 0.0], [1.0, 0.0], [0.0, 1.0], [1.0, 1.0]];
        let side = |cell, outward| outer_sides(Shape::Square, &squares, cell, outward);
        assert_eq!(side([1.0, 0.0], [0.0, -2.0]), [[[0.5, -0.5], [1.5, -0.5]]]);
        assert!(side([1.0, 1.0], [0.0, -2.0]).is_empty(), "a cell is above it");
        // Two hexagons side by side: each has two sides at the top, which meet in a corner.
        let hexagons = [[0.0, 0.0], [1.0, 0.0]];
        let sides = outer_sides(Shape::Hexagon, &hexagons, [0.0, 0.0], [0.0, -1.0]);
        let corner = |[x, y]: [f32; 2]| [x, y].map(|part| (part * 100.0).round() as i32);
        let corners: Vec<_> = sides.iter().map(|side| side.map(corner)).collect();
        assert_eq!(corners, [[[-50, -29], [0, -58]], [[0, -58], [50, -29]]]);
        assert_eq!(outer_sides(Shape::Hexagon, &hexagons, [0.0, 0.0], [1.0, 0.0]).len(), 2);
    }
}
