//! The nonces of the last requests: one that comes a second time is a replay.

use std::collections::{BTreeSet, HashSet};

use super::signature::Nonce;

/// The most nonces that are remembered. All are of requests that the server has signed.
const MOST: usize = 50_000;

/// What is known of a nonce.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Known {
    /// It is new, and known from now on.
    New,
    /// A request had it before.
    Seen,
    /// Too many are known.
    Full,
}

/// Nonces, for as long as their requests would be valid.
#[derive(Default)]
pub(super) struct Nonces {
    by_end: BTreeSet<Nonce>,
    texts: HashSet<String>,
}

impl Nonces {
    /// Adds a nonce at the time `now`.
    pub(super) fn add(&mut self, nonce: &Nonce, now: u64) -> Known {
        while let Some(first) = self.by_end.first().filter(|first| first.until < now) {
            self.texts.remove(&first.text);
            self.by_end.pop_first();
        }
        if self.texts.contains(&nonce.text) {
            return Known::Seen;
        }
        if self.texts.len() >= MOST {
            return Known::Full;
        }
        self.texts.insert(nonce.text.clone());
        self.by_end.insert(nonce.clone());
        Known::New
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn nonce(text: impl ToString, until: u64) -> Nonce {
        Nonce { until, text: text.to_string() }
    }

    #[test]
    fn a_nonce_is_known_until_its_request_is_too_old() {
        let mut nonces = Nonces::default();
        assert_eq!(nonces.add(&nonce("a", 10), 0), Known::New);
        assert_eq!(nonces.add(&nonce("a", 10), 10), Known::Seen);
        assert_eq!(nonces.add(&nonce("a", 99), 10), Known::Seen, "whatever its time");
        assert_eq!(nonces.add(&nonce("b", 20), 11), Known::New);
        assert_eq!(nonces.texts.len(), 1, "the first one is forgotten");
    }

    #[test]
    fn their_number_is_limited() {
        let mut nonces = Nonces::default();
        assert!((0..MOST).all(|it| nonces.add(&nonce(it, 10), 0) == Known::New));
        assert_eq!(nonces.add(&nonce("more", 10), 0), Known::Full);
        assert_eq!(nonces.add(&nonce("more", 20), 11), Known::New);
    }
}
