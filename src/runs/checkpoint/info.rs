//! What is fixed for a whole run.

use anyhow::{Result, ensure};
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use crate::nn::Board;
use crate::nn::settings::NetworkSettings;
use crate::registry::{self, Variant};

/// Version of the layout of a run's folder.
pub(super) const FORMAT: u32 = 2;

/// What is fixed for the whole run: `run.json`.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct RunInfo {
    /// Version of the folder's layout.
    pub format: u32,
    /// Version of the program that started the run.
    pub version: String,
    /// Name of the game.
    pub game: String,
    /// All options of the game.
    pub rules: Map<String, Value>,
    /// Version of the rules.
    pub rules_version: u32,
    /// Seed of all random number streams of the run.
    pub seed: u64,
    /// Size of the network.
    pub network: NetworkSettings,
    /// Number of cells that the network computes, those of the board; none in the files of
    /// networks that computed the whole frame.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub computed_cells: Option<usize>,
    /// The player or checkpoint whose weights the run started from; empty if it started from random
    /// weights.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub init_from: String,
}

impl RunInfo {
    /// The description of a new run of `variant`.
    pub fn new(variant: &Variant, seed: u64, network: NetworkSettings) -> Self {
        let rules = variant.options();
        Self {
            format: FORMAT,
            version: env!("CARGO_PKG_VERSION").to_owned(),
            game: variant.name.to_owned(),
            rules,
            rules_version: variant.rules_version(),
            seed,
            network,
            computed_cells: Some(Board::of(variant).cells().len()),
            init_from: String::new(),
        }
    }

    /// The game of the run.
    ///
    /// # Errors
    ///
    /// If this program does not have the game, has another version of its rules, or networks for
    /// other cells of its board.
    pub fn variant(&self) -> Result<Variant> {
        let variant = registry::find(&self.game, &self.rules)?;
        let version = variant.rules_version();
        ensure!(
            self.rules_version == version,
            "it was trained with version {} of the rules of {}, but this program has version \
             {version}; train a new run",
            self.rules_version,
            self.game
        );
        Board::of(&variant).check_computed(self.computed_cells).map_err(anyhow::Error::msg)?;
        Ok(variant)
    }

    /// The first difference from `other` that prevents this run from resuming as `other`.
    pub(super) fn difference(&self, other: &Self) -> Option<String> {
        let (own, other) = (self.parts(), other.parts());
        let (what, value) = own.iter().find(|part| !other.contains(part))?;
        let asked = other.iter().find(|(name, _)| name == what).map(|(_, value)| value);
        Some(format!("{what} {value}, not with {}", asked.unwrap_or(&Value::Null)))
    }

    /// All that cannot change, by the names of a config.
    fn parts(&self) -> Vec<(String, Value)> {
        let network = serde_json::to_value(self.network).expect("settings are plain values");
        let of = |table: &str, values: &Map<String, Value>| -> Vec<(String, Value)> {
            let named = |(key, value): (&String, &Value)| (format!("{table}.{key}"), value.clone());
            values.iter().map(named).collect()
        };
        let plain = [
            ("game", Value::from(&*self.game)),
            ("rules version", self.rules_version.into()),
            ("seed", self.seed.into()),
            ("init_from", Value::from(&*self.init_from)),
        ];
        let plain = plain.map(|(name, value)| (name.to_owned(), value)).to_vec();
        let network = network.as_object().map(|network| of("network", network));
        // The game may have got options since.
        let rules = registry::with_later_options(&self.game, &self.rules);
        [plain, of("rules", &rules), network.unwrap_or_default()].concat()
    }
}
