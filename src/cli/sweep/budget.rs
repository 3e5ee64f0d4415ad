//! How long the trainings of a sweep are.

use std::fmt::{self, Display};
use std::time::Duration;

use serde::{Deserialize, Serialize};

/// How long a training is.
#[derive(Clone, Copy, PartialEq, Debug, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(super) enum Budget {
    Iterations(u64),
    Seconds(f64),
}

/// The shares of the whole after which successive halving drops rows.
const SHARES: [f64; 3] = [0.25, 0.5, 1.0];

impl Budget {
    /// Returns when rows are compared: at the end, or with `halve` also before it. Each stage is
    /// longer than the one before.
    pub(super) fn stages(self, halve: bool) -> Vec<Self> {
        let shares = if halve { &SHARES[..] } else { &SHARES[2..] };
        let mut stages: Vec<Self> = shares.iter().map(|&share| self.share(share)).collect();
        stages.dedup();
        stages
    }

    /// The seconds, if it is a time.
    pub(super) fn seconds(self) -> Option<f64> {
        match self {
            Self::Iterations(_) => None,
            Self::Seconds(seconds) => Some(seconds),
        }
    }

    fn share(self, share: f64) -> Self {
        match self {
            Self::Iterations(iterations) => {
                Self::Iterations((iterations as f64 * share).ceil() as u64)
            }
            Self::Seconds(seconds) => Self::Seconds(seconds * share),
        }
    }
}

impl From<Duration> for Budget {
    fn from(time: Duration) -> Self {
        Self::Seconds(time.as_secs_f64())
    }
}

impl Display for Budget {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Iterations(1) => write!(f, "1 iteration"),
            Self::Iterations(iterations) => write!(f, "{iterations} iterations"),
            Self::Seconds(seconds) => write!(f, "{} s", (seconds * 1000.0).round() / 1000.0),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rows_are_compared_at_the_end_or_also_before() {
        use Budget::{Iterations, Seconds};
        assert_eq!(Iterations(40).stages(false), [Iterations(40)]);
        assert_eq!(Iterations(40).stages(true), [Iterations(10), Iterations(20), Iterations(40)]);
        assert_eq!(Iterations(1).stages(true), [Iterations(1)]);
        assert_eq!(Seconds(6.0).stages(true), [Seconds(1.5), Seconds(3.0), Seconds(6.0)]);
        assert_eq!(Seconds(1.5).to_string(), "1.5 s");
    }
}
