//! Random placements of the pieces, in which self-play games may begin.

use super::past::random_beginning;
use crate::base::rng::Rng;
use crate::registry::{Position, Variant};
use crate::selfplay::record::GameRecord;

/// How often the pieces are placed before the game is taken for one with hardly any legal
/// placement.
const TRIES: usize = 100;

/// The pieces of a random position of earlier games, or of the start position if there are none, on
/// random cells. `None` if no such placement was found that is legal and not over.
pub(crate) fn random(variant: &Variant, past: &[GameRecord], rng: &mut Rng) -> Option<Position> {
    let setup = earlier_position(variant, past, rng).setup();
    let place = |_| variant.position_of_setup(&setup.clone().shuffled(rng)).ok();
    (0..TRIES).filter_map(place).find(|game| game.outcome().is_none())
}

/// The position at the beginning of a random turn.
fn earlier_position(variant: &Variant, past: &[GameRecord], rng: &mut Rng) -> Position {
    let Some((record, choices)) = random_beginning(past, rng) else { return variant.initial() };
    let mut game = record.start(variant);
    let mut position = game;
    for choice in choices {
        game.play(choice.action);
        if game.ply() > position.ply() {
            position = game;
        }
    }
    position
}
