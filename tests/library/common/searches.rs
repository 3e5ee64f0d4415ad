//! Searches of one position from beginning to end, without a cache.

use crate::registry::Position;
use crate::search::{Cache, Evaluator, Plan, Search, Settings, Solo};

/// A search that is done with its plan.
pub fn planned(
    root: Position,
    plan: Plan,
    settings: &Settings,
    mut evaluator: impl Evaluator,
) -> Search {
    let mut solo = Solo::new(Search::new(*settings));
    solo.search.begin(root, plan);
    solo.run(&mut evaluator, &Cache::new(0, 0));
    solo.search
}

/// A search of so many simulations.
pub fn searched(
    root: Position,
    simulations: u32,
    settings: &Settings,
    evaluator: impl Evaluator,
) -> Search {
    planned(root, Plan::simulations(simulations), settings, evaluator)
}
