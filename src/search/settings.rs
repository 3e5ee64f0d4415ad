//! The settings of a search.

use serde::{Deserialize, Serialize};

use crate::base::checks::{Fault, positive, within};

/// How the simulations are distributed over the actions of the root.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum RootRule {
    /// Sequential halving over a few actions: Danihelka et al., "Policy improvement by planning
    /// with Gumbel" (2022).
    Gumbel,
    /// PUCT, in self-play with Dirichlet noise and forced playouts.
    Puct,
}

/// How an action is chosen below the root.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum InteriorRule {
    /// The action that brings the visits closest to the improved policy (Danihelka et al. 2022,
    /// section 5).
    Improved,
    /// The largest upper bound: PUCT.
    Puct,
}

/// The largest cache that the files of a player can ask for, in MiB. A cache does not change what a
/// search finds, only its speed.
pub(crate) const MOST_CACHE_OF_FILES: u32 = 256;

/// `policy_temperature` of trained players. Networks are trained on sharp targets, and are too sure
/// of their policy where they know little (docs/experiments/search.md).
const POLICY_TEMPERATURE_IN_PLAY: f32 = 1.5;

/// Settings of the search. Everything that a search finds depends on them, on the evaluator and on
/// the random numbers, but for `cache_mib`. Files have them as a [table](super::SettingsTable).
///
/// Sources of the formulas: Danihelka et al. (2022) for the Gumbel root and the improved policy;
/// Silver et al., "A general reinforcement learning algorithm that masters chess, shogi, and Go
/// through self-play", Science 362 (2018) for PUCT; D. Wu, "Accelerating self-play learning in
/// Go" (2019) for the first-play reduction, the scaled noise and forced playouts.
/// Values here lie in [-1, 1], not in [0, 1] as in AlphaZero, so that its `c_puct` of 1.25 is 2.5
/// here; trained players play better with less (docs/search.md).
#[derive(Clone, Copy, PartialEq, Debug, Serialize, Deserialize)]
pub struct Settings {
    /// The selection rule at the root.
    pub root: RootRule,
    /// The selection rule below the root.
    pub interior: InteriorRule,
    /// A Gumbel root, and the improved policy.
    pub gumbel: GumbelSettings,
    /// Upper and lower bounds of values.
    pub puct: PuctSettings,
    /// Exploration at a PUCT root in self-play.
    pub noise: NoiseSettings,
    /// Proven results.
    pub proofs: ProofSettings,
    /// Temperature of the network's policy: the prior of an action is its probability to the power
    /// of `1 / policy_temperature`, normalised.
    pub policy_temperature: f32,
    /// Value of a draw for the side that searches, from -1 (a loss) to 1 (a win): below 0 the side
    /// takes risks to avoid draws. Only the selection of actions depends on it.
    pub draw_value: f32,
    /// Whether the next search of a game reuses the subtree of the last one.
    pub reuse: bool,
    /// Size of the cache of evaluations in MiB; 0 for none.
    pub cache_mib: u32,
}

/// The search of Danihelka et al. (2022).
#[derive(Clone, Copy, PartialEq, Debug, Serialize, Deserialize)]
pub struct GumbelSettings {
    /// The most actions that a Gumbel root considers.
    pub considered: u32,
    /// Visits that are added to those of the most visited action in the weight of Q-values in the
    /// improved policy: a published constant.
    pub c_visit: f32,
    /// Weight of Q-values, scaled to 0 to 1, against logits in the improved policy: 1 as in the
    /// paper, which trains better than the 0.1 of the authors' library mctx.
    pub c_scale: f32,
    /// Scale of the Gumbel noise in self-play; 0 for none.
    pub scale: f32,
}

/// PUCT: the bounds by which actions are selected.
#[derive(Clone, Copy, PartialEq, Debug, Serialize, Deserialize)]
pub struct PuctSettings {
    /// Weight of the prior against the value of an action in an upper bound.
    pub c: f32,
    /// How slowly that weight grows with the visits of a position; larger is slower. A published
    /// constant.
    pub c_base: f32,
    /// First-play reduction: an unvisited action has the value of its position less this, times the
    /// square root of the sum of the tried priors. There is none at a root with Dirichlet noise.
    pub first_play_reduction: f32,
    /// Width of the lower bounds by which a root without sequential halving chooses the action to
    /// play: the Q-value less this divided by the square root of the visits. 0 chooses the most
    /// visited action.
    pub lower_bound: f32,
}

/// Exploration at a PUCT root in self-play.
#[derive(Clone, Copy, PartialEq, Debug, Serialize, Deserialize)]
pub struct NoiseSettings {
    /// Weight of Dirichlet noise in the priors; 0 for none.
    pub fraction: f32,
    /// Sum of the Dirichlet parameters, divided evenly among the legal actions.
    pub concentration: f32,
    /// Forced playouts: every tried action of a root with noise gets at least the square root of
    /// this times its prior times the visits of the root. They are removed from the policy target
    /// again; 0 for none.
    pub forced_playouts: f32,
}

/// What is done with proven results.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct ProofSettings {
    /// Whether proven results are backed up, decide the choice, and end the search. The other
    /// settings need it.
    pub enabled: bool,
    /// Whether a new leaf is first searched for a win by the next action.
    pub lookahead: bool,
    /// Positions that the root prover visits for each simulation, in play but not in self-play; 0
    /// for no root prover.
    pub nodes: u32,
}

impl Default for Settings {
    fn default() -> Self {
        Self {
            root: RootRule::Gumbel,
            interior: InteriorRule::Improved,
            gumbel: GumbelSettings { considered: 8, c_visit: 50.0, c_scale: 1.0, scale: 1.0 },
            puct: PuctSettings {
                c: 1.5,
                c_base: 19_652.0,
                first_play_reduction: 0.1,
                lower_bound: 1.0,
            },
            noise: NoiseSettings { fraction: 0.25, concentration: 10.0, forced_playouts: 2.0 },
            proofs: ProofSettings { enabled: true, lookahead: true, nodes: 500 },
            policy_temperature: 1.0,
            draw_value: 0.0,
            reuse: true,
            cache_mib: 64,
        }
    }
}

impl Settings {
    /// Checks the range of every value.
    ///
    /// # Errors
    ///
    /// If a value is out of range: the first one, by its key in files.
    pub fn check(&self) -> Result<(), Fault> {
        let Self { gumbel, puct, noise, proofs, .. } = self;
        within("considered", gumbel.considered, [1, 4096])?;
        positive("c_scale", gumbel.c_scale)?;
        within("c_scale", gumbel.c_scale, [0.0, 1e3])?;
        within("policy_temperature", self.policy_temperature, [0.1, 10.0])?;
        positive("c_puct", puct.c)?;
        within("first_play_reduction", puct.first_play_reduction, [0.0, 1.0])?;
        within("noise_fraction", noise.fraction, [0.0, 1.0])?;
        positive("noise_concentration", noise.concentration)?;
        within("forced_playouts", noise.forced_playouts, [0.0, 100.0])?;
        within("draw_value", self.draw_value, [-1.0, 1.0])?;
        within("proof_nodes", proofs.nodes, [0, 1_000_000])?;
        within("cache_mib", self.cache_mib, [0, 65_536])
    }

    /// These settings as they are used if they come from the files of a player, which may be
    /// foreign: with a bound of the memory.
    pub(crate) fn of_files(&self) -> Self {
        Self { cache_mib: self.cache_mib.min(MOST_CACHE_OF_FILES), ..*self }
    }

    /// Checks that this machine has the memory for the cache.
    ///
    /// # Errors
    ///
    /// If the system refuses it.
    pub(crate) fn check_memory(&self) -> Result<(), Fault> {
        let bytes = (self.cache_mib as usize).saturating_mul(1 << 20);
        // The memory is only reserved, which takes no time, and given back.
        let reserved = Vec::<u8>::new().try_reserve_exact(bytes);
        let reason = format!("this machine does not have {} MiB of memory", self.cache_mib);
        reserved.map_err(|_| ("cache_mib", reason))
    }

    /// These settings with PUCT at and below the root and flatter priors. Trained players search by
    /// them, however they were trained: with the same number of simulations they play better
    /// (docs/search.md).
    pub fn for_play(&self) -> Self {
        Self {
            root: RootRule::Puct,
            interior: InteriorRule::Puct,
            policy_temperature: POLICY_TEMPERATURE_IN_PLAY,
            ..*self
        }
    }

    /// PUCT as published in 2018 and nothing else, for comparisons with other programs.
    pub fn plain() -> Self {
        let usual = Self::default();
        Self {
            root: RootRule::Puct,
            interior: InteriorRule::Puct,
            puct: PuctSettings {
                c: 2.5,
                first_play_reduction: 0.25,
                lower_bound: 0.0,
                ..usual.puct
            },
            noise: NoiseSettings { forced_playouts: 0.0, ..usual.noise },
            reuse: false,
            cache_mib: 0,
            ..usual
        }
        .without_proofs()
    }

    /// These settings without the root prover.
    pub fn without_root_prover(&self) -> Self {
        Self { proofs: ProofSettings { nodes: 0, ..self.proofs }, ..*self }
    }

    /// These settings without proven results.
    pub fn without_proofs(&self) -> Self {
        let proofs = ProofSettings { enabled: false, lookahead: false, nodes: 0 };
        Self { proofs, ..*self }
    }

    /// These settings without random numbers in self-play.
    pub fn without_noise(&self) -> Self {
        Self {
            gumbel: GumbelSettings { scale: 0.0, ..self.gumbel },
            noise: NoiseSettings { fraction: 0.0, ..self.noise },
            ..*self
        }
    }
}

impl ProofSettings {
    /// Whether a new leaf is first searched for a win by the next action.
    #[inline]
    pub(super) fn looks_ahead(&self) -> bool {
        self.enabled && self.lookahead
    }

    /// Positions that the root prover visits for each simulation.
    pub(crate) fn root_nodes(&self) -> u64 {
        if self.enabled { self.nodes.into() } else { 0 }
    }
}

impl PuctSettings {
    /// The weight of the priors in a position with `visits` visits.
    #[inline]
    pub(super) fn exploration(&self, visits: u32) -> f32 {
        let visits = visits as f32;
        let growth = ((visits + self.c_base + 1.0) / self.c_base).ln();
        (self.c + growth) * visits.sqrt()
    }
}
