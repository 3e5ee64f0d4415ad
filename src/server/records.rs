//! Requests that read and write game records.

use std::collections::BTreeMap;
use std::sync::Arc;

use axum::body::Body;
use axum::extract::State;
use axum::http::Request;
use axum::response::Response;
use serde::Deserialize;
use serde_json::{Map, Value, json};
use tokio::task::spawn_blocking;

use super::refusal::{Refusal, json};
use super::{App, body};
use crate::games::{Game, Outcome, Variant};
use crate::play::analysis::{Problem, Query, colour_of_winner};
use crate::play::notation::{self, Fault, Format, Transcript};

/// The largest body with a record, in bytes.
const MAX_BYTES: usize = 1 << 20;

/// `POST /api/records/read`: the first game of a record.
pub(super) async fn read(
    State(app): State<Arc<App>>,
    request: Request<Body>,
) -> Result<Response, Refusal> {
    let body::Received { mut object, share } =
        body::large_object(&app, request.into_body(), MAX_BYTES).await?;
    let Some(Value::String(text)) = object.remove("text") else {
        return Err(Refusal::bad("`text` is missing or not a string"));
    };
    let read = spawn_blocking(move || {
        let _share = share;
        notation::read(text.as_bytes())
    });
    let games = read.await.map_err(Refusal::internal)?.map_err(Refusal::bad)?;
    let [game, ..] = &games[..] else { return Err(Refusal::bad("the text has no games")) };
    let outcome = game
        .outcome()
        .map(|outcome| with_variant!(game.variant(), variant => colour(variant, outcome)));
    Ok(json(
        json!({
            "game": game.game(),
            "rules": game.rules(),
            "position": game.position(),
            "moves": game.moves(),
            "tags": game.tags(),
            "outcome": outcome,
            "games": games.len(),
        })
        .to_string(),
    ))
}

fn colour<G: Game>(_: &Variant<G>, outcome: Outcome) -> &'static str {
    colour_of_winner::<G>(outcome)
}

/// `POST /api/records/write`: a game as text in one of the formats.
pub(super) async fn write(
    State(app): State<Arc<App>>,
    request: Request<Body>,
) -> Result<Response, Refusal> {
    let mut object = body::object(&app, request.into_body()).await?;
    let format: String = take_field(&mut object, "format")?;
    let format: Format = format.parse().map_err(Refusal::bad)?;
    let tags: Option<BTreeMap<String, String>> = take_field(&mut object, "tags")?;
    let game = transcript(&body::query(object)?)?.with_tags(tags.unwrap_or_default());
    let text = notation::write(&[game.map_err(problem)?], format).map_err(Refusal::bad)?;
    Ok(json(json!({ "text": text }).to_string()))
}

/// Removes a field from a body and parses it; a missing field is read as null.
fn take_field<T: for<'de> Deserialize<'de>>(
    object: &mut Map<String, Value>,
    name: &str,
) -> Result<T, Refusal> {
    let value = object.remove(name).unwrap_or_default();
    T::deserialize(value).map_err(|error| Refusal::bad(format!("`{name}`: {error}")))
}

fn transcript(query: &Query<'_>) -> Result<Transcript, Refusal> {
    let position = query.position.as_deref();
    Transcript::starting(query.variant(None)?, position, &query.moves, None).map_err(problem)
}

fn problem(fault: Fault) -> Refusal {
    Problem { error: fault.to_string(), at: fault.turn() }.into()
}
