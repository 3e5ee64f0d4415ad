//! Game records as JSON objects, for the page and for other programs.

use std::collections::BTreeMap;

use serde::Deserialize;
use serde_json::{Map, Value, json};

use crate::games::Outcome;
use crate::play::analysis::{Problem, Query};
use crate::play::notation::{self, Fault, Format, Transcript};

/// Reads the games of a record in any format. Each is an object with its `game`, `rules`,
/// `position` (that it began in, or null), `moves`, `tags` and `outcome` (`x`, `o`, `draw` or
/// null).
///
/// # Errors
///
/// If the text is in no known format, or has a turn that is not legal.
pub fn read(text: &[u8]) -> Result<Vec<Value>, Problem> {
    let games = notation::read(text).map_err(Problem::new)?;
    Ok(games.iter().map(described).collect())
}

/// Reads the first game of a record, with the number of all `games`.
///
/// # Errors
///
/// As [`read()`], or if there are no games.
pub(crate) fn first(text: &[u8]) -> Result<Value, Problem> {
    let games = read(text)?;
    let count = games.len();
    let first = games.into_iter().next().ok_or_else(|| Problem::new("the text has no games"));
    first.map(|mut game| {
        game["games"] = json!(count);
        game
    })
}

fn described(game: &Transcript) -> Value {
    let colour = |outcome: Outcome| outcome.colour(game.variant().game().first());
    json!({
        "game": game.game(),
        "rules": game.rules(),
        "position": game.position(),
        "moves": game.moves(),
        "tags": game.tags(),
        "outcome": game.outcome().map(colour),
    })
}

/// Writes a game. The object has the `format` (`pgn`, `lines` or `abstractplay`), perhaps `tags`,
/// and the fields of a query.
///
/// # Errors
///
/// If a field is missing or wrong, a turn is not legal, or the format cannot hold the game.
pub fn write(mut object: Map<String, Value>) -> Result<String, Problem> {
    let format: String = take_field(&mut object, "format")?;
    let format: Format = format.parse().map_err(Problem::new)?;
    let tags: Option<BTreeMap<String, String>> = take_field(&mut object, "tags")?;
    let query = Query::deserialize(Value::Object(object)).map_err(Problem::new)?;
    let game = transcript(&query)?.with_tags(tags.unwrap_or_default());
    notation::write(&[game.map_err(problem)?], format).map_err(Problem::new)
}

/// Removes a field from an object and parses it; a missing field is read as null.
fn take_field<T: for<'de> Deserialize<'de>>(
    object: &mut Map<String, Value>,
    name: &str,
) -> Result<T, Problem> {
    let value = object.remove(name).unwrap_or_default();
    T::deserialize(value).map_err(|error| Problem::new(format!("`{name}`: {error}")))
}

fn transcript(query: &Query<'_>) -> Result<Transcript, Problem> {
    let position = query.position.as_deref();
    Transcript::starting(query.variant(None)?, position, &query.moves, None).map_err(problem)
}

fn problem(fault: Fault) -> Problem {
    Problem { error: fault.to_string(), at: fault.turn() }
}
