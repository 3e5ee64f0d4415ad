//! Plain UCT: tree search that judges positions by random games (Kocsis and Szepesvari 2006).
//!
//! Every simulation descends the tree by UCB1, adds one position to it, and plays one uniformly
//! random game from there to the end. It knows nothing of a game but its rules, so that it is the
//! same yardstick for all of them.

use std::time::Instant;

use rand::Rng as _;

use crate::base::rng::Rng;
use crate::games::{Action, Game, Outcome, Side};

/// How UCT searches.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Settings {
    /// The weight `c` of exploration: an action with `n` of the `N` visits of its position and the
    /// mean value `q`, from -1 to 1, is preferred by `q + c * sqrt(ln N / n)`. The theory asks for
    /// `2 * sqrt(2)` on this scale; half of that plays better. (With 1,000 simulations none of
    /// 0.4, 0.7, 1, 2 and 2.8 scored more against 1.4 in 400 games of Connect Four, and none beyond
    /// doubt in 400 of Neutron.)
    pub exploration: f32,
    /// The actions kept in memory, 24 bytes each. A tree that has so many grows no further, but
    /// goes on counting the random games from its leaves.
    pub capacity: usize,
}

impl Default for Settings {
    fn default() -> Self {
        Self { exploration: 1.4, capacity: 1 << 22 }
    }
}

/// When a search ends. The first simulation is always made.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Limits {
    /// Simulations at the most; never more than [`MOST`](Self::MOST).
    pub simulations: u32,
    /// When the answer must be there.
    pub deadline: Option<Instant>,
}

impl Limits {
    /// The most simulations that can be counted.
    pub const MOST: u32 = i32::MAX as u32;

    /// So many simulations, however long they take.
    pub const fn simulations(simulations: u32) -> Self {
        Self { simulations, deadline: None }
    }

    /// As many simulations as there is time for.
    pub const fn until(deadline: Instant) -> Self {
        Self { simulations: Self::MOST, deadline: Some(deadline) }
    }
}

/// What the search has found out about an action.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Candidate {
    /// The action.
    pub action: Action,
    /// Simulations that went through it.
    pub visits: u32,
    /// Their mean result for the side that chooses: 1 for nothing but wins, -1 for nothing but
    /// losses, 0 without visits.
    pub value: f32,
}

/// An expanded position. Its edges stand side by side in the arena, the tried ones first.
#[derive(Clone, Copy, Debug)]
struct Node {
    first: u32,
    visits: u32,
    count: u16,
    tried: u16,
    mover: Side,
}

/// An action of an expanded position. Results are those of the side that chooses it, which need
/// not be another side than the one that chooses next.
#[derive(Clone, Copy, Debug)]
struct Edge {
    visits: u32,
    /// Won less lost simulations.
    balance: i32,
    /// The node it leads to, or [`LEAF`] or [`END`].
    child: u32,
    action: Action,
}

/// A child that has not been expanded.
const LEAF: u32 = u32::MAX;
/// The end of the game. All visits had the same result, which is therefore that of the next.
const END: u32 = u32::MAX - 1;

/// What choosing needs to know of an edge, kept apart and ready so that a choice among many edges
/// touches little memory and takes neither division nor root.
#[derive(Clone, Copy, Debug)]
struct Score {
    mean: f32,
    /// One over the root of the visits.
    spread: f32,
}

/// A step of the way down from the root.
#[derive(Clone, Copy, Debug)]
struct Step {
    node: u32,
    edge: u32,
}

/// Square roots of logarithms are read from a table up to this number of visits.
const ROOTS: usize = 4096;

/// Simulations between two looks at the clock.
const SIMULATIONS_PER_CLOCK_CHECK: u32 = 64;

/// A search and the memory it uses, which is kept from one search to the next.
#[derive(Clone, Debug)]
pub struct Uct {
    settings: Settings,
    nodes: Vec<Node>,
    edges: Vec<Edge>,
    scores: Vec<Score>,
    path: Vec<Step>,
    legal: Vec<Action>,
    /// `sqrt(ln n)` of small `n`.
    roots: Vec<f32>,
    simulations: u32,
}

impl Default for Uct {
    fn default() -> Self {
        Self::new(Settings::default())
    }
}

impl Uct {
    /// A search by these settings.
    pub fn new(settings: Settings) -> Self {
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

    /// Searches the actions of `game` in a fresh tree; the best of them, or none if the game is
    /// over. The result is a function of the arguments, as long as there is no deadline.
    pub fn search<G: Game>(&mut self, game: &G, limits: &Limits, rng: &mut Rng) -> Option<Action> {
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
            if late || self.simulations == most {
                return self.best();
            }
        }
    }

    /// Simulations made in the last search.
    pub fn simulations(&self) -> u32 {
        self.simulations
    }

    /// What the last search found out about each legal action, ascending by action.
    pub fn candidates(&self) -> Vec<Candidate> {
        let root = self.nodes.first().map_or(0, |root| usize::from(root.count));
        let mut candidates: Vec<Candidate> = self.edges[..root].iter().map(candidate).collect();
        candidates.sort_unstable_by_key(|candidate| candidate.action);
        candidates
    }

    /// The mean result of the last search for the side to move.
    pub fn value(&self) -> f32 {
        let root = self.nodes.first().map_or(0, |root| usize::from(root.count));
        let balance: i64 = self.edges[..root].iter().map(|edge| i64::from(edge.balance)).sum();
        balance as f32 / self.simulations.max(1) as f32
    }

    /// The most visited action; of several the one with the best results, then the lowest.
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

    /// Makes a node of the legal actions.
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

    /// Goes down to a new position or the end of a game, and plays on from there; the result in
    /// the view of `P1`.
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

    /// An edge not yet tried, at random, and once there is none the one with the best upper bound.
    #[inline]
    fn choose(&mut self, node: u32, rng: &mut Rng) -> u32 {
        let node = &mut self.nodes[node as usize];
        if node.tried < node.count {
            let next = node.first + u32::from(node.tried);
            let drawn = next + below(rng, u32::from(node.count - node.tried));
            node.tried += 1;
            // None of the two has been visited, so their scores are still the same.
            self.edges.swap(next as usize, drawn as usize);
            return next;
        }
        let root = self.roots.get(node.visits as usize).copied();
        let root = root.unwrap_or_else(|| root_of_logarithm(node.visits));
        let scores = &self.scores[node.first as usize..][..usize::from(node.count)];
        node.first + highest(scores, self.settings.exploration * root)
    }

    /// A random game to the end, from a position whose legal actions are at hand.
    #[inline]
    fn roll_out<G: Game>(&mut self, game: &mut G, rng: &mut Rng) -> i32 {
        while !self.legal.is_empty() {
            let drawn = below(rng, self.legal.len() as u32);
            game.play(self.legal[drawn as usize]);
            game.legal_actions(&mut self.legal);
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

/// The number of the highest upper bound, the first of several.
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

/// Worked out in double precision, so that the last bit hardly depends on the platform.
fn root_of_logarithm(visits: u32) -> f32 {
    f64::from(visits.max(1)).ln().sqrt() as f32
}

/// A number below `bound`, as good as uniform: the bias is below `bound` in 2^32.
#[inline]
fn below(rng: &mut Rng, bound: u32) -> u32 {
    ((u64::from(rng.next_u32()) * u64::from(bound)) >> 32) as u32
}

/// Turns a value in the view of `P1` into that of `side`, or back.
#[inline]
fn view(side: Side, value: i32) -> i32 {
    match side {
        Side::P1 => value,
        Side::P2 => -value,
    }
}

/// The result of a finished game in the view of `P1`.
#[inline]
fn result<G: Game>(game: &G) -> i32 {
    match game.outcome() {
        Some(Outcome::Win(Side::P1)) => 1,
        Some(Outcome::Win(Side::P2)) => -1,
        Some(Outcome::Draw) | None => 0,
    }
}
