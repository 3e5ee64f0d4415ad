//! The fields of a record of AbstractPlay.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::play::notation::transcript::RESIGNED;

/// The last entry of a game that the rules did not end, and our value of the tag `Termination`.
pub(super) const ENDINGS: [(&str, &str); 4] = [
    ("resign", RESIGNED),
    ("timeout", "time forfeit"),
    ("draw", "draw agreed"),
    ("abandoned", "abandoned"),
];

/// A record.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub(in crate::play::notation) struct Record {
    pub(super) header: Header,
    /// Rounds, each with a turn of each player.
    pub(super) moves: Vec<Vec<Option<Move>>>,
}

#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub(super) struct Header {
    pub(super) game: Name,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(super) event: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(super) round: Option<String>,
    pub(super) site: Site,
    pub(super) date_start: String,
    pub(super) date_end: String,
    pub(super) date_generated: String,
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub(super) pied: bool,
    pub(super) players: Vec<Player>,
    /// Tags that have no fields of their own.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub(super) tags: BTreeMap<String, String>,
}

#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub(super) struct Name {
    pub(super) name: String,
    #[serde(default)]
    pub(super) variants: Vec<String>,
}

#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub(super) struct Site {
    pub(super) name: String,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(super) gameid: Option<Value>,
}

#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub(super) struct Player {
    pub(super) name: String,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(super) userid: Option<String>,
    /// The player with the greater result has won.
    pub(super) result: i64,
    /// `P1` or `P2`. The two players must differ, even if a player plays against itself.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(super) side: Option<String>,
}

#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
#[serde(untagged, expecting = "a move is null, a text or an object with a `move`")]
pub(super) enum Move {
    Text(String),
    Full {
        #[serde(rename = "move")]
        text: String,
        /// Its place in the round, if that is not its place in the list.
        #[serde(default)]
        sequence: Option<i64>,
    },
}

impl Move {
    pub(super) fn text(&self) -> &str {
        let (Self::Text(text) | Self::Full { text, .. }) = self;
        text
    }

    pub(super) fn sequence(&self) -> Option<i64> {
        match self {
            Self::Text(_) => None,
            Self::Full { sequence, .. } => *sequence,
        }
    }
}

/// Whether an option is about the names of cells. Records of Susan use AbstractPlay's names.
pub(super) fn is_notation(option: &str) -> bool {
    option.trim_start().starts_with("notation=")
}
