//! The root of a search: the selection of its actions, the action to play, and the policy target.

use rand::SeedableRng;
use rand_distr::{Distribution, Gamma, Gumbel};

use super::evaluation::Edge;
use super::final_choice::{self, Contender};
use super::halving::Halving;
use super::improved_policy::ImprovedPolicy;
use super::puct::{UpperBounds, upper_bound};
use super::settings::{RootRule, Settings};
use super::tree::{NONE, Node, NodeId, Tree};
use crate::base::rng::Rng;
use crate::games::Action;

/// An action of the root.
#[derive(Clone, Copy, Debug)]
pub(super) struct RootAction {
    pub action: Action,
    /// The probability by the evaluator, with Dirichlet noise if there is any.
    pub prior: f32,
    /// The logarithm of the probability without noise.
    pub logit: f32,
    /// Gumbel noise.
    pub gumbel: f32,
    /// The child, once the action was tried.
    pub node: NodeId,
    /// Visits at the beginning of the search, from a reused tree.
    before: u32,
}

/// The actions of the root and the state of their search.
#[derive(Clone, Debug, Default)]
pub(super) struct Root {
    /// In ascending order of actions.
    pub actions: Vec<RootAction>,
    halving: Option<Halving>,
    /// Whether the priors have Dirichlet noise.
    noisy: bool,
    /// Whether proven results are used.
    proofs: bool,
}

/// The selection at the root.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Choice {
    /// The action of this index.
    Action(usize),
    /// No action is available until a pending evaluation has been applied.
    Wait,
}

impl Root {
    /// Forgets the previous search.
    pub(super) fn clear(&mut self) {
        self.actions.clear();
        self.halving = None;
        self.noisy = false;
    }

    /// Begins a search at the root of `tree`, which is evaluated. `simulations` is the number of
    /// simulations if it is known in advance, `noise` the seed of the noise if there is any.
    pub(super) fn open(
        &mut self,
        tree: &Tree,
        settings: &Settings,
        simulations: Option<u32>,
        noise: Option<u64>,
    ) {
        self.clear();
        self.proofs = settings.proofs.enabled;
        self.actions.extend(tree.edges(0).iter().map(|&edge| RootAction::new(edge)));
        self.actions.sort_unstable_by_key(|found| found.action);
        for (id, child) in tree.children(0) {
            if let Ok(index) = self.actions.binary_search_by_key(&child.action, |a| a.action) {
                self.actions[index].node = id;
                self.actions[index].before = child.visits;
            }
        }
        let gumbel = settings.root == RootRule::Gumbel;
        if let Some(mut rng) = noise.map(Rng::seed_from_u64) {
            if gumbel {
                self.add_gumbels(settings, &mut rng);
            } else {
                self.add_dirichlet(settings, &mut rng);
            }
        }
        if let Some(simulations) = simulations.filter(|_| gumbel) {
            self.halving = Some(Halving::new(self, tree, settings, simulations));
        }
    }

    fn add_gumbels(&mut self, settings: &Settings, rng: &mut Rng) {
        let gumbel = Gumbel::new(0.0, 1.0).expect("the standard distribution");
        for found in &mut self.actions {
            let draw: f32 = gumbel.sample(rng);
            found.gumbel = settings.gumbel.scale * draw;
        }
    }

    fn add_dirichlet(&mut self, settings: &Settings, rng: &mut Rng) {
        let fraction = settings.noise.fraction;
        if fraction <= 0.0 {
            return;
        }
        self.noisy = true;
        let shape = settings.noise.concentration / self.actions.len() as f32;
        // A shape that underflows to 0 would give zeros only.
        let Ok(gamma) = Gamma::new(shape, 1.0) else { return };
        // A Dirichlet sample is a vector of gamma samples divided by their sum.
        let draws: Vec<f32> = self.actions.iter().map(|_| gamma.sample(rng)).collect();
        let total: f32 = draws.iter().sum();
        if total > 0.0 {
            for (found, draw) in self.actions.iter_mut().zip(draws) {
                found.prior = (1.0 - fraction) * found.prior + fraction * draw / total;
            }
        }
    }

    pub(super) fn child<'a>(&self, tree: &'a Tree, index: usize) -> Option<&'a Node> {
        let node = self.actions[index].node;
        (node != NONE).then(|| tree.node(node))
    }

    pub(super) fn is_lost(&self, tree: &Tree, index: usize) -> bool {
        let mover = tree.node(0).mover;
        self.proofs && self.child(tree, index).is_some_and(|child| child.bounds.is_lost_for(mover))
    }

    /// Whether the result of an action is proven.
    pub(super) fn is_proven(&self, tree: &Tree, index: usize) -> bool {
        self.proofs && self.child(tree, index).is_some_and(|child| child.bounds.is_proven())
    }

    /// Whether an action keeps the proven result of the root, or, if the root is not proven, does
    /// not lose for certain.
    fn keeps_the_result(&self, tree: &Tree, index: usize) -> bool {
        let root = tree.node(0).bounds;
        if self.proofs && root.is_proven() {
            self.child(tree, index).is_some_and(|child| child.bounds == root)
        } else {
            !self.is_lost(tree, index)
        }
    }

    /// Visits since the search began, including pending ones.
    pub(super) fn new_visits(&self, tree: &Tree, index: usize) -> u32 {
        let before = self.actions[index].before;
        self.child(tree, index).map_or(0, |child| child.started() - before)
    }

    /// Selects the action of the next simulation.
    pub(super) fn choose(&mut self, tree: &Tree, settings: &Settings) -> Choice {
        match self.halving.take() {
            None => self.by_upper_bound(tree, settings),
            Some(mut halving) => {
                let choice = halving.choose(self, tree, settings);
                self.halving = Some(halving);
                choice
            }
        }
    }

    /// Selects the action with the largest upper bound. Unlike below the root, a tried action gets
    /// its forced playouts first.
    fn by_upper_bound(&self, tree: &Tree, settings: &Settings) -> Choice {
        let root = tree.node(0);
        let bounds = self.upper_bounds(tree, settings);
        let (mut best, mut highest) = (0, f32::NEG_INFINITY);
        for (index, found) in self.actions.iter().enumerate() {
            let child = self.child(tree, index);
            let dominated = |child: &Node| child.bounds.are_dominated(root.mover, root.bounds);
            if settings.proofs.enabled && child.is_some_and(dominated) {
                continue;
            }
            let started = child.map_or(0, Node::started);
            let owed = (self.forced(tree, settings, found) > started as f32) && started > 0;
            let bound = match owed {
                true => f32::INFINITY,
                false => bounds.of(tree, root, child, found.prior),
            };
            if bound > highest {
                (best, highest) = (index, bound);
            }
        }
        Choice::Action(best)
    }

    /// With noise there is no first-play reduction, so that more actions are tried.
    fn upper_bounds(&self, tree: &Tree, settings: &Settings) -> UpperBounds {
        let reduction = if self.noisy { 0.0 } else { settings.puct.first_play_reduction };
        let is_tried = |found: &&RootAction| found.node != NONE;
        let tried = self.actions.iter().filter(is_tried).map(|found| found.prior).sum();
        UpperBounds::new(tree, tree.node(0), tried, reduction, settings)
    }

    /// The forced playouts of an action, which it gets once it was tried (Wu 2019).
    fn forced(&self, tree: &Tree, settings: &Settings, found: &RootAction) -> f32 {
        if !self.noisy || settings.noise.forced_playouts == 0.0 {
            return 0.0;
        }
        (settings.noise.forced_playouts * found.prior * tree.node(0).visits as f32).sqrt()
    }

    /// The index of the action to play. It keeps the proven result if an action does.
    pub(super) fn best(&self, tree: &Tree, settings: &Settings) -> Option<usize> {
        let all = 0..self.actions.len();
        let mut open: Vec<usize> =
            all.clone().filter(|&index| self.keeps_the_result(tree, index)).collect();
        if open.is_empty() {
            open.extend(all);
        }
        match &self.halving {
            Some(halving) => halving.winner_of(open, self, tree, settings),
            None => {
                let contenders = open.into_iter().map(|index| self.contender(tree, index));
                final_choice::chosen(contenders, settings.puct.lower_bound)
            }
        }
    }

    fn contender(&self, tree: &Tree, index: usize) -> Contender<usize> {
        let child = self.child(tree, index);
        let value = child.map_or(0.0, |child| tree.q_value(child, tree.node(0).mover));
        let visits = child.map_or(0, |child| child.visits);
        Contender { action: index, visits, value, prior: self.actions[index].prior }
    }

    /// Writes the policy target into `shares`, a probability for each action; they sum to 1.
    /// Actions that do not keep the proven result get 0, unless no action keeps it.
    pub(super) fn policy(&self, tree: &Tree, settings: &Settings, shares: &mut Vec<f32>) {
        shares.clear();
        match settings.root {
            RootRule::Gumbel => ImprovedPolicy::new(self, tree, settings).shares(shares),
            RootRule::Puct => self.pruned_visits(tree, settings, shares),
        }
        self.keep_if_any(shares, |index| self.keeps_the_result(tree, index));
        let total: f32 = shares.iter().sum();
        shares.iter_mut().for_each(|share| *share /= total);
    }

    /// Sets the shares of all other actions to 0, if there is an action to keep.
    fn keep_if_any(&self, shares: &mut [f32], is_kept: impl Fn(usize) -> bool) {
        if !(0..shares.len()).any(&is_kept) {
            return;
        }
        let others = shares.iter_mut().enumerate().filter(|(index, _)| !is_kept(*index));
        others.for_each(|(_, share)| *share = 0.0);
        if shares.iter().all(|&share| share <= 0.0) {
            // None of the kept actions was visited: use their priors.
            let kept = shares.iter_mut().enumerate().filter(|(index, _)| is_kept(*index));
            kept.for_each(|(index, share)| *share = self.actions[index].prior);
        }
    }

    /// Policy target pruning (Wu 2019, section 3.2): the visits of each action, less as many of its
    /// forced playouts as keep its upper bound below that of the most visited action.
    fn pruned_visits(&self, tree: &Tree, settings: &Settings, shares: &mut Vec<f32>) {
        let visits = |index| self.child(tree, index).map_or(0, |child| child.visits) as f32;
        shares.extend((0..self.actions.len()).map(visits));
        if !self.noisy || settings.noise.forced_playouts == 0.0 {
            return;
        }
        let root = tree.node(0);
        let exploration = settings.puct.exploration(root.visits);
        let value =
            |index| self.child(tree, index).map_or(0.0, |child| tree.q_value(child, root.mover));
        let contenders = (0..self.actions.len()).map(|index| self.contender(tree, index));
        let Some(best) = final_choice::chosen(contenders, 0.0) else { return };
        let bound = |index: usize, visits: f32| {
            upper_bound(value(index), exploration, self.actions[index].prior, visits as u32)
        };
        let limit = bound(best, shares[best]);
        for index in (0..shares.len()).filter(|&index| index != best) {
            let mut forced = self.forced(tree, settings, &self.actions[index]);
            while forced >= 1.0 && shares[index] > 0.0 && bound(index, shares[index] - 1.0) < limit
            {
                shares[index] -= 1.0;
                forced -= 1.0;
            }
            if shares[index] <= 1.0 && forced < self.forced(tree, settings, &self.actions[index]) {
                shares[index] = 0.0;
            }
        }
    }
}

impl RootAction {
    fn new(edge: Edge) -> Self {
        let prior = edge.prior();
        Self { action: edge.action(), prior, logit: prior.ln(), gumbel: 0.0, node: NONE, before: 0 }
    }
}
