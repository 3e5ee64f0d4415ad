//! The search once more, in the plainest form: a tree of boxes, in double precision.

use crate::games::{Action, Side};
use crate::registry::Position;
use crate::search::{Evaluator, Settings, Wdl};

/// Whose turn the search believes it to be.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Sides {
    /// The side that the game names.
    Named,
    /// The other side after every action: the mistake to be avoided.
    Alternating,
}

/// A position and what is known of it; values are win minus loss for P1.
pub struct Node {
    /// The side believed to move.
    pub mover: Side,
    /// The edges in ascending order of actions.
    pub edges: Vec<Edge>,
    visits: f64,
    value: f64,
}

/// An action and what is known of it.
pub struct Edge {
    /// The action.
    pub action: Action,
    /// Its share of the policy.
    pub prior: f64,
    /// Simulations through it.
    pub visits: u32,
    value: f64,
    draws: f64,
    child: Option<Box<Node>>,
}

impl Edge {
    /// Mean win, draw, loss for `side`.
    pub fn wdl_for(&self, side: Side) -> [f64; 3] {
        let visits = f64::from(self.visits.max(1));
        let (value, draw) = (self.value / visits, self.draws / visits);
        let value = if side == Side::P1 { value } else { -value };
        [(1.0 - draw + value) / 2.0, draw, (1.0 - draw - value) / 2.0]
    }
}

/// A plain search, to be compared with.
pub struct Plain<E> {
    /// The evaluator.
    pub evaluator: E,
    /// The settings.
    pub settings: Settings,
    /// Whose turn it is.
    pub sides: Sides,
    /// The closest that a decision between two actions was; below a rounding error the other
    /// search may rightly decide otherwise.
    pub closest: f64,
}

impl<E> Plain<E> {
    /// A search that has not begun.
    pub fn new(evaluator: E, settings: Settings, sides: Sides) -> Self {
        Self { evaluator, settings, sides, closest: f64::INFINITY }
    }

    /// The root after so many simulations.
    pub fn run(&mut self, root: Position, simulations: u32) -> Node
    where
        E: Evaluator,
    {
        let (mut node, _) = self.expanded(&root, root.to_move());
        for _ in 1..simulations {
            self.simulate(&mut node, root);
        }
        node
    }

    fn expanded(&mut self, position: &Position, mover: Side) -> (Node, [f64; 2])
    where
        E: Evaluator,
    {
        let mut logits = vec![0.0; position.spec().actions()];
        let mut wdl: [Wdl; 1] = [[0.0; 3]];
        self.evaluator.evaluate(std::slice::from_ref(position), &mut logits, &mut wdl);
        let mut legal = Vec::new();
        position.legal_actions(&mut legal);
        let temperature = f64::from(self.settings.policy_temperature);
        let weight = |a: Action| (f64::from(logits[usize::from(a)]) / temperature).exp();
        let total: f64 = legal.iter().map(|&action| weight(action)).sum();
        let edges = legal
            .iter()
            .map(|&action| {
                let prior = weight(action) / total;
                Edge { action, prior, visits: 0, value: 0.0, draws: 0.0, child: None }
            })
            .collect();
        let [win, draw, loss] = wdl[0].map(f64::from);
        let value = if mover == Side::P1 { win - loss } else { loss - win };
        (Node { mover, edges, visits: 1.0, value }, [value, draw])
    }

    /// One simulation below `node`; gives value and draw for P1.
    fn simulate(&mut self, node: &mut Node, mut position: Position) -> [f64; 2]
    where
        E: Evaluator,
    {
        let chosen = self.chosen(node);
        let edge = &mut node.edges[chosen];
        position.play(edge.action);
        let result = if let Some(outcome) = position.outcome() {
            let [win, draw, loss] = outcome.wdl_for(Side::P1).map(f64::from);
            [win - loss, draw]
        } else if let Some(child) = &mut edge.child {
            self.simulate(child, position)
        } else {
            let mover = match self.sides {
                Sides::Named => position.to_move(),
                Sides::Alternating => node.mover.other(),
            };
            let (child, result) = self.expanded(&position, mover);
            edge.child = Some(Box::new(child));
            result
        };
        edge.visits += 1;
        edge.value += result[0];
        edge.draws += result[1];
        node.visits += 1.0;
        node.value += result[0];
        result
    }

    fn chosen(&mut self, node: &Node) -> usize {
        let sign = if node.mover == Side::P1 { 1.0 } else { -1.0 };
        let [c, base] = [self.settings.puct.c, self.settings.puct.c_base].map(f64::from);
        let exploration = (c + ((node.visits + base + 1.0) / base).ln()) * node.visits.sqrt();
        let visited: f64 = node.edges.iter().filter(|e| e.visits > 0).map(|e| e.prior).sum();
        let reduction = f64::from(self.settings.puct.first_play_reduction) * visited.sqrt();
        let bound = |edge: &Edge| {
            let visits = f64::from(edge.visits);
            let value = match edge.visits {
                0 => sign * node.value / node.visits - reduction,
                _ => sign * edge.value / visits,
            };
            value + exploration * edge.prior / (1.0 + visits)
        };
        let bounds: Vec<f64> = node.edges.iter().map(bound).collect();
        let mut best = 0;
        for index in 1..bounds.len() {
            self.closest = self.closest.min((bounds[index] - bounds[best]).abs());
            if bounds[index] > bounds[best] {
                best = index;
            }
        }
        best
    }
}
