//! The kinds of positions in test suites.

use std::fmt::{self, Display};
use std::str::FromStr;

use thiserror::Error;

use crate::classic::prover::DEEPEST;

/// The kind of a position, which defines its correct turns.
///
/// Turns of both sides are counted. The *horizon* is the depth in turns up to which a test suite
/// was proven; the kinds do not depend on results beyond it.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub(crate) enum Kind {
    /// The side to move wins by force within this number of turns and not sooner. Correct are the
    /// turns after which it still wins by force within the horizon, counted from the position.
    Win(u32),
    /// The side to move does not win by force within the horizon, and has one turn after which the
    /// other side does not either: the correct one. After all other turns the other side wins by
    /// force, within at most this number of turns, counted from the position.
    Only(u32),
    /// The game is solved. Correct are the turns that keep the result of the position.
    Value,
}

/// There is no such kind of position.
#[derive(Clone, PartialEq, Eq, Debug, Error)]
#[error(
    "`{0}` is not a kind of position; the kinds are winN (as in win5) with N from 1 to {DEEPEST}, \
     onlyN (as in only4) with N from 2 to {DEEPEST}, and value"
)]
pub(crate) struct KindError(String);

impl Kind {
    /// The depth of its proof in turns; `None` for positions from a solver.
    pub(crate) fn turns(self) -> Option<u32> {
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
