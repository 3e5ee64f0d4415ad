//! The search of one game: gathers leaves, applies their evaluations, and reports the result.

use std::cmp::Ordering;

use arrayvec::ArrayVec;

use super::evaluation::{Edge, Evaluation};
use super::final_choice::{self, Contender};
use super::interior::{self, Pick};
use super::root::{Choice, Root};
use super::settings::Settings;
use super::tree::{NONE, Node, NodeId, NodeState, Tree, sign_of};
use crate::games::{Action, MAX_ACTIONS, Outcome, Side};
use crate::registry::Position;
use crate::search::{Wdl, value_of};

/// The number of simulations and the noise of a search.
#[derive(Clone, Copy, Default, PartialEq, Eq, Debug)]
pub(crate) struct Plan {
    /// The number of simulations, including the evaluation of the root; `None` for no limit, where
    /// the caller stops.
    pub simulations: Option<u32>,
    /// The seed of the noise at the root; `None` for no noise.
    pub noise: Option<u64>,
    /// Whether a root with a single legal action is evaluated only, not searched.
    pub skip_forced: bool,
}

impl Plan {
    /// A plan of `simulations` simulations without noise.
    pub(crate) fn simulations(simulations: u32) -> Self {
        Self { simulations: Some(simulations), ..Self::default() }
    }
}

/// The result of [`Search::gather`].
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Gathered {
    /// A position to evaluate. The simulation is complete when its evaluation has been applied.
    Leaf,
    /// A proven result; the simulation is complete.
    End,
    /// No leaf is available until a pending evaluation has been applied.
    Busy,
    /// The search is over.
    Done,
}

/// A leaf between [`Search::gather`] and [`Search::apply`]. Reused from simulation to simulation.
#[derive(Clone, Debug, Default)]
pub(crate) struct Leaf {
    position: Option<Position>,
    /// The nodes from the root to the leaf.
    path: Vec<NodeId>,
}

impl Leaf {
    /// The position to evaluate; `None` before a leaf was gathered.
    pub(crate) fn position(&self) -> Option<&Position> {
        self.position.as_ref()
    }
}

/// The statistics of an action.
#[derive(Clone, Copy, PartialEq, Debug)]
pub(crate) struct Candidate {
    /// The action.
    pub action: Action,
    /// Its prior by the evaluator, with Dirichlet noise at the root if there was any.
    pub prior: f32,
    /// Simulations that went through it.
    pub visits: u32,
    /// Mean win, draw and loss for `mover`; meaningless without visits.
    pub wdl: Wdl,
    /// The result it leads to, if that is proven.
    pub proven: Option<Outcome>,
    /// The side that plays the action.
    pub mover: Side,
}

impl Candidate {
    /// The default order, best first.
    pub(crate) fn preference(&self, other: &Self) -> Ordering {
        let key = |found: &Self| (found.proven, found.visits, found.prior);
        preference(self.mover, key(self), key(other))
    }

    /// Whether it is proven that the other side wins after it.
    pub(crate) fn is_lost(&self) -> bool {
        self.proven == Some(Outcome::Win(self.mover.other()))
    }

    /// Whether it is proven that `mover` wins after it.
    fn is_won(&self) -> bool {
        self.proven == Some(Outcome::Win(self.mover))
    }

    /// Its Q-value, with draws of this value.
    fn value(&self, draw_value: f32) -> f32 {
        value_of(self.wdl) + draw_value * self.wdl[1]
    }

    fn new(node: &Node, mover: Side) -> Self {
        Self {
            action: node.action,
            prior: node.prior,
            visits: node.visits,
            wdl: node.wdl_for(mover),
            proven: node.bounds.outcome(),
            mover,
        }
    }

    fn untried(action: Action, prior: f32, mover: Side) -> Self {
        Self { action, prior, visits: 0, wdl: [0.0, 1.0, 0.0], proven: None, mover }
    }
}

/// Orders actions or turns of `mover`, best first, by proven result, visits and prior: proven wins,
/// then by descending visits, proven losses last; in a tie by descending prior.
pub(crate) fn preference(
    mover: Side,
    a: (Option<Outcome>, u32, f32),
    b: (Option<Outcome>, u32, f32),
) -> Ordering {
    let class = |proven| match proven {
        Some(Outcome::Win(side)) if side == mover => 0,
        Some(Outcome::Win(_)) => 2,
        _ => 1,
    };
    class(a.0).cmp(&class(b.0)).then(b.1.cmp(&a.1)).then(b.2.total_cmp(&a.2))
}

/// The search of one game, for one position after the other.
///
/// Call [`begin`](Self::begin), then [`gather`](Self::gather) and [`apply`](Self::apply) until the
/// search [is done](Self::is_done), read the result, and [`advance`](Self::advance) by the action
/// played.
#[derive(Clone, Debug)]
pub(crate) struct Search {
    settings: Settings,
    plan: Plan,
    position: Option<Position>,
    tree: Tree,
    /// Memory into which the reused subtree is copied.
    spare: Tree,
    root: Root,
    /// The node that the game has advanced to, if it is in the tree.
    followed: Option<NodeId>,
    simulations: u32,
    pending: u32,
    legal: Vec<Action>,
    shares: Vec<f32>,
}

impl Search {
    /// A search that has not begun a position.
    pub(crate) fn new(settings: Settings) -> Self {
        Self {
            settings,
            plan: Plan::default(),
            position: None,
            tree: Tree::default(),
            spare: Tree::default(),
            root: Root::default(),
            followed: None,
            simulations: 0,
            pending: 0,
            legal: Vec::new(),
            shares: Vec::new(),
        }
    }

    /// Its settings.
    pub(crate) fn settings(&self) -> &Settings {
        &self.settings
    }

    /// Begins the search of `position`, which must not be finished. The subtree of the previous
    /// search is reused if the game [advanced](Self::advance) to this position. No leaf may be
    /// pending.
    pub(crate) fn begin(&mut self, position: Position, plan: Plan) {
        debug_assert!(position.outcome().is_none() && self.pending == 0);
        self.reuse_subtree(position);
        self.plan = plan;
        self.position = Some(position);
        self.simulations = 0;
        self.pending = 0;
        self.root.clear();
        if !self.tree.is_empty() {
            self.open_root();
        }
    }

    /// Lets the next search of the same position go on with the tree of this one.
    pub(crate) fn stay(&mut self) {
        self.followed = (!self.tree.is_empty()).then_some(0);
    }

    /// Keeps the subtree of the position to search, if reuse is on, and drops the rest.
    fn reuse_subtree(&mut self, position: Position) {
        let kept = self.followed.take().filter(|&id| {
            let is_evaluated = self.tree.node(id).state == NodeState::Open;
            self.settings.reuse && is_evaluated && self.position == Some(position)
        });
        match kept {
            Some(id) => {
                self.tree.copy_below(id, &mut self.spare);
                std::mem::swap(&mut self.tree, &mut self.spare);
            }
            None => self.tree.clear(),
        }
    }

    /// Advances the game by `action`, from the position searched last or advanced to last.
    pub(crate) fn advance(&mut self, action: Action) {
        let at = if self.root.actions.is_empty() { self.followed } else { Some(0) };
        self.root.clear();
        self.followed = at.and_then(|id| self.tree.child_by(id, action));
        if let Some(position) = &mut self.position {
            position.play(action);
        }
    }

    /// Drops the tree, so that the next search begins without it.
    pub(crate) fn forget(&mut self) {
        self.followed = None;
        self.root.clear();
        self.tree.clear();
    }

    /// The number of simulations completed since [`begin`](Self::begin). The evaluation of a new
    /// root is the first of them, so that every simulation is an evaluation or a proven result.
    pub(crate) fn simulations(&self) -> u32 {
        self.simulations
    }

    /// Whether the search is over: no simulations are left, and none is pending.
    pub(crate) fn is_done(&self) -> bool {
        !self.is_unfinished() && self.pending == 0
    }

    /// Whether simulations are left, besides the pending ones.
    fn is_unfinished(&self) -> bool {
        if self.root.actions.is_empty() {
            return true;
        }
        let started = self.simulations + self.pending;
        let is_proven = self.settings.proofs.enabled && self.tree.node(0).bounds.is_proven();
        let is_forced = self.plan.skip_forced && self.root.actions.len() == 1;
        !is_proven && !is_forced && self.plan.simulations.is_none_or(|all| started < all)
    }

    /// Descends to a leaf. A leaf that needs an evaluation must be [applied](Self::apply) before
    /// the next search begins; more leaves may be gathered before that.
    ///
    /// # Panics
    ///
    /// If no search was begun.
    #[must_use]
    pub(crate) fn gather(&mut self, leaf: &mut Leaf) -> Gathered {
        leaf.path.clear();
        leaf.path.push(0);
        if self.tree.is_empty() {
            self.tree.add_root();
            return self.request_evaluation(leaf, self.position.expect("a search was begun"));
        }
        if !self.is_unfinished() {
            return if self.pending == 0 { Gathered::Done } else { Gathered::Busy };
        }
        if self.tree.node(0).state == NodeState::Waiting {
            return Gathered::Busy;
        }
        match self.root.choose(&self.tree, &self.settings) {
            Choice::Wait => Gathered::Busy,
            Choice::Action(index) => self.descend(index, leaf),
        }
    }

    /// Descends from the root by this action.
    fn descend(&mut self, index: usize, leaf: &mut Leaf) -> Gathered {
        let mut position = self.position.expect("a search was begun");
        let chosen = &self.root.actions[index];
        position.play(chosen.action);
        if chosen.node == NONE {
            let id = self.add_root_child(index);
            return self.enter(id, position, leaf);
        }
        let mut id = chosen.node;
        loop {
            leaf.path.push(id);
            let node = self.tree.node(id);
            if node.state == NodeState::Closed
                || self.settings.proofs.enabled && node.bounds.is_proven()
            {
                return self.end(leaf, false);
            }
            if node.state == NodeState::Waiting {
                return Gathered::Busy;
            }
            match interior::choose(&self.tree, id, &self.settings, &mut self.shares) {
                Pick::Child(child) => {
                    id = child;
                    position.play(self.tree.node(id).action);
                }
                Pick::New(edge) => {
                    position.play(edge.action());
                    let child = self.tree.add(id, edge);
                    return self.enter(child, position, leaf);
                }
            }
        }
    }

    /// Adds the child of an untried action of the root.
    fn add_root_child(&mut self, index: usize) -> NodeId {
        let chosen = &mut self.root.actions[index];
        let edge = self.tree.edges(0).iter().find(|edge| edge.action() == chosen.action);
        let edge = *edge.expect("the actions of the root are its edges");
        chosen.node = self.tree.add(0, edge);
        chosen.node
    }

    /// Completes the descent at a new node: proven if the game is over or won at once.
    fn enter(&mut self, id: NodeId, position: Position, leaf: &mut Leaf) -> Gathered {
        leaf.path.push(id);
        if let Some(outcome) = position.outcome() {
            self.tree.close(id, outcome);
            return self.end(leaf, self.settings.proofs.enabled);
        }
        if let Some(action) = self.winning_action(&position) {
            let end = self.tree.close_by(id, position.to_move(), action);
            leaf.path.push(end);
            return self.end(leaf, true);
        }
        self.request_evaluation(leaf, position)
    }

    /// An action by which the side to move wins at once, if the settings ask for this lookahead.
    fn winning_action(&mut self, position: &Position) -> Option<Action> {
        if !self.settings.proofs.looks_ahead() {
            return None;
        }
        let won = Some(Outcome::Win(position.to_move()));
        position.legal_actions(&mut self.legal);
        self.legal.iter().copied().find(|&action| {
            let mut next = *position;
            next.play(action);
            next.outcome() == won
        })
    }

    fn request_evaluation(&mut self, leaf: &mut Leaf, position: Position) -> Gathered {
        leaf.position = Some(position);
        self.tree.add_virtual_visit(&leaf.path);
        self.pending += 1;
        Gathered::Leaf
    }

    /// Completes a simulation with a proven result; `proven` if this simulation has proved it.
    fn end(&mut self, leaf: &Leaf, proven: bool) -> Gathered {
        // The bounds of the last node replace the zeros by its proven result.
        self.tree.back_up(&leaf.path, [0.0, 0.0], proven);
        self.simulations += 1;
        Gathered::End
    }

    /// Adds the evaluation of a gathered leaf to the tree.
    ///
    /// # Panics
    ///
    /// If the leaf was not gathered.
    pub(crate) fn apply(&mut self, leaf: &Leaf, evaluation: &Evaluation) {
        let position = leaf.position().expect("only a gathered leaf is applied");
        let &id = leaf.path.last().expect("a path begins with the root");
        let mover = position.to_move();
        self.tree.open(id, mover, evaluation, self.settings.policy_temperature);
        self.tree.remove_virtual_visit(&leaf.path);
        let value = f64::from(value_of(evaluation.wdl) * sign_of(mover));
        self.tree.back_up(&leaf.path, [value, f64::from(evaluation.wdl[1])], false);
        self.simulations += 1;
        self.pending -= 1;
        if leaf.path.len() == 1 {
            self.open_root();
        }
    }

    fn open_root(&mut self) {
        self.tree.set_draw_value(self.settings.draw_value * sign_of(self.tree.node(0).mover));
        let left = self.plan.simulations.map(|all| all.saturating_sub(self.simulations).max(1));
        self.root.open(&self.tree, &self.settings, left, self.plan.noise);
        let position = self.position.expect("a search was begun");
        if let Some(action) = self.winning_action(&position) {
            self.add_proof(&[action], Outcome::Win(position.to_move()));
        }
    }

    /// Adds a result that was proven outside the search, after `actions` from the root. No leaf may
    /// be pending. Below the root, a proof of an untried action is ignored unless that action is
    /// the next to be tried.
    pub(crate) fn add_proof(&mut self, actions: &[Action], outcome: Outcome) {
        let mut path: ArrayVec<NodeId, { MAX_ACTIONS + 1 }> = ArrayVec::from_iter([0]);
        for &action in actions {
            let Some(id) = self.reach(path[path.len() - 1], action) else { return };
            path.push(id);
        }
        let end = path.pop().expect("the root at least");
        self.tree.close(end, outcome);
        path.iter().rev().for_each(|&id| _ = self.tree.tighten(id));
    }

    /// The child by an action, which is added if necessary. `None` if it cannot be added, or if the
    /// parent is proven.
    fn reach(&mut self, parent: NodeId, action: Action) -> Option<NodeId> {
        if self.tree.node(parent).bounds.is_proven() {
            return None;
        }
        if let Some(id) = self.tree.child_by(parent, action) {
            return Some(id);
        }
        if parent == 0 {
            let index = self.root.actions.iter().position(|found| found.action == action)?;
            return Some(self.add_root_child(index));
        }
        let next = self.tree.next_edge(parent).filter(|edge| edge.action() == action)?;
        Some(self.tree.add(parent, next))
    }

    /// Whether the root has been evaluated.
    pub(crate) fn is_evaluated(&self) -> bool {
        !self.root.actions.is_empty()
    }

    /// The legal actions of the root, in ascending order; none before the root is evaluated.
    pub(crate) fn candidates(&self) -> impl Iterator<Item = Candidate> + '_ {
        self.root.actions.iter().map(|found| {
            let mover = self.tree.node(0).mover;
            let untried = Candidate::untried(found.action, found.prior, mover);
            if found.node == NONE {
                return untried;
            }
            Candidate { prior: found.prior, ..Candidate::new(self.tree.node(found.node), mover) }
        })
    }

    /// The candidates with visits or a proven result, best first.
    pub(crate) fn ranked(&self) -> Vec<Candidate> {
        let is_known = |found: &Candidate| found.visits > 0 || found.proven.is_some();
        let mut ranked: Vec<Candidate> = self.candidates().filter(is_known).collect();
        let best = self.best();
        ranked.sort_by(|a, b| {
            let is_best = |found: &Candidate| best == Some(found.action);
            is_best(b).cmp(&is_best(a)).then(a.preference(b))
        });
        ranked
    }

    /// The candidates with visits or a proven result after `actions` from the root, best first.
    /// Empty if the search did not reach that position.
    pub(crate) fn ranked_after(&self, actions: &[Action]) -> Vec<Candidate> {
        if actions.is_empty() {
            return self.ranked();
        }
        let Some(id) = self.tree.descendant(actions) else { return Vec::new() };
        let mover = self.tree.node(id).mover;
        let children = self.tree.children(id).map(|(_, child)| Candidate::new(child, mover));
        let mut ranked: Vec<Candidate> =
            children.filter(|found| found.visits > 0 || found.proven.is_some()).collect();
        ranked.sort_by(Candidate::preference);
        ranked
    }

    /// The action to play; `None` before the root is evaluated.
    pub(crate) fn best(&self) -> Option<Action> {
        let index = self.root.best(&self.tree, &self.settings)?;
        Some(self.root.actions[index].action)
    }

    /// The action to play after `actions` from the root: the best that is not lost. `None` if the
    /// search has not evaluated that position.
    pub(crate) fn best_after(&self, actions: &[Action]) -> Option<Action> {
        if actions.is_empty() {
            return self.best();
        }
        let ranked = self.ranked_after(actions);
        let open = ranked.iter().filter(|found| !found.is_lost()).map(|found| Contender {
            action: found.action,
            visits: found.visits,
            value: found.value(self.settings.draw_value),
            prior: found.prior,
        });
        let untried = || self.tree.next_edge(self.tree.descendant(actions)?).map(Edge::action);
        let first = ranked.first().map(|found| found.action);
        // A proven win comes first.
        first
            .filter(|_| ranked[0].is_won())
            .or_else(|| final_choice::chosen(open, self.settings.puct.lower_bound))
            .or_else(untried)
            .or(first)
    }

    /// Writes the policy target into `policy`: each legal action of the root and its probability,
    /// in ascending order of actions.
    pub(crate) fn policy(&mut self, policy: &mut Vec<(Action, f32)>) {
        policy.clear();
        if self.is_evaluated() {
            self.root.policy(&self.tree, &self.settings, &mut self.shares);
            let actions = self.root.actions.iter().map(|found| found.action);
            policy.extend(actions.zip(self.shares.iter().copied()));
        }
    }

    /// The relative entropy of such a policy from the evaluator's policy of the root, in nats.
    pub(crate) fn surprise(&self, policy: &[(Action, f32)]) -> f32 {
        let parts = policy.iter().zip(&self.root.actions).filter(|((_, share), _)| *share > 0.0);
        let sum: f32 = parts.map(|((_, share), found)| share * (share.ln() - found.logit)).sum();
        // Rounding may make it negative.
        sum.max(0.0)
    }

    /// Win, draw and loss of the root for its side to move, by the evaluator alone.
    pub(crate) fn raw(&self) -> Wdl {
        match self.is_evaluated() {
            true => self.tree.node(0).raw_wdl_for(self.tree.node(0).mover),
            false => [0.0; 3],
        }
    }

    /// Win, draw and loss of the root for its side to move, by the search: the proven result, or
    /// the mean over all simulations.
    pub(crate) fn value(&self) -> Wdl {
        match self.is_evaluated() {
            true => self.tree.node(0).wdl_for(self.tree.node(0).mover),
            false => [0.0; 3],
        }
    }

    /// The result of the root under best play, if it is proven.
    pub(crate) fn proven(&self) -> Option<Outcome> {
        self.is_evaluated().then(|| self.tree.node(0).bounds.outcome()).flatten()
    }

    /// The size of the tree in bytes.
    pub(crate) fn bytes(&self) -> usize {
        self.tree.bytes()
    }
}
