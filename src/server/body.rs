//! Request bodies: JSON objects, with limits on size and time.

use std::time::Duration;

use axum::body::Body;
use axum::http::StatusCode;
use futures_util::StreamExt;
use serde::Deserialize;
use serde_json::{Map, Value};

use super::refusal::Refusal;
use crate::play::analysis::Query;

/// The largest body about a position, in bytes.
pub(super) const MAX_BYTES: usize = 64 << 10;

/// A body that is too large is read up to this multiple of its limit, since many clients read the
/// answer only after they have sent everything.
const DRAIN_FACTOR: usize = 16;

/// Time within which a body must arrive.
const TIMEOUT: Duration = Duration::from_secs(10);

/// Reads a body of at most `limit` bytes.
///
/// # Errors
///
/// With 408 if it does not arrive in time, 413 if it is too large, 400 if it cannot be read.
pub(super) async fn bytes(body: Body, limit: usize) -> Result<Vec<u8>, Refusal> {
    match tokio::time::timeout(TIMEOUT, collected(body, limit)).await {
        Ok(bytes) => bytes,
        Err(_) => Err(Refusal::new(
            StatusCode::REQUEST_TIMEOUT,
            format!("the body did not arrive within {} s; send it again", TIMEOUT.as_secs()),
        )),
    }
}

async fn collected(body: Body, limit: usize) -> Result<Vec<u8>, Refusal> {
    let (mut stream, mut bytes, mut length) = (body.into_data_stream(), Vec::new(), 0);
    while let Some(chunk) = stream.next().await {
        let chunk =
            chunk.map_err(|error| Refusal::bad(format!("the body cannot be read: {error}")))?;
        length += chunk.len();
        if length <= limit {
            bytes.extend_from_slice(&chunk);
        } else if length > DRAIN_FACTOR * limit {
            break;
        }
    }
    if length > limit {
        let reason = format!("the body is larger than {limit} bytes; send fewer turns");
        return Err(Refusal::new(StatusCode::PAYLOAD_TOO_LARGE, reason));
    }
    Ok(bytes)
}

/// Reads a body that is a JSON object of at most `limit` bytes.
///
/// # Errors
///
/// As [`bytes`], and with 400 if it is anything else.
pub(super) async fn object(body: Body, limit: usize) -> Result<Map<String, Value>, Refusal> {
    let bytes = bytes(body, limit).await?;
    serde_json::from_slice(&bytes)
        .map_err(|error| Refusal::bad(format!("the body is not a JSON object: {error}")))
}

/// Parses a query about a position, as `tavoliere analyze` reads it.
pub(super) fn query(object: Map<String, Value>) -> Result<Query<'static>, Refusal> {
    Query::deserialize(Value::Object(object)).map_err(Refusal::bad)
}
