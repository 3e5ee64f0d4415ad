//! Upper confidence bounds with priors (PUCT; Rosin 2011, in the form of Silver et al. 2018) and
//! first-play urgency with a reduction (Wu 2019).

use super::settings::Settings;
use super::tree::{Node, Tree};

/// The upper bounds of the actions of one position, for its side to move.
#[derive(Clone, Copy, Debug)]
pub(super) struct UpperBounds {
    /// The weight of the priors.
    exploration: f32,
    /// First-play urgency: the value of actions without visits.
    first_play: f32,
}

impl UpperBounds {
    /// The bounds at `node`. `tried` is the sum of the priors of its tried actions, `reduction` the
    /// first-play reduction.
    #[inline]
    pub(super) fn new(
        tree: &Tree,
        node: &Node,
        tried: f32,
        reduction: f32,
        settings: &Settings,
    ) -> Self {
        Self {
            exploration: settings.puct.exploration(node.started()),
            first_play: tree.q_value(node, node.mover) - reduction * tried.sqrt(),
        }
    }

    /// The bound of the action that leads from `node` to `child`; `None` is an untried action.
    #[inline]
    pub(super) fn of(&self, tree: &Tree, node: &Node, child: Option<&Node>, prior: f32) -> f32 {
        let visited = child.filter(|child| child.visits > 0);
        let value = visited.map_or(self.first_play, |child| tree.q_value(child, node.mover));
        upper_bound(value, self.exploration, prior, child.map_or(0, Node::started))
    }
}

/// The upper bound of an action with this Q-value, prior and number of visits.
#[inline]
pub(super) fn upper_bound(value: f32, exploration: f32, prior: f32, visits: u32) -> f32 {
    value + exploration * prior / (1 + visits) as f32
}
