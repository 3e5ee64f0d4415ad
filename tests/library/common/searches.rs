//! Searches of one position from beginning to end, without a cache.

use crate::games::Game;
use crate::search::{Cache, Evaluator, Plan, Search, Settings, Solo};

/// A search that is done with its plan.
pub fn planned<G: Game>(
    root: G,
    plan: Plan,
    settings: &Settings,
    mut evaluator: impl Evaluator<G>,
) -> Search<G> {
    let mut solo = Solo::new(Search::new(*settings));
    solo.search.begin(root, plan);
    solo.run(&mut evaluator, &Cache::new(0, 0));
    solo.search
}

/// A search of so many simulations.
pub fn searched<G: Game>(
    root: G,
    simulations: u32,
    settings: &Settings,
    evaluator: impl Evaluator<G>,
) -> Search<G> {
    planned(root, Plan::simulations(simulations), settings, evaluator)
}
