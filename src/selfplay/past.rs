//! Random positions of earlier games.

use rand::RngExt;

use crate::base::rng::Rng;
use crate::selfplay::record::{Choice, GameRecord};

/// A random game and its choices before a random one of its positions; `None` if there are no
/// games.
pub(super) fn random_beginning<'a>(
    past: &'a [GameRecord],
    rng: &mut Rng,
) -> Option<(&'a GameRecord, &'a [Choice])> {
    if past.is_empty() {
        return None;
    }
    let record = &past[rng.random_range(0..past.len())];
    // A game that was resigned at once has no choices.
    let length = rng.random_range(0..record.choices.len().max(1));
    Some((record, &record.choices[..length]))
}
