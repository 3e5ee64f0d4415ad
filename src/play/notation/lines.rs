//! Games as JSON, one object per line.
//!
//! `{"game", "rules", "position", "moves", "winner", "P1", "P2", "values", "tags"}`; `rules` are
//! the options that differ from the preset, `winner` is `"P1"`, `"P2"`, `"draw"` or null.
//! `position` is where a game began that did not begin at the start. It, players, values and tags
//! are left out if there are none. The lines of `tavoliere match --records` can be read too.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use super::Transcript;
use super::transcript::{RESIGNED, TERMINATION};
use crate::games::{Outcome, Side};
use crate::play::arena::Winner;
use crate::play::players::Forfeit;
use crate::registry;
use crate::search::Wdl;

/// A game on a line.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub(super) struct Line {
    game: String,
    #[serde(default)]
    rules: Map<String, Value>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    position: Option<String>,
    moves: Vec<String>,
    #[serde(default)]
    winner: Option<Winner>,
    #[serde(rename = "P1", default, skip_serializing_if = "Option::is_none")]
    p1: Option<String>,
    #[serde(rename = "P2", default, skip_serializing_if = "Option::is_none")]
    p2: Option<String>,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    values: Vec<Option<Wdl>>,
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    tags: BTreeMap<String, String>,
    /// Number of its pair in a match.
    #[serde(default, skip_serializing)]
    pair: Option<u64>,
    /// Why a player lost a match game before the rules ended it.
    #[serde(default, skip_serializing)]
    forfeit: Option<String>,
}

/// Writes the games, one per line.
pub(crate) fn write(games: &[Transcript]) -> String {
    let line = |game| serde_json::to_string(&line_of(game)).expect("lines are plain values");
    games.iter().map(|game| line(game) + "\n").collect()
}

fn line_of(game: &Transcript) -> Line {
    let mut tags = game.tags().clone();
    let has_values = game.values().iter().any(Option::is_some);
    Line {
        game: game.game().to_owned(),
        rules: game.rules(),
        position: game.position().map(str::to_owned),
        moves: game.moves().iter().map(ToString::to_string).collect(),
        winner: game.outcome().map(Winner::from),
        p1: tags.remove("P1"),
        p2: tags.remove("P2"),
        values: if has_values { game.values().to_vec() } else { Vec::new() },
        tags,
        pair: None,
        forfeit: None,
    }
}

/// The game of a line.
pub(super) fn transcript(line: &Line) -> Result<Transcript, String> {
    let variant = registry::find(&line.game, &line.rules).map_err(|error| error.to_string())?;
    let outcome = line.winner.map(outcome_of);
    let read = Transcript::starting(variant, line.position.as_deref(), &line.moves, outcome)
        .and_then(|game| match line.values.is_empty() {
            true => Ok(game),
            false => game.with_values(&line.values),
        })
        .and_then(|game| game.with_tags(&line.tags))
        .and_then(|game| game.with_tags(tags_of(line)));
    read.map_err(|fault| fault.to_string())
}

fn outcome_of(winner: Winner) -> Outcome {
    match winner {
        Winner::P1 => Outcome::Win(Side::P1),
        Winner::P2 => Outcome::Win(Side::P2),
        Winner::Draw => Outcome::Draw,
    }
}

/// The tags that have fields of their own.
fn tags_of(line: &Line) -> Vec<(&'static str, String)> {
    let pair = line.pair.map(|pair| pair.to_string());
    let termination = line.forfeit.as_ref().map(|reason| match reason {
        reason if *reason == Forfeit::Resigned.to_string() => RESIGNED.to_owned(),
        reason => reason.clone(),
    });
    let tags = [("P1", line.p1.clone()), ("P2", line.p2.clone()), ("Pair", pair)];
    let tags = tags.into_iter().chain([(TERMINATION, termination)]);
    tags.filter_map(|(name, value)| Some((name, value?))).collect()
}
