//! The game that a solution is of, without what does not change the values of its positions.

use serde::{Deserialize, Serialize};
use serde_json::Value as Json;

use crate::registry::Variant;

/// The game that a solution is of.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub(crate) struct SolvedGame {
    /// The name of the game.
    pub game: String,
    /// Its options as JSON, without a limit on the length of a game.
    pub rules: String,
    /// The version of the rules.
    pub rules_version: u32,
}

impl SolvedGame {
    /// What a solution of this game is of.
    pub(crate) fn of(variant: &Variant) -> Self {
        let uncapped = variant.uncapped();
        Self {
            game: variant.name.to_owned(),
            rules: Json::Object(uncapped.options()).to_string(),
            rules_version: variant.rules_version(),
        }
    }

    /// Whether positions have the same values: the game's name does not matter.
    pub(crate) fn fits(&self, other: &Self) -> bool {
        (&self.rules, self.rules_version) == (&other.rules, other.rules_version)
            && family(&self.game) == family(&other.game)
    }
}

/// The name of a game up to its variant: rules are compared by their options.
fn family(game: &str) -> &str {
    game.split('_').next().unwrap_or(game)
}
