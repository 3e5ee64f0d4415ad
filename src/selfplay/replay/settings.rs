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
    /// Whether every drawn position is turned by a random symmetry of its game.
    pub symmetries: bool,
    /// Share of the search's evaluation in the target of win, draw and loss; the rest is the
    /// result of the game.
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
    /// Checks every value.
    ///
    /// # Errors
    ///
    /// The first that makes no sense.
    pub fn check(&self) -> Result<(), Fault> {
        within("window", self.window, [1, 1_000_000_000])?;
        within("first_window", self.first_window, [0, 1_000_000_000])?;
        within("reuse", self.reuse, [0.001, 1000.0])?;
        within("search_value", self.search_value, [0.0, 1.0])
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
