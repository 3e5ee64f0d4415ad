//! Statistics of matches and ratings: numbers in, numbers out, no games.
//!
//! * [`pentanomial`]: what pairs of games say about two players;
//! * [`proportion`]: how sure a share of successes is;
//! * [`sprt`]: when a match has said enough;
//! * [`ratings`]: the strengths of a pool of players from all their games;
//! * [`intransitivity`]: whether strengths explain those games at all.
//!
//! Elo differences are logistic: `d` Elo stand for odds of `10^(d / 400)`.

pub mod chart;
pub mod distributions;
pub mod intransitivity;
mod likelihood;
mod matrix;
pub mod pentanomial;
pub mod proportion;
pub mod ratings;
pub mod sprt;

pub use intransitivity::{Cycle, Intransitivity};
pub use pentanomial::{Pentanomial, Summary};
pub use ratings::{Encounter, Ratings, RatingsError};
pub use sprt::{Decision, Scale, Sprt};

use serde::Serialize;

/// Elo per unit of a natural logarithm of odds.
pub const ELO_PER_NAT: f64 = 400.0 / std::f64::consts::LN_10;

/// The standard normal distribution has 95 % of its mass between minus this and this.
pub const Z95: f64 = 1.959_963_984_540_054;

/// A value and its 95 % interval.
#[derive(Clone, Copy, PartialEq, Debug, Serialize)]
pub struct Estimate {
    /// The most likely value.
    pub value: f64,
    /// The lower end of the interval.
    pub low: f64,
    /// The upper end of the interval.
    pub high: f64,
}

impl Estimate {
    /// The symmetric interval of a normal distribution.
    pub fn normal(value: f64, deviation: f64) -> Self {
        Self { value, low: value - Z95 * deviation, high: value + Z95 * deviation }
    }

    /// Whether `value` lies in the interval.
    pub fn contains(&self, value: f64) -> bool {
        (self.low..=self.high).contains(&value)
    }

    /// All three numbers under an increasing function.
    pub fn map(self, function: impl Fn(f64) -> f64) -> Self {
        Self { value: function(self.value), low: function(self.low), high: function(self.high) }
    }
}

/// The Elo difference at which `score`, the mean points of a game from 0 to 1, is expected;
/// infinite at the ends.
pub fn elo_of_score(score: f64) -> f64 {
    ELO_PER_NAT * (score / (1.0 - score)).ln()
}

/// The mean points of a game, from 0 to 1, that an Elo difference makes one expect.
pub fn score_of_elo(elo: f64) -> f64 {
    1.0 / (1.0 + (-elo / ELO_PER_NAT).exp())
}
