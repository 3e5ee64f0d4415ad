//! JSON descriptions of games and positions, with everything that the page draws.

use anyhow::Result;
use serde::{Serialize, Serializer};

use super::rulebooks::Explained;
use crate::games::picture::{Label, Labels, Picture, Shape, cell_names, ending_on_board, squares};
use crate::games::{Colour, Ending, Game, Outcome, Rules, Turn, legal_turns};
use crate::play::Threefold;
use crate::play::analysis::{Chances, Problem, Query, colour_of_winner, winner_name};
use crate::registry::{self, GAMES, Listing, Variant};

/// A game and its board.
#[derive(Serialize)]
struct Board<'a, R> {
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
    /// The symbols of the text of a position.
    symbols: &'a str,
    /// The lengths of the rows of that text.
    row_lengths: Vec<usize>,
    /// The names of the counters of that text.
    counters: &'a [&'a str],
    rules: &'a R,
    options: Vec<Explained>,
    cells: Vec<Cell>,
    column_labels: Vec<char>,
    row_labels: Vec<char>,
    /// The labels of columns and rows with their places.
    coordinates: Vec<Label>,
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
    let board = |listing: &Listing| -> Result<serde_json::Value> {
        let variant = registry::preset(listing.name)?;
        with_variant!(&variant, variant => board(variant, listing))
    };
    let boards = GAMES.iter().map(board).collect::<Result<Vec<_>>>()?;
    Ok(serde_json::to_string(&boards)?)
}

fn board<G: Picture>(variant: &Variant<G>, listing: &Listing) -> Result<serde_json::Value> {
    let Labels { columns, rows } = G::labels(&variant.rules);
    let texts = |labels: &[Label]| labels.iter().map(|label| label.text).collect();
    let cell = |(cell, name): (usize, String)| {
        let [x, y] = G::centre(cell);
        Cell { name, x, y }
    };
    Ok(serde_json::to_value(Board {
        name: variant.name,
        title: listing.title,
        family: listing.family(),
        about: listing.summary,
        first: if G::FIRST == Colour::Black { "x" } else { "o" },
        shape: G::SHAPE,
        columns: G::SPEC.width,
        rows: G::SPEC.height,
        drop: G::DROPS,
        symbols: G::SYMBOLS,
        row_lengths: G::rows(),
        counters: G::COUNTERS,
        rules: &variant.rules,
        options: <G::Rules as Rules>::OPTIONS.iter().map(Explained::from).collect(),
        cells: G::cells().into_iter().zip(cell_names::<G>(&variant.rules)).map(cell).collect(),
        column_labels: texts(&columns),
        row_labels: texts(&rows),
        coordinates: [columns, rows].concat(),
    })?)
}

/// A position and the turns that led there.
pub(crate) struct Line<G> {
    /// The position.
    pub position: G,
    /// The turns.
    pub turns: Vec<Turn>,
    /// Whether the third occurrence of a position is a draw.
    threefold: Threefold,
}

impl<G: Game> Line<G> {
    /// Plays the turns of a query; `threefold` if the third occurrence of a position is a draw.
    ///
    /// # Errors
    ///
    /// If the start is no position of the game, or a turn is not legal.
    pub(crate) fn of(
        query: &Query<'_>,
        variant: &Variant<G>,
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
    fn ending(&self) -> Option<Ending>
    where
        G: Picture,
    {
        ending_on_board(&self.position).or_else(|| self.threefold.ending())
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
struct Position<'a, R> {
    game: &'a str,
    rules: &'a R,
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
pub(crate) fn describe<G: Picture>(
    variant: &Variant<G>,
    line: &Line<G>,
    reply: Option<Reply>,
) -> String {
    let game = &line.position;
    let names = cell_names::<G>(&variant.rules);
    let outcome = line.outcome();
    let legal = if outcome.is_none() { legal_turns(game) } else { Vec::new() };
    let position = Position {
        game: variant.name,
        rules: &variant.rules,
        moves: line.turns.iter().map(|turn| turn.text.as_str()).collect(),
        board: game.to_string(),
        position: game.position_text(),
        squares: squares(game),
        hand: game.hand().map(|[x, o]| Hand { x, o }),
        to_move: outcome.is_none().then(|| game.to_move().colour(G::FIRST)),
        ply: game.ply(),
        legal: legal
            .iter()
            .map(|turn| Legal { turn: &turn.text, path: G::path(&names, turn) })
            .collect(),
        last: line.turns.last().map_or_else(Vec::new, |turn| G::path(&names, turn)),
        outcome: outcome.map(colour_of_winner::<G>),
        winner: outcome.map(winner_name),
        ending: line.ending(),
        reply,
    };
    serde_json::to_string(&position).expect("plain values are JSON")
}
