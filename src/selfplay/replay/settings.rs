//! Settings of the replay buffer.

use serde::{Deserialize, Serialize};

use crate::base::checks::{Fault, within};

/// The window grows with this power of the number of positions played ...
const POWER: f64 = 0.75;

/// ... and at this rate when it begins to grow.
const RATE: f64 = 0.4;

/// Settings of the replay buffer, the `[replay]` table of a config.
#[derive(Clone, Copy, PartialEq, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub(crate) struct Settings {
    /// The number of positions to sample from: the newest iterations that contain at least as many.
    pub window: usize,
    /// The window at the beginning, which grows to `window`. With 0, or a number that is not
    /// smaller, the window does not grow.
    pub first_window: usize,
    /// How often a position is trained on, on average: sampled positions for each new one.
    pub reuse: f32,
    /// Whether a random symmetry of the game is applied to every sampled position.
    pub symmetries: bool,
    /// Weight of the search's win, draw and loss in the value target; the rest is the result of the
    /// game.
    pub search_value: f32,
}

impl Default for Settings {
    fn default() -> Self {
        Self {
            window: 300_000,
            first_window: 10_000,
            reuse: 4.0,
            symmetries: true,
            search_value: 0.5,
        }
    }
}

impl Settings {
    /// Checks the range of every value.
    ///
    /// # Errors
    ///
    /// If a value is out of range: the first one.
    pub(crate) fn check(&self) -> Result<(), Fault> {
        within("window", self.window, [1, 1_000_000_000])?;
        within("first_window", self.first_window, [0, 1_000_000_000])?;
        within("reuse", self.reuse, [0.001, 1000.0])?;
        within("search_value", self.search_value, [0.0, 1.0])
    }

    /// The window after `positions` positions of the run. It grows sublinearly (Wu 2019, appendix
    /// C), because training needs both many and new positions.
    pub(crate) fn window_after(&self, positions: u64) -> usize {
        if self.first_window == 0 {
            return self.window;
        }
        let first = self.first_window as f64;
        let times = (positions as f64 / first).max(1.0);
        let grown = first * (1.0 + RATE * (times.powf(POWER) - 1.0) / POWER);
        (grown as usize).min(self.window)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_window_grows_sublinearly_up_to_its_maximum() {
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
}
