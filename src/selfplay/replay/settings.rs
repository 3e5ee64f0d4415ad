//! What is kept of the games, and how it is drawn from.

use serde::{Deserialize, Serialize};

use crate::base::checks::{Fault, within};

/// The window grows with this power of the positions played ...
const POWER: f64 = 0.75;

/// ... and at this rate as long as all of them are within it.
const RATE: f64 = 0.4;

/// Settings of the replay buffer, the `[replay]` table of a config.
#[derive(Clone, Copy, PartialEq, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct Settings {
    /// Positions to draw from: the newest iterations that together hold at least so many.
    pub window: usize,
    /// The window at the beginning, which grows to `window`; one of the same size throughout if it
    /// is 0 or no smaller.
    pub first_window: usize,
    /// How often a position is trained on, on average: drawn positions for each new one.
    pub reuse: f32,
    /// By how much the value loss on new games may exceed that of training, in nats, before less
    /// is trained; 0 for always the same.
    pub overfit_limit: f32,
    /// Whether a position that was met several times in an iteration counts as one.
    pub distinct: bool,
    /// Share of the draws that go to positions as the search's policy surprised the network there;
    /// the rest goes to all alike.
    pub surprise: f32,
    /// Whether every drawn position is turned by a random symmetry of its game.
    pub symmetries: bool,
    /// Share of the search's judgement in the target of win, draw and loss; the rest is the
    /// result of the game.
    pub search_value: f32,
    /// How far that judgement looks ahead (the lambda of TD(lambda), Sutton 1988): at 0 it is that of
    /// the position itself, otherwise the average of those from there on, each with so many times
    /// the weight of the one before, and of the result.
    pub lambda: f32,
    /// What a game teaches that `max_plies` ended before anybody won.
    pub cut_games: CutGames,
}

/// What the result of a game is taken for that `max_plies` ended.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum CutGames {
    /// What it is by the rules.
    Result,
    /// What the heuristic says of the last position, so that those who shuffle learn to better
    /// their position meanwhile.
    Game,
}

impl Default for Settings {
    fn default() -> Self {
        Self {
            window: 300_000,
            first_window: 10_000,
            reuse: 4.0,
            overfit_limit: 0.0,
            distinct: false,
            surprise: 0.0,
            symmetries: true,
            search_value: 0.5,
            lambda: 0.0,
            cut_games: CutGames::Result,
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
        within("window", self.window, [1, 1_000_000_000])?;
        within("first_window", self.first_window, [0, 1_000_000_000])?;
        within("reuse", self.reuse, [0.001, 1000.0])?;
        within("overfit_limit", self.overfit_limit, [0.0, 100.0])?;
        within("surprise", self.surprise, [0.0, 1.0])?;
        within("search_value", self.search_value, [0.0, 1.0])?;
        within("lambda", self.lambda, [0.0, 1.0])
    }

    /// The window after so many positions of the run: it grows less and less with them (Wu 2019,
    /// appendix C), as what is learnt from should be both plenty and new.
    pub fn window_after(&self, positions: u64) -> usize {
        if self.first_window == 0 {
            return self.window;
        }
        let first = self.first_window as f64;
        let times = (positions as f64 / first).max(1.0);
        let grown = first * (1.0 + RATE * (times.powf(POWER) - 1.0) / POWER);
        (grown as usize).min(self.window)
    }

    /// How often a position is to be trained on next: `last` was it last, and the value loss on
    /// new games exceeded that of training by `excess` nats.
    ///
    /// It falls by a fifth as long as that is too much, at the most to 1, and else rises by a
    /// tenth back to `reuse`.
    pub fn reuse_after(&self, last: f32, excess: f32) -> f32 {
        if self.overfit_limit == 0.0 {
            self.reuse
        } else if excess > self.overfit_limit {
            (last * 0.8).max(self.reuse.min(1.0))
        } else {
            (last * 1.1).min(self.reuse)
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_window_grows_less_and_less_up_to_its_largest() {
        let settings = Settings { window: 100_000, first_window: 10_000, ..Default::default() };
        let after = |positions| settings.window_after(positions);
        assert_eq!([after(0), after(10_000)], [10_000, 10_000]);
        // 1 + 0.4 (2^0.75 - 1) / 0.75 = 1.36363
        assert_eq!(after(20_000), 13_636);
        assert!(after(40_000) - after(20_000) < 2 * (after(20_000) - after(10_000)) + 2_000);
        assert_eq!(after(100_000_000), 100_000);
        let same = Settings { first_window: 0, ..settings };
        assert_eq!(same.window_after(0), 100_000);
    }

    #[test]
    fn reuse_falls_while_too_much_is_learnt_by_heart() {
        let settings = Settings { reuse: 4.0, overfit_limit: 0.1, ..Default::default() };
        assert!((settings.reuse_after(4.0, 0.2) - 3.2).abs() < 1e-6);
        assert!((settings.reuse_after(1.1, 0.2) - 1.0).abs() < 1e-6, "never below 1");
        assert!((settings.reuse_after(2.0, 0.05) - 2.2).abs() < 1e-6);
        assert!((settings.reuse_after(3.9, 0.05) - 4.0).abs() < 1e-6, "never above its own");
        let little = Settings { reuse: 0.5, ..settings };
        assert!((little.reuse_after(0.5, 0.2) - 0.5).abs() < 1e-6);
        let off = Settings { overfit_limit: 0.0, ..settings };
        assert!((off.reuse_after(1.0, 9.0) - 4.0).abs() < 1e-6);
    }
}
