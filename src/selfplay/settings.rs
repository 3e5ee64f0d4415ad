//! The settings of self-play.

use serde::{Deserialize, Serialize};

use crate::base::checks::{Fault, within};
use crate::base::device::DeviceName;

/// `batch` on an accelerator, which takes hardly longer for many positions than for few.
const LARGE_BATCH: usize = 256;

/// Settings of self-play, the `[selfplay]` table of a config.
///
/// Sources: Silver et al., "Mastering the game of Go without human knowledge" (2017) for
/// resignation; Trudeau and Bowling, "Targeted search control in AlphaZero for effective policy
/// improvement" (2023) for restarts.
#[derive(Clone, Copy, PartialEq, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub(crate) struct Settings {
    /// Games per iteration.
    pub games: u64,
    /// Games in progress on each thread, or, with `queue`, in each of the two groups of a thread:
    /// the size of a batch of evaluations.
    pub batch: usize,
    /// Whether all threads share one evaluator, which suits an accelerator: threads prepare batches
    /// while it evaluates others.
    pub queue: bool,
    /// Simulations for each action, including the evaluation of the root.
    pub simulations: u32,
    /// Temperature at the beginning of a game: an action is played with a probability proportional
    /// to its policy target to the power of `1 / temperature`.
    pub temperature: f32,
    /// Turns after which the temperature is `final_temperature`.
    pub temperature_plies: u32,
    /// Temperature of later turns; at 0 the best action of the search is played. No key of a config.
    #[serde(skip)]
    pub final_temperature: f32,
    /// The most turns of the opening. Their number is uniformly random; they are sampled from the
    /// network's policy without search and not trained on.
    pub opening_plies: u32,
    /// Weight of a uniform distribution over the legal actions in the policy of the opening.
    pub opening_floor: f32,
    /// Share of restarts among the games that are not placed: they begin at a uniformly random
    /// position of an earlier game.
    pub restart_share: f32,
    /// Share of games that begin with the pieces on random cells, where the network expects neither
    /// side to win. Without effect in games with hardly any legal placement, as Connect Four.
    pub placement_share: f32,
    /// The highest expected score, from 0 to 1, below which a side resigns; 0 for no resignation.
    pub resign_below: f32,
    /// Share of games without resignation, which measure the error rate of resignation. No key of a
    /// config.
    #[serde(skip)]
    pub played_out_share: f32,
    /// Tolerated error rate: the share of resignations by sides that would not have lost. The score
    /// for resignation is lowered until the games played out have at most this rate. No key of a
    /// config.
    #[serde(skip)]
    pub resign_errors: f32,
}

impl Default for Settings {
    fn default() -> Self {
        Self {
            games: 256,
            batch: 64,
            queue: false,
            simulations: 32,
            temperature: 1.0,
            temperature_plies: 12,
            final_temperature: 0.0,
            opening_plies: 6,
            opening_floor: 0.15,
            restart_share: 0.3,
            placement_share: 0.0,
            resign_below: 0.0,
            played_out_share: 0.1,
            resign_errors: 0.05,
        }
    }
}

impl Settings {
    /// The defaults for a network on this device.
    pub(crate) fn on(device: DeviceName) -> Self {
        let settings = Self::default();
        if device.is_accelerator() {
            Self { batch: LARGE_BATCH, queue: true, ..settings }
        } else {
            settings
        }
    }

    /// These settings with every game from the start position: no openings, restarts and
    /// placements.
    pub(crate) fn without_openings(self) -> Self {
        Self { opening_plies: 0, restart_share: 0.0, placement_share: 0.0, ..self }
    }

    /// Whether some games begin by what was played before.
    #[cfg(feature = "cluster")]
    pub(crate) fn needs_past(&self) -> bool {
        self.restart_share > 0.0 || self.placement_share > 0.0
    }

    /// Checks the range of every value.
    ///
    /// # Errors
    ///
    /// If a value is out of range: the first one.
    pub(crate) fn check(&self) -> Result<(), Fault> {
        within("games", self.games, [1, 1_000_000])?;
        within("batch", self.batch, [1, 4096])?;
        within("simulations", self.simulations, [2, 1_000_000])?;
        within("temperature", self.temperature, [0.0, 10.0])?;
        within("opening_plies", self.opening_plies, [0, 1000])?;
        within("opening_floor", self.opening_floor, [0.0, 1.0])?;
        within("restart_share", self.restart_share, [0.0, 1.0])?;
        within("placement_share", self.placement_share, [0.0, 1.0])?;
        within("resign_below", self.resign_below, [0.0, 0.5])
    }

    /// The temperature of a turn; `ply` is the number of turns before it.
    pub(crate) fn temperature_at(&self, ply: u32) -> f32 {
        if ply < self.temperature_plies { self.temperature } else { self.final_temperature }
    }
}
