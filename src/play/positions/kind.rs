//! What is asked about a position.

use std::fmt::{self, Display};
use std::str::FromStr;

use thiserror::Error;

use crate::classic::prover::DEEPEST;

/// What is asked about a position, and so which turns are right.
///
/// Turns are those of both sides together. Nothing is said about what comes after the *horizon*,
/// the number of turns up to which a set was searched.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Kind {
    /// The side to move wins by force within so many turns and not sooner. Right are the turns
    /// after which it still wins by force within the horizon, counted from the position.
    Win(u32),
    /// The side to move does not win by force within the horizon, and after all of its turns but
    /// one the other side wins by force: within so many turns, counted from the position, after
    /// the most stubborn of them. After the one that is right the other side does not win by
    /// force within the horizon.
    Only(u32),
    /// The game is solved. Right are the turns that keep the result of the position.
    Value,
}

/// There is no such kind of position.
#[derive(Clone, PartialEq, Eq, Debug, Error)]
#[error(
    "`{0}` is no kind of position: known are winN (as in win5) and onlyN (as in only4), N from 1 \
     to {DEEPEST} for wins and from 2 for only moves, and value"
)]
pub struct KindError(String);

impl Kind {
    /// Turns that the proof of such a position has to look ahead; none if a solver is asked.
    pub fn turns(self) -> Option<u32> {
        match self {
            Self::Win(turns) | Self::Only(turns) => Some(turns),
            Self::Value => None,
        }
    }
}

impl Display for Kind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Win(turns) => write!(f, "win{turns}"),
            Self::Only(turns) => write!(f, "only{turns}"),
            Self::Value => f.write_str("value"),
        }
    }
}

impl FromStr for Kind {
    type Err = KindError;

    fn from_str(text: &str) -> Result<Self, KindError> {
        let wrong = || KindError(text.chars().take(40).collect());
        let turns = |digits: &str, least: u32| {
            let number = digits.parse().ok().filter(|turns| (least..=DEEPEST).contains(turns));
            number.ok_or_else(wrong)
        };
        if let Some(digits) = text.strip_prefix("win") {
            Ok(Self::Win(turns(digits, 1)?))
        } else if let Some(digits) = text.strip_prefix("only") {
            Ok(Self::Only(turns(digits, 2)?))
        } else {
            (text == "value").then_some(Self::Value).ok_or_else(wrong)
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn kinds_are_read_and_written() {
        for text in ["win1", "win7", "only2", "only48", "value"] {
            assert_eq!(text.parse::<Kind>().unwrap().to_string(), text);
        }
        for text in ["", "win", "win0", "win49", "only1", "only-3", "wins", "values", "mate3"] {
            let said = text.parse::<Kind>().unwrap_err().to_string();
            assert!(said.contains(&format!("`{text}`")) && said.contains("win5"), "{said}");
        }
    }
}
