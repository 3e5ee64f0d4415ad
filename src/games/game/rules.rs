//! The options of a game and how a preset's options are changed from outside.

use std::fmt::Debug;

use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::{Map, Value};
use thiserror::Error;

use crate::base::spelling::nearest;

/// The options of a game, under the names a config or a query uses.
pub trait Rules:
    Copy + Default + PartialEq + Debug + Serialize + DeserializeOwned + Send + Sync + 'static
{
    /// Says which option has a value that makes no sense, and why.
    fn check(&self) -> Result<(), RulesError> {
        Ok(())
    }

    /// A bound on the turns of a game: the `max_plies` of the options, or one that follows from
    /// the rules; 0 if there is none.
    fn longest_game(&self) -> u32;

    /// The same options without a `max_plies`: under them a game goes on until the board decides.
    /// Only rules that have this option have to say it.
    fn uncapped(self) -> Self {
        self
    }
}

/// Whether so many turns are all that `max_plies` allows, 0 being no limit.
#[inline]
pub(crate) fn is_over_long(ply: u32, max_plies: u16) -> bool {
    max_plies > 0 && ply >= u32::from(max_plies)
}

/// The part of the turns allowed that is left after `ply` of them, 1 if there is no limit: what an
/// observation shows of `max_plies`.
pub(crate) fn plies_left(ply: u32, max_plies: u16) -> f32 {
    match max_plies {
        0 => 1.0,
        limit => 1.0 - ply as f32 / f32::from(limit),
    }
}

/// Why options were refused.
#[derive(Clone, PartialEq, Eq, Debug, Error)]
pub enum RulesError {
    /// There is no such option.
    #[error("unknown option `{option}`{hint}", hint = known_options(option, known))]
    Unknown {
        /// The name given.
        option: String,
        /// The names there are.
        known: Vec<String>,
    },
    /// An option has a value of the wrong type, or one that it cannot take.
    #[error("option `{option}`: {reason}")]
    Value {
        /// The option.
        option: String,
        /// What is wrong with the value.
        reason: String,
    },
    /// A text that sets no option.
    #[error("{text}: an option is written OPTION=VALUE")]
    Form {
        /// The text.
        text: String,
    },
}

impl RulesError {
    /// An option whose value makes no sense.
    pub fn value(option: &str, reason: impl Into<String>) -> Self {
        Self::Value { option: option.into(), reason: reason.into() }
    }

    /// The option it is about.
    pub fn option(&self) -> &str {
        match self {
            Self::Unknown { option, .. } | Self::Value { option, .. } => option,
            Self::Form { text } => text,
        }
    }
}

fn known_options(option: &str, known: &[String]) -> String {
    match nearest(option, known.iter().map(String::as_str)) {
        Some(near) => format!(", did you mean `{near}`?"),
        None if known.is_empty() => ": this game has none".into(),
        None => format!(": this game has {}", known.join(", ")),
    }
}

/// Reads options written `option=value`; a value that is not JSON is taken as text.
///
/// # Errors
///
/// If one of them is not written so.
pub fn options<'a>(texts: impl Iterator<Item = &'a str>) -> Result<Map<String, Value>, RulesError> {
    let option = |text: &'a str| {
        let form = || RulesError::Form { text: text.chars().take(40).collect() };
        let (option, value) = text.split_once('=').ok_or_else(form)?;
        let value = serde_json::from_str(value).unwrap_or_else(|_| value.into());
        Ok((option.to_owned(), value))
    };
    texts.map(option).collect()
}

/// An option that games had once. Files of that time still name it; `off` is how all games are.
const RETIRED: &str = "repetition";

const WHO_PLAYS: &str = "is no option of a game any more: leave it out. Whether the third \
                         occurrence of a position is a draw is up to those who play, see \
                         --threefold of `match`, `play` and `engine`";

/// `preset` with the options of `changes` in place of its own.
///
/// # Errors
///
/// If there is no such option, or its value is of the wrong type or impossible.
pub fn overridden<R: Rules>(preset: &R, changes: &Map<String, Value>) -> Result<R, RulesError> {
    if changes.is_empty() {
        return Ok(*preset);
    }
    let Ok(Value::Object(mut options)) = serde_json::to_value(preset) else {
        unreachable!("options are written as a table")
    };
    let known: Vec<String> = options.keys().cloned().collect();
    for (option, value) in changes {
        if option == RETIRED && !options.contains_key(option) {
            if value == "off" {
                continue;
            }
            return Err(RulesError::value(option, WHO_PLAYS));
        }
        if !options.contains_key(option) {
            let option = option.chars().take(40).collect();
            return Err(RulesError::Unknown { option, known });
        }
        // One option at a time, so that an error is about the option that caused it.
        options.insert(option.clone(), value.clone());
        R::deserialize(Value::Object(options.clone()))
            .map_err(|error| RulesError::value(option, error.to_string()))?;
    }
    let rules = R::deserialize(Value::Object(options)).expect("every option was read once");
    rules.check()?;
    Ok(rules)
}
