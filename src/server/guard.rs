//! Checks of all requests against other sites, and the security headers of all answers.

use std::sync::Arc;

use axum::body::Body;
use axum::extract::State;
use axum::http::{HeaderMap, HeaderName, HeaderValue, Request, StatusCode, header};
use axum::middleware::Next;
use axum::response::{IntoResponse, Response};

use super::App;
use super::refusal::Refusal;

/// Security headers of every answer: pages of this server load nothing from elsewhere and cannot be
/// embedded in other pages.
const HEADERS: [(HeaderName, &str); 4] = [
    (
        header::CONTENT_SECURITY_POLICY,
        "default-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'; \
         object-src 'none'",
    ),
    (header::X_CONTENT_TYPE_OPTIONS, "nosniff"),
    (header::REFERRER_POLICY, "no-referrer"),
    (HeaderName::from_static("cross-origin-resource-policy"), "same-origin"),
];

/// Refuses requests that a browser makes for pages of other sites.
pub(super) async fn guard(
    State(app): State<Arc<App>>,
    request: Request<Body>,
    next: Next,
) -> Response {
    let mut response = match check(request.headers(), app.is_local) {
        Ok(()) => next.run(request).await,
        Err(refusal) => refusal.into_response(),
    };
    for (name, value) in HEADERS {
        response.headers_mut().insert(name, HeaderValue::from_static(value));
    }
    response
}

/// Checks the headers `Host` and `Origin`.
///
/// A local server requires a local `Host`, because another site's name may resolve to this machine
/// (DNS rebinding). An `Origin` must be the server itself.
fn check(headers: &HeaderMap, is_local: bool) -> Result<(), Refusal> {
    let text = |name| headers.get(name).and_then(|value: &HeaderValue| value.to_str().ok());
    let host = text(header::HOST).unwrap_or_default();
    if is_local && !["localhost", "127.0.0.1", "[::1]"].contains(&without_port(host)) {
        return Err(forbidden("this server accepts only the hosts localhost, 127.0.0.1 and [::1]"));
    }
    let is_own = |origin: &str| origin.split_once("://").is_some_and(|(_, from)| from == host);
    match headers.get(header::ORIGIN) {
        Some(_) if !text(header::ORIGIN).is_some_and(is_own) => {
            Err(forbidden("requests from pages of other sites are not allowed"))
        }
        _ => Ok(()),
    }
}

fn forbidden(error: &str) -> Refusal {
    Refusal::new(StatusCode::FORBIDDEN, error)
}

fn without_port(host: &str) -> &str {
    match host.rsplit_once(':') {
        Some((name, port)) if port.bytes().all(|byte| byte.is_ascii_digit()) => name,
        _ => host,
    }
}
