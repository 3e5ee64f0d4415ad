//! Pages elsewhere that may use the interface: their origins, and what their browsers are told (CORS).

use std::fmt;
use std::str::FromStr;

use axum::http::uri::Authority;
use axum::http::{HeaderMap, HeaderValue, Method, StatusCode, header};
use axum::response::{IntoResponse, Response};

/// What a page may send: the methods of the interface, JSON, the token, and where events go on.
const METHODS: &str = "GET, POST";
const HEADERS: &str = "Authorization, Content-Type, Last-Event-ID";

/// For how long a browser may keep what it was told before a request, in seconds.
const KEPT: &str = "600";

/// The origin of a page, as browsers write it: `https://example.org` or `http://localhost:5173`.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct Origin(String);

impl Origin {
    /// Parses the scheme and the host with its port.
    fn parse(text: &str) -> Option<Self> {
        let (scheme, place) = text.split_once("://")?;
        let usual = match scheme {
            "http" => 80,
            "https" => 443,
            _ => return None,
        };
        // A name and a password would be part of it.
        let authority = place.parse::<Authority>().ok().filter(|_| !place.contains('@'))?;
        let host = authority.host();
        let port = match place.strip_prefix(host)? {
            "" => usual,
            port => port.strip_prefix(':')?.parse::<u16>().ok()?,
        };
        let port = if port == usual { String::new() } else { format!(":{port}") };
        (!host.is_empty()).then(|| Self(format!("{scheme}://{host}{port}")))
    }
}

impl FromStr for Origin {
    type Err = &'static str;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        match text {
            "*" => Err("every page on the web could use this server; name the origins, one at a \
                        time, such as https://example.org"),
            "null" => {
                Err("files and sandboxed frames of any site have the origin null; serve the \
                           page from an address, and name that")
            }
            _ => Self::parse(&text.to_ascii_lowercase()).ok_or(
                "an origin is http:// or https://, a host and perhaps a port, without a path: \
                 https://example.org or http://localhost:5173",
            ),
        }
    }
}

impl fmt::Display for Origin {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(&self.0)
    }
}

/// The origin of a request if it is one of those that are `allowed`.
pub(super) fn allowed<'a>(allowed: &'a [Origin], headers: &HeaderMap) -> Option<&'a Origin> {
    let mut given = headers.get_all(header::ORIGIN).iter();
    let (Some(origin), None) = (given.next(), given.next()) else { return None };
    allowed.iter().find(|known| origin.as_bytes() == known.0.as_bytes())
}

/// Whether a browser asks what a page may send, before the page's request.
pub(super) fn is_preflight(method: &Method, headers: &HeaderMap) -> bool {
    method == Method::OPTIONS && headers.contains_key(header::ACCESS_CONTROL_REQUEST_METHOD)
}

/// The answer to such a question of an allowed page.
pub(super) fn preflight() -> Response {
    let headers = [
        (header::ACCESS_CONTROL_ALLOW_METHODS, METHODS),
        (header::ACCESS_CONTROL_ALLOW_HEADERS, HEADERS),
        (header::ACCESS_CONTROL_MAX_AGE, KEPT),
    ];
    (StatusCode::NO_CONTENT, headers).into_response()
}

/// Lets the page of an origin read an answer. Cookies are not among what such pages may send.
pub(super) fn open(response: &mut Response, origin: &Origin) {
    let headers = response.headers_mut();
    if let Ok(origin) = HeaderValue::from_str(&origin.0) {
        headers.insert(header::ACCESS_CONTROL_ALLOW_ORIGIN, origin);
    }
    headers.append(header::VARY, HeaderValue::from_static("Origin"));
    let exposed = HeaderValue::from_static("Retry-After");
    headers.insert(header::ACCESS_CONTROL_EXPOSE_HEADERS, exposed);
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn origins_are_written_as_browsers_write_them() {
        for (text, origin) in [
            ("https://example.org", "https://example.org"),
            ("HTTPS://Example.org:443", "https://example.org"),
            ("http://localhost:5173", "http://localhost:5173"),
            ("http://127.0.0.1:80", "http://127.0.0.1"),
            ("https://[::1]:8443", "https://[::1]:8443"),
        ] {
            assert_eq!(text.parse::<Origin>().unwrap().to_string(), origin);
        }
    }

    #[test]
    fn what_is_no_origin_is_refused() {
        for text in [
            "",
            "example.org",
            "https://",
            "https://:443",
            "https://example.org/",
            "https://example.org/page",
            "https://me@example.org",
            "https://example.org:",
            "https://example.org:99999",
            "https://*.example.org/*",
            "https://exämple.org",
            "ftp://example.org",
            "file://",
        ] {
            let reason = text.parse::<Origin>().unwrap_err();
            assert!(reason.starts_with("an origin is http://"), "{text}: {reason}");
        }
        assert!("*".parse::<Origin>().unwrap_err().contains("every page on the web"));
        assert!("null".parse::<Origin>().unwrap_err().contains("sandboxed frames"));
    }
}
