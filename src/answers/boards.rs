//! JSON descriptions of games and positions, with everything that the page draws.

use anyhow::Result;
use serde::{Serialize, Serializer};
use serde_json::value::RawValue;
use serde_json::{Map, Value};

use super::rulebooks::Explained;
use crate::games::picture::{EdgeLines, Label, Labels, Piece, Shape};
use crate::games::{Colour, Ending, Outcome, Turn, legal_turns};
use crate::play::Threefold;
use crate::play::analysis::{Chances, Problem, Query, winner_name};
use crate::registry::{self, Listing, Position, Variant};

/// A game and its board.
#[derive(Serialize)]
struct Board<'a> {
    name: &'a str,
    title: &'a str,
    family: &'a str,
    about: &'a str,
    /// The colour that moves first.
    first: &'a str,
    shape: Shape,
    columns: usize,
    rows: usize,
    drop: bool,
    /// All kinds of pieces.
    pieces: &'a [Piece],
    /// The symbols of the text of a position.
    symbols: &'a str,
    /// The lengths of the rows of that text.
    row_lengths: Vec<usize>,
    /// The names of the counters of that text.
    counters: &'a [&'a str],
    rules: Map<String, Value>,
    options: Vec<Explained>,
    cells: Vec<Cell>,
    column_labels: Vec<String>,
    row_labels: Vec<String>,
    /// The labels of columns and rows with their places.
    coordinates: Vec<Label>,
    /// The coloured sides of the board.
    edges: Vec<EdgeLines>,
}

#[derive(Serialize)]
struct Cell {
    name: String,
    x: f32,
    y: f32,
}

/// Returns all games as a JSON array.
///
/// # Errors
///
/// If a game cannot be written as JSON.
pub(crate) fn catalogue() -> Result<String> {
    let boards = registry::all().iter().map(board).collect::<Result<Vec<_>>>()?;
    Ok(serde_json::to_string(&boards)?)
}

fn board(listing: &Listing) -> Result<Value> {
    let variant = &listing.variant;
    let (game, Labels { columns, rows }) = (variant.game(), variant.labels());
    let texts = |labels: &[Label]| labels.iter().map(|label| label.text.clone()).collect();
    let cell = |(cell, name): (usize, String)| {
        let [x, y] = game.centre(cell);
        Cell { name, x, y }
    };
    Ok(serde_json::to_value(Board {
        name: variant.name,
        title: listing.title,
        family: listing.family(),
        about: listing.summary,
        first: if game.first() == Colour::Black { "x" } else { "o" },
        shape: game.shape(),
        columns: variant.spec().width,
        rows: variant.spec().height,
        drop: game.drops(),
        pieces: game.pieces(),
        symbols: game.symbols(),
        row_lengths: game.rows(),
        counters: game.counters(),
        rules: variant.options(),
        options: game.options().iter().map(Explained::from).collect(),
        cells: game.cells().into_iter().zip(variant.cell_names()).map(cell).collect(),
        column_labels: texts(&columns),
        row_labels: texts(&rows),
        coordinates: [columns, rows].concat(),
        edges: game.edges(),
    })?)
}

/// A position and the turns that led there.
pub(crate) struct Line {
    /// The position.
    pub position: Position,
    /// The turns.
    pub turns: Vec<Turn>,
    /// Whether the third occurrence of a position is a draw.
    threefold: Threefold,
}

impl Line {
    /// Plays the turns of a query; `threefold` if the third occurrence of a position is a draw.
    ///
    /// # Errors
    ///
    /// If the start is no position of the game, or a turn is not legal.
    pub(crate) fn of(
        query: &Query<'_>,
        variant: &Variant,
        threefold: bool,
    ) -> Result<Self, Problem> {
        let start = query.start(variant)?;
        let threefold = Threefold::new(threefold, &start);
        let mut line = Self { position: start, turns: Vec::new(), threefold };
        query.position(variant, |turn| line.push(turn.clone()))?;
        Ok(line)
    }

    /// How the game ended, if it did.
    pub(crate) fn outcome(&self) -> Option<Outcome> {
        self.threefold.outcome(&self.position)
    }

    /// Why the game ended, with the cells of the picture that decided it.
    fn ending(&self) -> Option<Ending> {
        self.position.ending_on_board().or_else(|| self.threefold.ending())
    }

    /// Plays another turn.
    pub(crate) fn push(&mut self, turn: Turn) {
        turn.play_on(&mut self.position);
        self.threefold.note(&self.position);
        self.turns.push(turn);
    }
}

/// The fields that the answer to `/api/reply` has besides the position.
#[derive(Serialize)]
pub(crate) struct Reply {
    /// The turn.
    #[serde(serialize_with = "text")]
    pub turn: Turn,
    /// The value by the player's search, for the side that played the turn; `None` if the player
    /// cannot analyse.
    pub value: Option<Chances>,
}

fn text<S: Serializer>(turn: &Turn, serializer: S) -> Result<S::Ok, S::Error> {
    serializer.serialize_str(&turn.text)
}

#[derive(Serialize)]
struct Described<'a> {
    game: &'a str,
    rules: Box<RawValue>,
    moves: Vec<&'a str>,
    board: String,
    position: String,
    squares: String,
    hand: Option<Hand>,
    to_move: Option<char>,
    ply: u32,
    legal: Vec<Legal<'a>>,
    last: Vec<usize>,
    outcome: Option<&'static str>,
    winner: Option<&'static str>,
    ending: Option<Ending>,
    #[serde(flatten)]
    reply: Option<Reply>,
}

#[derive(Serialize)]
struct Hand {
    x: u32,
    o: u32,
}

#[derive(Serialize)]
struct Legal<'a> {
    turn: &'a str,
    path: Vec<usize>,
}

/// Returns a position as a JSON object, with the fields of `reply` if there is one.
pub(crate) fn describe(variant: &Variant, line: &Line, reply: Option<Reply>) -> String {
    let game = &line.position;
    let names = variant.cell_names();
    let outcome = line.outcome();
    let legal = if outcome.is_none() { legal_turns(game) } else { Vec::new() };
    let position = Described {
        game: variant.name,
        rules: RawValue::from_string(variant.options_text()).expect("options are JSON"),
        moves: line.turns.iter().map(|turn| turn.text.as_str()).collect(),
        board: game.to_string(),
        position: game.position_text(),
        squares: game.squares(),
        hand: game.hand().map(|[x, o]| Hand { x, o }),
        to_move: outcome.is_none().then(|| game.to_move().colour(variant.game().first())),
        ply: game.ply(),
        legal: legal
            .iter()
            .map(|turn| Legal { turn: &turn.text, path: variant.game().path(&names, turn) })
            .collect(),
        last: line.turns.last().map_or_else(Vec::new, |turn| variant.game().path(&names, turn)),
        outcome: outcome.map(|outcome| outcome.colour(variant.game().first())),
        winner: outcome.map(winner_name),
        ending: line.ending(),
        reply,
    };
    serde_json::to_string(&position).expect("plain values are JSON")
}

#[cfg(test)]
mod tests {
    use std::fmt;

    use serde_json::json;

    use super::*;
    use crate::games::picture::{Look, Picture};
    use crate::games::symmetry::{self, Matrix};
    use crate::games::{Action, Game, Side, Spec, Text, TicTacToeRules};

    /// A game of two cells. A turn puts a king on the first one that is empty.
    #[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
    struct Kings {
        placed: u32,
    }

    impl Game for Kings {
        type Rules = TicTacToeRules;

        const RULES_VERSION: u32 = 1;
        const FIRST: Colour = Colour::Black;
        const SPEC: Spec =
            Spec { planes: 1, height: 1, width: 2, displacements: &[(0, 0)], pass: false };
        const ACTIONS: &'static str = "puts a king on the cell";
        const SYMMETRIES: &'static [Matrix] = symmetry::TRIVIAL;

        const SYMBOLS: &'static str = "kq.";

        fn initial(_: &Self::Rules) -> Self {
            Self { placed: 0 }
        }

        fn ply(&self) -> u32 {
            self.placed
        }

        fn outcome(&self) -> Option<Outcome> {
            (self.placed == 2).then_some(Outcome::Draw)
        }

        fn legal_actions(&self, actions: &mut Vec<Action>) {
            actions.clear();
            actions.extend((self.placed < 2).then_some(self.placed as Action));
        }

        fn play(&mut self, _: Action) {
            self.placed += 1;
        }

        fn observe(&self, planes: &mut [f32]) {
            planes.fill(self.placed as f32 / 2.0);
        }

        fn planes() -> Vec<&'static str> {
            vec!["the number of kings, divided by 2"]
        }

        fn cell_name(&self, cell: usize) -> String {
            self.action_text(cell as Action).to_string()
        }

        fn action_text(&self, action: Action) -> Text {
            let mut text = Text::new();
            text.push(['a', 'b'][usize::from(action)]);
            text
        }

        fn position_key(&self) -> u64 {
            u64::from(self.placed)
        }
    }

    impl Picture for Kings {
        const PIECES: &'static [Piece] = &[
            Piece::new('k', "Black king", Look::Black).with_sign("K"),
            Piece::new('q', "White king", Look::White).with_sign("K"),
        ];

        fn labels(_: &Self::Rules) -> Labels {
            Labels { columns: Vec::new(), rows: Vec::new() }
        }

        fn symbol(&self, cell: usize) -> char {
            if cell < self.placed as usize { ['k', 'q'][cell] } else { '.' }
        }
    }

    impl fmt::Display for Kings {
        fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
            write!(f, "  {} {}", self.symbol(0), self.symbol(1))
        }
    }

    #[test]
    fn a_game_says_what_its_pieces_are() {
        let listing = registry::game::<Kings>("kings", TicTacToeRules {}, "Kings", "no goal");
        let variant = &listing.variant;
        let described = board(&listing).unwrap();
        let pieces = json!([
            { "symbol": "k", "name": "Black king", "look": "black", "sign": "K" },
            { "symbol": "q", "name": "White king", "look": "white", "sign": "K" },
        ]);
        assert_eq!(described["pieces"], pieces);
        assert_eq!(described["symbols"], "kq.");
        let mut position = variant.initial();
        position.play(0);
        assert_eq!((position.squares().as_str(), position.to_move()), ("k.", Side::P2));
    }

    #[test]
    fn the_games_that_ship_have_the_usual_pieces() {
        let games: Value = serde_json::from_str(&catalogue().unwrap()).unwrap();
        let usual = json!([
            { "symbol": "x", "name": "Black", "look": "black", "sign": "" },
            { "symbol": "o", "name": "White", "look": "white", "sign": "" },
            { "symbol": "*", "name": "Neutron", "look": "neutral", "sign": "" },
            { "symbol": "#", "name": "Hole", "look": "hole", "sign": "" },
        ]);
        for game in games.as_array().unwrap() {
            assert_eq!(game["pieces"], usual, "{}", game["name"]);
        }
    }
}
