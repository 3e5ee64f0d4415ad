//! The endpoint: what the server's requests are answered.
//!
//! Every path is the endpoint, so that a proxy may pass on any.

use std::sync::Arc;
use std::time::Duration;

use axum::Router;
use axum::body::Body;
use axum::extract::State;
use axum::http::{HeaderMap, Method, Request as HttpRequest, StatusCode};
use axum::response::{IntoResponse, Response};
use tokio::task::spawn_blocking;

use super::desk::{Desk, Refused};
use super::nonces::Known;
use super::request::{MOST_BYTES, Request};
use super::{now, signature};
use crate::server::{Reading, Refusal, json};

/// Time within which a request must have arrived.
const TIME: Duration = Duration::from_secs(10);

/// Time after which a request may be sent again for which there is no room.
const RETRY: Duration = Duration::from_secs(60);

/// Answers all requests.
pub(super) fn router(desk: Arc<Desk>) -> Router {
    Router::new().fallback(answer).with_state(desk)
}

async fn answer(State(desk): State<Arc<Desk>>, request: HttpRequest<Body>) -> Response {
    match *request.method() {
        Method::GET | Method::HEAD => json(r#"{"operational":true}"#),
        Method::POST => {
            let (head, body) = request.into_parts();
            posted(desk, &head.headers, body).await.unwrap_or_else(IntoResponse::into_response)
        }
        _ => {
            let reason = "this is the endpoint of a bot, for GET and POST";
            Refusal::new(StatusCode::METHOD_NOT_ALLOWED, reason).into_response()
        }
    }
}

async fn posted(desk: Arc<Desk>, headers: &HeaderMap, body: Body) -> Result<Response, Refusal> {
    let reading = Reading { memory: &desk.memory, time: TIME, retry: RETRY };
    let (body, share) = reading.bytes(body, MOST_BYTES).await?;
    let now = now();
    let signed = signature::check(&desk.key, headers, &body, now);
    let refused = |reason: &str| {
        desk.log_refused(reason);
        Refusal::new(StatusCode::FORBIDDEN, reason)
    };
    let nonce = signed.map_err(refused)?;
    match desk.add_nonce(&nonce, now) {
        Known::New => {}
        Known::Seen => return Err(refused("its nonce was seen before")),
        Known::Full => return Err(Refusal::busy("too many requests in 5 minutes", RETRY)),
    }
    let request = Request::read(&body).map_err(|reason| {
        desk.log_refused(&reason);
        Refusal::bad(reason)
    })?;
    let done = spawn_blocking(move || {
        let _share = share;
        match request {
            Request::Challenge(challenge) => {
                desk.challenge(challenge, nonce).map(|()| (StatusCode::OK, r#"{"accepted":true}"#))
            }
            Request::Move(request) => {
                desk.asked(request, nonce).map(|()| (StatusCode::ACCEPTED, r#"{"queued":true}"#))
            }
        }
    });
    match done.await.map_err(Refusal::internal)? {
        Ok((status, text)) => {
            let mut response = json(text);
            *response.status_mut() = status;
            Ok(response)
        }
        Err(Refused::Unfit(reason)) => Err(Refusal::bad(reason)),
        Err(Refused::Full) => Err(Refusal::busy("too many turns wait", RETRY)),
    }
}
