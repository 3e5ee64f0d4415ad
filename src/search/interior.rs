//! The selection of an action below the root.

use super::completed_q::CompletedQ;
use super::evaluation::Edge;
use super::puct::UpperBounds;
use super::settings::{InteriorRule, Settings};
use super::tree::{Node, NodeId, Tree};

/// The selected action.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Pick {
    /// An action that was tried: its child.
    Child(NodeId),
    /// An untried action.
    New(Edge),
}

/// The best action so far.
struct Best {
    pick: Option<Pick>,
    score: f32,
}

impl Best {
    fn none() -> Self {
        Self { pick: None, score: f32::NEG_INFINITY }
    }

    /// Takes this action if its score is higher; of equal scores the first action stays.
    #[inline]
    fn offer(&mut self, pick: Pick, score: f32) {
        if score > self.score {
            *self = Self { pick: Some(pick), score };
        }
    }
}

/// Selects an action at a node that is evaluated and not proven. `weights` is scratch memory.
#[inline]
pub(super) fn choose(tree: &Tree, id: NodeId, settings: &Settings, weights: &mut Vec<f32>) -> Pick {
    let best = match settings.interior {
        InteriorRule::Puct => by_upper_bound(tree, id, settings),
        InteriorRule::Improved => by_improved_policy(tree, id, settings, weights),
    };
    // A node whose actions are all proven is proven itself, so this is not expected.
    best.pick.unwrap_or_else(|| {
        let (first, _) = tree.children(id).next().expect("an open position has actions");
        Pick::Child(first)
    })
}

/// Whether searching the action further cannot change the value: it is proven, or dominated by a
/// proven result. A node that is not proven has other actions, and [`Bounds::correct`] keeps its
/// value within the proven bounds.
///
/// [`Bounds::correct`]: super::proof::Bounds::correct
#[inline]
fn is_useless(child: &Node, node: &Node, settings: &Settings) -> bool {
    settings.proofs.enabled
        && (child.bounds.is_proven() || child.bounds.are_dominated(node.mover, node.bounds))
}

/// Selects the action with the largest upper bound (PUCT).
fn by_upper_bound(tree: &Tree, id: NodeId, settings: &Settings) -> Best {
    let node = tree.node(id);
    let tried: f32 = tree.children(id).map(|(_, child)| child.prior).sum();
    let bounds = UpperBounds::new(tree, node, tried, settings.puct.first_play_reduction, settings);
    let mut best = Best::none();
    for (id, child) in tree.children(id) {
        if !is_useless(child, node, settings) {
            best.offer(Pick::Child(id), bounds.of(tree, node, Some(child), child.prior));
        }
    }
    if let Some(edge) = tree.next_edge(id) {
        best.offer(Pick::New(edge), bounds.of(tree, node, None, edge.prior()));
    }
    best
}

/// Selects the action whose share of the visits is furthest below its improved policy
/// (Danihelka et al. 2022, equation 14).
fn by_improved_policy(
    tree: &Tree,
    id: NodeId,
    settings: &Settings,
    weights: &mut Vec<f32>,
) -> Best {
    let node = tree.node(id);
    let children = || tree.children(id).map(|(_, child)| (child.prior, child));
    let completed = CompletedQ::new(tree, node, children(), settings);
    let tried: f32 = children().map(|(prior, _)| prior).sum();
    let next = tree.next_edge(id);

    // The largest exponent is subtracted from all of them, so that none overflows.
    let open = || tree.children(id).filter(|(_, child)| !is_useless(child, node, settings));
    let value_of = |child: &Node| completed.of(tree, Some(child));
    let first = if next.is_some() { completed.unvisited } else { f32::NEG_INFINITY };
    let highest = open().map(|(_, child)| value_of(child)).fold(first, f32::max);
    let growth = |value: f32| (completed.scale * (value - highest)).exp();
    let rest = next.map_or(0.0, |_| (1.0 - tried).max(0.0) * growth(completed.unvisited));
    weights.clear();
    weights.extend(open().map(|(_, child)| child.prior * growth(value_of(child))));
    let total = rest + weights.iter().sum::<f32>();
    let visits = node.started() as f32;

    let mut best = Best::none();
    for ((id, child), weight) in open().zip(weights) {
        best.offer(Pick::Child(id), *weight / total - child.started() as f32 / visits);
    }
    if let Some(edge) = next {
        best.offer(Pick::New(edge), edge.prior() * growth(completed.unvisited) / total);
    }
    best
}
