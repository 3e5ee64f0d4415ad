//! The choice of an action below the root.

use super::completed_q::CompletedQ;
use super::evaluation::Edge;
use super::puct::UpperBounds;
use super::settings::{InteriorRule, Settings};
use super::tree::{Node, NodeId, Tree};

/// What is chosen.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Pick {
    /// A position that was reached before.
    Child(NodeId),
    /// An action not tried yet.
    New(Edge),
}

/// The best so far of what can be chosen.
struct Best {
    pick: Option<Pick>,
    score: f32,
}

impl Best {
    fn none() -> Self {
        Self { pick: None, score: f32::NEG_INFINITY }
    }

    /// Takes this one if it is better, and of equal ones the first.
    #[inline]
    fn offer(&mut self, pick: Pick, score: f32) {
        if score > self.score {
            *self = Self { pick: Some(pick), score };
        }
    }
}

/// The action to be followed from a position that is open and not settled. `weights` is used for
/// intermediate results.
#[inline]
pub(super) fn choose(tree: &Tree, id: NodeId, settings: &Settings, weights: &mut Vec<f32>) -> Pick {
    let best = match settings.interior {
        InteriorRule::Puct => by_upper_bound(tree, id, settings),
        InteriorRule::Improved => by_improved_policy(tree, id, settings, weights),
    };
    // Something can be chosen, or the position were settled.
    best.pick.unwrap_or_else(|| {
        let (first, _) = tree.children(id).next().expect("an open position has actions");
        Pick::Child(first)
    })
}

/// Whether there is no use in following an action: its result is known, or worse than something
/// certain. A position that is not settled has others, and [`Bounds::correct`] sees to it that its
/// value does not fall below what is certain.
///
/// [`Bounds::correct`]: super::proof::Bounds::correct
#[inline]
fn is_useless(child: &Node, node: &Node, settings: &Settings) -> bool {
    settings.proofs
        && (child.bounds.is_proven() || child.bounds.are_dominated(node.mover, node.bounds))
}

/// The largest upper bound (PUCT).
fn by_upper_bound(tree: &Tree, id: NodeId, settings: &Settings) -> Best {
    let node = tree.node(id);
    let tried: f32 = tree.children(id).map(|(_, child)| child.prior).sum();
    let bounds = UpperBounds::new(tree, node, tried, settings.first_play_reduction, settings);
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

/// The action whose share of the visits falls furthest short of its share of the improved policy
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

    // The largest exponent is taken out of all of them, so that none overflows.
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
