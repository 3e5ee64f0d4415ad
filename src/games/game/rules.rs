//! The options of a game, and how a config or a query overrides those of a preset.

use std::fmt::Debug;

use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::{Map, Value};
use thiserror::Error;

use crate::base::spelling::nearest;

/// The options of a game. Its fields have the names that configs and queries use.
pub trait Rules:
    Copy + Default + PartialEq + Debug + Serialize + DeserializeOwned + Send + Sync + 'static
{
    /// Checks the values of the options.
    ///
    /// # Errors
    ///
    /// The first option with an impossible value, and the reason.
    fn check(&self) -> Result<(), RulesError> {
        Ok(())
    }

    /// The maximum number of turns of a game: the option `max_plies`, or a bound that follows from
    /// the rules. 0 if there is no bound.
    fn longest_game(&self) -> u32;

    /// The same options without the limit `max_plies`. Rules that have this option must override
    /// it.
    fn uncapped(self) -> Self {
        self
    }
}

/// Whether a game of `ply` turns has reached the limit `max_plies`, where 0 is no limit.
#[inline]
pub(crate) fn is_over_long(ply: u32, max_plies: u16) -> bool {
    max_plies > 0 && ply >= u32::from(max_plies)
}

/// The share of the `max_plies` turns that is left after `ply` turns, 1 without a limit.
/// Observations have a plane with this value.
pub(crate) fn plies_left(ply: u32, max_plies: u16) -> f32 {
    match max_plies {
        0 => 1.0,
        limit => 1.0 - ply as f32 / f32::from(limit),
    }
}

/// Why options were rejected.
#[derive(Clone, PartialEq, Eq, Debug, Error)]
pub enum RulesError {
    /// There is no such option.
    #[error("unknown option `{option}`{hint}", hint = known_options(option, known))]
    Unknown {
        /// The name that was given.
        option: String,
        /// The names of the game's options.
        known: Vec<String>,
    },
    /// An option has a value of the wrong type or out of range.
    #[error("option `{option}`: {reason}")]
    Value {
        /// The option.
        option: String,
        /// What is wrong with the value.
        reason: String,
    },
    /// A text that is not of the form `OPTION=VALUE`.
    #[error("{text}: an option is written OPTION=VALUE")]
    Form {
        /// The text.
        text: String,
    },
}

impl RulesError {
    /// An error about the value of an option.
    pub fn value(option: &str, reason: impl Into<String>) -> Self {
        Self::Value { option: option.into(), reason: reason.into() }
    }

    /// The option that the error is about, or the text that names none.
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

/// Parses options of the form `option=value`. A value that is not JSON is taken as a string.
///
/// # Errors
///
/// If a text has no `=`.
pub fn options<'a>(texts: impl Iterator<Item = &'a str>) -> Result<Map<String, Value>, RulesError> {
    let option = |text: &'a str| {
        let form = || RulesError::Form { text: text.chars().take(40).collect() };
        let (option, value) = text.split_once('=').ok_or_else(form)?;
        let value = serde_json::from_str(value).unwrap_or_else(|_| value.into());
        Ok((option.to_owned(), value))
    };
    texts.map(option).collect()
}

/// An option that games used to have. Old files still name it, and may set it to `off`.
const RETIRED: &str = "repetition";

const RETIRED_REASON: &str = "it was removed, leave it out; for a draw at the third occurrence of \
                              a position use --threefold of `match`, `play` or `engine`";

/// The options of `preset`, overridden by those of `changes`.
///
/// # Errors
///
/// If there is no such option, or its value has the wrong type or is out of range.
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
            return Err(RulesError::value(option, RETIRED_REASON));
        }
        if !options.contains_key(option) {
            let option = option.chars().take(40).collect();
            return Err(RulesError::Unknown { option, known });
        }
        // One option at a time, so that an error names the option that caused it.
        options.insert(option.clone(), value.clone());
        R::deserialize(Value::Object(options.clone()))
            .map_err(|error| RulesError::value(option, error.to_string()))?;
    }
    let rules = R::deserialize(Value::Object(options)).expect("every option was read once");
    rules.check()?;
    Ok(rules)
}
