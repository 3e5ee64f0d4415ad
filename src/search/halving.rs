//! Sequential halving at the root: actions get the same number of visits each, then the better
//! half goes on (Danihelka et al. 2022, section 3; Karnin, Koren and Somekh 2013).

use super::outlook::Outlook;
use super::root::{Choice, Root};
use super::settings::Settings;
use super::tree::Tree;

/// Where a halving stands.
#[derive(Clone, Debug)]
pub(super) struct Halving {
    /// Indices of the actions still in it.
    considered: Vec<usize>,
    /// New visits that each is to have before the next halving.
    goal: u32,
    /// Simulations to be shared out.
    budget: u32,
    /// Halvings planned.
    rounds: u32,
    /// Actions at the beginning.
    size: usize,
}

impl Halving {
    /// A halving among the most promising actions of `root`.
    pub fn new(root: &Root, tree: &Tree, settings: &Settings, budget: u32) -> Self {
        let size = (settings.considered.min(budget) as usize).clamp(1, root.actions.len());
        let rounds = size.next_power_of_two().trailing_zeros().max(1);
        let considered = Vec::with_capacity(root.actions.len());
        let mut halving = Self { considered, goal: 0, budget, rounds, size };
        halving.refill(root, tree, settings);
        halving
    }

    /// The visits each of so many actions gets in a round, as in the authors' library mctx.
    fn share(&self, actions: usize) -> u32 {
        (self.budget / (self.rounds * actions as u32)).max(1)
    }

    /// Takes the most promising actions that are not lost into an empty halving.
    fn refill(&mut self, root: &Root, tree: &Tree, settings: &Settings) {
        let open = (0..root.actions.len()).filter(|&index| !root.is_lost(tree, index));
        self.considered.extend(open);
        Outlook::new(root, tree, settings).sort(&mut self.considered);
        self.considered.truncate(self.size);
        let visits = self.considered.iter().map(|&index| root.new_visits(tree, index));
        self.goal = visits.max().unwrap_or(0) + self.share(self.considered.len().max(1));
    }

    /// The action to be followed next: of those with the fewest visits the most promising.
    pub fn choose(&mut self, root: &Root, tree: &Tree, settings: &Settings) -> Choice {
        loop {
            self.considered.retain(|&index| !root.is_lost(tree, index));
            if self.considered.is_empty() {
                self.refill(root, tree, settings);
            }
            let visits = self.considered.iter().map(|&index| root.new_visits(tree, index));
            // All are lost: the root is settled, unless results are still to come.
            let Some(fewest) = visits.min() else { return Choice::Wait };
            if fewest < self.goal {
                let due = self.considered.iter().copied();
                let due = due.filter(|&index| root.new_visits(tree, index) == fewest);
                let best = Outlook::new(root, tree, settings).best_of(due);
                return Choice::Action(best.expect("one has the fewest"));
            }
            if self.is_any_under_way(root, tree) {
                return Choice::Wait;
            }
            self.halve(root, tree, settings);
        }
    }

    fn is_any_under_way(&self, root: &Root, tree: &Tree) -> bool {
        let mut children = self.considered.iter().filter_map(|&index| root.child(tree, index));
        children.any(|child| child.pending > 0)
    }

    fn halve(&mut self, root: &Root, tree: &Tree, settings: &Settings) {
        Outlook::new(root, tree, settings).sort(&mut self.considered);
        let half = (self.considered.len() / 2).max(2);
        self.considered.truncate(half);
        self.goal += self.share(self.considered.len());
    }

    /// Of these actions, the most promising of those that got furthest.
    pub fn winner_of(
        &self,
        mut open: Vec<usize>,
        root: &Root,
        tree: &Tree,
        settings: &Settings,
    ) -> Option<usize> {
        if open.iter().any(|index| self.considered.contains(index)) {
            open.retain(|index| self.considered.contains(index));
        }
        let most = open.iter().map(|&index| root.new_visits(tree, index)).max()?;
        let finalists = open.into_iter().filter(|&index| root.new_visits(tree, index) == most);
        Outlook::new(root, tree, settings).best_of(finalists)
    }
}
