//! Monte Carlo tree search guided by an [`Evaluator`].
//!
//! A search alternates two steps: [`Search::gather`] descends to a leaf, and [`Search::apply`]
//! puts the evaluation of that leaf into the tree. Between the two the caller may gather leaves of
//! other games, or more of the same tree, and have all of them evaluated at once: that is how
//! thousands of games share one network call, and how one search uses several cores.
//!
//! The parts, from the bottom up: what an evaluator said (`evaluation`), what is certain
//! (`proof`), the arena (`tree`), the choice below the root (`improved`, `interior`) and at the
//! root (`improved_policy`, `halving`, `root`), the search that puts them together (`driver`), and the evaluations that are kept
//! for later (`cache`).

mod batch;
mod cache;
mod completed_q;
mod driver;
mod evaluation;
mod evaluator;
mod halving;
mod improved_policy;
mod interior;
mod proof;
mod puct;
mod root;
mod settings;
mod slots;
mod tree;

pub use batch::{Batch, Solo};
pub use cache::{Cache, Key};
pub use driver::{Candidate, Gathered, Leaf, Plan, Search};
pub use evaluation::Evaluation;
pub use evaluator::*;
pub use settings::{InteriorRule, RootRule, Settings};
pub(crate) use slots::{GameSlots, SearchedGame, Searching};
