//! Random games: to measure speeds, and to see what a game is like.

use rand::RngExt;

use super::record::{Choice, GameRecord, Searched};
use crate::base::rng::{Purpose, Rng, stream};
use crate::registry::{Position, Variant};

/// `count` successive positions of random games.
pub(crate) fn positions(variant: &Variant, count: usize) -> Vec<Position> {
    let mut rng = stream(0, 0, 0, Purpose::Playout);
    let (mut positions, mut actions) = (Vec::with_capacity(count), Vec::new());
    let mut game = variant.initial();
    while positions.len() < count {
        game.legal_actions(&mut actions);
        if actions.is_empty() {
            game = variant.initial();
        } else {
            positions.push(game);
            game.play(actions[rng.random_range(0..actions.len())]);
        }
    }
    positions
}

/// `count` random games, whose policy targets are the actions played.
pub(crate) fn games(variant: &Variant, count: u64) -> Vec<GameRecord> {
    let mut rng = stream(0, 0, 1, Purpose::Playout);
    (0..count).map(|index| game(variant, index, &mut rng)).collect()
}

/// Whether the heuristic tells some position of a game from an even one.
pub(crate) fn has_heuristic(variant: &Variant, record: &GameRecord) -> bool {
    let (mut game, mut turn) = (record.start(variant), None);
    record.choices.iter().any(|choice| {
        // The heuristic is for the beginnings of turns.
        let begins = turn.replace(game.ply()) != Some(game.ply());
        let is_uneven = begins && game.heuristic() != 0;
        game.play(choice.action);
        is_uneven
    })
}

/// A random game.
pub(crate) fn game(variant: &Variant, index: u64, rng: &mut Rng) -> GameRecord {
    let (mut game, mut choices, mut actions) = (variant.initial(), Vec::new(), Vec::new());
    let outcome = loop {
        if let Some(outcome) = game.outcome() {
            break outcome;
        }
        game.legal_actions(&mut actions);
        let action = actions[rng.random_range(0..actions.len())];
        let search = Searched::new(&[(action, 1.0)], [0.5, 0.0, 0.5], 0.0);
        choices.push(Choice { action, search: Some(search) });
        game.play(action);
    };
    let (plies, resigned, played_out) = (game.ply(), false, true);
    GameRecord { index, position: None, choices, outcome, plies, resigned, played_out }
}
