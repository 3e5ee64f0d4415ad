//! Results of a match by pairs of games from the same opening, colours exchanged.
//!
//! The two games of a pair share their opening and are not independent; the pairs are. Variances
//! and intervals are therefore those of pairs, not of games. (M. Van den Bergh, *Comments on
//! normalized Elo*, 2020; the numbers agree with those of fishtest.)

use std::f64::consts::SQRT_2;

use serde::{Deserialize, Serialize};

use super::distributions::normal_cdf;
use super::{ELO_PER_NAT, Estimate, elo_of_score};

/// The mean points of a game of a pair that brought 0, 1/2, 1, 3/2 or 2 points.
pub const SCORES: [f64; 5] = [0.0, 0.25, 0.5, 0.75, 1.0];

/// What a class without any pair counts, so that every result stays possible.
const REGULARIZED: f64 = 1e-3;

/// Pairs of games by the points they brought the first player: 0, 1/2, 1, 3/2, 2.
#[derive(Clone, Copy, Default, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct Pentanomial {
    /// Pairs in each class.
    pub pairs: [u64; 5],
}

/// What a match says about its two players, all from the side of the first one.
#[derive(Clone, Copy, PartialEq, Debug, Serialize)]
pub struct Summary {
    /// Pairs played.
    pub pairs: u64,
    /// Mean points of a game, from 0 to 1.
    pub score: Estimate,
    /// Variance of the mean points of the two games of a pair.
    pub variance: f64,
    /// Logistic Elo difference; infinite where the score is, or may be, 0 or 1.
    pub elo: Estimate,
    /// Normalised Elo difference: the mean's distance from one half in standard deviations of a
    /// game, times 800 / ln 10, which among near equals without draws is Elo. Unlike Elo it says
    /// how many games tell the players apart.
    pub normalized_elo: Estimate,
    /// Likelihood of superiority: the probability that the first player is the better one.
    pub los: f64,
}

impl Pentanomial {
    /// The match of these pairs.
    pub const fn new(pairs: [u64; 5]) -> Self {
        Self { pairs }
    }

    /// Pairs played.
    pub fn total(&self) -> u64 {
        self.pairs.iter().sum()
    }

    /// The number of pairs and the share of each class, classes without any counted as 1/1000 of
    /// a pair.
    pub(super) fn regularized(&self) -> (f64, [f64; 5]) {
        let counts = self.pairs.map(|count| if count == 0 { REGULARIZED } else { count as f64 });
        let total: f64 = counts.iter().sum();
        (total, counts.map(|count| count / total))
    }

    /// Everything at once; none without pairs.
    ///
    /// Intervals are normal approximations, good for some dozen pairs and more. If all pairs
    /// brought the same points, the spread is that after one more pair won and one more lost: a
    /// row of nothing but wins must not claim to be certain.
    pub fn summary(&self) -> Option<Summary> {
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

        // The sample's own t-value: its error by the third and fourth moment (delta method).
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

    /// Whether all pairs brought the same points.
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

/// The mean of `(score - centre)^order`.
pub(super) fn moment(shares: &[f64; 5], centre: f64, order: i32) -> f64 {
    shares.iter().zip(SCORES).map(|(share, score)| share * (score - centre).powi(order)).sum()
}

/// Normalised Elo per standard deviation of a game.
const NORMALIZED_ELO: f64 = 2.0 * ELO_PER_NAT;

/// A pair's t-value, the distance of its mean from one half in standard deviations, as normalised
/// Elo, which counts in deviations of a single game: those of a pair's mean times the root of 2.
pub(super) fn normalized_elo_of_t(t: f64) -> f64 {
    t / SQRT_2 * NORMALIZED_ELO
}

/// The other way round.
pub(super) fn t_of_normalized_elo(elo: f64) -> f64 {
    elo / NORMALIZED_ELO * SQRT_2
}
