//! The signature of a request: who made it, and when.

use axum::http::HeaderMap;
use serde::{Deserialize, Serialize};

use super::key::{PublicKey, decoded};

/// Seconds that the time of a request may differ from ours.
const MOST_AGE: u64 = 300;

/// The most characters of a nonce.
const MOST_OF_NONCE: usize = 128;

/// The headers of a signed request.
const TIMESTAMP: &str = "x-signature-timestamp";
const NONCE: &str = "x-signature-nonce";
const SIGNATURE: &str = "x-signature";

/// The number of a request that is valid only once.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Debug, Serialize, Deserialize)]
pub(super) struct Nonce {
    /// The last second in which the request would be valid, since 1970.
    pub until: u64,
    /// The number.
    pub text: String,
}

/// Checks the signature of a request at the time `now`. Returns its nonce, which must be new.
///
/// # Errors
///
/// What is wrong.
pub(super) fn check(
    key: &PublicKey,
    headers: &HeaderMap,
    body: &[u8],
    now: u64,
) -> Result<Nonce, &'static str> {
    let header = |name| headers.get(name).and_then(|value| value.to_str().ok());
    let given = header(TIMESTAMP).zip(header(NONCE)).zip(header(SIGNATURE));
    let ((timestamp, nonce), signature) = given.ok_or("the request is not signed")?;
    let time: u64 = timestamp.parse().map_err(|_| "the time of the signature is no number")?;
    if now.abs_diff(time) > MOST_AGE {
        return Err("the signature is more than 5 minutes old, or a clock is wrong");
    }
    if nonce.is_empty() || nonce.len() > MOST_OF_NONCE {
        return Err("the nonce of the signature is empty or too long");
    }
    let signature = decoded(signature).ok_or("the signature is not base64")?;
    let message = [timestamp.as_bytes(), b".", nonce.as_bytes(), b".", body].concat();
    match key.has_signed(&message, &signature) {
        true => Ok(Nonce { until: time + MOST_AGE, text: nonce.to_owned() }),
        false => Err("the signature is not that of the server"),
    }
}

#[cfg(test)]
mod tests {
    use base64::Engine;
    use base64::prelude::BASE64_STANDARD;
    use ring::signature::{Ed25519KeyPair, KeyPair};

    use super::*;

    const NOW: u64 = 1_800_000_000;

    fn pair() -> Ed25519KeyPair {
        Ed25519KeyPair::from_seed_unchecked(&[7; 32]).unwrap()
    }

    fn key() -> PublicKey {
        let (pair, der) = (pair(), [0x30, 0x2a, 0x30, 5, 6, 3, 0x2b, 0x65, 0x70, 3, 0x21, 0]);
        let public = [&der[..], pair.public_key().as_ref()].concat();
        BASE64_STANDARD.encode(public).parse().unwrap()
    }

    /// The headers of a request.
    fn signed(timestamp: &str, nonce: &str, body: &str) -> HeaderMap {
        let signature = pair().sign(format!("{timestamp}.{nonce}.{body}").as_bytes());
        let signature = BASE64_STANDARD.encode(signature);
        let mut headers = HeaderMap::new();
        for (name, value) in [(TIMESTAMP, timestamp), (NONCE, nonce), (SIGNATURE, &signature)] {
            headers.insert(name, value.parse().unwrap());
        }
        headers
    }

    #[test]
    fn a_signed_request_is_valid_for_five_minutes() {
        let check = |time: u64| check(&key(), &signed(&time.to_string(), "abc", "{}"), b"{}", NOW);
        for time in [NOW - 300, NOW, NOW + 300] {
            assert_eq!(check(time), Ok(Nonce { until: time + 300, text: "abc".to_owned() }));
        }
        for time in [0, NOW - 301, NOW + 301] {
            assert!(check(time).unwrap_err().contains("5 minutes"), "{time}");
        }
    }

    #[test]
    fn everything_is_signed() {
        let now = NOW.to_string();
        let good = signed(&now, "abc", "{\"a\": 1}");
        let check = |headers: &HeaderMap, body: &str| check(&key(), headers, body.as_bytes(), NOW);
        assert!(check(&good, "{\"a\": 1}").is_ok());
        assert!(check(&good, "{\"a\":1}").is_err(), "the same JSON with other bytes");
        for (name, value) in
            [(TIMESTAMP, "1800000001"), (NONCE, "abd"), (SIGNATURE, "AAAA"), (SIGNATURE, "?")]
        {
            let mut other = good.clone();
            other.insert(name, value.parse().unwrap());
            assert!(check(&other, "{\"a\": 1}").is_err(), "{name}: {value}");
            other.remove(name);
            assert_eq!(check(&other, "{\"a\": 1}"), Err("the request is not signed"));
        }
    }

    #[test]
    fn odd_headers_are_refused() {
        for (time, nonce) in [("-1", "a"), ("now", "a"), ("1800000000", ""), ("1800000000.5", "a")]
        {
            assert!(check(&key(), &signed(time, nonce, ""), b"", NOW).is_err(), "{time} {nonce}");
        }
        let long = "x".repeat(MOST_OF_NONCE + 1);
        assert!(check(&key(), &signed("1800000000", &long, ""), b"", NOW).is_err());
    }
}
