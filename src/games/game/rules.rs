//! The options of a game, and how a config or a query overrides those of a preset.

use std::fmt::Debug;

use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::{Map, Value};
use thiserror::Error;

use crate::base::spelling::nearest;

/// An option of a game, explained for people.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct RuleOption {
    /// The name of the field.
    pub name: &'static str,
    /// What it decides, as a sentence.
    pub text: &'static str,
    /// Its values; empty for numbers, of which there are many.
    pub choices: &'static [Choice],
}

/// A value of an option, explained for people.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Choice {
    /// The value as it is written after `OPTION=`.
    pub value: &'static str,
    /// What it means, in a few words or sentences.
    pub text: &'static str,
}

impl RuleOption {
    /// An option with few values, as pairs of the value and its explanation.
    pub const fn new(name: &'static str, text: &'static str, choices: &'static [Choice]) -> Self {
        Self { name, text, choices }
    }
}

impl Choice {
    /// A value and what it means.
    pub const fn new(value: &'static str, text: &'static str) -> Self {
        Self { value, text }
    }

    /// The value as it stands in JSON.
    pub fn json(&self) -> Value {
        value_of(self.value)
    }
}

/// The option `max_plies` of a game in which a win or loss with the last turn counts.
pub const fn max_plies() -> RuleOption {
    let text = "The game is a draw after this number of turns, counting those of both players, \
                unless the last one decides it. 0 means no limit.";
    RuleOption::new("max_plies", text, &[])
}

/// The options of a game. Its fields have the names that configs and queries use.
pub trait Rules:
    Copy + Default + PartialEq + Debug + Serialize + DeserializeOwned + Send + Sync + 'static
{
    /// The explanations of all options, in the order of the fields.
    const OPTIONS: &'static [RuleOption] = &[];

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
pub fn is_over_long(ply: u32, max_plies: u16) -> bool {
    max_plies > 0 && ply >= u32::from(max_plies)
}

/// The share of the `max_plies` turns that is left after `ply` turns, 1 without a limit.
/// Observations have a plane with this value.
pub fn plies_left(ply: u32, max_plies: u16) -> f32 {
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
        Ok((option.to_owned(), value_of(value)))
    };
    texts.map(option).collect()
}

fn value_of(text: &str) -> Value {
    serde_json::from_str(text).unwrap_or_else(|_| text.into())
}

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
