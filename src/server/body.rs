//! Request bodies: JSON objects, with limits on size and time.

use std::time::Duration;

use axum::body::Body;
use axum::http::StatusCode;
use futures_util::StreamExt;
use serde::Deserialize;
use serde_json::{Map, Value};

use super::App;
use super::budget::{BodyMemory, SMALL, Share};
use super::refusal::Refusal;
use crate::play::analysis::Query;

/// The largest body about a position, in bytes.
pub(super) const MAX_BYTES: usize = SMALL;

/// A body that is too large is read up to this multiple of its limit, since many clients read the
/// answer only after they have sent everything.
const DRAIN_FACTOR: usize = 16;

/// A request's body, and its part of the memory for large ones.
pub(super) struct Received {
    /// The JSON object.
    pub object: Map<String, Value>,
    /// To be held until the body has been dealt with; `None` if it is small.
    pub share: Option<Share>,
}

/// What reading a body takes of the server.
pub(crate) struct Reading<'a> {
    /// The memory for large bodies.
    pub memory: &'a BodyMemory,
    /// Time within which the body must arrive.
    pub time: Duration,
    /// Time after which a client may try again that there is no memory for.
    pub retry: Duration,
}

impl Reading<'_> {
    /// Reads a body of at most `limit` bytes.
    ///
    /// # Errors
    ///
    /// With 408 if it does not arrive in time, 413 if it is too large, 503 if it is large and so
    /// are too many others, 400 if it cannot be read.
    pub(crate) async fn bytes(
        &self,
        body: Body,
        limit: usize,
    ) -> Result<(Vec<u8>, Option<Share>), Refusal> {
        match tokio::time::timeout(self.time, self.collected(body, limit)).await {
            Ok(bytes) => bytes,
            Err(_) => Err(Refusal::new(
                StatusCode::REQUEST_TIMEOUT,
                format!(
                    "the body did not arrive within {} s; send it again",
                    self.time.as_secs_f64()
                ),
            )),
        }
    }

    async fn collected(
        &self,
        body: Body,
        limit: usize,
    ) -> Result<(Vec<u8>, Option<Share>), Refusal> {
        let (mut stream, mut bytes, mut length) = (body.into_data_stream(), Vec::new(), 0);
        let mut share = None;
        while let Some(chunk) = stream.next().await {
            let chunk =
                chunk.map_err(|error| Refusal::bad(format!("the body cannot be read: {error}")))?;
            length += chunk.len();
            if length > SMALL && length <= limit && share.is_none() {
                let taken = self.memory.take(limit);
                share = Some(taken.ok_or_else(|| Refusal::crowded(self.retry))?);
            }
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
        Ok((bytes, share))
    }
}

/// Reads a body that is a JSON object of at most [`MAX_BYTES`].
///
/// # Errors
///
/// As [`large_object`].
pub(super) async fn object(app: &App, body: Body) -> Result<Map<String, Value>, Refusal> {
    Ok(large_object(app, body, MAX_BYTES).await?.object)
}

/// Reads a body that is a JSON object of at most `limit` bytes.
///
/// # Errors
///
/// With 408 if it does not arrive in time, 413 if it is too large, 503 if it is large and so are
/// too many others, and with 400 if it is anything else.
pub(super) async fn large_object(app: &App, body: Body, limit: usize) -> Result<Received, Refusal> {
    let (memory, time, retry) = (&app.budget, app.limits.body, app.queue.time());
    let (bytes, share) = Reading { memory, time, retry }.bytes(body, limit).await?;
    let object = serde_json::from_slice(&bytes)
        .map_err(|error| Refusal::bad(format!("the body is not a JSON object: {error}")))?;
    Ok(Received { object, share })
}

/// Parses a query about a position, as `tavoliere analyze` reads it.
pub(super) fn query(object: Map<String, Value>) -> Result<Query<'static>, Refusal> {
    Query::deserialize(Value::Object(object)).map_err(Refusal::bad)
}
