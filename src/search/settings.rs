//! The settings of a search.

use serde::{Deserialize, Serialize};

use crate::checks::{Fault, positive, within};

/// Settings of the PUCT search, the `[search]` table of a config.
///
/// Source of the formulas: Silver et al., "A general reinforcement learning algorithm that masters
/// chess, shogi, and Go through self-play", Science 362 (2018), and for the reduction of the first
/// play value and the scaled noise D. Wu, "Accelerating self-play learning in Go" (2019). Values
/// here lie in [-1, 1], not in [0, 1] as in AlphaZero, so that `c_puct` is twice its 1.25.
#[derive(Clone, Copy, PartialEq, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct Settings {
    /// Weight of the prior against the value of an action.
    pub c_puct: f32,
    /// How slowly that weight grows with the visits of a position; larger is slower.
    pub c_puct_base: f32,
    /// How much worse than its position an action is taken to be before its first visit, times
    /// the square root of the prior already visited; nothing at a root with noise, where
    /// everything is to be tried.
    pub first_play_reduction: f32,
    /// Share of Dirichlet noise in the priors of the root in self-play; 0 for none.
    pub noise_fraction: f32,
    /// Sum of the Dirichlet parameters, shared evenly by the legal actions.
    pub noise_concentration: f32,
}

impl Default for Settings {
    fn default() -> Self {
        Self {
            c_puct: 2.5,
            c_puct_base: 19_652.0,
            first_play_reduction: 0.25,
            noise_fraction: 0.25,
            noise_concentration: 10.0,
        }
    }
}

impl Settings {
    /// Checks every value.
    ///
    /// # Errors
    ///
    /// The first that makes no sense.
    pub fn check(&self) -> Result<(), Fault> {
        positive("c_puct", self.c_puct)?;
        positive("c_puct_base", self.c_puct_base)?;
        within("first_play_reduction", self.first_play_reduction, [0.0, 1.0])?;
        within("noise_fraction", self.noise_fraction, [0.0, 1.0])?;
        positive("noise_concentration", self.noise_concentration)
    }

    /// The weight of the prior in a position of so many visits.
    #[inline]
    pub(super) fn exploration(&self, visits: u32) -> f32 {
        let visits = visits as f32;
        let growth = ((visits + self.c_puct_base + 1.0) / self.c_puct_base).ln();
        (self.c_puct + growth) * visits.sqrt()
    }
}
