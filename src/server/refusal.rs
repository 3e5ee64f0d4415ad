//! Error responses.

use std::time::Duration;

use axum::body::Body;
use axum::http::{HeaderValue, StatusCode, header};
use axum::response::{IntoResponse, Response};

use crate::answers::Failure;
use crate::play::analysis::Problem;

/// An error response: a status, and a message that says what is wrong and what to do.
#[derive(Debug)]
pub(crate) struct Refusal {
    status: StatusCode,
    problem: Problem,
    /// Time after which the client may try again (`Retry-After`).
    retry: Option<Duration>,
}

impl Refusal {
    pub(crate) fn new(status: StatusCode, error: impl ToString) -> Self {
        Self { status, problem: Problem::new(error), retry: None }
    }

    pub(crate) fn bad(error: impl ToString) -> Self {
        Self::new(StatusCode::BAD_REQUEST, error)
    }

    pub(super) fn not_found(error: impl ToString) -> Self {
        Self::new(StatusCode::NOT_FOUND, error)
    }

    /// An error of the server itself.
    pub(crate) fn internal(error: impl ToString) -> Self {
        Self::new(StatusCode::INTERNAL_SERVER_ERROR, error)
    }

    /// A search that did not end in time.
    pub(super) fn late(error: impl ToString) -> Self {
        Self::busy(error, Duration::ZERO)
    }

    /// Too much memory is in use for other clients.
    pub(super) fn crowded(retry: Duration) -> Self {
        Self::busy("too many large requests and answers at the same time; try again later", retry)
    }

    /// Too many requests at the same time.
    pub(crate) fn busy(error: impl ToString, retry: Duration) -> Self {
        Self { retry: Some(retry), ..Self::new(StatusCode::SERVICE_UNAVAILABLE, error) }
    }
}

impl From<Problem> for Refusal {
    fn from(problem: Problem) -> Self {
        Self { status: StatusCode::BAD_REQUEST, problem, retry: None }
    }
}

impl From<Failure> for Refusal {
    fn from(failure: Failure) -> Self {
        match failure {
            Failure::Problem(problem) => problem.into(),
            Failure::Late(reason) => Self::late(reason),
        }
    }
}

impl IntoResponse for Refusal {
    fn into_response(self) -> Response {
        let text = serde_json::to_string(&self.problem).expect("plain values are JSON");
        let mut response = json(text);
        *response.status_mut() = self.status;
        if self.status == StatusCode::UNAUTHORIZED {
            let scheme = HeaderValue::from_static("Bearer");
            response.headers_mut().insert(header::WWW_AUTHENTICATE, scheme);
        }
        if let Some(retry) = self.retry {
            let seconds = retry.as_secs_f64().ceil().max(1.0) as u64;
            response.headers_mut().insert(header::RETRY_AFTER, seconds.into());
        }
        response
    }
}

/// Returns a JSON response that must not be cached.
pub(crate) fn json(text: impl Into<Body>) -> Response {
    let mut response = Response::new(text.into());
    let headers = response.headers_mut();
    headers.insert(header::CONTENT_TYPE, HeaderValue::from_static("application/json"));
    headers.insert(header::CACHE_CONTROL, HeaderValue::from_static("no-store"));
    response
}
