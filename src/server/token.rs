//! The token that requests must have, if the server was told so.

use std::fmt;
use std::hint::black_box;
use std::str::FromStr;

use anyhow::{Context, Result};
use rand::TryRng;
use rand::rngs::SysRng;

/// The least and the most characters of a token.
const LENGTH: std::ops::RangeInclusive<usize> = 16..=128;

/// A secret that requests must have. Its text is not printed with `{:?}`.
#[derive(Clone, PartialEq, Eq)]
pub(crate) struct Token(String);

impl Token {
    /// Returns a new token of 128 random bits from the operating system.
    ///
    /// # Errors
    ///
    /// If the system has no random numbers.
    pub(crate) fn random() -> Result<Self> {
        let mut bytes = [0; 16];
        SysRng.try_fill_bytes(&mut bytes).context("cannot get random numbers for a token")?;
        Ok(Self(bytes.iter().map(|byte| format!("{byte:02x}")).collect()))
    }

    /// Returns the text, which must not get into any log.
    pub(crate) fn text(&self) -> &str {
        &self.0
    }

    /// Whether this is the token. The time that it takes tells only whether the length is right.
    pub(super) fn is(&self, text: &str) -> bool {
        let differences = self.0.bytes().zip(text.bytes()).map(|(right, given)| right ^ given);
        let is_same = black_box(differences.fold(0, |all, one| black_box(all | one))) == 0;
        self.0.len() == text.len() && is_same
    }
}

impl FromStr for Token {
    type Err = &'static str;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let is_allowed = |byte: u8| byte.is_ascii_alphanumeric() || b"-._~".contains(&byte);
        match LENGTH.contains(&text.len()) && text.bytes().all(is_allowed) {
            true => Ok(Self(text.to_owned())),
            false => Err("a token has 16 to 128 letters, digits and -._~"),
        }
    }
}

impl fmt::Debug for Token {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str("Token")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_token_is_compared_as_a_whole() {
        let text = "0123456789abcdef";
        let token: Token = text.parse().unwrap();
        assert!(token.is(text));
        for other in
            ["", "0123456789abcdeF", "1123456789abcdef", "0123456789abcde", &text.repeat(2)]
        {
            assert!(!token.is(other), "{other}");
        }
        assert_eq!(format!("{token:?}"), "Token");
    }

    #[test]
    fn tokens_are_long_and_need_no_escapes() {
        for bad in
            ["", "0123456789abcde", "0123456789abcde ", "0123456789abcd%41", &"x".repeat(129)]
        {
            assert!(bad.parse::<Token>().is_err(), "{bad}");
        }
        let [one, other] = [0; 2].map(|_| Token::random().unwrap());
        assert_ne!(one, other);
        assert_eq!(one.text().parse(), Ok(one.clone()));
        assert_eq!(one.text().len(), 32);
    }
}
