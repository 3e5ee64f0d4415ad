//! Positions to ask something about.

use rand::RngExt;

use crate::base::rng::{Purpose, stream};
use crate::registry::{Position, Variant};

/// Positions of random games.
pub fn positions(variant: &Variant, count: usize) -> Vec<Position> {
    let mut rng = stream(7, 0, 0, Purpose::Playout);
    let (mut game, mut actions) = (variant.initial(), Vec::new());
    let mut positions = Vec::new();
    while positions.len() < count {
        game.legal_actions(&mut actions);
        if actions.is_empty() {
            game = variant.initial();
            continue;
        }
        positions.push(game);
        game.play(actions[rng.random_range(0..actions.len())]);
    }
    positions
}
