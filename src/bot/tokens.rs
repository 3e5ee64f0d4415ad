//! The token that the bot shows the server: fetched when it is needed, kept until it ends.

use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};

use serde::Deserialize;
use ureq::Agent;

use super::account::{Account, Secret};
use super::shortened;

/// A token is renewed so long before it ends.
const EARLY: Duration = Duration::from_secs(60);

/// The time that a token is good for if the server does not say.
const USUAL: u64 = 3600;

/// The most time for fetching a token.
const TIME: Duration = Duration::from_secs(15);

/// The most bytes of the answer.
const MOST_BYTES: u64 = 64 << 10;

/// The token, and where it comes from.
pub(super) struct Tokens(Mutex<Option<Token>>);

#[derive(Clone, Debug)]
struct Token {
    text: Secret,
    until: Instant,
}

/// The answer to a request for a token. It is never printed.
#[derive(Deserialize)]
struct Granted {
    access_token: String,
    expires_in: Option<u64>,
}

impl Tokens {
    pub(super) fn new() -> Self {
        Self(Mutex::new(None))
    }

    /// Returns the token that is there, or a new one if that is `refused` or about to end. While
    /// one thread fetches it the others wait.
    ///
    /// # Errors
    ///
    /// Why there is none, without secrets.
    pub(super) fn get(
        &self,
        agent: &Agent,
        account: &Account,
        refused: Option<&Secret>,
    ) -> Result<Secret, String> {
        let mut kept = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let is_good = |token: &&Token| Instant::now() < token.until && refused != Some(&token.text);
        if let Some(token) = kept.as_ref().filter(is_good) {
            return Ok(token.text.clone());
        }
        *kept = None;
        let token = fetched(agent, account)
            .map_err(|error| format!("no token: {}", account.hidden_in(&shortened(&error))))?;
        Ok(kept.insert(token).text.clone())
    }
}

fn fetched(agent: &Agent, account: &Account) -> Result<Token, String> {
    let begun = Instant::now();
    let form = [
        ("grant_type", "client_credentials"),
        ("client_id", account.client_id.text()),
        ("client_secret", account.client_secret.text()),
        ("scope", &account.scope),
    ];
    let request = agent.post(&account.token_url).config().timeout_global(Some(TIME)).build();
    let mut response = request.send_form(form).map_err(|error| error.to_string())?;
    let status = response.status();
    let body = response.body_mut().with_config().limit(MOST_BYTES).read_to_vec();
    let body = body.map_err(|error| error.to_string())?;
    if !status.is_success() {
        return Err(format!("status {status}: {}", String::from_utf8_lossy(&body)));
    }
    // The error of the parser might quote the token.
    let granted: Granted =
        serde_json::from_slice(&body).map_err(|_| "the answer has no access_token".to_owned())?;
    let is_plain = |byte: u8| byte.is_ascii_graphic();
    if granted.access_token.is_empty() || !granted.access_token.bytes().all(is_plain) {
        return Err("the answer has no access_token".to_owned());
    }
    let until = begun + lifetime(granted.expires_in.unwrap_or(USUAL));
    Ok(Token { text: Secret::new(granted.access_token), until })
}

/// How long a token is used whose lifetime is given in seconds.
fn lifetime(seconds: u64) -> Duration {
    // No token is good for more than a day here, so that a wrong number does no harm.
    let all = Duration::from_secs(seconds.min(24 * 3600));
    all - EARLY.min(all / 2)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tokens_are_renewed_a_minute_early() {
        for (seconds, expected) in [(3600, 3540), (120, 60), (60, 30), (1, 0), (0, 0)] {
            assert_eq!(lifetime(seconds).as_secs(), expected, "{seconds}");
        }
        assert!(lifetime(u64::MAX) < Duration::from_secs(100_000));
    }
}
