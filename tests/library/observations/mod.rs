//! Observation planes agree with the legal turns and with slow reference implementations.

mod breakthrough;
mod checkers_gomoku;
mod entropy;
mod neutron;

use std::collections::BTreeSet;

use crate::base::rng::{Purpose, stream};
use crate::games::{Action, Game};
use rand::RngExt;

/// The cells with the value 1 on the first plane called `name`.
fn plane<G: Game>(game: &G, name: &str) -> BTreeSet<usize> {
    let index = G::planes().iter().position(|&plane| plane == name).unwrap();
    planes_from(game, index, 1).remove(0)
}

/// The cells with the value 1 on each of `count` planes.
fn planes_from<G: Game>(game: &G, first: usize, count: usize) -> Vec<BTreeSet<usize>> {
    let mut planes = vec![0.0; G::SPEC.observation()];
    game.observe(&mut planes);
    let marked = |plane: &[f32]| {
        let cells = plane.iter().enumerate().filter(|&(_, &value)| value == 1.0);
        cells.map(|(cell, _)| cell).collect()
    };
    planes.chunks(G::SPEC.cells()).skip(first).take(count).map(marked).collect()
}

/// The target cells of actions, by their notation: the target of `,A1-B2` and `B2` is `B2`.
fn destinations<G: Game>(game: &G, actions: &[Action]) -> BTreeSet<usize> {
    let cell = |&action: &Action| {
        let text = game.action_text(action);
        let name = text.rsplit(['-', ',']).next().unwrap();
        (0..G::SPEC.cells()).find(|&cell| game.cell_name(cell) == name).unwrap()
    };
    actions.iter().map(cell).collect()
}

/// Calls `check` with all positions of random games and their legal actions.
fn for_random_games<G: Game>(rules: &G::Rules, games: u64, mut check: impl FnMut(&G, &[Action])) {
    let mut actions = Vec::new();
    for seed in 0..games {
        let mut rng = stream(seed, 0, 0, Purpose::Playout);
        let mut game = G::initial(rules);
        while game.outcome().is_none() {
            game.legal_actions(&mut actions);
            check(&game, &actions);
            game.play(actions[rng.random_range(0..actions.len())]);
        }
    }
}
