//! Monte Carlo tree search guided by an [`Evaluator`].
//!
//! A search alternates two steps: [`Search::gather`] descends to a leaf, and [`Search::apply`]
//! adds the evaluation of that leaf to the tree. Between the two the caller may gather leaves of
//! other games, or more leaves of the same tree, and evaluate all of them at once. Thousands of
//! games share one network call, and one search uses several cores.
//!
//! Begin reading with [`Search`] (`driver`), then `tree`. The parts, from the bottom up:
//!
//! * `evaluator`, `evaluation`: the interface of evaluators, and an evaluation as it is stored;
//! * `proof`, `tree`: bounds on proven results, and the arena of nodes;
//! * `puct`, `completed_q`: upper confidence bounds, and completed Q-values;
//! * `interior`: the selection of an action below the root;
//! * `improved_policy`, `halving`, `final_choice`, `root`: the selection at the root, the action to
//!   play, and the policy target;
//! * `settings`, `settings_table`, `driver`: the settings, the `[search]` table of a config, and the
//!   search itself;
//! * `heuristic`, `rollouts`: evaluators without a network;
//! * `weakened`: evaluations with noise, for opponents that people can beat;
//! * `cache`, `batch`, `slots`: kept evaluations, leaves evaluated together, and games in progress.

mod batch;
mod cache;
mod completed_q;
mod driver;
mod evaluation;
mod evaluator;
mod final_choice;
mod halving;
mod heuristic;
mod improved_policy;
mod interior;
mod proof;
mod puct;
mod rollouts;
mod root;
mod settings;
mod settings_table;
mod slots;
mod tree;
mod weakened;

pub(crate) use batch::{Batch, Solo};
pub(crate) use cache::{Cache, Key};
#[cfg(test)]
pub(crate) use driver::Candidate;
pub(crate) use driver::{Gathered, Leaf, Plan, Search, preference};
pub(crate) use evaluation::Evaluation;
pub use evaluator::*;
pub(crate) use heuristic::HeuristicEvaluator;
pub(crate) use rollouts::Rollouts;
pub use settings::{
    GumbelSettings, InteriorRule, NoiseSettings, ProofSettings, PuctSettings, RootRule, Settings,
};
pub use settings_table::SettingsTable;
pub(crate) use settings_table::table;
pub(crate) use slots::{GameSlots, SearchedGame, Searching};
pub(crate) use weakened::Weakened;
pub use weakened::Weakening;
