//! The game that a solution is of, without what does not change the values of its positions.

use serde::{Deserialize, Serialize};
use serde_json::Value as Json;

use crate::registry::{self, Variant};

/// The game that a solution is of.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
#[serde(from = "Written")]
pub(crate) struct SolvedGame {
    /// The name of the game.
    pub game: String,
    /// Its options as JSON, without a limit on the length of a game.
    pub rules: String,
    /// The version of the rules.
    pub rules_version: u32,
}

/// The game as it stands in a file. It may lack options that the game has got since.
#[derive(Deserialize)]
struct Written {
    game: String,
    rules: String,
    rules_version: u32,
}

impl From<Written> for SolvedGame {
    fn from(Written { game, rules, rules_version }: Written) -> Self {
        let written = serde_json::from_str(&rules).unwrap_or_default();
        let all = registry::with_later_options(&game, &written);
        let rules = if all == written { rules } else { Json::Object(all).to_string() };
        Self { game, rules, rules_version }
    }
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_game_that_got_options_since_is_the_same() {
        let neutron = SolvedGame::of(&registry::preset("neutron5").unwrap());
        let mut rules: serde_json::Map<String, Json> =
            serde_json::from_str(&neutron.rules).unwrap();
        assert!(rules.remove("ends_on").is_some());
        let old = SolvedGame { rules: Json::Object(rules).to_string(), ..neutron.clone() };
        let bytes = postcard::to_stdvec(&old).unwrap();
        assert_eq!(postcard::from_bytes::<SolvedGame>(&bytes).unwrap(), neutron);
    }
}
