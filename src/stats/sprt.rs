//! The sequential probability ratio test (SPRT): a match that stops when it is decided.
//!
//! This is the generalised test (GSPRT): it compares the maximum likelihoods under the two
//! hypotheses. A hypothesis fixes one parameter of the distribution of pair results and leaves the
//! others free. The numbers agree with those of fishtest. (M. Van den Bergh, *A practical
//! introduction to the GSPRT*, 2019, and *Normalized Elo practical*, 2020.)

use serde::{Deserialize, Serialize};

use super::likelihood::{with_mean, with_t_value};
use super::pentanomial::{Pentanomial, t_of_normalized_elo};
use super::score_of_elo;
use crate::base::checks::{Fault, within};

/// The unit of the bounds of a test.
#[derive(Clone, Copy, Default, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum Scale {
    /// Logistic Elo: the hypotheses fix the mean score.
    Logistic,
    /// Normalised Elo: the hypotheses fix the distance of the mean score from one half in standard
    /// deviations. The length of the test then does not depend on the share of draws.
    #[default]
    Normalized,
}

/// A test whether the first player of a match is stronger by the second bound (H1) or only by the
/// first bound (H0).
#[derive(Clone, Copy, PartialEq, Debug, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub(crate) struct Sprt {
    /// The unit of the bounds.
    pub scale: Scale,
    /// The Elo differences of H0 and H1.
    pub bounds: [f64; 2],
    /// The probability of accepting H1 when H0 is true.
    pub alpha: f64,
    /// The probability of accepting H0 when H1 is true.
    pub beta: f64,
}

impl Default for Sprt {
    fn default() -> Self {
        Self { scale: Scale::default(), bounds: [0.0, 4.0], alpha: 0.05, beta: 0.05 }
    }
}

/// The state of a test after some pairs.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum Decision {
    /// Undecided: play on.
    Continue,
    /// The first player is not stronger by the second bound.
    AcceptH0,
    /// The first player is stronger than by the first bound.
    AcceptH1,
}

/// The largest absolute bound. Larger differences need no test.
const MAX_BOUND: f64 = 200.0;

impl Sprt {
    /// Checks all settings.
    ///
    /// # Errors
    ///
    /// The first invalid setting, and what its value must be.
    pub(crate) fn check(&self) -> Result<(), Fault> {
        let [h0, h1] = self.bounds;
        within("bounds", h0, [-MAX_BOUND, MAX_BOUND])?;
        within("bounds", h1, [-MAX_BOUND, MAX_BOUND])?;
        if h0 >= h1 {
            return Err(("bounds", format!("the second must be above the first, are {h0}, {h1}")));
        }
        within("alpha", self.alpha, [1e-6, 0.49])?;
        within("beta", self.beta, [1e-6, 0.49])
    }

    /// Returns the log-likelihood ratios at which H0 and H1 are accepted (Wald 1945).
    pub(crate) fn thresholds(&self) -> [f64; 2] {
        [(self.beta / (1.0 - self.alpha)).ln(), ((1.0 - self.beta) / self.alpha).ln()]
    }

    /// Returns the log-likelihood ratio of H1 to H0.
    pub(crate) fn llr(&self, results: &Pentanomial) -> f64 {
        let (total, shares) = results.regularized();
        let [h0, h1] = self.bounds.map(|bound| match self.scale {
            Scale::Logistic => with_mean(&shares, score_of_elo(bound)).unwrap_or(shares),
            Scale::Normalized => with_t_value(&shares, t_of_normalized_elo(bound)),
        });
        let ratios = h1.iter().zip(h0).map(|(h1, h0)| (h1 / h0).ln());
        total * ratios.zip(shares).map(|(ratio, share)| share * ratio).sum::<f64>()
    }

    /// Returns the decision at a log-likelihood ratio.
    pub(crate) fn decide(&self, llr: f64) -> Decision {
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
