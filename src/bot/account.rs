//! The account of the bot on the server: where it reports, and its secrets.

use std::fmt;

use anyhow::{Context, Result, bail, ensure};
use axum::http::Uri;
use sha2::{Digest, Sha256};

/// A text that must not get into any log. It is not printed with `{:?}`.
#[derive(Clone, PartialEq, Eq)]
pub(super) struct Secret(String);

impl Secret {
    pub(super) fn new(text: String) -> Self {
        Self(text)
    }

    /// Returns the text, which must not get into any log.
    pub(super) fn text(&self) -> &str {
        &self.0
    }

    /// A text with stars in the place of this one.
    pub(super) fn hidden_in(&self, text: &str) -> String {
        text.replace(&self.0, "***")
    }
}

impl fmt::Debug for Secret {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str("Secret")
    }
}

/// What the server gave the bot when it was registered.
#[derive(Clone, Debug)]
pub(crate) struct Account {
    /// Where tokens are fetched.
    pub(super) token_url: String,
    /// Where turns are sent.
    pub(super) query_url: String,
    /// What tokens are for.
    pub(super) scope: String,
    /// The name of the account, which is also that of the player.
    pub(super) client_id: Secret,
    /// Its password.
    pub(super) client_secret: Secret,
}

impl Account {
    /// Reads the account from the environment.
    ///
    /// # Errors
    ///
    /// If a variable is missing, or an address is none that secrets may be sent to. The error does
    /// not have the value.
    pub(crate) fn from_environment() -> Result<Self> {
        Self::new(|name| std::env::var(name).ok())
    }

    fn new(variable: impl Fn(&str) -> Option<String>) -> Result<Self> {
        let text = |name: &str, what: &str| {
            let text = variable(name).map(|text| text.trim().to_owned());
            let text = text.filter(|text| !text.is_empty());
            text.with_context(|| format!("the environment variable {name} is not set: {what}"))
        };
        let url = |name: &str, what: &str| {
            let url = text(name, what)?;
            check_url(&url).with_context(|| format!("the environment variable {name}"))?;
            Ok::<_, anyhow::Error>(url)
        };
        Ok(Self {
            token_url: url("BOT_TOKEN_URL", "where the bot fetches its tokens")?,
            query_url: url("BOT_QUERY_URL", "where the bot sends its turns")?,
            scope: text("BOT_OAUTH_SCOPE", "the scope of the tokens")?,
            client_id: Secret::new(text("BOT_CLIENT_ID", "the client id of the bot")?),
            client_secret: Secret::new(text("BOT_CLIENT_SECRET", "the client secret of the bot")?),
        })
    }

    /// A short text that differs from account to account, without secrets.
    pub(super) fn fingerprint(&self) -> String {
        let digest = Sha256::new()
            .chain_update("tavoliere bot\n")
            .chain_update(self.client_id.text())
            .finalize();
        digest.iter().take(8).map(|byte| format!("{byte:02x}")).collect()
    }

    /// A text from elsewhere without the secrets that it may repeat.
    pub(super) fn hidden_in(&self, text: &str) -> String {
        self.client_id.hidden_in(&self.client_secret.hidden_in(text))
    }
}

/// Checks that secrets may be sent to an address: by HTTPS, or on this machine.
fn check_url(url: &str) -> Result<()> {
    let uri: Uri = url.parse().ok().context("is no address, as in https://HOST/PATH")?;
    let (Some(scheme), Some(authority)) = (uri.scheme_str(), uri.authority()) else {
        bail!("is no address, as in https://HOST/PATH");
    };
    ensure!(!authority.as_str().contains('@'), "has a user name or a password");
    let is_local = ["localhost", "127.0.0.1", "[::1]"].contains(&authority.host());
    ensure!(
        scheme == "https" || scheme == "http" && is_local,
        "must begin with https://, as secrets are sent there"
    );
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn account(other: &str, value: &str) -> Result<Account> {
        Account::new(|name| {
            let usual = match name {
                "BOT_TOKEN_URL" => "https://example.org/token",
                "BOT_QUERY_URL" => "http://127.0.0.1:1/query",
                "BOT_OAUTH_SCOPE" => "a/b",
                "BOT_CLIENT_ID" => "the-id",
                "BOT_CLIENT_SECRET" => "the-secret",
                _ => unreachable!("{name}"),
            };
            Some(if name == other { value } else { usual }.to_owned())
        })
    }

    #[test]
    fn secrets_are_not_printed() {
        let account = account("", "").unwrap();
        let printed = format!("{account:?} {}", account.fingerprint());
        assert!(!printed.contains("the-id") && !printed.contains("the-secret"), "{printed}");
        assert_eq!(account.hidden_in("no the-secret of the-id"), "no *** of ***");
    }

    #[test]
    fn what_is_missing_or_insecure_is_named_without_its_value() {
        for (name, value, words) in [
            ("BOT_CLIENT_SECRET", "", "BOT_CLIENT_SECRET is not set"),
            ("BOT_OAUTH_SCOPE", " ", "BOT_OAUTH_SCOPE is not set"),
            ("BOT_TOKEN_URL", "http://example.org/the-path", "https://"),
            ("BOT_TOKEN_URL", "the-path", "is no address"),
            ("BOT_QUERY_URL", "https://me:the-path@example.org/", "password"),
            ("BOT_QUERY_URL", "http://127.0.0.1.example.org/the-path", "https://"),
        ] {
            let error = format!("{:#}", account(name, value).unwrap_err());
            assert!(error.contains(name) && error.contains(words), "{value}: {error}");
            assert!(!error.contains("the-path"), "{error}");
        }
    }
}
