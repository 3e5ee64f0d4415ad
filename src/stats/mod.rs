//! Statistics of matches and ratings, which depend on no game.
//!
//! * [`pentanomial`]: Elo difference and its interval from pairs of games;
//! * [`proportion`]: the confidence interval of a share of successes;
//! * [`means`]: the mean of a table of scores, such as of trainings with several seeds;
//! * [`sprt`]: the sequential test that stops a match when it is decided;
//! * [`ratings`]: ratings of a pool of players from all games between them;
//! * [`intransitivity`]: a test whether ratings explain those games;
//! * [`chart`]: charts of these numbers as SVG and PNG.
//!
//! Elo differences are logistic: a difference of `d` Elo means odds of `10^(d / 400)`.

pub(crate) mod chart;
pub(crate) mod distributions;
pub(crate) mod intransitivity;
mod likelihood;
mod matrix;
#[cfg(feature = "net")]
pub(crate) mod means;
pub(crate) mod pentanomial;
pub(crate) mod proportion;
pub(crate) mod ratings;
pub(crate) mod sprt;

pub(crate) use intransitivity::Intransitivity;
pub(crate) use pentanomial::{Pentanomial, Summary};
pub(crate) use ratings::{Encounter, Ratings, RatingsError};
pub(crate) use sprt::{Decision, Sprt};

use serde::{Deserialize, Serialize};

/// Elo per unit of a natural logarithm of odds.
pub(crate) const ELO_PER_NAT: f64 = 400.0 / std::f64::consts::LN_10;

/// The 97.5 % quantile of the standard normal distribution: 95 % of its mass lies between
/// `-Z95` and `Z95`.
pub(crate) const Z95: f64 = 1.959_963_984_540_054;

/// A value and its 95 % interval.
#[derive(Clone, Copy, PartialEq, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Estimate {
    /// The most likely value.
    pub value: f64,
    /// The lower end of the interval.
    pub low: f64,
    /// The upper end of the interval.
    pub high: f64,
}

impl Estimate {
    /// The symmetric interval of a normal distribution.
    pub(crate) fn normal(value: f64, deviation: f64) -> Self {
        Self { value, low: value - Z95 * deviation, high: value + Z95 * deviation }
    }

    /// Whether `value` lies in the interval.
    #[cfg(test)]
    pub(crate) fn contains(&self, value: f64) -> bool {
        (self.low..=self.high).contains(&value)
    }

    /// Applies an increasing function to all three numbers.
    pub(crate) fn map(self, function: impl Fn(f64) -> f64) -> Self {
        Self { value: function(self.value), low: function(self.low), high: function(self.high) }
    }
}

/// Returns the Elo difference that predicts `score`, the mean points of a game from 0 to 1. It is
/// infinite for 0 and 1.
pub(crate) fn elo_of_score(score: f64) -> f64 {
    ELO_PER_NAT * (score / (1.0 - score)).ln()
}

/// Returns the mean points of a game, from 0 to 1, that an Elo difference predicts.
pub(crate) fn score_of_elo(elo: f64) -> f64 {
    1.0 / (1.0 + (-elo / ELO_PER_NAT).exp())
}
