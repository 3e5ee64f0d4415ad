//! Plain UCT: tree search with UCB1 and rollouts (Kocsis and Szepesvári 2006).
//!
//! Every simulation descends the tree by UCB1, adds one position to it, and plays one uniformly
//! random game from there to the end. UCT uses nothing of a game but its rules, so it is the same
//! baseline for every game.

use rand::Rng as _;

use crate::base::clock::Instant;
use crate::base::rng::Rng;
use crate::games::{Action, Game, Outcome, Side};

/// The settings of UCT.
#[derive(Clone, Copy, PartialEq, Debug)]
pub(crate) struct UctSettings {
    /// The weight `c` of exploration. UCB1 selects the action with the highest
    /// `q + c * sqrt(ln N / n)`, where `n` of the `N` visits of the position went to the action and
    /// `q` is their mean value, from -1 to 1. The theoretical constant on this scale is
    /// `2 * sqrt(2)`, but half of it plays better: with 1,000 simulations none of 0.4, 0.7, 1, 2
    /// and 2.8 beat 1.4 in 400 games of Connect Four, nor significantly in 400 games of Neutron.
    pub exploration: f32,
    /// The maximum number of actions in the tree, 24 bytes each. A full tree grows no further, but
    /// still records the results of rollouts from its leaves.
    pub capacity: usize,
}

impl Default for UctSettings {
    fn default() -> Self {
        Self { exploration: 1.4, capacity: 1 << 22 }
    }
}

/// When a search ends. It always makes at least one simulation.
#[derive(Clone, Copy)]
pub(crate) struct Limits<'a> {
    /// The maximum number of simulations, capped at [`MOST`](Self::MOST).
    pub simulations: u32,
    /// The time at which the search must stop.
    pub deadline: Option<Instant>,
    /// The search stops when it returns false.
    pub keep_going: &'a dyn Fn() -> bool,
}

impl Limits<'_> {
    /// The maximum number of simulations that the counters can hold.
    pub(crate) const MOST: u32 = i32::MAX as u32;

    /// A fixed number of simulations, without a time limit.
    pub(crate) const fn simulations(simulations: u32) -> Self {
        Self { simulations, deadline: None, keep_going: &|| true }
    }

    /// As many simulations as fit before the deadline.
    #[cfg(test)]
    pub(crate) const fn until(deadline: Instant) -> Self {
        Self { deadline: Some(deadline), ..Self::simulations(Self::MOST) }
    }
}

/// The statistics of an action of the root.
#[derive(Clone, Copy, PartialEq, Debug)]
pub(crate) struct Candidate {
    /// The action.
    pub action: Action,
    /// The number of simulations that went through it.
    pub visits: u32,
    /// Its mean value for the side to move, from -1 to 1. 0 without visits.
    pub value: f32,
}

/// An expanded position. Its edges are contiguous, the tried ones first.
#[derive(Clone, Copy, Debug)]
struct Node {
    first: u32,
    visits: u32,
    count: u16,
    tried: u16,
    mover: Side,
}

/// An action of an expanded position. Its results are those of the side that plays it. That side
/// may also play the next action.
#[derive(Clone, Copy, Debug)]
struct Edge {
    visits: u32,
    /// The number of won simulations minus that of lost ones.
    balance: i32,
    /// The index of its child node, or [`LEAF`] or [`END`].
    child: u32,
    action: Action,
}

/// A child that has not been expanded.
const LEAF: u32 = u32::MAX;
/// The end of the game. All visits have the same result, which is taken from `balance`.
const END: u32 = u32::MAX - 1;

/// The terms of UCB1 for an edge. They are stored separately so that a selection among many edges
/// touches little memory and needs neither a division nor a square root.
#[derive(Clone, Copy, Debug)]
struct Score {
    mean: f32,
    /// One over the square root of the visits.
    spread: f32,
}

/// A step of the path from the root to the leaf.
#[derive(Clone, Copy, Debug)]
struct Step {
    node: u32,
    edge: u32,
}

/// The size of the table of `sqrt(ln n)`.
const ROOTS: usize = 4096;

/// The number of simulations between two checks of the clock.
const SIMULATIONS_PER_CLOCK_CHECK: u32 = 64;

/// A UCT search. Its memory is reused by the next search, its tree is not.
#[derive(Clone, Debug)]
pub(crate) struct Uct {
    settings: UctSettings,
    nodes: Vec<Node>,
    edges: Vec<Edge>,
    scores: Vec<Score>,
    path: Vec<Step>,
    legal: Vec<Action>,
    /// `sqrt(ln n)` for small `n`.
    roots: Vec<f32>,
    simulations: u32,
}

impl Default for Uct {
    fn default() -> Self {
        Self::new(UctSettings::default())
    }
}

impl Uct {
    /// A search with these settings.
    pub(crate) fn new(settings: UctSettings) -> Self {
        Self {
            settings,
            nodes: Vec::new(),
            edges: Vec::new(),
            scores: Vec::new(),
            path: Vec::new(),
            legal: Vec::new(),
            roots: (0..ROOTS as u32).map(root_of_logarithm).collect(),
            simulations: 0,
        }
    }

    /// Searches `game` in a fresh tree. Returns the most visited action, or `None` if the game is
    /// over. Without a deadline the result depends on the arguments and the settings only.
    pub(crate) fn search<G: Game>(
        &mut self,
        game: &G,
        limits: &Limits<'_>,
        rng: &mut Rng,
    ) -> Option<Action> {
        self.begin(game);
        if self.edges.is_empty() {
            return None;
        }
        let most = limits.simulations.clamp(1, Limits::MOST);
        loop {
            let left = most - self.simulations;
            for _ in 0..left.min(SIMULATIONS_PER_CLOCK_CHECK) {
                self.simulate(game, rng);
            }
            let late = limits.deadline.is_some_and(|deadline| Instant::now() >= deadline);
            if late || self.simulations == most || !(limits.keep_going)() {
                return self.best();
            }
        }
    }

    /// The number of simulations of the last search.
    pub(crate) fn simulations(&self) -> u32 {
        self.simulations
    }

    /// The statistics of all legal actions in the last search, ascending by action.
    pub(crate) fn candidates(&self) -> Vec<Candidate> {
        let root = self.nodes.first().map_or(0, |root| usize::from(root.count));
        let mut candidates: Vec<Candidate> = self.edges[..root].iter().map(candidate).collect();
        candidates.sort_unstable_by_key(|candidate| candidate.action);
        candidates
    }

    /// The mean value of the root in the last search for the side to move, from -1 to 1.
    #[cfg(test)]
    pub(crate) fn value(&self) -> f32 {
        let root = self.nodes.first().map_or(0, |root| usize::from(root.count));
        let balance: i64 = self.edges[..root].iter().map(|edge| i64::from(edge.balance)).sum();
        balance as f32 / self.simulations.max(1) as f32
    }

    /// The most visited action. Ties are broken by the higher value, then by the lower action.
    fn best(&self) -> Option<Action> {
        let better = |a: &Candidate, b: &Candidate| {
            let by_results = || a.value.total_cmp(&b.value);
            a.visits.cmp(&b.visits).then_with(by_results).then_with(|| b.action.cmp(&a.action))
        };
        self.candidates().into_iter().max_by(better).map(|candidate| candidate.action)
    }

    fn begin<G: Game>(&mut self, game: &G) {
        self.nodes.clear();
        self.edges.clear();
        self.scores.clear();
        self.simulations = 0;
        game.legal_actions(&mut self.legal);
        if !self.legal.is_empty() {
            self.expand(game.to_move());
        }
    }

    /// Adds a node with the actions of `self.legal`. Returns its index.
    fn expand(&mut self, mover: Side) -> u32 {
        let node = self.nodes.len() as u32;
        let (first, count) = (self.edges.len() as u32, self.legal.len() as u16);
        self.nodes.push(Node { first, visits: 0, count, tried: 0, mover });
        let edge = |&action: &Action| Edge { visits: 0, balance: 0, child: LEAF, action };
        self.edges.extend(self.legal.iter().map(edge));
        self.scores.resize(self.edges.len(), Score { mean: 0.0, spread: 0.0 });
        node
    }

    fn simulate<G: Game>(&mut self, root: &G, rng: &mut Rng) {
        let mut game = *root;
        self.path.clear();
        let value = self.descend(&mut game, rng);
        self.back_up(value);
        self.simulations += 1;
    }

    /// Descends to a new position or the end of a game, and plays a rollout from there. Returns the
    /// result for `P1`.
    fn descend<G: Game>(&mut self, game: &mut G, rng: &mut Rng) -> i32 {
        let mut node = 0;
        loop {
            let edge = self.choose(node, rng);
            self.path.push(Step { node, edge });
            let Edge { visits, balance, child, action } = self.edges[edge as usize];
            node = match child {
                END => return view(self.nodes[node as usize].mover, balance.signum()),
                LEAF => {
                    game.play(action);
                    game.legal_actions(&mut self.legal);
                    if self.legal.is_empty() {
                        self.edges[edge as usize].child = END;
                        return result(game);
                    }
                    let full = self.edges.len() + self.legal.len() > self.settings.capacity;
                    if visits == 0 || full {
                        return self.roll_out(game, rng);
                    }
                    let node = self.expand(game.to_move());
                    self.edges[edge as usize].child = node;
                    node
                }
                node => {
                    game.play(action);
                    node
                }
            };
        }
    }

    /// A random untried edge or, if there is none, the edge with the highest upper confidence
    /// bound.
    #[inline]
    fn choose(&mut self, node: u32, rng: &mut Rng) -> u32 {
        let node = &mut self.nodes[node as usize];
        if node.tried < node.count {
            let next = node.first + u32::from(node.tried);
            let drawn = next + below(rng, u32::from(node.count - node.tried));
            node.tried += 1;
            // Neither edge has been visited, so their scores are equal and need no swap.
            self.edges.swap(next as usize, drawn as usize);
            return next;
        }
        let root = self.roots.get(node.visits as usize).copied();
        let root = root.unwrap_or_else(|| root_of_logarithm(node.visits));
        let scores = &self.scores[node.first as usize..][..usize::from(node.count)];
        node.first + highest(scores, self.settings.exploration * root)
    }

    /// Plays a random game to the end, from a position whose legal actions are in `self.legal`.
    /// Returns the result for `P1`.
    #[inline]
    fn roll_out<G: Game>(&mut self, game: &mut G, rng: &mut Rng) -> i32 {
        let first = below(rng, self.legal.len() as u32);
        game.play(self.legal[first as usize]);
        while let Some(action) = game.choose_action(&mut self.legal, |count| below(rng, count)) {
            game.play(action);
        }
        result(game)
    }

    fn back_up(&mut self, value: i32) {
        for &Step { node, edge } in &self.path {
            let node = &mut self.nodes[node as usize];
            node.visits += 1;
            let found = &mut self.edges[edge as usize];
            found.visits += 1;
            found.balance += view(node.mover, value);
            let visits = found.visits as f32;
            let (mean, spread) = (found.balance as f32 / visits, 1.0 / visits.sqrt());
            self.scores[edge as usize] = Score { mean, spread };
        }
    }
}

fn candidate(edge: &Edge) -> Candidate {
    let value = edge.balance as f32 / edge.visits.max(1) as f32;
    Candidate { action: edge.action, visits: edge.visits, value }
}

/// The index of the first highest upper confidence bound.
#[inline]
fn highest(scores: &[Score], exploration: f32) -> u32 {
    let (mut best, mut bound) = (0, f32::NEG_INFINITY);
    for (index, score) in scores.iter().enumerate() {
        let this = score.mean + exploration * score.spread;
        if this > bound {
            (best, bound) = (index as u32, this);
        }
    }
    best
}

/// `sqrt(ln n)`, computed in double precision so that the rounded result hardly depends on the
/// platform.
fn root_of_logarithm(visits: u32) -> f32 {
    f64::from(visits.max(1)).ln().sqrt() as f32
}

/// A random number below `bound`. It is nearly uniform: the bias is below `bound / 2^32`.
#[inline]
fn below(rng: &mut Rng, bound: u32) -> u32 {
    ((u64::from(rng.next_u32()) * u64::from(bound)) >> 32) as u32
}

/// Converts a value for `P1` to a value for `side`, or back.
#[inline]
fn view(side: Side, value: i32) -> i32 {
    match side {
        Side::P1 => value,
        Side::P2 => -value,
    }
}

/// The result of a finished game for `P1`.
#[inline]
fn result<G: Game>(game: &G) -> i32 {
    match game.outcome() {
        Some(Outcome::Win(Side::P1)) => 1,
        Some(Outcome::Win(Side::P2)) => -1,
        Some(Outcome::Draw) | None => 0,
    }
}
