//! Test suites as files: JSON lines, of which the first one is a header.

use std::collections::HashSet;

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};
use thiserror::Error;

use super::{Kind, SuitePosition};
use crate::games::{Text, legal_turns, parse_turn};
use crate::registry::{self, Position, Variant};

/// The `format` of the header.
const FORMAT: &str = "tavoliere positions 1";

/// The first line of a file.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Header {
    format: String,
    /// The name of the game.
    pub game: String,
    /// All options of its rules.
    pub rules: Map<String, Value>,
    /// The version of the rules.
    pub rules_version: u32,
    /// The depth of the proofs in turns; `None` for positions from a solver.
    pub horizon: Option<u32>,
    /// The command that made the file.
    pub command: String,
    /// The version of the program that made it.
    pub version: String,
}

/// Every other line: a position.
#[derive(Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Line {
    kind: String,
    moves: Vec<String>,
    right: Vec<String>,
}

/// A parsed file, whose positions have not been replayed.
#[derive(Debug)]
pub(crate) struct PositionFile {
    name: String,
    /// The first line.
    pub header: Header,
    /// The game, under the options of the header.
    pub variant: Variant,
    /// The other lines and their numbers.
    lines: Vec<(usize, Line)>,
}

/// An error in a file of positions.
#[derive(Clone, PartialEq, Eq, Debug, Error)]
#[error("{file}, line {line}: {reason}")]
pub(crate) struct FileError {
    file: String,
    line: usize,
    reason: String,
}

impl Header {
    /// The header of a file that this program makes by `command`.
    pub(crate) fn new(variant: &Variant, horizon: Option<u32>, command: String) -> Self {
        let rules = variant.options();
        Self {
            format: FORMAT.to_owned(),
            game: variant.name.to_owned(),
            rules,
            rules_version: variant.rules_version(),
            horizon,
            command,
            version: env!("CARGO_PKG_VERSION").to_owned(),
        }
    }

    /// The text of the file with these positions.
    pub(crate) fn with(&self, positions: &[SuitePosition]) -> String {
        let line = |position: &SuitePosition| {
            let texts = |turns: &[Text]| turns.iter().map(ToString::to_string).collect();
            let (moves, right) = (texts(&position.moves), texts(&position.right));
            to_json(&Line { kind: position.kind.to_string(), moves, right })
        };
        let lines = std::iter::once(to_json(self)).chain(positions.iter().map(line));
        lines.map(|line| line + "\n").collect()
    }
}

fn to_json(value: &impl Serialize) -> String {
    serde_json::to_string(value).expect("lines are plain values")
}

impl PositionFile {
    /// Parses the text of a file. Errors contain its `name`.
    ///
    /// # Errors
    ///
    /// If a line is invalid, or if the game is unknown or its rules have another version.
    pub(crate) fn read(name: &str, text: &str) -> Result<Self, FileError> {
        let error = |line, reason| FileError { file: name.to_owned(), line, reason };
        let mut lines = (1..).zip(text.lines()).filter(|(_, line)| !line.trim().is_empty());
        let (number, first) = lines.next().ok_or_else(|| error(1, "the file is empty".into()))?;
        let (header, variant) = read_header(first).map_err(|reason| error(number, reason))?;
        let read = |(number, line): (usize, &str)| match serde_json::from_str(line) {
            Ok(line) => Ok((number, line)),
            Err(reason) => Err(error(number, reason.to_string())),
        };
        let lines: Vec<_> = lines.map(read).collect::<Result<_, _>>()?;
        if lines.is_empty() {
            return Err(error(number, "no positions follow the header".into()));
        }
        Ok(Self { name: name.to_owned(), header, variant, lines })
    }

    /// Replays and returns the positions of the file. `variant` must be its
    /// [variant](Self::variant).
    ///
    /// # Errors
    ///
    /// If a turn is not legal, a position is finished or occurs twice, or its kind does not fit the
    /// correct turns or the header.
    pub(crate) fn positions(&self, variant: &Variant) -> Result<Vec<SuitePosition>, FileError> {
        let mut seen = HashSet::new();
        let read = |(number, line): &(usize, Line)| {
            let position = self.position(variant, *number, line).and_then(|position| {
                let new = seen.insert((position.kind, position.game));
                new.then_some(position).ok_or_else(|| "this position is a duplicate".to_owned())
            });
            let error = |reason| FileError { file: self.name.clone(), line: *number, reason };
            position.map_err(error)
        };
        self.lines.iter().map(read).collect()
    }

    fn position(
        &self,
        variant: &Variant,
        number: usize,
        line: &Line,
    ) -> Result<SuitePosition, String> {
        let kind: Kind = line.kind.parse().map_err(|error| format!("{error}"))?;
        self.check_kind(kind)?;
        let (game, moves) = play_through(variant, &line.moves)?;
        let legal = legal_turns(&game).len();
        let right = read_right(&game, &line.right)?;
        let reason = match kind {
            Kind::Only(_) if right.len() != 1 => "an only move has one correct turn",
            Kind::Only(_) if legal == 1 => "an only move needs more than one legal turn",
            _ => {
                let number = number as u64;
                return Ok(SuitePosition { kind, number, moves, game, right, legal });
            }
        };
        Err(reason.to_owned())
    }

    /// Checks that a position of this kind fits the header.
    fn check_kind(&self, kind: Kind) -> Result<(), String> {
        match (kind.turns(), self.header.horizon) {
            (Some(_), None) => Err(format!("{kind} needs a `horizon` in the header")),
            (Some(turns), Some(horizon)) if turns > horizon => {
                Err(format!("{kind} is beyond the horizon of {horizon} turns"))
            }
            _ => Ok(()),
        }
    }
}

fn read_header(line: &str) -> Result<(Header, Variant), String> {
    let header: Header = serde_json::from_str(line)
        .map_err(|error| format!("not the header of a file of positions: {error}"))?;
    if header.format != FORMAT {
        let found: String = header.format.chars().take(40).collect();
        return Err(format!("the format is `{found}`, this program reads `{FORMAT}`"));
    }
    let variant = registry::find(&header.game, &header.rules).map_err(|error| error.to_string())?;
    let version = variant.rules_version();
    if version != header.rules_version {
        return Err(format!(
            "made for version {} of the rules of {}, this is version {version}; make the file \
             again: {}",
            header.rules_version, header.game, header.command
        ));
    }
    Ok((header, variant))
}

/// The unfinished position after `moves`, and these turns in their exact notation.
fn play_through(variant: &Variant, moves: &[String]) -> Result<(Position, Vec<Text>), String> {
    let (mut game, mut turns) = (variant.initial(), Vec::new());
    for (number, text) in (1..).zip(moves) {
        let turn = parse_turn(&game, text).map_err(|error| format!("move {number}, {error}"))?;
        turn.play_on(&mut game);
        turns.push(turn.text);
    }
    match game.outcome() {
        None => Ok((game, turns)),
        Some(_) => Err("the game is over after these moves".to_owned()),
    }
}

/// The correct turns in their exact notation, sorted.
fn read_right(game: &Position, texts: &[String]) -> Result<Vec<Text>, String> {
    let read = |text: &String| match parse_turn(game, text) {
        Ok(turn) => Ok(turn.text),
        Err(error) => Err(format!("`right`: {error}")),
    };
    let mut right: Vec<Text> = texts.iter().map(read).collect::<Result<_, _>>()?;
    right.sort_unstable();
    if right.is_empty() {
        return Err("`right` has no turns".to_owned());
    }
    if right.windows(2).any(|pair| pair[0] == pair[1]) {
        return Err("`right` has a turn twice".to_owned());
    }
    Ok(right)
}
