//! The policy improved by values: Danihelka et al., "Policy improvement by planning with Gumbel"
//! (2022), section 4 and appendix D.

use super::Settings;

/// Collects what is known of the actions of a position, to complete the values of those that were
/// not visited. Values are those of the side to move, from -1 to 1.
#[derive(Clone, Copy, Default, Debug)]
pub(super) struct CompletedQ {
    visits: u32,
    most: u32,
    prior: f32,
    weighted: f32,
}

impl CompletedQ {
    /// Adds an action; nothing if it has no visits.
    #[inline]
    pub fn add(&mut self, prior: f32, visits: u32, value: f32) {
        if visits > 0 {
            self.visits += visits;
            self.most = self.most.max(visits);
            self.prior += prior;
            self.weighted += prior * value;
        }
    }

    /// The value taken for actions without visits: the position's own evaluation `raw`, mixed with
    /// the values found, each in proportion to its prior.
    #[inline]
    pub fn value(&self, raw: f32) -> f32 {
        if self.visits == 0 || self.prior <= 0.0 {
            return raw;
        }
        let visits = self.visits as f32;
        (raw + visits * self.weighted / self.prior) / (1.0 + visits)
    }

    /// What a value adds to a logit is this factor times the value.
    #[inline]
    pub fn scale(&self, settings: &Settings) -> f32 {
        // Halved, because the paper's values go from 0 to 1; that they then also differ by a
        // constant has no effect on a softmax.
        (settings.c_visit + self.most as f32) * settings.c_scale / 2.0
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_are_completed_as_worked_out_by_hand() {
        // Three actions of priors 0.5, 0.3, 0.2; the first has 3 visits of mean 0.4, the second
        // one of -0.2; the position itself is judged 0.1. In the paper's terms, in [-1, 1]:
        //   sum of priors visited = 0.8, of prior * value = 0.5 * 0.4 - 0.3 * 0.2 = 0.14
        //   v_mix = (0.1 + 4 * 0.14 / 0.8) / (1 + 4) = (0.1 + 0.7) / 5 = 0.16
        //   sigma = (50 + 3) * 1 * (value + 1) / 2
        let mut known = CompletedQ::default();
        for (prior, visits, value) in [(0.5, 3, 0.4), (0.3, 1, -0.2), (0.2, 0, 7.0)] {
            known.add(prior, visits, value);
        }
        assert!((known.value(0.1) - 0.16).abs() < 1e-6);
        let settings = Settings { c_visit: 50.0, c_scale: 1.0, ..Settings::default() };
        assert_eq!(known.scale(&settings), 26.5);
        assert_eq!(CompletedQ::default().value(0.1), 0.1);
    }
}
