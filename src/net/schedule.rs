//! The learning rate over a run.

use super::{LearnerSettings, Schedule};

/// What is left of the learning rate at the end of a cosine schedule.
const FLOOR: f64 = 0.1;

impl LearnerSettings {
    /// The learning rate of a step, counted from the start of the run, in an iteration, counted
    /// from 1, of a run of so many iterations.
    pub fn rate(&self, step: u64, iteration: u64, iterations: u64) -> f64 {
        let warmup = ((step + 1) as f64 / self.warmup_steps.max(1) as f64).min(1.0);
        let decay = match self.schedule {
            Schedule::Constant => 1.0,
            Schedule::Cosine => {
                let done = ((iteration - 1) as f64 / iterations.max(1) as f64).min(1.0);
                FLOOR + (1.0 - FLOOR) * (1.0 + (std::f64::consts::PI * done).cos()) / 2.0
            }
        };
        self.learning_rate * warmup * decay
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn it_rises_then_falls() {
        let settings =
            LearnerSettings { learning_rate: 1.0, warmup_steps: 10, ..Default::default() };
        assert!((settings.rate(0, 1, 100) - 0.1).abs() < 1e-12);
        assert!((settings.rate(9, 1, 100) - 1.0).abs() < 1e-12);
        assert!((settings.rate(999, 51, 100) - 0.55).abs() < 1e-12);
        assert!((settings.rate(999, 101, 100) - FLOOR).abs() < 1e-12);
        assert!((settings.rate(999, 500, 100) - FLOOR).abs() < 1e-12, "beyond the end it stays");
    }
}
