//! Completed Q-values: Danihelka et al., "Policy improvement by planning with Gumbel" (2022),
//! section 4 and appendix D.

use super::Settings;
use super::tree::{Node, Tree};
use crate::games::Side;

/// The Q-values of the actions of one position, for its side to move; actions without visits get an
/// estimate.
#[derive(Clone, Copy, Debug)]
pub(super) struct CompletedQ {
    mover: Side,
    /// The Q-value of actions without visits.
    pub unvisited: f32,
    /// What a Q-value adds to a logit, for each unit of value.
    pub scale: f32,
}

impl CompletedQ {
    /// Completes the Q-values at `node`; `tried` are the priors and the children of its tried
    /// actions.
    #[inline]
    pub(super) fn new<'a>(
        tree: &Tree,
        node: &Node,
        tried: impl Iterator<Item = (f32, &'a Node)>,
        settings: &Settings,
    ) -> Self {
        let mut visited = Visited::default();
        for (prior, child) in tried {
            visited.add(prior, child.visits, tree.q_value(child, node.mover));
        }
        Self {
            mover: node.mover,
            unvisited: visited.mixed_value(tree.raw_value(node, node.mover)),
            scale: visited.scale(settings),
        }
    }

    /// The Q-value of the action that leads to `child`; `None` is an untried action.
    #[inline]
    pub(super) fn of(&self, tree: &Tree, child: Option<&Node>) -> f32 {
        let is_known = |child: &&Node| child.visits > 0 || child.bounds.is_proven();
        child.filter(is_known).map_or(self.unvisited, |child| tree.q_value(child, self.mover))
    }
}

/// Sums over the visited actions of a position. Values are in -1 to 1, for the side to move.
#[derive(Clone, Copy, Default, Debug)]
struct Visited {
    visits: u32,
    most: u32,
    prior: f32,
    weighted: f32,
}

impl Visited {
    /// Adds an action; nothing if it has no visits.
    #[inline]
    fn add(&mut self, prior: f32, visits: u32, value: f32) {
        if visits > 0 {
            self.visits += visits;
            self.most = self.most.max(visits);
            self.prior += prior;
            self.weighted += prior * value;
        }
    }

    /// The value of actions without visits: the position's own evaluation `raw`, mixed with the
    /// Q-values of the visited ones, each in proportion to its prior.
    #[inline]
    fn mixed_value(&self, raw: f32) -> f32 {
        if self.visits == 0 || self.prior <= 0.0 {
            return raw;
        }
        let visits = self.visits as f32;
        (raw + visits * self.weighted / self.prior) / (1.0 + visits)
    }

    /// The slope of the paper's monotone transformation sigma (equation 8).
    #[inline]
    fn scale(&self, settings: &Settings) -> f32 {
        // Halved, because the paper's values go from 0 to 1. The constant by which they also differ
        // has no effect on a softmax.
        (settings.gumbel.c_visit + self.most as f32) * settings.gumbel.c_scale / 2.0
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_are_completed_as_worked_out_by_hand() {
        // Three actions of priors 0.5, 0.3, 0.2; the first has 3 visits of mean 0.4, the second
        // one of -0.2; the evaluation of the position is 0.1. In the paper's terms, in [-1, 1]:
        //   sum of priors visited = 0.8, of prior * value = 0.5 * 0.4 - 0.3 * 0.2 = 0.14
        //   v_mix = (0.1 + 4 * 0.14 / 0.8) / (1 + 4) = (0.1 + 0.7) / 5 = 0.16
        //   sigma = (50 + 3) * 1 * (value + 1) / 2
        let mut known = Visited::default();
        for (prior, visits, value) in [(0.5, 3, 0.4), (0.3, 1, -0.2), (0.2, 0, 7.0)] {
            known.add(prior, visits, value);
        }
        assert!((known.mixed_value(0.1) - 0.16).abs() < 1e-6);
        let settings = Settings {
            gumbel: crate::search::GumbelSettings {
                c_visit: 50.0,
                c_scale: 1.0,
                ..Settings::default().gumbel
            },
            ..Settings::default()
        };
        assert_eq!(known.scale(&settings), 26.5);
        assert_eq!(Visited::default().mixed_value(0.1), 0.1);
    }
}
