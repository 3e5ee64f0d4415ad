//! Positions in the rules: how they are written, and what they show.

use serde::Serialize;
use serde_json::{Map, Value};

use crate::games::picture::{EdgeLines, Label, Piece};
use crate::games::{self, Ending, options};
use crate::registry::{self, Variant};

/// A position as it is written in a text.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct Diagram {
    /// The game.
    pub game: String,
    /// Its options that differ from the preset, written `OPTION=VALUE`.
    pub options: Vec<String>,
    /// The turns from the start.
    pub turns: Vec<String>,
    /// The cells to point at.
    pub marks: Vec<String>,
    /// The board as text. It is there for readers of the source; a test compares it.
    pub board: String,
    /// What the position shows.
    pub caption: String,
}

impl Diagram {
    /// Parses a block, given the line that opens it without its quotes, and the other lines.
    ///
    /// # Errors
    ///
    /// What is wrong with it.
    pub(super) fn read(head: &str, lines: &[&str], caption: String) -> Result<Self, String> {
        let mut words = head.split_whitespace();
        let (Some("position"), Some(game)) = (words.next(), words.next()) else {
            return Err(format!("a block is ```position GAME, not ```{head}"));
        };
        let options = words.map(str::to_owned).collect();
        let blank = lines.iter().position(|line| line.is_empty()).ok_or("no board")?;
        let (orders, board) = (&lines[..blank], lines[blank + 1..].join("\n"));
        let [mut turns, mut marks] = [Vec::new(), Vec::new()];
        for line in orders {
            let mut words = line.split_whitespace();
            let list = match words.next() {
                Some("turns") => &mut turns,
                Some("mark") => &mut marks,
                _ => return Err(format!("neither turns nor a mark: {line}")),
            };
            list.extend(words.map(str::to_owned));
        }
        Ok(Self { game: game.to_owned(), options, turns, marks, board, caption })
    }

    /// The game with its options.
    ///
    /// # Errors
    ///
    /// If there is no such game or option.
    pub(crate) fn variant(&self) -> Result<Variant, String> {
        let rules =
            options(self.options.iter().map(String::as_str)).map_err(|it| it.to_string())?;
        registry::find(&self.game, &rules).map_err(|error| error.to_string())
    }

    /// Plays the turns.
    ///
    /// # Errors
    ///
    /// If the game, an option, a turn or a marked cell does not exist.
    pub(crate) fn shown(&self) -> Result<Shown, String> {
        shown(self, &self.variant()?)
    }

    /// As [`shown`](Self::shown), for a diagram of the texts in the program.
    pub(super) fn of_text(&self) -> Shown {
        self.shown().expect("a test plays the turns of all diagrams")
    }
}

/// A position with everything that a picture of it needs. The fields are those of a position of the
/// server.
#[derive(Clone, Debug, Serialize)]
pub(crate) struct Shown {
    pub(crate) game: &'static str,
    pub(crate) rules: Map<String, Value>,
    pub(crate) moves: Vec<String>,
    pub(crate) board: String,
    pub(crate) squares: String,
    pub(crate) to_move: Option<char>,
    /// The cells of the last turn, as indices into the cells of the picture.
    pub(crate) last: Vec<usize>,
    /// The cells to point at.
    pub(crate) marks: Vec<usize>,
    pub(crate) outcome: Option<&'static str>,
    pub(crate) ending: Option<Ending>,
    pub(crate) caption: String,
    #[serde(skip)]
    pub(super) picture: Frame,
}

/// The board without what stands on it.
#[derive(Clone, Debug)]
pub(super) struct Frame {
    pub(super) shape: games::picture::Shape,
    pub(super) drops: bool,
    pub(super) centres: Vec<[f32; 2]>,
    /// The names of the cells.
    pub(super) names: Vec<String>,
    pub(super) labels: Vec<Label>,
    pub(super) edges: Vec<EdgeLines>,
    pub(super) pieces: &'static [Piece],
}

fn frame(variant: &Variant) -> Frame {
    let (game, labels) = (variant.game(), variant.labels());
    Frame {
        shape: game.shape(),
        drops: game.drops(),
        centres: game.cells().into_iter().map(|cell| game.centre(cell)).collect(),
        names: variant.cell_names(),
        labels: [labels.columns, labels.rows].concat(),
        edges: game.edges(),
        pieces: game.pieces(),
    }
}

fn shown(diagram: &Diagram, variant: &Variant) -> Result<Shown, String> {
    let names = variant.cell_names();
    let (mut moves, mut last) = (Vec::new(), Vec::new());
    let game = variant
        .replay(&diagram.turns, |turn| {
            moves.push(turn.text.to_string());
            last = variant.game().path(&names, turn);
        })
        .map_err(|(index, error)| format!("turn {}: {error}", index + 1))?;
    let cell =
        |name: &String| names.iter().position(|it| it == name).ok_or(format!("no cell {name}"));
    let outcome = game.outcome().map(|outcome| outcome.colour(variant.game().first()));
    Ok(Shown {
        game: variant.name,
        rules: variant.changed_options(),
        moves,
        board: game.to_string(),
        squares: game.squares(),
        to_move: outcome.is_none().then(|| game.to_move().colour(variant.game().first())),
        last,
        marks: diagram.marks.iter().map(cell).collect::<Result<_, _>>()?,
        outcome,
        ending: game.ending_on_board(),
        caption: diagram.caption.clone(),
        picture: frame(variant),
    })
}

impl Shown {
    /// Who is to move, or how the game ended.
    pub(crate) fn status(&self) -> String {
        let name = |colour| if colour == 'x' { "Black" } else { "White" };
        let reason = self.ending.as_ref().map_or("", |ending| &ending.reason);
        match (self.to_move, self.outcome) {
            (Some(side), _) => format!("{} to move.", name(side)),
            (_, Some("x")) => format!("Black has won: {reason}."),
            (_, Some("o")) => format!("White has won: {reason}."),
            _ => format!("A draw: {reason}."),
        }
    }
}
