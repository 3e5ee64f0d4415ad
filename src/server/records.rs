//! Requests that read and write game records.

use std::sync::Arc;

use axum::body::Body;
use axum::extract::State;
use axum::http::Request;
use axum::response::Response;
use serde_json::{Value, json};

use super::refusal::{Refusal, json};
use super::searches::blocking;
use super::{App, body};
use crate::play::record_json;

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
    let read = move || {
        let _share = share;
        Ok(record_json::first(text.as_bytes())?.to_string())
    };
    blocking(read).await.map(json)
}

/// `POST /api/records/write`: a game as text in one of the formats.
pub(super) async fn write(
    State(app): State<Arc<App>>,
    request: Request<Body>,
) -> Result<Response, Refusal> {
    let object = body::object(&app, request.into_body()).await?;
    let write = move || Ok(json!({ "text": record_json::write(object)? }).to_string());
    blocking(write).await.map(json)
}
