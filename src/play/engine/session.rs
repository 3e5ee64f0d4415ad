//! The board of a game, and the engine's player.

use std::time::{Duration, Instant};

use serde_json::Value;

use crate::games::{Outcome, Side, Text, Turn, legal_turns, parse_turn};
use crate::play::players::{Forfeit, Limits, Player, PlayerFactory, RankedTurn, SearchReport};
use crate::play::{Threefold, analysis};
use crate::registry::{Position, Variant};

/// A result, or a short error.
pub(super) type Answer = Result<String, String>;

/// The most simulations of one position while front ends look on. It bounds memory.
pub(super) const MOST_WATCHED: u32 = 5_000_000;

/// A colour of pieces; Black is `x`.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Colour {
    /// `b`, `black` or `x`.
    Black,
    /// `w`, `white` or `o`.
    White,
}

impl Colour {
    /// Parses a colour, in any case.
    pub(super) fn read(text: &str) -> Option<Self> {
        match text.to_ascii_lowercase().as_str() {
            "b" | "black" | "x" => Some(Self::Black),
            "w" | "white" | "o" => Some(Self::White),
            _ => None,
        }
    }

    /// 0 for Black, 1 for White.
    pub(super) fn index(self) -> usize {
        self as usize
    }

    pub(super) fn name(self) -> &'static str {
        match self {
            Self::Black => "black",
            Self::White => "white",
        }
    }

    fn of(letter: char) -> Self {
        if letter == 'x' { Self::Black } else { Self::White }
    }
}

/// A generated turn or an error, and the time it took.
pub(super) struct Generated {
    /// The turn, `resign`, or an error.
    pub answer: Answer,
    /// The time it took.
    pub taken: Duration,
}

/// A session of one game.
pub(super) struct Session {
    variant: Variant,
    player: Box<dyn Player>,
    /// Whether the third occurrence of a position is a draw.
    threefold: bool,
    /// The position that the game began in.
    start: Position,
    /// The positions after it, the current one last.
    positions: Vec<Position>,
    /// The turns between them.
    moves: Vec<Text>,
}

impl Session {
    /// A session of a game with a player of a factory, without a game in progress.
    ///
    /// # Errors
    ///
    /// If the player does not support the game.
    pub(super) fn new(
        factory: &impl PlayerFactory,
        variant: Variant,
        threefold: bool,
    ) -> anyhow::Result<Self> {
        factory.check(&variant)?;
        let (player, start) = (factory.player(&variant)?, variant.initial());
        Ok(Self { variant, player, threefold, start, positions: Vec::new(), moves: Vec::new() })
    }

    /// The symbols of the text of a position.
    pub(super) fn symbols(&self) -> &'static str {
        self.variant.game().symbols()
    }

    fn position(&self) -> Position {
        self.positions.last().copied().unwrap_or(self.start)
    }

    fn outcome(&self) -> Option<Outcome> {
        let threefold = Threefold::after(self.threefold, &self.start, &self.positions);
        threefold.outcome(&self.position())
    }

    fn begin(&mut self, start: Position, game: u64) {
        self.start = start;
        self.positions.clear();
        self.moves.clear();
        self.player.begin_game(game);
    }

    /// Plays a legal turn.
    pub(super) fn advance(&mut self, turn: &Turn) {
        let mut position = self.position();
        turn.play_on(&mut position);
        self.positions.push(position);
        self.moves.push(turn.text);
        self.player.advance(turn);
    }

    /// Checks that a colour is to move.
    fn check_turn(&self, colour: Colour) -> Result<(), String> {
        match self.to_move() {
            None => Err("the game is over".to_owned()),
            Some(mover) if mover != colour => Err(format!("{} is to move", mover.name())),
            Some(_) => Ok(()),
        }
    }

    /// The player's turn; `None` if it resigns.
    fn choose(&mut self, colour: Colour, time: Option<Duration>) -> Result<Option<Turn>, String> {
        self.check_turn(colour)?;
        self.player.set_time(time);
        let position = self.position();
        match self.player.choose(&position, &self.moves) {
            Ok(chosen) => Ok(Some(chosen.turn)),
            Err(Forfeit::Resigned) => Ok(None),
            Err(Forfeit::Failed(reason)) => Err(reason),
        }
    }
}

/// A turn as a response has it.
fn text_of(turn: Option<Turn>) -> String {
    turn.map_or_else(|| "resign".to_owned(), |turn| turn.text.to_string())
}

impl Session {
    /// The name of the game.
    pub(super) fn name(&self) -> &'static str {
        self.variant.name
    }

    /// Columns and rows of the board.
    pub(super) fn size(&self) -> [usize; 2] {
        [self.variant.spec().width, self.variant.spec().height]
    }

    /// Begins the game with this number, on which the player's random numbers depend, at the start.
    pub(super) fn clear(&mut self, game: u64) {
        let start = self.variant.initial();
        // Every player can begin there.
        let _ = self.player.start_from(&start);
        self.begin(start, game);
    }

    /// Begins the game with this number in a position. If the text is none, nothing has changed.
    pub(super) fn begin_in(&mut self, position: &str, game: u64) -> Result<(), String> {
        let start = self.variant.position(Some(position)).map_err(|error| error.to_string())?;
        self.player.start_from(&start).map_err(|error| format!("{error:#}"))?;
        self.begin(start, game);
        Ok(())
    }

    /// The text of the position on the board.
    pub(super) fn position_text(&self) -> String {
        self.position().position_text()
    }

    /// The colour to move; `None` once the game is over.
    pub(super) fn to_move(&self) -> Option<Colour> {
        let position = self.position();
        let is_open = self.outcome().is_none();
        is_open.then(|| Colour::of(position.to_move().colour(self.variant.game().first())))
    }

    /// Whether the first player is to move; false once the game is over.
    pub(super) fn is_first_to_move(&self) -> bool {
        self.outcome().is_none() && self.position().to_move() == Side::P1
    }

    /// `p1win`, `p2win`, `draw`, or `none` while the game goes on.
    pub(super) fn result(&self) -> &'static str {
        match self.outcome() {
            None => "none",
            Some(Outcome::Draw) => "draw",
            Some(Outcome::Win(Side::P1)) => "p1win",
            Some(Outcome::Win(Side::P2)) => "p2win",
        }
    }

    /// Checks that turns are legal from a position, or from the start.
    pub(super) fn check_line(&self, position: Option<&str>, moves: &[&str]) -> Result<(), String> {
        let start = self.variant.position(position).map_err(|error| error.to_string())?;
        let mut positions: Vec<Position> = Vec::new();
        for turn in moves {
            let now = positions.last().copied().unwrap_or(start);
            let threefold = Threefold::after(self.threefold, &start, &positions);
            if threefold.outcome(&now).is_some() {
                return Err(format!("the game is over before {turn}"));
            }
            let turn = parse_turn(&now, turn).map_err(|error| error.to_string())?;
            positions.push(turn.after(&now));
        }
        Ok(())
    }

    /// Plays a turn for a colour. Returns whether it was legal; if not, nothing has changed.
    pub(super) fn play(&mut self, colour: Colour, turn: &str) -> bool {
        if self.to_move() != Some(colour) {
            return false;
        }
        let turn = parse_turn(&self.position(), turn);
        turn.map(|turn| self.advance(&turn)).is_ok()
    }

    /// Generates a turn for a colour, within the time if there is a limit, and plays it.
    pub(super) fn generate(&mut self, colour: Colour, time: Option<Duration>) -> Generated {
        let begun = Instant::now();
        let turn = self.choose(colour, time);
        let taken = begun.elapsed();
        if let Ok(Some(turn)) = &turn {
            self.advance(turn);
        }
        Generated { answer: turn.map(text_of), taken }
    }

    /// The turn that the player would play for a colour.
    pub(super) fn suggest(&mut self, colour: Colour, time: Option<Duration>) -> Answer {
        self.choose(colour, time).map(text_of)
    }

    /// Takes back a turn. Returns whether there was one.
    pub(super) fn undo(&mut self) -> bool {
        self.moves.pop();
        self.positions.pop().is_some()
    }

    /// The board as text.
    pub(super) fn board(&self) -> String {
        self.position().to_string()
    }

    /// The legal turns of a colour; empty if it is not to move.
    pub(super) fn legal(&self, colour: Colour) -> Vec<Text> {
        if self.to_move() != Some(colour) {
            return Vec::new();
        }
        legal_turns(&self.position()).into_iter().map(|turn| turn.text).collect()
    }

    /// The winner; `None` for a draw, an error if the game is not over.
    pub(super) fn winner(&self) -> Result<Option<Colour>, String> {
        match self.outcome() {
            None => Err("cannot score".to_owned()),
            Some(Outcome::Draw) => Ok(None),
            Some(Outcome::Win(side)) => {
                Ok(Some(Colour::of(side.colour(self.variant.game().first()))))
            }
        }
    }

    /// Checks that the position can be analysed for a colour.
    pub(super) fn check_live(&mut self, colour: Option<Colour>) -> Result<(), String> {
        let mover = self.to_move().ok_or("the game is over")?;
        self.check_turn(colour.unwrap_or(mover))?;
        let position = self.position();
        let report = self.player.analyze_within(&position, &Limits::simulations(1), &|| true);
        report.map(drop).ok_or_else(|| "this player cannot analyse".to_owned())
    }

    /// Searches the position until a time, going on with the search before, which made `made`
    /// simulations; at most `most` in all. The report has their number.
    pub(super) fn analyze_live(
        &mut self,
        made: u32,
        most: u32,
        until: Instant,
        keep_going: &dyn Fn() -> bool,
    ) -> SearchReport {
        let position = self.position();
        let simulations = most.min(MOST_WATCHED).saturating_sub(made).max(1);
        let limits = Limits { simulations, ..Limits::until(until) };
        let report = self.player.analyze_on(&position, &limits, keep_going);
        let report = report.expect("the player can analyse");
        SearchReport { simulations: made.saturating_add(report.simulations), ..report }
    }

    /// A report as an answer of `tavoliere analyze`.
    pub(super) fn describe(&self, report: &SearchReport) -> String {
        analysis::describe(Some(&Value::Null), &self.position(), Some(report), None)
    }

    /// The analysis of the position, as an answer of `tavoliere analyze`.
    pub(super) fn analyze(&mut self, time: Option<Duration>) -> String {
        let report = self.report(time);
        analysis::describe(Some(&Value::Null), &self.position(), report.as_ref(), None)
    }

    /// The player's analysis of the position. `None` if the game is over or the player cannot.
    pub(super) fn report(&mut self, time: Option<Duration>) -> Option<SearchReport> {
        let position = self.position();
        self.player.set_time(time);
        self.outcome().is_none().then(|| self.player.analyze(&position)).flatten()
    }

    /// The turns of a report, with the cells on which they end. A turn that ends on no cell is left
    /// out.
    pub(super) fn ends_of<'a>(&self, report: &'a SearchReport) -> Vec<(usize, &'a RankedTurn)> {
        let (game, names) = (self.variant.game(), self.variant.cell_names());
        let cells = game.cells();
        let end = |ranked: &RankedTurn| game.path(&names, &ranked.turn).last().copied();
        let end = |ranked: &'a RankedTurn| Some((*cells.get(end(ranked)?)?, ranked));
        report.turns.iter().filter_map(end).collect()
    }

    /// The cells of the printed board, row by row from the top.
    pub(super) fn rows_of_cells(&self) -> Vec<Vec<usize>> {
        let game = self.variant.game();
        let mut cells = game.cells().into_iter();
        game.rows().into_iter().map(|length| cells.by_ref().take(length).collect()).collect()
    }
}
