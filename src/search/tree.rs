//! The search tree: a flat arena, reused from search to search.

use std::cmp::Ordering;

use rand_distr::{Distribution, Gamma};

use super::Settings;
use crate::evaluator::{Wdl, value_of};
use crate::game::{Action, Game, Outcome, Side};
use crate::rng::Rng;

/// An action of an expanded node, with the statistics of what lies behind it.
///
/// Values are sums over visits and always in the view of `P1`; they are turned only where a side
/// chooses. Sides need not alternate, so a sign that flips with every action would be wrong.
#[derive(Clone, Copy, Debug)]
struct Edge {
    action: Action,
    prior: f32,
    visits: u32,
    /// Sum of win minus loss.
    value: f32,
    /// Sum of draw probabilities.
    draws: f32,
    target: Target,
}

/// What an edge leads to.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Target {
    /// Not visited yet, or its evaluation is awaited.
    Unknown,
    /// An expanded node.
    Node(u32),
    /// The end of the game.
    End(Outcome),
}

/// An expanded position: its edges stand side by side in the arena.
#[derive(Clone, Copy, Debug)]
struct Node {
    first: u32,
    count: u16,
    mover: Side,
    visits: u32,
    /// Its own evaluation plus those of all below it, in the view of `P1`.
    value: f32,
}

/// What [`Tree::gather`] found.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Gathered {
    /// A position to be evaluated; the simulation is complete once it is applied.
    Leaf,
    /// The end of a game; the simulation is complete.
    End,
}

/// A leaf on its way to the evaluator and back. Reused from simulation to simulation.
#[derive(Clone, Debug)]
pub struct Leaf<G> {
    position: Option<G>,
    /// The edges from the root to it.
    path: Vec<u32>,
}

impl<G> Default for Leaf<G> {
    fn default() -> Self {
        Self { position: None, path: Vec::new() }
    }
}

impl<G> Leaf<G> {
    /// The position to be evaluated.
    pub fn position(&self) -> Option<&G> {
        self.position.as_ref()
    }

    /// Whether it is the root of its tree.
    pub fn is_root(&self) -> bool {
        self.path.is_empty()
    }
}

/// What the search has found out about an action.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Candidate {
    /// The action.
    pub action: Action,
    /// Its share of the evaluator's policy, with noise if there was any.
    pub prior: f32,
    /// Simulations that went through it.
    pub visits: u32,
    /// Mean win, draw and loss for the side that chooses; of no meaning without visits.
    pub wdl: Wdl,
}

/// A search tree over the positions that follow `root`.
#[derive(Clone, Debug)]
pub struct Tree<G> {
    root: Option<G>,
    nodes: Vec<Node>,
    edges: Vec<Edge>,
    simulations: u32,
    /// The evaluator's own judgement of the root, seen by its side to move.
    raw: Wdl,
    /// Whether the root's priors are mixed with noise.
    noisy: bool,
    legal: Vec<Action>,
}

impl<G: Game> Default for Tree<G> {
    fn default() -> Self {
        Self {
            root: None,
            nodes: Vec::new(),
            edges: Vec::new(),
            simulations: 0,
            raw: [0.0; 3],
            noisy: false,
            legal: Vec::new(),
        }
    }
}

impl<G: Game> Tree<G> {
    /// Starts a search from `root`, which must not be finished. Memory is kept.
    pub fn begin(&mut self, root: G) {
        debug_assert!(root.outcome().is_none());
        self.root = Some(root);
        self.nodes.clear();
        self.edges.clear();
        self.simulations = 0;
        self.raw = [0.0; 3];
        self.noisy = false;
    }

    /// Simulations completed since [`begin`](Self::begin). The evaluation of the root is the
    /// first of them, so that every simulation is an evaluation or the end of a game.
    pub fn simulations(&self) -> u32 {
        self.simulations
    }

    /// Descends to a leaf. If it is to be evaluated, that must be applied before this tree
    /// gathers again; no leaf may be in flight when the next search begins.
    ///
    /// # Panics
    ///
    /// If no search was begun.
    #[must_use]
    pub fn gather(&mut self, settings: &Settings, leaf: &mut Leaf<G>) -> Gathered {
        leaf.path.clear();
        let mut position = self.root.expect("a search was begun");
        let mut target = if self.nodes.is_empty() { Target::Unknown } else { Target::Node(0) };
        while let Target::Node(node) = target {
            let index = self.select(node, settings);
            leaf.path.push(index);
            let edge = &mut self.edges[index as usize];
            position.play(edge.action);
            if edge.target == Target::Unknown
                && let Some(outcome) = position.outcome()
            {
                edge.target = Target::End(outcome);
            }
            target = edge.target;
        }
        match target {
            Target::End(outcome) => {
                self.back_up(&leaf.path, outcome.wdl_for(Side::P1));
                Gathered::End
            }
            _ => {
                leaf.position = Some(position);
                Gathered::Leaf
            }
        }
    }

    /// Puts the evaluation of a gathered leaf into the tree: `policy` are the logits of all
    /// actions, `wdl` the leaf as its side to move sees it.
    pub fn apply(&mut self, leaf: &Leaf<G>, policy: &[f32], wdl: Wdl) {
        let position = leaf.position().expect("only a gathered leaf is applied");
        let mover = position.to_move();
        let node = self.expand(position, mover, policy);
        match leaf.path.last() {
            Some(&edge) => self.edges[edge as usize].target = Target::Node(node),
            None => self.raw = wdl,
        }
        let [win, draw, loss] = wdl;
        let wdl_for_p1 = if mover == Side::P1 { wdl } else { [loss, draw, win] };
        let own = &mut self.nodes[node as usize];
        own.visits = 1;
        own.value = value_of(wdl_for_p1);
        self.back_up(&leaf.path, wdl_for_p1);
    }

    /// Adds a node with the legal actions of `position`, their priors the softmax of `policy`.
    fn expand(&mut self, position: &G, mover: Side, policy: &[f32]) -> u32 {
        position.legal_actions(&mut self.legal);
        let logit = |&action: &Action| policy[usize::from(action)];
        let highest = self.legal.iter().map(logit).fold(f32::NEG_INFINITY, f32::max);
        let first = self.edges.len();
        let mut total = 0.0;
        for action in &self.legal {
            let prior = (logit(action) - highest).exp();
            total += prior;
            let edge = Edge {
                action: *action,
                prior,
                visits: 0,
                value: 0.0,
                draws: 0.0,
                target: Target::Unknown,
            };
            self.edges.push(edge);
        }
        self.edges[first..].iter_mut().for_each(|edge| edge.prior /= total);
        let count = self.legal.len() as u16;
        self.nodes.push(Node { first: first as u32, count, mover, visits: 0, value: 0.0 });
        (self.nodes.len() - 1) as u32
    }

    /// The edge of the largest upper bound (PUCT), the first of equal ones.
    fn select(&self, index: u32, settings: &Settings) -> u32 {
        let node = &self.nodes[index as usize];
        let tries_everything = index == 0 && self.noisy;
        let reduction = if tries_everything { 0.0 } else { settings.first_play_reduction };
        let sign = sign_of(node.mover);
        let exploration = settings.exploration(node.visits);
        let edges = &self.edges[node.first as usize..][..usize::from(node.count)];
        let visited: f32 = edges.iter().filter(|edge| edge.visits > 0).map(|edge| edge.prior).sum();
        let unvisited = sign * node.value / node.visits as f32 - reduction * visited.sqrt();
        let (mut best, mut highest) = (0, f32::NEG_INFINITY);
        for (index, edge) in edges.iter().enumerate() {
            let visits = edge.visits as f32;
            let value = if edge.visits > 0 { sign * edge.value / visits } else { unvisited };
            let bound = value + exploration * edge.prior / (1.0 + visits);
            if bound > highest {
                (best, highest) = (index, bound);
            }
        }
        node.first + best as u32
    }

    /// Completes a simulation: adds its result to all edges and nodes on its path.
    fn back_up(&mut self, path: &[u32], wdl_for_p1: Wdl) {
        let value = value_of(wdl_for_p1);
        let mut node = 0;
        for &index in path {
            let parent: &mut Node = &mut self.nodes[node as usize];
            parent.visits += 1;
            parent.value += value;
            let edge = &mut self.edges[index as usize];
            edge.visits += 1;
            edge.value += value;
            edge.draws += wdl_for_p1[1];
            if let Target::Node(next) = edge.target {
                node = next;
            }
        }
        self.simulations += 1;
    }

    /// Mixes Dirichlet noise into the priors of the root, once it is expanded.
    pub fn add_noise(&mut self, settings: &Settings, rng: &mut Rng) {
        let fraction = settings.noise_fraction;
        if fraction <= 0.0 {
            return;
        }
        self.noisy = true;
        let edges = self.root_edges_mut();
        let shape = settings.noise_concentration / edges.len() as f32;
        // A shape so small that it underflows would draw nothing but zeros.
        let Ok(gamma) = Gamma::new(shape, 1.0) else { return };
        // A Dirichlet draw is a row of gamma draws divided by their sum.
        let draws: Vec<f32> = edges.iter().map(|_| gamma.sample(rng)).collect();
        let total: f32 = draws.iter().sum();
        if total > 0.0 {
            for (edge, draw) in edges.iter_mut().zip(draws) {
                edge.prior = (1.0 - fraction) * edge.prior + fraction * draw / total;
            }
        }
    }

    fn root_edges_mut(&mut self) -> &mut [Edge] {
        match self.nodes.first() {
            Some(root) => &mut self.edges[root.first as usize..][..usize::from(root.count)],
            None => &mut [],
        }
    }

    /// What was found out about each legal action of the root, in ascending order of actions.
    pub fn candidates(&self) -> impl Iterator<Item = Candidate> + '_ {
        self.candidates_after(&[]).into_iter().flatten()
    }

    /// The same for the position that follows `actions` from the root, if the search has
    /// expanded it.
    pub fn candidates_after(
        &self,
        actions: &[Action],
    ) -> Option<impl Iterator<Item = Candidate> + '_> {
        let mut node = self.nodes.first()?;
        for &action in actions {
            match self.edges_of(node).iter().find(|edge| edge.action == action)?.target {
                Target::Node(next) => node = &self.nodes[next as usize],
                _ => return None,
            }
        }
        let mover = node.mover;
        Some(self.edges_of(node).iter().map(move |edge| candidate(edge, mover)))
    }

    fn edges_of(&self, node: &Node) -> &[Edge] {
        &self.edges[node.first as usize..][..usize::from(node.count)]
    }

    /// The evaluator's own judgement of the root, seen by its side to move.
    pub fn raw(&self) -> Wdl {
        self.raw
    }

    /// The search's judgement of the root, seen by its side to move: the mean over all
    /// simulations.
    pub fn value(&self) -> Wdl {
        let mut sum = self.raw;
        let mut total = 1.0;
        for found in self.candidates().filter(|found| found.visits > 0) {
            let visits = found.visits as f32;
            sum.iter_mut().zip(found.wdl).for_each(|(sum, part)| *sum += part * visits);
            total += visits;
        }
        sum.map(|part| part / total)
    }

    /// The most visited action of the root; of equally visited ones that of the larger prior.
    pub fn best(&self) -> Option<Action> {
        best_of(self.candidates()).map(|found| found.action)
    }
}

impl Candidate {
    /// The order in which candidates are to be played, the best first: by visits, then by prior.
    pub fn preference(&self, other: &Self) -> Ordering {
        other.visits.cmp(&self.visits).then(other.prior.total_cmp(&self.prior))
    }
}

/// The candidate to be played, the first of equal ones.
pub fn best_of(candidates: impl Iterator<Item = Candidate>) -> Option<Candidate> {
    candidates.min_by(Candidate::preference)
}

#[inline]
fn sign_of(mover: Side) -> f32 {
    if mover == Side::P1 { 1.0 } else { -1.0 }
}

fn candidate(edge: &Edge, mover: Side) -> Candidate {
    let visits = edge.visits.max(1) as f32;
    let value = sign_of(mover) * edge.value / visits;
    let draw = edge.draws / visits;
    // win + draw + loss = 1 and win - loss = value
    let win = (1.0 - draw + value) / 2.0;
    let wdl = [win, draw, 1.0 - draw - win].map(|part| part.clamp(0.0, 1.0));
    Candidate { action: edge.action, prior: edge.prior, visits: edge.visits, wdl }
}
