//! Compresses answers for clients that accept gzip.
//!
//! Compressed are whole answers of text that are neither tiny nor large. Events and metrics, which
//! are sent in pieces, stay as they are.

use std::io::Write;

use axum::body::{Body, Bytes, HttpBody, to_bytes};
use axum::extract::Request;
use axum::http::{HeaderMap, HeaderValue, StatusCode, header};
use axum::middleware::Next;
use axum::response::Response;
use flate2::Compression;
use flate2::write::GzEncoder;

/// A smaller answer is one packet either way.
const LEAST: u64 = 1 << 10;

/// The thread that handles all requests takes some 5 ms to compress this many bytes.
const MOST: u64 = 128 << 10;

/// The beginnings of the types that are compressed: the others are compressed already.
const TEXT: [&str; 3] = ["text/", "application/json", "image/svg+xml"];

/// Compresses the answer to a request, if that gains something and the client accepts it.
pub(super) async fn compress(request: Request, next: Next) -> Response {
    let is_accepted = accepts_gzip(request.headers());
    let mut response = next.run(request).await;
    if !is_worthwhile(&response) {
        return response;
    }
    response.headers_mut().insert(header::VARY, HeaderValue::from_static("Accept-Encoding"));
    if is_accepted { compressed(response).await } else { response }
}

/// Whether the client takes gzip. A weight of 0 means that it does not.
fn accepts_gzip(headers: &HeaderMap) -> bool {
    let accepted = headers.get_all(header::ACCEPT_ENCODING).iter();
    accepted.filter_map(|value| value.to_str().ok()).flat_map(|value| value.split(',')).any(|it| {
        let (name, weight) = it.split_once(';').unwrap_or((it, "q=1"));
        let weight = weight.trim().strip_prefix("q=").and_then(|number| number.parse::<f32>().ok());
        name.trim().eq_ignore_ascii_case("gzip") && weight.is_none_or(|weight| weight > 0.0)
    })
}

fn is_worthwhile(response: &Response) -> bool {
    let size = response.body().size_hint().exact();
    let kind = response.headers().get(header::CONTENT_TYPE).and_then(|kind| kind.to_str().ok());
    size.is_some_and(|size| (LEAST..=MOST).contains(&size))
        && kind.is_some_and(|kind| TEXT.iter().any(|text| kind.starts_with(text)))
        && response.status() != StatusCode::PARTIAL_CONTENT
}

async fn compressed(response: Response) -> Response {
    let (mut head, body) = response.into_parts();
    // The size is known and small; such a body has arrived already.
    let Ok(plain) = to_bytes(body, MOST as usize).await else {
        return Response::from_parts(head, Body::empty());
    };
    let Some(packed) = packed(&plain) else {
        return Response::from_parts(head, Body::from(plain));
    };
    head.headers.remove(header::CONTENT_LENGTH);
    head.headers.insert(header::CONTENT_ENCODING, HeaderValue::from_static("gzip"));
    weaken_tag(&mut head.headers);
    Response::from_parts(head, Body::from(packed))
}

fn packed(plain: &[u8]) -> Option<Bytes> {
    let mut encoder = GzEncoder::new(Vec::new(), Compression::default());
    encoder.write_all(plain).ok()?;
    encoder.finish().ok().map(Bytes::from)
}

/// A strong tag would say that the bytes are the same as without compression.
fn weaken_tag(headers: &mut HeaderMap) {
    let tag = headers.get(header::ETAG).and_then(|tag| tag.to_str().ok());
    let weak = tag.filter(|tag| tag.starts_with('"')).map(|tag| format!("W/{tag}"));
    if let Some(weak) = weak.and_then(|weak| HeaderValue::try_from(weak).ok()) {
        headers.insert(header::ETAG, weak);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_clients_that_accept_gzip_get_it() {
        for (accepted, expected) in [
            ("gzip", true),
            ("br, GZIP ;q=0.5", true),
            ("deflate, gzip;q=1.0, *;q=0.5", true),
            ("gzip;q=0", false),
            ("gzip;q=0.000", false),
            ("br", false),
            ("xgzip", false),
            ("", false),
        ] {
            let mut headers = HeaderMap::new();
            headers.insert(header::ACCEPT_ENCODING, HeaderValue::from_static(accepted));
            assert_eq!(accepts_gzip(&headers), expected, "{accepted}");
        }
        assert!(!accepts_gzip(&HeaderMap::new()));
    }
}
