//! A transcript: a game from the start or from another position, whose turns are checked by the
//! rules.

use std::collections::BTreeMap;

use serde_json::{Map, Value};
use thiserror::Error;

use crate::games::{Outcome, PositionError, Side, Text, TurnError, parse_turn};
use crate::registry::Variant;
use crate::search::Wdl;

/// Probabilities are rounded to thousandths, as they are written.
const UNITS: f32 = 1000.0;

/// How far from 1 the sum of probabilities may be, which may be rounded to two digits.
const ROUNDING: f32 = 0.02;

/// The tag for how a game ended if the rules did not end it.
pub(super) const TERMINATION: &str = "Termination";

/// The value of that tag for a game that the loser resigned.
pub(super) const RESIGNED: &str = "resigned";

/// A legal game, finished or not.
#[derive(Clone, PartialEq, Debug)]
pub(crate) struct Transcript {
    variant: Variant,
    /// The position that the game began in, as it is written; `None` for the start.
    position: Option<String>,
    moves: Vec<Text>,
    values: Vec<Option<Wdl>>,
    outcome: Option<Outcome>,
    tags: BTreeMap<String, String>,
}

/// An error in a game.
#[derive(Clone, PartialEq, Eq, Debug, Error)]
pub(crate) enum Fault {
    /// The position that the game began in is none of its game.
    #[error(transparent)]
    Position(#[from] PositionError),
    /// A turn is not legal.
    #[error("turn {}, {reason}", index + 1)]
    Turn {
        /// Its index among the turns.
        index: usize,
        /// Why not.
        reason: TurnError,
    },
    /// The result differs from that of the rules.
    #[error("the given result is {given}, but by the rules it is {found}")]
    Outcome {
        /// The result given.
        given: &'static str,
        /// The one of the rules.
        found: &'static str,
    },
    /// The number of values differs from the number of turns.
    #[error("there are {values} values for {turns} turns")]
    Values {
        /// The number of values.
        values: usize,
        /// The number of turns.
        turns: usize,
    },
    /// An invalid value.
    #[error("the value of turn {} is not three probabilities that sum to 1", index + 1)]
    Chances {
        /// The index of the turn.
        index: usize,
    },
    /// An invalid name of a tag.
    #[error("`{name}` cannot name a tag: {reason}")]
    Tag {
        /// The name.
        name: String,
        /// Why not.
        reason: &'static str,
    },
}

impl Fault {
    /// The index of the turn that the error is about, if it is about one.
    pub(crate) fn turn(&self) -> Option<usize> {
        match self {
            Self::Turn { index, .. } | Self::Chances { index } => Some(*index),
            _ => None,
        }
    }
}

/// Tags of the text format that a transcript stores as fields.
pub(super) const TAKEN: [&str; 3] = ["Game", "Rules", "Result"];

impl Transcript {
    /// Checks a game. A result is only needed if the rules have not ended the game, for example for
    /// a resignation.
    ///
    /// # Errors
    ///
    /// If a turn is not legal, or if the result differs from that of the rules.
    pub(crate) fn new<S: AsRef<str>>(
        variant: Variant,
        moves: &[S],
        given: Option<Outcome>,
    ) -> Result<Self, Fault> {
        Self::starting(variant, None, moves, given)
    }

    /// The same for a game that began in `position`, if that is given.
    ///
    /// # Errors
    ///
    /// As [`new`](Self::new), and if the position is none of the game.
    pub(crate) fn starting<S: AsRef<str>>(
        variant: Variant,
        position: Option<&str>,
        moves: &[S],
        given: Option<Outcome>,
    ) -> Result<Self, Fault> {
        let Played { position, moves, outcome: found } = play_through(&variant, position, moves)?;
        let outcome = match (given, found) {
            (Some(given), Some(found)) if given != found => {
                let [given, found] = [given, found].map(|outcome| result_name(Some(outcome)));
                return Err(Fault::Outcome { given, found });
            }
            (given, found) => found.or(given),
        };
        let values = vec![None; moves.len()];
        Ok(Self { variant, position, values, moves, outcome, tags: BTreeMap::new() })
    }

    /// Sets a value or `None` for each turn: win, draw and loss for the side that moves, before the
    /// turn. The values are rounded to thousandths.
    ///
    /// # Errors
    ///
    /// If the number of values differs from the number of turns, or if a value is not three
    /// probabilities that sum to 1.
    pub(crate) fn with_values(mut self, values: &[Option<Wdl>]) -> Result<Self, Fault> {
        if values.len() != self.moves.len() {
            return Err(Fault::Values { values: values.len(), turns: self.moves.len() });
        }
        if let Some(index) = values.iter().position(|value| value.is_some_and(|v| !is_value(v))) {
            return Err(Fault::Chances { index });
        }
        let rounded = |value: Wdl| value.map(|chance| (chance * UNITS).round() / UNITS);
        self.values = values.iter().map(|value| value.map(rounded)).collect();
        Ok(self)
    }

    /// Adds tags, such as players and dates. Control characters in their values, such as line
    /// breaks, become spaces.
    ///
    /// # Errors
    ///
    /// If a name does not consist of letters, digits and `_`, or is `Game`, `Rules` or `Result`.
    pub(crate) fn with_tags<N: Into<String>, V: AsRef<str>>(
        mut self,
        tags: impl IntoIterator<Item = (N, V)>,
    ) -> Result<Self, Fault> {
        for (name, value) in tags {
            let name = name.into();
            let plain = name.chars().all(|letter| letter.is_ascii_alphanumeric() || letter == '_');
            let reason = match plain && !name.is_empty() {
                false => Some("it must consist of letters, digits and _"),
                true => TAKEN.contains(&name.as_str()).then_some("it is reserved"),
            };
            if let Some(reason) = reason {
                return Err(Fault::Tag { name: name.chars().take(40).collect(), reason });
            }
            let value = value.as_ref().replace(char::is_control, " ").trim().to_owned();
            self.tags.insert(name, value);
        }
        Ok(self)
    }

    /// The game and its rules.
    pub(crate) fn variant(&self) -> &Variant {
        &self.variant
    }

    /// The name of the game.
    pub(crate) fn game(&self) -> &'static str {
        self.variant.name
    }

    /// The options that differ from the game's preset.
    pub(crate) fn rules(&self) -> Map<String, Value> {
        self.variant.changed_options()
    }

    /// The position that the game began in, as it is written; `None` for the start.
    pub(crate) fn position(&self) -> Option<&str> {
        self.position.as_deref()
    }

    /// The turns in their exact notation.
    pub(crate) fn moves(&self) -> &[Text] {
        &self.moves
    }

    /// For each turn win, draw and loss for the side that moves, before the turn.
    pub(crate) fn values(&self) -> &[Option<Wdl>] {
        &self.values
    }

    /// The result, if the game is finished.
    pub(crate) fn outcome(&self) -> Option<Outcome> {
        self.outcome
    }

    /// The tags.
    pub(crate) fn tags(&self) -> &BTreeMap<String, String> {
        &self.tags
    }

    /// The value of a tag, if it exists.
    pub(crate) fn tag(&self, name: &str) -> Option<&str> {
        self.tags.get(name).map(String::as_str)
    }
}

/// A game that was played through.
struct Played {
    /// The canonical text of the position that it began in, `None` for the start.
    position: Option<String>,
    /// The turns in their exact notation.
    moves: Vec<Text>,
    /// The result by the rules.
    outcome: Option<Outcome>,
}

fn play_through<S: AsRef<str>>(
    variant: &Variant,
    position: Option<&str>,
    moves: &[S],
) -> Result<Played, Fault> {
    let start = variant.position(position)?;
    let mut game = start;
    let mut turns = Vec::with_capacity(moves.len());
    for (index, text) in moves.iter().enumerate() {
        let turn =
            parse_turn(&game, text.as_ref()).map_err(|reason| Fault::Turn { index, reason })?;
        turn.play_on(&mut game);
        turns.push(turn.text);
    }
    let position = (start != variant.initial()).then(|| start.position_text());
    Ok(Played { position, moves: turns, outcome: game.outcome() })
}

/// The options that differ from the preset's, as they are written.
pub(super) fn option_texts(game: &Transcript) -> Vec<String> {
    let text = |(option, value): (String, Value)| match value {
        Value::String(text) => format!("{option}={text}"),
        value => format!("{option}={value}"),
    };
    game.rules().into_iter().map(text).collect()
}

/// Whether these are probabilities that sum to 1, up to rounding.
pub(super) fn is_value(value: Wdl) -> bool {
    let within = value.iter().all(|chance| (0.0..=1.0).contains(chance));
    within && (value.iter().sum::<f32>() - 1.0).abs() <= ROUNDING
}

/// A result as it is written: `P1` or `P2` for the winner, `draw`, or `*` for an unfinished game.
pub(super) fn result_name(outcome: Option<Outcome>) -> &'static str {
    match outcome {
        Some(Outcome::Win(Side::P1)) => "P1",
        Some(Outcome::Win(Side::P2)) => "P2",
        Some(Outcome::Draw) => "draw",
        None => "*",
    }
}

/// Parses a result, in any case; `None` if the text is not a result.
pub(super) fn parse_result(text: &str) -> Option<Option<Outcome>> {
    let outcomes = [Outcome::Win(Side::P1), Outcome::Win(Side::P2), Outcome::Draw].map(Some);
    let mut results = outcomes.into_iter().chain([None]);
    results.find(|&outcome| result_name(outcome).eq_ignore_ascii_case(text.trim()))
}
