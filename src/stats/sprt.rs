//! The sequential probability ratio test: a match ends as soon as it has said enough.
//!
//! Generalised (GSPRT): the ratio is that of the largest likelihoods the two hypotheses allow, the
//! other four parameters of the distribution of pair results being free. The numbers are those of
//! fishtest. (M. Van den Bergh, *A practical introduction to the GSPRT*, 2019, and *Normalized Elo
//! practical*, 2020.)

use serde::{Deserialize, Serialize};

use super::likelihood::{with_mean, with_t_value};
use super::pentanomial::{Pentanomial, t_of_normalized_elo};
use super::score_of_elo;
use crate::base::checks::{Fault, within};

/// What the bounds are measured in.
#[derive(Clone, Copy, Default, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Scale {
    /// Logistic Elo: the hypotheses are about the mean score.
    Logistic,
    /// Normalised Elo: they are about the mean's distance from one half in standard deviations, so
    /// that the length of the test does not depend on how many games are drawn.
    #[default]
    Normalized,
}

/// A test whether the first player of a match is stronger by the second bound (H1), or only by
/// the first (H0).
#[derive(Clone, Copy, PartialEq, Debug, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Sprt {
    /// What the bounds are measured in.
    pub scale: Scale,
    /// The Elo differences of H0 and of H1.
    pub bounds: [f64; 2],
    /// The probability of accepting H1 where H0 is true.
    pub alpha: f64,
    /// The probability of accepting H0 where H1 is true.
    pub beta: f64,
}

impl Default for Sprt {
    fn default() -> Self {
        Self { scale: Scale::default(), bounds: [0.0, 4.0], alpha: 0.05, beta: 0.05 }
    }
}

/// What a test says after some pairs.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Decision {
    /// Nothing yet.
    Continue,
    /// The first player is not stronger by the second bound.
    AcceptH0,
    /// It is stronger than by the first bound.
    AcceptH1,
}

/// Bounds beyond these test nothing that needs a test.
const FARTHEST: f64 = 200.0;

impl Sprt {
    /// Says which setting makes no sense.
    ///
    /// # Errors
    ///
    /// The setting and what it must be.
    pub fn check(&self) -> Result<(), Fault> {
        let [h0, h1] = self.bounds;
        within("bounds", h0, [-FARTHEST, FARTHEST])?;
        within("bounds", h1, [-FARTHEST, FARTHEST])?;
        if h0 >= h1 {
            return Err(("bounds", format!("the second must be above the first, are {h0}, {h1}")));
        }
        within("alpha", self.alpha, [1e-6, 0.49])?;
        within("beta", self.beta, [1e-6, 0.49])
    }

    /// The log-likelihood ratios at which H0 and H1 are accepted (Wald 1945).
    pub fn thresholds(&self) -> [f64; 2] {
        [(self.beta / (1.0 - self.alpha)).ln(), ((1.0 - self.beta) / self.alpha).ln()]
    }

    /// The log-likelihood ratio of H1 to H0.
    pub fn llr(&self, results: &Pentanomial) -> f64 {
        let (total, shares) = results.regularized();
        let [h0, h1] = self.bounds.map(|bound| match self.scale {
            Scale::Logistic => with_mean(&shares, score_of_elo(bound)).unwrap_or(shares),
            Scale::Normalized => with_t_value(&shares, t_of_normalized_elo(bound)),
        });
        let ratios = h1.iter().zip(h0).map(|(h1, h0)| (h1 / h0).ln());
        total * ratios.zip(shares).map(|(ratio, share)| share * ratio).sum::<f64>()
    }

    /// What to do at this log-likelihood ratio.
    pub fn decide(&self, llr: f64) -> Decision {
        let [lower, upper] = self.thresholds();
        if llr <= lower {
            Decision::AcceptH0
        } else if llr >= upper {
            Decision::AcceptH1
        } else {
            Decision::Continue
        }
    }
}
