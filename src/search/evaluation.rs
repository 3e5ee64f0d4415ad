//! The evaluation of a position, in the form that the tree and the cache store.

use crate::games::{Action, Spec};
use crate::registry::Position;
use crate::search::Wdl;

/// Bits of an [`Edge`] that hold the action.
const ACTION_BITS: u32 = Spec::MOST_ACTIONS.ilog2();

/// The number of actions that an [`Edge`] can represent.
const ACTIONS: usize = 1 << ACTION_BITS;

/// The low bits that are dropped from an `f32` in `2^-32..=1`, whose exponent is counted from -32.
const DROPPED_BITS: u32 = 8;
const SMALLEST: u32 = (127 - 32) << 23;
const LARGEST_CODE: u32 = (1 << (32 - ACTION_BITS)) - 1;

/// A legal action and its prior in four bytes.
///
/// The prior keeps 15 bits of its mantissa (a relative error below 2^-16); the least prior is
/// 2^-32. Ascending order puts larger priors first, and of equal priors the smaller action.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub(super) struct Edge(u32);

impl Edge {
    pub(super) fn new(action: Action, prior: f32) -> Self {
        let above = prior.to_bits().saturating_sub(SMALLEST) + (1 << (DROPPED_BITS - 1));
        let code = (above >> DROPPED_BITS).min(LARGEST_CODE);
        Self((LARGEST_CODE - code) << ACTION_BITS | u32::from(action))
    }

    #[inline]
    pub(super) fn action(self) -> Action {
        (self.0 & (ACTIONS as u32 - 1)) as Action
    }

    #[inline]
    pub(super) fn prior(self) -> f32 {
        let code = LARGEST_CODE - (self.0 >> ACTION_BITS);
        f32::from_bits((code << DROPPED_BITS) + SMALLEST)
    }

    /// Returns the four bytes.
    pub(super) fn to_bits(self) -> u32 {
        self.0
    }

    /// The edge with these four bytes.
    pub(super) fn from_bits(bits: u32) -> Self {
        Self(bits)
    }
}

/// Raises the priors to the power of `1 / temperature`, and makes their sum 1 again. Their order
/// stays.
pub(super) fn flatten(edges: &mut [Edge], temperature: f32) {
    let power = 1.0 / temperature;
    let total: f32 = edges.iter().map(|edge| edge.prior().powf(power)).sum();
    for edge in edges {
        *edge = Edge::new(edge.action(), edge.prior().powf(power) / total);
    }
}

/// An evaluation: win, draw and loss probabilities, and the legal actions by descending prior. One
/// value is reused for many positions.
#[derive(Clone, Debug, Default)]
pub(crate) struct Evaluation {
    /// For the side to move.
    pub(super) wdl: Wdl,
    pub(super) edges: Vec<Edge>,
    legal: Vec<Action>,
    weights: Vec<f32>,
}

impl Evaluation {
    /// Reads the output of an evaluator for an unfinished position. `policy` are the logits of all
    /// actions; the priors are the softmax over the legal ones.
    ///
    /// Invalid numbers are replaced: a `wdl` that is not three shares by an even result, logits
    /// without a finite softmax by a uniform policy.
    pub(crate) fn read(&mut self, position: &Position, policy: &[f32], wdl: Wdl) {
        let shares = wdl.iter().all(|part| (0.0..=1.0).contains(part));
        self.wdl = if shares { wdl } else { [0.5, 0.0, 0.5] };
        position.legal_actions(&mut self.legal);
        let logit = |&action: &Action| policy[usize::from(action)];
        let highest = self.legal.iter().map(logit).fold(f32::NEG_INFINITY, f32::max);
        self.weights.clear();
        self.weights.extend(self.legal.iter().map(|action| (logit(action) - highest).exp()));
        let total: f32 = self.weights.iter().sum();
        if !(total.is_finite() && total > 0.0) {
            self.weights.fill(1.0);
        }
        let total: f32 = self.weights.iter().sum();
        let pairs = self.legal.iter().zip(&self.weights);
        self.edges.clear();
        self.edges.extend(pairs.map(|(&action, weight)| Edge::new(action, weight / total)));
        self.edges.sort_unstable();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_edge_keeps_its_action_and_nearly_its_prior() {
        for prior in [1.0, 0.999_9, 0.5, 1.0 / 3.0, 1.0 / 7.0, 1e-3, 1e-9_f32] {
            for action in [0, 1, 801, 4095] {
                let edge = Edge::new(action, prior);
                assert_eq!(edge.action(), action);
                assert!((edge.prior() / prior - 1.0).abs() < 2e-5, "{prior}: {}", edge.prior());
                assert_eq!(Edge::from_bits(edge.to_bits()), edge);
            }
        }
        assert!(Edge::new(3, 0.0).prior() > 0.0, "every legal action can be tried");
    }

    #[test]
    fn edges_are_in_the_order_of_their_priors() {
        let mut edges =
            [Edge::new(1, 0.2), Edge::new(5, 0.5), Edge::new(3, 0.2), Edge::new(0, 0.1)];
        edges.sort_unstable();
        assert_eq!(edges.map(Edge::action), [5, 1, 3, 0]);
    }

    #[test]
    fn a_temperature_flattens_or_sharpens_priors() {
        let flattened = |temperature| {
            let mut edges = [Edge::new(7, 0.64), Edge::new(2, 0.36)];
            flatten(&mut edges, temperature);
            assert_eq!(edges.map(Edge::action), [7, 2]);
            edges.map(Edge::prior)
        };
        let near =
            |[a, b]: [f32; 2], [c, d]: [f32; 2]| (a - c).abs() < 1e-4 && (b - d).abs() < 1e-4;
        assert!(near(flattened(2.0), [0.8 / 1.4, 0.6 / 1.4]));
        assert!(near(flattened(0.5), [0.4096 / 0.5392, 0.1296 / 0.5392]));
        assert!(near(flattened(1.0), [0.64, 0.36]));
    }
}
