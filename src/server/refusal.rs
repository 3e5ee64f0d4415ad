//! Answers to requests that cannot be met.

use std::time::Duration;

use axum::body::Body;
use axum::http::{HeaderValue, StatusCode, header};
use axum::response::{IntoResponse, Response};

use crate::play::analysis::Problem;

/// Why a request is refused: a status, and in words what is wrong and what to do.
#[derive(Debug)]
pub struct Refusal {
    status: StatusCode,
    problem: Problem,
    /// When it is worth trying again.
    retry: Option<Duration>,
}

impl Refusal {
    pub fn new(status: StatusCode, error: impl ToString) -> Self {
        Self { status, problem: Problem::new(error), retry: None }
    }

    pub fn bad(error: impl ToString) -> Self {
        Self::new(StatusCode::BAD_REQUEST, error)
    }

    pub fn not_found(error: impl ToString) -> Self {
        Self::new(StatusCode::NOT_FOUND, error)
    }

    /// Something on this side of the line that should not have happened.
    pub fn internal(error: impl ToString) -> Self {
        Self::new(StatusCode::INTERNAL_SERVER_ERROR, error)
    }

    /// An answer that did not come in time.
    pub fn late(error: impl ToString) -> Self {
        Self::busy(error, Duration::ZERO)
    }

    /// Too much is asked for at the same time.
    pub fn busy(error: impl ToString, retry: Duration) -> Self {
        Self { retry: Some(retry), ..Self::new(StatusCode::SERVICE_UNAVAILABLE, error) }
    }
}

impl From<Problem> for Refusal {
    fn from(problem: Problem) -> Self {
        Self { status: StatusCode::BAD_REQUEST, problem, retry: None }
    }
}

impl IntoResponse for Refusal {
    fn into_response(self) -> Response {
        let text = serde_json::to_string(&self.problem).expect("plain values are JSON");
        let mut response = json(text);
        *response.status_mut() = self.status;
        if let Some(retry) = self.retry {
            let seconds = retry.as_secs_f64().ceil().max(1.0) as u64;
            response.headers_mut().insert(header::RETRY_AFTER, seconds.into());
        }
        response
    }
}

/// An answer of JSON, never to be kept.
pub fn json(text: String) -> Response {
    let mut response = Response::new(Body::from(text));
    let headers = response.headers_mut();
    headers.insert(header::CONTENT_TYPE, HeaderValue::from_static("application/json"));
    headers.insert(header::CACHE_CONTROL, HeaderValue::from_static("no-store"));
    response
}
