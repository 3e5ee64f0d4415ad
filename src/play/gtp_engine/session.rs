//! The board of a game, and the engine's player.

use std::time::{Duration, Instant};

use serde_json::Value;

use super::protocol::Answer;
use crate::games::{Game, Outcome, Text, Turn, legal_turns, parse_turn};
use crate::play::players::{Forfeit, Player};
use crate::play::{Threefold, analysis};
use crate::registry::Variant;

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

    fn name(self) -> &'static str {
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

/// A board and a player of any game.
pub(super) trait Session {
    /// Columns and rows of the board.
    fn size(&self) -> [usize; 2];

    /// Begins the game with this number, on which the player's random numbers depend, at the start.
    fn clear(&mut self, game: u64);

    /// Begins the game with this number in a position. If the text is none, nothing has changed.
    fn begin_in(&mut self, position: &str, game: u64) -> Result<(), String>;

    /// The text of the position on the board.
    fn position_text(&self) -> String;

    /// The colour to move; `None` once the game is over.
    fn to_move(&self) -> Option<Colour>;

    /// Plays a turn for a colour. Returns whether it was legal; if not, nothing has changed.
    fn play(&mut self, colour: Colour, turn: &str) -> bool;

    /// Generates a turn for a colour, within the time if there is a limit, and plays it.
    fn generate(&mut self, colour: Colour, time: Option<Duration>) -> Generated;

    /// Takes back a turn. Returns whether there was one.
    fn undo(&mut self) -> bool;

    /// The board as text.
    fn board(&self) -> String;

    /// The legal turns of a colour; empty if it is not to move.
    fn legal(&self, colour: Colour) -> Vec<Text>;

    /// The winner; `None` for a draw, an error if the game is not over.
    fn winner(&self) -> Result<Option<Colour>, String>;

    /// The analysis of the position, as an answer of `tavoliere analyze`.
    fn analyze(&mut self, time: Option<Duration>) -> String;
}

/// A session of one game.
pub(super) struct GameSession<G: Game> {
    variant: Variant<G>,
    player: Box<dyn Player<G>>,
    /// Whether the third occurrence of a position is a draw.
    threefold: bool,
    /// The position that the game began in.
    start: G,
    /// The positions after it, the current one last.
    positions: Vec<G>,
    /// The turns between them.
    moves: Vec<Text>,
}

impl<G: Game> GameSession<G> {
    /// A session without a game in progress.
    pub(super) fn new(variant: Variant<G>, player: Box<dyn Player<G>>, threefold: bool) -> Self {
        let start = variant.initial();
        Self { variant, player, threefold, start, positions: Vec::new(), moves: Vec::new() }
    }

    fn position(&self) -> G {
        self.positions.last().copied().unwrap_or(self.start)
    }

    fn outcome(&self) -> Option<Outcome> {
        let threefold = Threefold::after(self.threefold, &self.start, &self.positions);
        threefold.outcome(&self.position())
    }

    fn begin(&mut self, start: G, game: u64) {
        self.start = start;
        self.positions.clear();
        self.moves.clear();
        self.player.begin_game(game);
    }

    fn advance(&mut self, turn: &Turn) {
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

    fn choose(&mut self, colour: Colour, time: Option<Duration>) -> Answer {
        self.check_turn(colour)?;
        self.player.set_time(time);
        let position = self.position();
        match self.player.choose(&position, &self.moves) {
            Ok(chosen) => {
                self.advance(&chosen.turn);
                Ok(chosen.turn.text.to_string())
            }
            Err(Forfeit::Resigned) => Ok("resign".to_owned()),
            Err(Forfeit::Failed(reason)) => Err(reason),
        }
    }
}

impl<G: Game> Session for GameSession<G> {
    fn size(&self) -> [usize; 2] {
        [G::SPEC.width, G::SPEC.height]
    }

    fn clear(&mut self, game: u64) {
        let start = self.variant.initial();
        // Every player can begin there.
        let _ = self.player.start_from(&start);
        self.begin(start, game);
    }

    fn begin_in(&mut self, position: &str, game: u64) -> Result<(), String> {
        let start = self.variant.position(Some(position)).map_err(|error| error.to_string())?;
        self.player.start_from(&start).map_err(|error| format!("{error:#}"))?;
        self.begin(start, game);
        Ok(())
    }

    fn position_text(&self) -> String {
        self.position().position_text()
    }

    fn to_move(&self) -> Option<Colour> {
        let position = self.position();
        let is_open = self.outcome().is_none();
        is_open.then(|| Colour::of(position.to_move().colour(G::FIRST)))
    }

    fn play(&mut self, colour: Colour, turn: &str) -> bool {
        if self.to_move() != Some(colour) {
            return false;
        }
        let turn = parse_turn(&self.position(), turn);
        turn.map(|turn| self.advance(&turn)).is_ok()
    }

    fn generate(&mut self, colour: Colour, time: Option<Duration>) -> Generated {
        let begun = Instant::now();
        let answer = self.choose(colour, time);
        Generated { answer, taken: begun.elapsed() }
    }

    fn undo(&mut self) -> bool {
        self.moves.pop();
        self.positions.pop().is_some()
    }

    fn board(&self) -> String {
        self.position().to_string()
    }

    fn legal(&self, colour: Colour) -> Vec<Text> {
        if self.to_move() != Some(colour) {
            return Vec::new();
        }
        legal_turns(&self.position()).into_iter().map(|turn| turn.text).collect()
    }

    fn winner(&self) -> Result<Option<Colour>, String> {
        match self.outcome() {
            None => Err("cannot score".to_owned()),
            Some(Outcome::Draw) => Ok(None),
            Some(Outcome::Win(side)) => Ok(Some(Colour::of(side.colour(G::FIRST)))),
        }
    }

    fn analyze(&mut self, time: Option<Duration>) -> String {
        let position = self.position();
        self.player.set_time(time);
        let report = match self.outcome() {
            None => self.player.analyze(&position),
            Some(_) => None,
        };
        analysis::describe(Some(&Value::Null), &position, report.as_ref(), None)
    }
}
