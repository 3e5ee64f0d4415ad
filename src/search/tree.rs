//! The search tree: a flat arena of positions, 56 bytes each, of their actions, 4 bytes each, and
//! of links between positions, 4 to 8 bytes each.
//!
//! The actions of a position stand by descending prior. Below the root they are tried in this
//! order, for among actions without visits the largest prior comes first by every rule; so a
//! number says which were tried, and statistics are kept of those alone, in the positions they
//! lead to. Links to these stand side by side, so that a choice among them waits for memory once
//! and not once for each.

use super::evaluation::{Edge, Evaluation};
use super::proof::Bounds;
use crate::games::{Action, Outcome, Side};
use crate::search::{Wdl, value_of};

/// The place of a position in the arena.
pub(super) type NodeId = u32;

/// No position.
pub(super) const NONE: NodeId = NodeId::MAX;

/// How far a position is known.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum State {
    /// Its evaluation is awaited.
    Waiting,
    /// It is evaluated, and its actions can be tried.
    Open,
    /// Its result is certain without its actions: the end of the game, or won at once.
    Closed,
}

/// A position, and the action that leads to it.
///
/// Values are sums over visits and always in the view of `P1`; they are turned only where a side
/// chooses. Sides need not alternate, so a sign that flips with every action would be wrong.
#[derive(Clone, Copy, Debug)]
pub(super) struct Node {
    /// Sum of win minus loss. In f64, where ten million results can be added.
    value: f64,
    /// Sum of draw probabilities.
    draws: f64,
    /// Its own evaluation: win minus loss, and draw.
    raw: [f32; 2],
    /// The share of the policy that its parent gives it.
    pub prior: f32,
    /// Simulations completed through it.
    pub visits: u32,
    /// Where the links to the positions reached from it begin.
    links: u32,
    /// Where its actions begin.
    edges: u32,
    pub action: Action,
    /// Legal actions.
    pub count: u16,
    /// Those that were tried.
    pub tried: u16,
    /// Simulations under way through it.
    pub pending: u16,
    pub mover: Side,
    pub state: State,
    pub bounds: Bounds,
}

const _: () = assert!(size_of::<Node>() == 56, "ten million of them are to fit into a GiB");

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
            state: State::Waiting,
            bounds: Bounds::OPEN,
        }
    }

    /// Visits, those under way included.
    #[inline]
    pub fn started(&self) -> u32 {
        self.visits + u32::from(self.pending)
    }

    /// Mean win minus loss for `P1` and share of draws; what is certain if anything is, and 0 if
    /// nothing is known.
    #[inline]
    fn means(&self) -> [f64; 2] {
        let visits = f64::from(self.visits.max(1));
        self.bounds.correct([self.value / visits, self.draws / visits])
    }

    /// Mean win, draw and loss for `side`.
    pub fn wdl_for(&self, side: Side) -> Wdl {
        wdl_of(self.means(), side)
    }

    /// Its own evaluation for `side`.
    pub fn raw_wdl_for(&self, side: Side) -> Wdl {
        wdl_of(self.raw.map(f64::from), side)
    }

    fn add(&mut self, [value, draw]: [f64; 2]) {
        self.visits += 1;
        self.value += value;
        self.draws += draw;
    }
}

/// 1 for the side in whose view values are kept, -1 for the other.
#[inline]
pub(super) fn sign_of(side: Side) -> f32 {
    if side == Side::P1 { 1.0 } else { -1.0 }
}

/// From win minus loss and draws for `P1`: win + draw + loss is 1.
fn wdl_of([value, draw]: [f64; 2], side: Side) -> Wdl {
    let value = value * f64::from(sign_of(side));
    let win = (1.0 - draw + value) / 2.0;
    [win, draw, 1.0 - draw - win].map(|part| part.clamp(0.0, 1.0) as f32)
}

/// The arena. The root is position 0.
#[derive(Clone, Debug, Default)]
pub(super) struct Tree {
    nodes: Vec<Node>,
    edges: Vec<Edge>,
    /// For each position with children a run of links, its length the power of two that has room.
    links: Vec<NodeId>,
    /// What a draw is worth to `P1` where an action is chosen.
    draw_value: f32,
}

impl Tree {
    /// Sets what a draw is worth to `P1` where an action is chosen. The results of simulations do
    /// not depend on it.
    pub fn set_draw_value(&mut self, draw_value: f32) {
        self.draw_value = draw_value;
    }

    /// What a position is worth to `side`, by the simulations through it.
    #[inline]
    pub fn q_value(&self, node: &Node, side: Side) -> f32 {
        let [value, draw] = node.means();
        (value + draw * f64::from(self.draw_value)) as f32 * sign_of(side)
    }

    /// The same by its own evaluation.
    #[inline]
    pub fn raw_value(&self, node: &Node, side: Side) -> f32 {
        let [value, draw] = node.raw;
        (value + draw * self.draw_value) * sign_of(side)
    }

    pub fn clear(&mut self) {
        self.nodes.clear();
        self.edges.clear();
        self.links.clear();
    }

    pub fn is_empty(&self) -> bool {
        self.nodes.is_empty()
    }

    #[inline]
    pub fn node(&self, id: NodeId) -> &Node {
        &self.nodes[id as usize]
    }

    #[inline]
    pub fn node_mut(&mut self, id: NodeId) -> &mut Node {
        &mut self.nodes[id as usize]
    }

    /// The root of an empty arena.
    pub fn add_root(&mut self) {
        self.nodes.push(Node::new(Edge::new(0, 1.0)));
    }

    /// Bytes in use.
    pub fn bytes(&self) -> usize {
        size_of_val(&self.nodes[..]) + size_of_val(&self.edges[..]) + size_of_val(&self.links[..])
    }

    /// The actions of a position, by descending prior.
    #[inline]
    pub fn edges(&self, id: NodeId) -> &[Edge] {
        let node = self.node(id);
        &self.edges[node.edges as usize..][..usize::from(node.count)]
    }

    /// The largest prior that was not tried yet; at the root, where any may come first, of no
    /// meaning.
    #[inline]
    pub fn next_edge(&self, id: NodeId) -> Option<Edge> {
        self.edges(id).get(usize::from(self.node(id).tried)).copied()
    }

    /// The positions reached from this one, in the order in which they were tried.
    #[inline]
    pub fn children(&self, id: NodeId) -> impl Iterator<Item = (NodeId, &Node)> {
        self.links_of(self.node(id)).iter().map(|&id| (id, self.node(id)))
    }

    #[inline]
    fn links_of(&self, node: &Node) -> &[NodeId] {
        &self.links[node.links as usize..][..usize::from(node.tried)]
    }

    /// The position reached by `action`, if it was tried.
    pub fn child_by(&self, id: NodeId, action: Action) -> Option<NodeId> {
        self.children(id).find(|(_, child)| child.action == action).map(|(id, _)| id)
    }

    /// The position reached by these actions, if they were tried.
    pub fn descendant(&self, actions: &[Action]) -> Option<NodeId> {
        let root = (!self.is_empty()).then_some(0)?;
        actions.iter().try_fold(root, |id, &action| self.child_by(id, action))
    }

    /// A new position, reached from `parent`.
    #[inline]
    pub fn add(&mut self, parent: NodeId, edge: Edge) -> NodeId {
        let id = self.nodes.len() as NodeId;
        let node = &mut self.nodes[parent as usize];
        let tried = usize::from(node.tried);
        if tried == 0 || tried.is_power_of_two() {
            // The run is full: it is copied to the end, with room for as many again.
            let old = std::mem::replace(&mut node.links, self.links.len() as u32) as usize;
            self.links.extend_from_within(old..old + tried);
            self.links.resize(self.links.len() + tried.max(1), NONE);
        }
        self.links[node.links as usize + tried] = id;
        node.tried += 1;
        self.nodes.push(Node::new(edge));
        id
    }

    /// Puts the evaluation of a position of `mover` into the tree.
    pub fn open(&mut self, id: NodeId, mover: Side, evaluation: &Evaluation) {
        let [win, draw, loss] = evaluation.wdl;
        let value = value_of([win, draw, loss]) * sign_of(mover);
        self.set_edges(id, &evaluation.edges);
        let node = self.node_mut(id);
        node.raw = [value, draw];
        node.mover = mover;
        node.state = State::Open;
    }

    /// Notes that the result of a position is certain.
    pub fn close(&mut self, id: NodeId, outcome: Outcome) {
        let node = self.node_mut(id);
        node.state = State::Closed;
        node.bounds = Bounds::exact(outcome);
    }

    /// Notes that `mover` wins by `action`, and that its other actions do not matter; gives back
    /// the end of the game.
    pub fn close_by(&mut self, id: NodeId, mover: Side, action: Action) -> NodeId {
        let edge = Edge::new(action, 1.0);
        self.set_edges(id, &[edge]);
        self.node_mut(id).mover = mover;
        // Its bounds follow when the end is backed up, so that this is passed on as a change.
        self.node_mut(id).state = State::Closed;
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

    /// Notes that a simulation is under way along this path.
    pub fn add_virtual_visit(&mut self, path: &[NodeId]) {
        path.iter().for_each(|&id| self.node_mut(id).pending += 1);
    }

    /// Notes that it has arrived.
    pub fn remove_virtual_visit(&mut self, path: &[NodeId]) {
        path.iter().for_each(|&id| self.node_mut(id).pending -= 1);
    }

    /// Completes a simulation: adds the result for `P1`, its value and share of draws, to all
    /// positions of its path. If the last of them was settled by it, what follows for those above
    /// is noted too.
    pub fn back_up(&mut self, path: &[NodeId], result: [f64; 2], mut proven: bool) {
        let mut result = result;
        for (index, &id) in path.iter().enumerate().rev() {
            proven = proven && (index + 1 == path.len() || self.tighten(id));
            let node = self.node_mut(id);
            result = node.bounds.correct(result);
            node.add(result);
        }
    }

    /// Draws the bounds of a position together by those of its children; whether that changed
    /// anything.
    pub fn tighten(&mut self, id: NodeId) -> bool {
        let node = self.node(id);
        let tried = self.children(id).map(|(_, child)| child.bounds);
        let bounds = Bounds::of_choice(node.mover, tried, node.tried == node.count);
        let node = self.node_mut(id);
        std::mem::replace(&mut node.bounds, bounds) != bounds
    }

    /// Copies the tree below `id` into an arena of its own, of which `id` becomes the root.
    pub fn copy_below(&self, id: NodeId, into: &mut Self) {
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
