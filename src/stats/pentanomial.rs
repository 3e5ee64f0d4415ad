//! Results of a match as pairs of games from the same opening with colours exchanged.
//!
//! The two games of a pair are not independent, since they share their opening, but the pairs are.
//! Variances and intervals are therefore computed from pairs, not from games. (M. Van den Bergh,
//! *Comments on normalized Elo*, 2020; the numbers agree with those of fishtest.)

use std::f64::consts::SQRT_2;

use serde::{Deserialize, Serialize};

use super::distributions::normal_cdf;
use super::{ELO_PER_NAT, Estimate, elo_of_score};

/// Mean points per game of a pair that scored 0, 1/2, 1, 3/2 or 2 points.
pub(crate) const SCORES: [f64; 5] = [0.0, 0.25, 0.5, 0.75, 1.0];

/// Pairs counted for a class without any, so that its probability is not 0.
const REGULARIZED: f64 = 1e-3;

/// Number of pairs of games by the points of the first player: 0, 1/2, 1, 3/2, 2.
#[derive(Clone, Copy, Default, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub(crate) struct Pentanomial {
    /// Number of pairs in each class.
    pub pairs: [u64; 5],
}

/// Statistics of a match from the side of the first player.
#[derive(Clone, Copy, PartialEq, Debug, Serialize)]
pub(crate) struct Summary {
    /// Number of pairs played.
    pub pairs: u64,
    /// Mean points per game, from 0 to 1.
    pub score: Estimate,
    /// Variance of the mean points of the two games of a pair.
    pub variance: f64,
    /// Logistic Elo difference. A bound is infinite where that of the score is 0 or 1.
    pub elo: Estimate,
    /// Normalised Elo difference: the distance of the mean score from one half in standard
    /// deviations of a game, times 800 / ln 10. Between nearly equal players without draws it
    /// equals Elo. Unlike Elo it determines how many games distinguish the players.
    pub normalized_elo: Estimate,
    /// Likelihood of superiority: the probability that the first player is stronger.
    pub los: f64,
}

impl Pentanomial {
    /// A match with these numbers of pairs.
    pub(crate) const fn new(pairs: [u64; 5]) -> Self {
        Self { pairs }
    }

    /// Number of pairs played.
    pub(crate) fn total(&self) -> u64 {
        self.pairs.iter().sum()
    }

    /// The number of pairs and the share of each class, where an empty class counts as 1/1000 of a
    /// pair.
    pub(super) fn regularized(&self) -> (f64, [f64; 5]) {
        let counts = self.pairs.map(|count| if count == 0 { REGULARIZED } else { count as f64 });
        let total: f64 = counts.iter().sum();
        (total, counts.map(|count| count / total))
    }

    /// Returns all statistics, or none without pairs.
    ///
    /// Intervals are normal approximations, good from some dozen pairs on. If all pairs scored the
    /// same points, the variance is computed with one more pair won and one more lost. Otherwise
    /// a series of wins only would have an interval of width 0.
    pub(crate) fn summary(&self) -> Option<Summary> {
        let pairs = self.total();
        if pairs == 0 {
            return None;
        }
        let (total, shares) = self.regularized();
        let mean = moment(&shares, 0.0, 1);
        let central = |order| moment(&shares, mean, order);
        let variance = if self.is_uniform() { self.widened_variance() } else { central(2) };
        let error = (variance / total).sqrt();
        let score = Estimate::normal(mean, error);
        let score = Estimate { low: score.low.max(0.0), high: score.high.min(1.0), ..score };

        // The standard error of the t-value follows from the third and fourth moment by the delta
        // method.
        let deviation = variance.sqrt();
        let t = (mean - 0.5) / deviation;
        let skew = central(3) / deviation.powi(3);
        let kurtosis = central(4) / deviation.powi(4);
        let spread = (1.0 - skew * t + (kurtosis - 1.0) / 4.0 * t * t).max(1.0);
        let t = Estimate::normal(t, (spread / total).sqrt());

        Some(Summary {
            pairs,
            score,
            variance,
            elo: score.map(elo_of_score),
            normalized_elo: t.map(normalized_elo_of_t),
            los: normal_cdf((mean - 0.5) / error),
        })
    }

    /// Whether all pairs scored the same points.
    fn is_uniform(&self) -> bool {
        self.pairs.iter().filter(|&&count| count > 0).count() == 1
    }

    fn widened_variance(&self) -> f64 {
        let mut pairs = self.pairs;
        pairs[0] += 1;
        pairs[4] += 1;
        let (_, shares) = Self { pairs }.regularized();
        moment(&shares, moment(&shares, 0.0, 1), 2)
    }
}

/// The mean of `(score - centre)^order` under `shares`.
pub(super) fn moment(shares: &[f64; 5], centre: f64, order: i32) -> f64 {
    shares.iter().zip(SCORES).map(|(share, score)| share * (score - centre).powi(order)).sum()
}

/// Normalised Elo per standard deviation of a game.
const NORMALIZED_ELO: f64 = 2.0 * ELO_PER_NAT;

/// Converts the t-value of pairs, the distance of the mean from one half in standard deviations of
/// a pair, to normalised Elo. Normalised Elo uses the standard deviation of a single game, which is
/// that of the mean of a pair times the root of 2.
pub(super) fn normalized_elo_of_t(t: f64) -> f64 {
    t / SQRT_2 * NORMALIZED_ELO
}

/// The inverse of [`normalized_elo_of_t`].
pub(super) fn t_of_normalized_elo(elo: f64) -> f64 {
    elo / NORMALIZED_ELO * SQRT_2
}
