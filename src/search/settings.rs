//! The settings of a search.

use serde::{Deserialize, Serialize};

use crate::base::checks::{Fault, positive, within};

/// How the simulations are shared out among the actions of the root.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum RootRule {
    /// Sequential halving over a few actions: Danihelka et al., "Policy improvement by planning
    /// with Gumbel" (2022).
    Gumbel,
    /// Upper bounds, as below the root, with what self-play adds to them.
    Puct,
}

/// How an action is chosen below the root.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum InteriorRule {
    /// So that the visits follow the improved policy (Danihelka et al. 2022, section 5).
    Improved,
    /// The largest upper bound.
    Puct,
}

/// Settings of the search, the `[search]` table of a config.
///
/// Sources of the formulas: Danihelka et al. (2022) for the Gumbel root and the improved policy;
/// Silver et al., "A general reinforcement learning algorithm that masters chess, shogi, and Go
/// through self-play", Science 362 (2018) for PUCT; D. Wu, "Accelerating self-play learning in
/// Go" (2019) for the reduction of the first play value, the scaled noise and forced playouts.
/// Values here lie in [-1, 1], not in [0, 1] as in AlphaZero, so that its `c_puct` of 1.25 is 2.5
/// here; trained players play better with less (docs/search.md).
#[derive(Clone, Copy, PartialEq, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct Settings {
    /// The rule at the root.
    pub root: RootRule,
    /// The rule below it.
    pub interior: InteriorRule,
    /// Actions among which a Gumbel root shares its simulations, at the most.
    pub considered: u32,
    /// How many visits a value weighs before there are any, in the improved policy. Not a key of the
    /// config, as the next ones without `serde`: published constants that only tests change.
    #[serde(skip)]
    pub c_visit: f32,
    /// Weight of values, taken from 0 to 1, against logits in the improved policy: 1 as in the
    /// paper, from which more is learnt than from the 0.1 of its authors' library.
    pub c_scale: f32,
    /// Scale of the Gumbel noise in self-play; 0 for none.
    #[serde(skip)]
    pub gumbel_scale: f32,
    /// Weight of the prior against the value of an action in an upper bound.
    pub c_puct: f32,
    /// How slowly that weight grows with the visits of a position; larger is slower.
    #[serde(skip)]
    pub c_puct_base: f32,
    /// How much worse than its position an action is taken to be before its first visit, times
    /// the square root of the prior already visited; nothing at a root with noise, where
    /// everything is to be tried.
    pub first_play_reduction: f32,
    /// Share of Dirichlet noise in the priors of a PUCT root in self-play; 0 for none.
    pub noise_fraction: f32,
    /// Sum of the Dirichlet parameters, shared evenly by the legal actions.
    pub noise_concentration: f32,
    /// Visits forced on every action that a noisy PUCT root has tried, as a multiple of the
    /// square root of its share, taken out of the policy target again; 0 for none.
    pub forced_playouts: f32,
    /// What a draw is worth to the side that searches, where a win is worth 1 and a loss -1: below
    /// 0 it risks something to avoid one. Only the choice of actions depends on it.
    pub draw_value: f32,
    /// Whether results that are certain are passed up, decide, and end the search.
    pub proofs: bool,
    /// Whether a position is first looked through for a win by the next action; needs `proofs`.
    pub lookahead: bool,
    /// Positions that a player, but not self-play, looks through for each of its simulations in
    /// order to prove wins and losses near the root; 0 for none, needs `proofs`.
    pub proof_nodes: u32,
    /// Whether the next search of a game begins with what the last one found.
    pub reuse: bool,
    /// Memory for evaluations that may be asked for again, in MiB; 0 for none.
    pub cache_mib: u32,
}

impl Default for Settings {
    fn default() -> Self {
        Self {
            root: RootRule::Gumbel,
            interior: InteriorRule::Improved,
            considered: 8,
            c_visit: 50.0,
            c_scale: 1.0,
            gumbel_scale: 1.0,
            c_puct: 1.5,
            c_puct_base: 19_652.0,
            first_play_reduction: 0.1,
            noise_fraction: 0.25,
            noise_concentration: 10.0,
            forced_playouts: 2.0,
            draw_value: 0.0,
            proofs: true,
            lookahead: true,
            proof_nodes: 500,
            reuse: true,
            cache_mib: 64,
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
        within("considered", self.considered, [1, 4096])?;
        positive("c_scale", self.c_scale)?;
        within("c_scale", self.c_scale, [0.0, 1e3])?;
        positive("c_puct", self.c_puct)?;
        within("first_play_reduction", self.first_play_reduction, [0.0, 1.0])?;
        within("noise_fraction", self.noise_fraction, [0.0, 1.0])?;
        positive("noise_concentration", self.noise_concentration)?;
        within("forced_playouts", self.forced_playouts, [0.0, 100.0])?;
        within("draw_value", self.draw_value, [-1.0, 1.0])?;
        within("proof_nodes", self.proof_nodes, [0, 1_000_000])?;
        within("cache_mib", self.cache_mib, [0, 65_536])
    }

    /// The same with upper bounds everywhere, as trained players search however they were trained:
    /// at equal simulations that plays better (docs/search.md).
    pub fn for_play(&self) -> Self {
        Self { root: RootRule::Puct, interior: InteriorRule::Puct, ..*self }
    }

    /// PUCT as published in 2018 and nothing else: what other programs are compared by.
    pub fn plain() -> Self {
        Self {
            root: RootRule::Puct,
            interior: InteriorRule::Puct,
            c_puct: 2.5,
            first_play_reduction: 0.25,
            forced_playouts: 0.0,
            proofs: false,
            lookahead: false,
            proof_nodes: 0,
            reuse: false,
            cache_mib: 0,
            ..Self::default()
        }
    }

    /// The weight of the prior in a position of so many visits.
    #[inline]
    pub(super) fn exploration(&self, visits: u32) -> f32 {
        let visits = visits as f32;
        let growth = ((visits + self.c_puct_base + 1.0) / self.c_puct_base).ln();
        (self.c_puct + growth) * visits.sqrt()
    }
}
