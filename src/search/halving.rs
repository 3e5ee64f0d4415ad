//! Sequential halving at the root: all considered actions get the same number of visits, then the
//! worse half is dropped, and so on (Danihelka et al. 2022, section 3; Karnin, Koren and Somekh
//! 2013).

use super::improved_policy::ImprovedPolicy;
use super::root::{Choice, Root};
use super::settings::Settings;
use super::tree::Tree;

/// The state of sequential halving.
#[derive(Clone, Debug)]
pub(super) struct Halving {
    /// Indices of the actions that are not dropped.
    considered: Vec<usize>,
    /// New visits that each action gets before the next halving.
    goal: u32,
    /// Simulations of the search.
    budget: u32,
    /// Planned number of halvings.
    rounds: u32,
    /// Number of actions at the beginning.
    size: usize,
}

impl Halving {
    /// Begins with the actions of `root` that have the best scores.
    pub(super) fn new(root: &Root, tree: &Tree, settings: &Settings, budget: u32) -> Self {
        let size = (settings.gumbel.considered.min(budget) as usize).clamp(1, root.actions.len());
        let rounds = size.next_power_of_two().trailing_zeros().max(1);
        let considered = Vec::with_capacity(root.actions.len());
        let mut halving = Self { considered, goal: 0, budget, rounds, size };
        halving.refill(root, tree, settings);
        halving
    }

    /// The visits that each of `actions` actions gets in a round, as in the authors' library mctx.
    fn share(&self, actions: usize) -> u32 {
        (self.budget / (self.rounds * actions as u32)).max(1)
    }

    /// Adds the actions with the best scores that are not proven. Returns whether there are any.
    fn refill(&mut self, root: &Root, tree: &Tree, settings: &Settings) -> bool {
        let open = (0..root.actions.len()).filter(|&index| !root.is_proven(tree, index));
        let mut open: Vec<usize> = open.collect();
        ImprovedPolicy::new(root, tree, settings).sort(&mut open);
        open.truncate(self.size);
        let visits = open.iter().map(|&index| root.new_visits(tree, index));
        self.goal = visits.max().unwrap_or(0) + self.share(open.len().max(1));
        self.considered.extend(&open);
        !open.is_empty()
    }

    /// Selects the action with the best score among those with the fewest new visits.
    pub(super) fn choose(&mut self, root: &Root, tree: &Tree, settings: &Settings) -> Choice {
        loop {
            self.considered.retain(|&index| !root.is_lost(tree, index));
            let open = self.considered.iter().copied();
            let open = open.filter(|&index| !root.is_proven(tree, index));
            let Some(fewest) = open.clone().map(|index| root.new_visits(tree, index)).min() else {
                if self.refill(root, tree, settings) {
                    continue;
                }
                // All actions are proven; the root is too, unless evaluations are pending.
                return Choice::Wait;
            };
            if fewest < self.goal {
                let due = open.filter(|&index| root.new_visits(tree, index) == fewest);
                let best = ImprovedPolicy::new(root, tree, settings).best_of(due);
                return Choice::Action(best.expect("one has the fewest"));
            }
            if self.is_any_pending(root, tree) {
                return Choice::Wait;
            }
            self.halve(root, tree, settings);
        }
    }

    fn is_any_pending(&self, root: &Root, tree: &Tree) -> bool {
        let mut children = self.considered.iter().filter_map(|&index| root.child(tree, index));
        children.any(|child| child.pending > 0)
    }

    fn halve(&mut self, root: &Root, tree: &Tree, settings: &Settings) {
        ImprovedPolicy::new(root, tree, settings).sort(&mut self.considered);
        let half = (self.considered.len() / 2).max(2);
        self.considered.truncate(half);
        self.goal += self.share(self.considered.len());
    }

    /// Returns the action of `open` with the best score among those with the most new visits and
    /// the proven ones.
    pub(super) fn winner_of(
        &self,
        mut open: Vec<usize>,
        root: &Root,
        tree: &Tree,
        settings: &Settings,
    ) -> Option<usize> {
        if open.iter().any(|index| self.considered.contains(index)) {
            open.retain(|&index| self.considered.contains(&index) || root.is_proven(tree, index));
        }
        let most = open.iter().map(|&index| root.new_visits(tree, index)).max()?;
        let is_finalist =
            |&index: &usize| root.new_visits(tree, index) == most || root.is_proven(tree, index);
        let finalists = open.into_iter().filter(is_finalist);
        ImprovedPolicy::new(root, tree, settings).best_of(finalists)
    }
}
