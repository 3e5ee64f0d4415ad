//! The search of a game in play.

use std::cmp::Ordering;

use arrayvec::ArrayVec;

use super::evaluation::{Edge, Evaluation};
use super::interior::{self, Pick};
use super::root::{Choice, Root};
use super::settings::Settings;
use super::tree::{NONE, Node, NodeId, State, Tree, sign_of};
use crate::games::{Action, Game, MAX_ACTIONS, Outcome, Side};
use crate::search::{Wdl, value_of};

/// What a search is to do.
#[derive(Clone, Copy, Default, PartialEq, Eq, Debug)]
pub struct Plan {
    /// Simulations, the evaluation of the root among them; none to go on until told to stop.
    pub simulations: Option<u32>,
    /// The seed of the noise at the root; none for no noise.
    pub noise: Option<u64>,
    /// Whether it is enough to evaluate a root with a single legal action.
    pub skip_forced: bool,
}

impl Plan {
    /// So many simulations without noise.
    pub fn simulations(simulations: u32) -> Self {
        Self { simulations: Some(simulations), ..Self::default() }
    }
}

/// What [`Search::gather`] came to.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Gathered {
    /// A position to be evaluated; the simulation is complete once that is applied.
    Leaf,
    /// A certain result; the simulation is complete.
    End,
    /// Nothing, before an evaluation under way has been applied.
    Busy,
    /// Nothing: the search is over.
    Done,
}

/// A leaf on its way to the evaluator and back. Reused from simulation to simulation.
#[derive(Clone, Debug)]
pub struct Leaf<G> {
    position: Option<G>,
    /// From the root to it.
    path: Vec<NodeId>,
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
    /// The result it leads to, if that is certain.
    pub proven: Option<Outcome>,
    /// The side that chooses.
    pub mover: Side,
}

impl Candidate {
    /// The order in which candidates are to be played where nothing else decides, the best
    /// first: sure wins, then by visits, then by prior, sure losses last.
    pub fn preference(&self, other: &Self) -> Ordering {
        let certain = |found: &Self| match found.proven {
            Some(Outcome::Win(side)) if side == found.mover => 0,
            Some(Outcome::Win(_)) => 2,
            _ => 1,
        };
        let by_visits = other.visits.cmp(&self.visits);
        certain(self).cmp(&certain(other)).then(by_visits).then(other.prior.total_cmp(&self.prior))
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

/// The search of a game in play, from one position after the other.
#[derive(Clone, Debug)]
pub struct Search<G> {
    settings: Settings,
    plan: Plan,
    position: Option<G>,
    tree: Tree,
    /// Where the tree is rebuilt when the game goes on.
    spare: Tree,
    root: Root,
    /// The position that the game went on to, if it is in the tree.
    followed: Option<NodeId>,
    simulations: u32,
    pending: u32,
    legal: Vec<Action>,
    shares: Vec<f32>,
}

impl<G: Game> Search<G> {
    /// A search that has not begun.
    pub fn new(settings: Settings) -> Self {
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
    pub fn settings(&self) -> &Settings {
        &self.settings
    }

    /// Begins to search `position`, which must not be finished, with what is known from the last
    /// search if the game [went on](Self::advance) from there. No leaf may be under way.
    pub fn begin(&mut self, position: G, plan: Plan) {
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

    /// Keeps what was found below the position to be searched next, and nothing else.
    fn reuse_subtree(&mut self, position: G) {
        let kept = self.followed.take().filter(|&id| {
            let is_evaluated = self.tree.node(id).state == State::Open;
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

    /// Notes that the game went on by `action` from the position searched last, or from where the
    /// last such note left it.
    pub fn advance(&mut self, action: Action) {
        let at = if self.root.actions.is_empty() { self.followed } else { Some(0) };
        self.root.clear();
        self.followed = at.and_then(|id| self.tree.child_by(id, action));
        if let Some(position) = &mut self.position {
            position.play(action);
        }
    }

    /// Forgets everything, so that the next search begins anew.
    pub fn forget(&mut self) {
        self.followed = None;
        self.root.clear();
        self.tree.clear();
    }

    /// Simulations completed since [`begin`](Self::begin). The evaluation of a new root is the
    /// first of them, so that every simulation is an evaluation or a certain result.
    pub fn simulations(&self) -> u32 {
        self.simulations
    }

    /// Whether there is nothing left to be done.
    pub fn is_done(&self) -> bool {
        !self.is_unfinished() && self.pending == 0
    }

    /// Whether more leaves are to be gathered once those under way are back.
    fn is_unfinished(&self) -> bool {
        if self.root.actions.is_empty() {
            return true;
        }
        let started = self.simulations + self.pending;
        let is_proven = self.settings.proofs && self.tree.node(0).bounds.is_proven();
        let is_forced = self.plan.skip_forced && self.root.actions.len() == 1;
        !is_proven && !is_forced && self.plan.simulations.is_none_or(|all| started < all)
    }

    /// Descends to a leaf. If it is to be evaluated, that must be applied before the next search
    /// begins; other leaves may be gathered before.
    ///
    /// # Panics
    ///
    /// If no search was begun.
    #[must_use]
    pub fn gather(&mut self, leaf: &mut Leaf<G>) -> Gathered {
        leaf.path.clear();
        leaf.path.push(0);
        if self.tree.is_empty() {
            self.tree.add_root();
            return self.request_evaluation(leaf, self.position.expect("a search was begun"));
        }
        if !self.is_unfinished() {
            return if self.pending == 0 { Gathered::Done } else { Gathered::Busy };
        }
        if self.tree.node(0).state == State::Waiting {
            return Gathered::Busy;
        }
        match self.root.choose(&self.tree, &self.settings) {
            Choice::Wait => Gathered::Busy,
            Choice::Action(index) => self.descend(index, leaf),
        }
    }

    /// Follows an action of the root.
    fn descend(&mut self, index: usize, leaf: &mut Leaf<G>) -> Gathered {
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
            if node.state == State::Closed || self.settings.proofs && node.bounds.is_proven() {
                return self.end(leaf, false);
            }
            if node.state == State::Waiting {
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

    /// Adds the position that an action of the root leads to.
    fn add_root_child(&mut self, index: usize) -> NodeId {
        let chosen = &mut self.root.actions[index];
        let edge = self.tree.edges(0).iter().find(|edge| edge.action() == chosen.action);
        let edge = *edge.expect("the actions of the root are its edges");
        chosen.node = self.tree.add(0, edge);
        chosen.node
    }

    /// Comes to a position for the first time.
    fn enter(&mut self, id: NodeId, position: G, leaf: &mut Leaf<G>) -> Gathered {
        leaf.path.push(id);
        if let Some(outcome) = position.outcome() {
            self.tree.close(id, outcome);
            return self.end(leaf, self.settings.proofs);
        }
        if let Some(action) = self.winning_action(&position) {
            let end = self.tree.close_by(id, position.to_move(), action);
            leaf.path.push(end);
            return self.end(leaf, true);
        }
        self.request_evaluation(leaf, position)
    }

    /// An action by which the side to move wins at once, if it is to be looked for.
    fn winning_action(&mut self, position: &G) -> Option<Action> {
        if !(self.settings.proofs && self.settings.lookahead) {
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

    fn request_evaluation(&mut self, leaf: &mut Leaf<G>, position: G) -> Gathered {
        leaf.position = Some(position);
        self.tree.add_virtual_visit(&leaf.path);
        self.pending += 1;
        Gathered::Leaf
    }

    /// Completes a simulation whose result is certain; `settled` if it was not known before.
    fn end(&mut self, leaf: &Leaf<G>, proven: bool) -> Gathered {
        // Closed or settled: its bounds are the result, whatever is added to them.
        self.tree.back_up(&leaf.path, [0.0, 0.0], proven);
        self.simulations += 1;
        Gathered::End
    }

    /// Puts the evaluation of a gathered leaf into the tree.
    ///
    /// # Panics
    ///
    /// If the leaf was not gathered.
    pub fn apply(&mut self, leaf: &Leaf<G>, evaluation: &Evaluation) {
        let position = leaf.position().expect("only a gathered leaf is applied");
        let &id = leaf.path.last().expect("a path begins with the root");
        let mover = position.to_move();
        self.tree.open(id, mover, evaluation);
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

    /// Notes the result under best play after `actions` from the root, which somebody else has
    /// proven; no leaf may be under way. Of an action that would be tried only after others nothing
    /// is noted, except at the root.
    pub fn add_proof(&mut self, actions: &[Action], outcome: Outcome) {
        let mut path: ArrayVec<NodeId, { MAX_ACTIONS + 1 }> = ArrayVec::from_iter([0]);
        for &action in actions {
            let Some(id) = self.reach(path[path.len() - 1], action) else { return };
            path.push(id);
        }
        let end = path.pop().expect("the root at least");
        self.tree.close(end, outcome);
        path.iter().rev().for_each(|&id| _ = self.tree.tighten(id));
    }

    /// The position that an action leads to, which is added if that can be done; none if what it
    /// leads to does not matter any more.
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

    /// Whether the root was evaluated.
    pub fn is_evaluated(&self) -> bool {
        !self.root.actions.is_empty()
    }

    /// What was found out about each legal action of the root, in ascending order of actions;
    /// nothing before the root is evaluated.
    pub fn candidates(&self) -> impl Iterator<Item = Candidate> + '_ {
        self.root.actions.iter().map(|found| {
            let mover = self.tree.node(0).mover;
            let untried = Candidate::untried(found.action, found.prior, mover);
            if found.node == NONE {
                return untried;
            }
            Candidate { prior: found.prior, ..Candidate::new(self.tree.node(found.node), mover) }
        })
    }

    /// The candidates with visits or a certain result, the one to be played first.
    pub fn ranked(&self) -> Vec<Candidate> {
        let is_known = |found: &Candidate| found.visits > 0 || found.proven.is_some();
        let mut ranked: Vec<Candidate> = self.candidates().filter(is_known).collect();
        let best = self.best();
        ranked.sort_by(|a, b| {
            let is_best = |found: &Candidate| best == Some(found.action);
            is_best(b).cmp(&is_best(a)).then(a.preference(b))
        });
        ranked
    }

    /// What was found out about the position that follows `actions` from the root: its candidates
    /// with visits or a certain result, the best first. Nothing if the search did not get there.
    pub fn ranked_after(&self, actions: &[Action]) -> Vec<Candidate> {
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

    /// The action of the root to be played; none before the root is evaluated.
    pub fn best(&self) -> Option<Action> {
        let index = self.root.best(&self.tree, &self.settings)?;
        Some(self.root.actions[index].action)
    }

    /// The action to be played after others from the root: the best that is not lost. None where
    /// the search has not evaluated what they lead to.
    pub fn best_after(&self, actions: &[Action]) -> Option<Action> {
        if actions.is_empty() {
            return self.best();
        }
        let best = self.ranked_after(actions).into_iter().next();
        let is_lost = |found: &Candidate| found.proven == Some(Outcome::Win(found.mover.other()));
        let action = |found: Candidate| found.action;
        if best.is_some_and(|found| !is_lost(&found)) {
            return best.map(action);
        }
        let untried = self.tree.next_edge(self.tree.descendant(actions)?);
        untried.map(Edge::action).or(best.map(action))
    }

    /// The policy that the search arrived at: the share of each legal action of the root, in
    /// ascending order of actions.
    pub fn policy(&mut self, policy: &mut Vec<(Action, f32)>) {
        policy.clear();
        if self.is_evaluated() {
            self.root.policy(&self.tree, &self.settings, &mut self.shares);
            let actions = self.root.actions.iter().map(|found| found.action);
            policy.extend(actions.zip(self.shares.iter().copied()));
        }
    }

    /// How far such a policy is from the one that the evaluator gave the root: its relative entropy,
    /// in nats.
    pub fn surprise(&self, policy: &[(Action, f32)]) -> f32 {
        let parts = policy.iter().zip(&self.root.actions).filter(|((_, share), _)| *share > 0.0);
        let sum: f32 = parts.map(|((_, share), found)| share * (share.ln() - found.logit)).sum();
        // Rounding alone may make it negative.
        sum.max(0.0)
    }

    /// The evaluator's own evaluation of the root, seen by its side to move.
    pub fn raw(&self) -> Wdl {
        match self.is_evaluated() {
            true => self.tree.node(0).raw_wdl_for(self.tree.node(0).mover),
            false => [0.0; 3],
        }
    }

    /// The search's evaluation of the root, seen by its side to move: what is certain, or else the
    /// mean over all simulations.
    pub fn value(&self) -> Wdl {
        match self.is_evaluated() {
            true => self.tree.node(0).wdl_for(self.tree.node(0).mover),
            false => [0.0; 3],
        }
    }

    /// The result of the root under best play, if it is certain.
    pub fn proven(&self) -> Option<Outcome> {
        self.is_evaluated().then(|| self.tree.node(0).bounds.outcome()).flatten()
    }

    /// Bytes that the tree fills.
    pub fn bytes(&self) -> usize {
        self.tree.bytes()
    }
}
