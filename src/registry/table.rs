//! The table of games: names, presets of options, summaries, rules for people and how to train.
//!
//! It has the [games that ship](shipped()), unless the program [registers](register) others before
//! it looks at the table for the first time.

use std::sync::OnceLock;

use serde_json::{Map, Value};
use thiserror::Error;

use super::Variant;
use super::shipped::shipped;
use crate::base::spelling::nearest;
use crate::games::RulesError;
use crate::games::picture::Picture;

/// A line of the table of games.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Listing {
    /// The name of the game in configs, queries and on the command line.
    pub name: &'static str,
    /// The name for people.
    pub title: &'static str,
    /// The rules in a line.
    pub summary: &'static str,
    /// The game with the options of its preset.
    pub(crate) variant: Variant,
    /// The rules for people, as Markdown; one text for each family is enough.
    pub(crate) rules_text: Option<&'static str>,
    /// The config by which it is trained, as TOML.
    pub(crate) preset: Option<&'static str>,
    /// Whether the game is drawn if both sides play well.
    pub(crate) drawn: bool,
}

/// A game for [`run`](crate::run): its name in configs and on the command line (lower-case letters,
/// digits and `_`), its options, its name for people and its rules in a line.
pub fn game<G: Picture>(
    name: &'static str,
    rules: G::Rules,
    title: &'static str,
    summary: &'static str,
) -> Listing {
    let variant = Variant::new::<G>(name, rules);
    Listing { name, title, summary, variant, rules_text: None, preset: None, drawn: false }
}

impl Listing {
    /// Adds the rules for people, for `tavoliere rules` and the page. docs/new-game.md says how
    /// they are written. One game of a family is enough.
    pub const fn rules_text(self, markdown: &'static str) -> Self {
        Self { rules_text: Some(markdown), ..self }
    }

    /// Adds the config by which `tavoliere train NAME` trains it.
    pub const fn preset(self, toml: &'static str) -> Self {
        Self { preset: Some(toml), ..self }
    }

    /// Says that the game is drawn if both sides play well, as tic-tac-toe: a training is then not
    /// warned of games that are drawn, or alike because they are.
    pub const fn drawn(self) -> Self {
        Self { drawn: true, ..self }
    }

    /// The name of the family, which has its rules in common: the name up to the size of the board.
    pub fn family(&self) -> &'static str {
        let end = self.name.find(|sign: char| sign.is_ascii_digit());
        &self.name[..end.unwrap_or(self.name.len())]
    }
}

/// Why a game could not be set up.
#[derive(Clone, PartialEq, Eq, Debug, Error)]
pub enum GameError {
    /// There is no game of this name.
    #[error("there is no game `{name}`{}; `tavoliere games` lists them", hint.as_ref().map(|near| format!(", did you mean `{near}`?")).unwrap_or_default())]
    Unknown {
        /// The name that was given.
        name: String,
        /// The most similar name of a game, if one is similar enough.
        hint: Option<&'static str>,
    },
    /// An option of the game is unknown or has an impossible value.
    #[error("game `{name}`: {error}")]
    Rules {
        /// The name of the game.
        name: &'static str,
        /// What is wrong with the options.
        error: RulesError,
    },
}

/// Why games could not be registered.
#[derive(Clone, PartialEq, Eq, Debug, Error)]
pub enum RegisterError {
    /// The program has no game.
    #[error("there are no games; pass one to `tavoliere::run`")]
    Empty,
    /// A name has other characters.
    #[error("`{0}`: a name of a game has lower-case letters, digits and `_`, a letter first")]
    Name(String),
    /// Two games have the same name.
    #[error("two games are called `{0}`; rename one of them")]
    Twice(&'static str),
    /// The table has other games.
    #[error("games are registered once, before anything else is done; pass the same ones again")]
    Late,
}

static TABLE: OnceLock<Vec<Listing>> = OnceLock::new();

/// Makes these the games of the program, instead of those that ship.
///
/// # Errors
///
/// If a name is malformed or there twice, or the table has other games already.
pub fn register(games: impl IntoIterator<Item = Listing>) -> Result<(), RegisterError> {
    let games: Vec<Listing> = games.into_iter().collect();
    if games.is_empty() {
        return Err(RegisterError::Empty);
    }
    for (index, game) in games.iter().enumerate() {
        check_name(game.name)?;
        if games[..index].iter().any(|other| other.name == game.name) {
            return Err(RegisterError::Twice(game.name));
        }
    }
    let table = TABLE.get_or_init(|| games.clone());
    if *table == games { Ok(()) } else { Err(RegisterError::Late) }
}

/// Checks that a game may have this name.
///
/// # Errors
///
/// If it has other characters.
pub(crate) fn check_name(name: &str) -> Result<(), RegisterError> {
    let known = |sign: char| sign.is_ascii_lowercase() || sign.is_ascii_digit() || sign == '_';
    let is_name = name.starts_with(|sign: char| sign.is_ascii_lowercase());
    match is_name && name.chars().all(known) {
        true => Ok(()),
        false => Err(RegisterError::Name(name.chars().take(40).collect())),
    }
}

/// All games, in the order of the table.
pub fn all() -> &'static [Listing] {
    TABLE.get_or_init(shipped)
}

/// The game called `name`, with the options of its preset overridden by `changes`.
///
/// # Errors
///
/// If there is no such game or option, or the value of an option is out of range.
pub fn find(name: &str, changes: &Map<String, Value>) -> Result<Variant, GameError> {
    let Some(game) = all().iter().find(|game| game.name == name) else {
        return Err(GameError::Unknown {
            name: name.chars().take(40).collect(),
            hint: nearest(name, all().iter().map(|game| game.name)),
        });
    };
    game.variant.overridden(changes).map_err(|error| GameError::Rules { name: game.name, error })
}

/// The options of a file that an earlier program wrote, with those that the game has got since. They
/// are as the game's preset has them. Options of a game that this program does not have are left as
/// they are.
pub(crate) fn with_later_options(name: &str, options: &Map<String, Value>) -> Map<String, Value> {
    find(name, options).map_or_else(|_| options.clone(), |variant| variant.options())
}

/// The game called `name`, with the options of its preset.
///
/// # Errors
///
/// If there is no such game.
pub fn preset(name: &str) -> Result<Variant, GameError> {
    find(name, &Map::new())
}
