//! The search tree: a flat arena of nodes (56 bytes each), of edges, which are the legal actions of
//! nodes (4 bytes each), and of links from nodes to their children (4 to 8 bytes each).
//!
//! The edges of a node are sorted by descending prior. Below the root they are tried in this order,
//! because every rule prefers the largest prior among actions without visits. So the number of
//! tried actions says which were tried. Statistics are kept for tried actions only, in the child
//! nodes. The links of a node are adjacent, so that a selection waits for memory once and not once
//! for each child.

use super::evaluation::{Edge, Evaluation, flatten};
use super::proof::Bounds;
use crate::games::{Action, Outcome, Side};
use crate::search::{Wdl, value_of};

/// The index of a node in the arena.
pub(super) type NodeId = u32;

/// No node.
pub(super) const NONE: NodeId = NodeId::MAX;

/// Whether a node has an evaluation.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum NodeState {
    /// The evaluation is pending.
    Waiting,
    /// It is evaluated, and its actions can be searched.
    Open,
    /// It needs no evaluation: the game is over, or the side to move wins at once.
    Closed,
}

/// A position, and the action that leads to it.
///
/// Values are sums over visits, always for `P1`; only a selection converts them to the side that
/// chooses. Sides need not alternate, so a sign that flips with every action would be wrong.
#[derive(Clone, Copy, Debug)]
pub(super) struct Node {
    /// Sum of win minus loss. In f64, because an f32 cannot sum ten million results.
    value: f64,
    /// Sum of draw probabilities.
    draws: f64,
    /// The raw evaluation: win minus loss, and draw.
    raw: [f32; 2],
    /// The probability of the action by the policy of the parent.
    pub prior: f32,
    /// Simulations completed through this node.
    pub visits: u32,
    /// Index of its first link.
    links: u32,
    /// Index of its first edge.
    edges: u32,
    pub action: Action,
    /// Number of legal actions.
    pub count: u16,
    /// Number of tried actions.
    pub tried: u16,
    /// Virtual visits: pending simulations through this node.
    pub pending: u16,
    pub mover: Side,
    pub state: NodeState,
    pub bounds: Bounds,
}

const _: () = assert!(size_of::<Node>() == 56, "ten million nodes must fit into a GiB");

impl Node {
    pub(super) fn new(edge: Edge) -> Self {
        Self {
            value: 0.0,
            draws: 0.0,
            raw: [0.0; 2],
            prior: edge.prior(),
            visits: 0,
            links: 0,
            edges: 0,
            action: edge.action(),
            count: 0,
            tried: 0,
            pending: 0,
            mover: Side::P1,
            state: NodeState::Waiting,
            bounds: Bounds::OPEN,
        }
    }

    /// Visits, including pending ones.
    #[inline]
    pub(super) fn started(&self) -> u32 {
        self.visits + u32::from(self.pending)
    }

    /// Mean win minus loss for `P1`, and share of draws, clamped to the proven bounds; 0 without
    /// visits.
    #[inline]
    fn means(&self) -> [f64; 2] {
        let visits = f64::from(self.visits.max(1));
        self.bounds.correct([self.value / visits, self.draws / visits])
    }

    /// Mean win, draw and loss for `side`.
    pub(super) fn wdl_for(&self, side: Side) -> Wdl {
        wdl_of(self.means(), side)
    }

    /// Win, draw and loss of the raw evaluation for `side`.
    pub(super) fn raw_wdl_for(&self, side: Side) -> Wdl {
        wdl_of(self.raw.map(f64::from), side)
    }

    fn add(&mut self, [value, draw]: [f64; 2]) {
        self.visits += 1;
        self.value += value;
        self.draws += draw;
    }
}

/// 1 for `P1`, for which values are stored, and -1 for `P2`.
#[inline]
pub(super) fn sign_of(side: Side) -> f32 {
    if side == Side::P1 { 1.0 } else { -1.0 }
}

/// Converts win minus loss and draws for `P1`, given that win + draw + loss is 1.
fn wdl_of([value, draw]: [f64; 2], side: Side) -> Wdl {
    let value = value * f64::from(sign_of(side));
    let win = (1.0 - draw + value) / 2.0;
    [win, draw, 1.0 - draw - win].map(|part| part.clamp(0.0, 1.0) as f32)
}

/// The arena. The root is node 0.
#[derive(Clone, Debug, Default)]
pub(super) struct Tree {
    nodes: Vec<Node>,
    edges: Vec<Edge>,
    /// A run of links for each node with children, whose length is the next power of two.
    links: Vec<NodeId>,
    /// The value of a draw for `P1` in the selection of actions.
    draw_value: f32,
}

impl Tree {
    /// Sets the value of a draw for `P1` in the selection of actions. The stored results of
    /// simulations do not depend on it.
    pub(super) fn set_draw_value(&mut self, draw_value: f32) {
        self.draw_value = draw_value;
    }

    /// The Q-value of a node for `side`.
    #[inline]
    pub(super) fn q_value(&self, node: &Node, side: Side) -> f32 {
        let [value, draw] = node.means();
        (value + draw * f64::from(self.draw_value)) as f32 * sign_of(side)
    }

    /// The raw value of a node for `side`.
    #[inline]
    pub(super) fn raw_value(&self, node: &Node, side: Side) -> f32 {
        let [value, draw] = node.raw;
        (value + draw * self.draw_value) * sign_of(side)
    }

    pub(super) fn clear(&mut self) {
        self.nodes.clear();
        self.edges.clear();
        self.links.clear();
    }

    pub(super) fn is_empty(&self) -> bool {
        self.nodes.is_empty()
    }

    #[inline]
    pub(super) fn node(&self, id: NodeId) -> &Node {
        &self.nodes[id as usize]
    }

    #[inline]
    pub(super) fn node_mut(&mut self, id: NodeId) -> &mut Node {
        &mut self.nodes[id as usize]
    }

    /// Adds the root to an empty arena.
    pub(super) fn add_root(&mut self) {
        self.nodes.push(Node::new(Edge::new(0, 1.0)));
    }

    /// Bytes in use.
    pub(super) fn bytes(&self) -> usize {
        size_of_val(&self.nodes[..]) + size_of_val(&self.edges[..]) + size_of_val(&self.links[..])
    }

    /// The edges of a node, by descending prior.
    #[inline]
    pub(super) fn edges(&self, id: NodeId) -> &[Edge] {
        let node = self.node(id);
        &self.edges[node.edges as usize..][..usize::from(node.count)]
    }

    /// The untried edge with the largest prior. Meaningless at the root, whose actions are tried in
    /// any order.
    #[inline]
    pub(super) fn next_edge(&self, id: NodeId) -> Option<Edge> {
        self.edges(id).get(usize::from(self.node(id).tried)).copied()
    }

    /// The children of a node, in the order in which they were tried.
    #[inline]
    pub(super) fn children(&self, id: NodeId) -> impl Iterator<Item = (NodeId, &Node)> {
        self.links_of(self.node(id)).iter().map(|&id| (id, self.node(id)))
    }

    #[inline]
    fn links_of(&self, node: &Node) -> &[NodeId] {
        &self.links[node.links as usize..][..usize::from(node.tried)]
    }

    /// The child by `action`, if it was tried.
    pub(super) fn child_by(&self, id: NodeId, action: Action) -> Option<NodeId> {
        self.children(id).find(|(_, child)| child.action == action).map(|(id, _)| id)
    }

    /// The node after these actions from the root, if they were tried.
    pub(super) fn descendant(&self, actions: &[Action]) -> Option<NodeId> {
        let root = (!self.is_empty()).then_some(0)?;
        actions.iter().try_fold(root, |id, &action| self.child_by(id, action))
    }

    /// Adds a child to `parent`.
    #[inline]
    pub(super) fn add(&mut self, parent: NodeId, edge: Edge) -> NodeId {
        let id = self.nodes.len() as NodeId;
        let node = &mut self.nodes[parent as usize];
        let tried = usize::from(node.tried);
        if tried == 0 || tried.is_power_of_two() {
            // The run is full: move it to the end, with twice the room.
            let old = std::mem::replace(&mut node.links, self.links.len() as u32) as usize;
            self.links.extend_from_within(old..old + tried);
            self.links.resize(self.links.len() + tried.max(1), NONE);
        }
        self.links[node.links as usize + tried] = id;
        node.tried += 1;
        self.nodes.push(Node::new(edge));
        id
    }

    /// Stores the evaluation of a node in which `mover` is to move, with the priors of this policy
    /// temperature.
    pub(super) fn open(
        &mut self,
        id: NodeId,
        mover: Side,
        evaluation: &Evaluation,
        temperature: f32,
    ) {
        let [win, draw, loss] = evaluation.wdl;
        let value = value_of([win, draw, loss]) * sign_of(mover);
        let first = self.edges.len();
        self.set_edges(id, &evaluation.edges);
        if temperature != 1.0 {
            flatten(&mut self.edges[first..], temperature);
        }
        let node = self.node_mut(id);
        node.raw = [value, draw];
        node.mover = mover;
        node.state = NodeState::Open;
    }

    /// Marks a node as finished with this outcome.
    pub(super) fn close(&mut self, id: NodeId, outcome: Outcome) {
        let node = self.node_mut(id);
        node.state = NodeState::Closed;
        node.bounds = Bounds::exact(outcome);
    }

    /// Marks a node in which `mover` wins at once by `action`; other actions are dropped. Returns
    /// the child in which the game is over.
    pub(super) fn close_by(&mut self, id: NodeId, mover: Side, action: Action) -> NodeId {
        let edge = Edge::new(action, 1.0);
        self.set_edges(id, &[edge]);
        self.node_mut(id).mover = mover;
        // The bounds are set by the backup of the end, which passes changes on to the parents.
        self.node_mut(id).state = NodeState::Closed;
        let end = self.add(id, edge);
        self.close(end, Outcome::Win(mover));
        end
    }

    fn set_edges(&mut self, id: NodeId, edges: &[Edge]) {
        let first = self.edges.len() as u32;
        self.edges.extend_from_slice(edges);
        let node = self.node_mut(id);
        node.edges = first;
        node.count = edges.len() as u16;
    }

    /// Adds a virtual visit to all nodes of a path.
    pub(super) fn add_virtual_visit(&mut self, path: &[NodeId]) {
        path.iter().for_each(|&id| self.node_mut(id).pending += 1);
    }

    /// Removes a virtual visit from all nodes of a path.
    pub(super) fn remove_virtual_visit(&mut self, path: &[NodeId]) {
        path.iter().for_each(|&id| self.node_mut(id).pending -= 1);
    }

    /// Completes a simulation: adds its result for `P1`, value and share of draws, to all nodes of
    /// its path. If it proved the last node, the bounds of the nodes above are updated too.
    pub(super) fn back_up(&mut self, path: &[NodeId], result: [f64; 2], mut proven: bool) {
        let mut result = result;
        for (index, &id) in path.iter().enumerate().rev() {
            proven = proven && (index + 1 == path.len() || self.tighten(id));
            let node = self.node_mut(id);
            result = node.bounds.correct(result);
            node.add(result);
        }
    }

    /// Updates the bounds of a node from those of its children. Returns whether they changed.
    pub(super) fn tighten(&mut self, id: NodeId) -> bool {
        let node = self.node(id);
        let tried = self.children(id).map(|(_, child)| child.bounds);
        let bounds = Bounds::of_choice(node.mover, tried, node.tried == node.count);
        let node = self.node_mut(id);
        std::mem::replace(&mut node.bounds, bounds) != bounds
    }

    /// Copies the subtree of `id` into another arena, as its root.
    pub(super) fn copy_below(&self, id: NodeId, into: &mut Self) {
        into.clear();
        into.nodes.push(*self.node(id));
        let mut done = 0;
        while let Some(&node) = into.nodes.get(done) {
            let edges = &self.edges[node.edges as usize..][..usize::from(node.count)];
            into.nodes[done].edges = into.edges.len() as u32;
            into.edges.extend_from_slice(edges);
            into.nodes[done].links = into.links.len() as u32;
            let (first, links) = (into.nodes.len() as NodeId, self.links_of(&node));
            into.nodes.extend(links.iter().map(|&child| *self.node(child)));
            into.links.extend(first..into.nodes.len() as NodeId);
            let room = usize::from(node.tried).next_power_of_two() - usize::from(node.tried);
            into.links.resize(into.links.len() + room, NONE);
            done += 1;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_subtree_is_copied_completely() {
        let mut tree = Tree::default();
        tree.add_root();
        tree.set_edges(0, &[Edge::new(1, 0.5), Edge::new(2, 0.5)]);
        let [one, two] = [1, 2].map(|action| tree.add(0, Edge::new(action, 0.5)));
        tree.set_edges(two, &[Edge::new(5, 0.75), Edge::new(6, 0.25)]);
        let five = tree.add(two, Edge::new(5, 0.75));
        let six = tree.add(two, Edge::new(6, 0.25));
        tree.set_edges(six, &[Edge::new(7, 1.0)]);
        let seven = tree.add(six, Edge::new(7, 1.0));
        for (id, visits) in [(0, 9), (one, 2), (two, 6), (five, 3), (six, 2), (seven, 1)] {
            tree.node_mut(id).visits = visits;
        }
        let mut copy = Tree::default();
        tree.copy_below(two, &mut copy);
        let visits = |actions: &[Action]| copy.descendant(actions).map(|id| copy.node(id).visits);
        assert_eq!([visits(&[]), visits(&[5]), visits(&[6])], [Some(6), Some(3), Some(2)]);
        assert_eq!([visits(&[6, 7]), visits(&[1])], [Some(1), None]);
        assert_eq!(copy.edges(0), tree.edges(two));
        assert_eq!(copy.children(0).map(|(_, child)| child.action).collect::<Vec<_>>(), [5, 6]);
        assert_eq!(copy.nodes.len(), 4);
    }
}
