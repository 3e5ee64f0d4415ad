//! The settings of self-play.

use serde::{Deserialize, Serialize};

use crate::base::checks::{Fault, within};
use crate::base::device::DeviceName;

/// Games of a batch on an accelerator, which takes hardly longer for many positions than for few.
const LARGE_BATCH: usize = 256;

/// Settings of self-play, the `[selfplay]` table of a config.
///
/// Sources: Silver et al., "Mastering the game of Go without human knowledge" (2017) for
/// resignation; Trudeau and Bowling, "Targeted search control in AlphaZero for effective policy
/// improvement" (2023) for restarts.
#[derive(Clone, Copy, PartialEq, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct Settings {
    /// Games an iteration.
    pub games: u64,
    /// Games played at the same time by each thread, or by each half of one with `queue`: the
    /// size of a batch of evaluations.
    pub batch: usize,
    /// Whether all threads share one evaluator, as an accelerator wants it, with batches on their
    /// way to it while others are made ready.
    pub queue: bool,
    /// Simulations for each action, the evaluation of the root among them.
    pub simulations: u32,
    /// What judges positions in the first iterations, when the network has learnt nothing yet.
    pub bootstrap: Bootstrap,
    /// How many iterations these are: for games that hardly ever end by chance.
    pub bootstrap_iterations: u64,
    /// Temperature of the choice among actions at the beginning of a game: each is played with a
    /// probability that goes with its share of the policy to the power of `1 / temperature`.
    pub temperature: f32,
    /// Turns after which the final temperature holds.
    pub temperature_plies: u32,
    /// Temperature of later turns; at 0 the search decides.
    pub final_temperature: f32,
    /// A game begins with up to so many turns, their number drawn evenly, that are drawn from the
    /// network's policy without search and not learnt from.
    pub opening_plies: u32,
    /// Share of an even choice among all legal actions in those draws.
    pub opening_floor: f32,
    /// Share of games that begin in the middle of an earlier one, at a position drawn evenly.
    pub restart_share: f32,
    /// The highest expected score, from 0 to 1, at which a side may resign; 0 for never.
    pub resign_below: f32,
    /// Share of games that are played out whatever the score, to measure resignation by.
    pub played_out_share: f32,
    /// Share of resignations by sides that would not have lost that is put up with: the score is
    /// lowered to where it was so in the games played out.
    pub resign_errors: f32,
}

/// What judges positions before a network does.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Bootstrap {
    /// Random games from there.
    Rollouts,
    /// The hand-made evaluation of the alpha-beta player.
    Heuristic,
}

impl Default for Settings {
    fn default() -> Self {
        Self {
            games: 256,
            batch: 64,
            queue: false,
            simulations: 32,
            bootstrap: Bootstrap::Rollouts,
            bootstrap_iterations: 0,
            temperature: 1.0,
            temperature_plies: 12,
            final_temperature: 0.0,
            opening_plies: 6,
            opening_floor: 0.15,
            restart_share: 0.3,
            resign_below: 0.0,
            played_out_share: 0.1,
            resign_errors: 0.05,
        }
    }
}

impl Settings {
    /// The defaults where a network lives on this device.
    pub fn on(device: DeviceName) -> Self {
        let settings = Self::default();
        if device.is_accelerator() {
            Self { batch: LARGE_BATCH, queue: true, ..settings }
        } else {
            settings
        }
    }

    /// The same with every game played from the start position.
    pub fn from_the_start(self) -> Self {
        Self { opening_plies: 0, restart_share: 0.0, ..self }
    }

    /// Checks every value.
    ///
    /// # Errors
    ///
    /// The first that makes no sense.
    pub fn check(&self) -> Result<(), Fault> {
        within("games", self.games, [1, 1_000_000])?;
        within("batch", self.batch, [1, 4096])?;
        within("simulations", self.simulations, [2, 1_000_000])?;
        within("temperature", self.temperature, [0.0, 10.0])?;
        within("final_temperature", self.final_temperature, [0.0, 10.0])?;
        within("opening_plies", self.opening_plies, [0, 1000])?;
        within("opening_floor", self.opening_floor, [0.0, 1.0])?;
        within("restart_share", self.restart_share, [0.0, 1.0])?;
        within("resign_below", self.resign_below, [0.0, 0.5])?;
        within("played_out_share", self.played_out_share, [0.01, 1.0])?;
        within("resign_errors", self.resign_errors, [0.0, 1.0])
    }

    /// Whether something else than the network judges positions in this iteration, from 1.
    pub fn is_bootstrapped(&self, iteration: u64) -> bool {
        iteration <= self.bootstrap_iterations
    }

    /// The temperature of the turn after so many.
    pub fn temperature_at(&self, ply: u32) -> f32 {
        if ply < self.temperature_plies { self.temperature } else { self.final_temperature }
    }
}
