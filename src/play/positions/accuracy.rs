//! What a player makes of positions.

use std::collections::BTreeMap;
use std::sync::atomic::{AtomicU64, Ordering};

use super::{Kind, Position};
use crate::base::parallel::ordered_map;
use crate::games::Game;
use crate::play::players::Player;

/// How many positions of a sort were solved.
#[derive(Clone, Copy, Default, PartialEq, Eq, Debug)]
pub struct Score {
    /// Positions in which the chosen turn is right.
    pub solved: u64,
    /// All positions.
    pub positions: u64,
}

/// What is measured about positions of solved games in which it matters which turn is chosen.
pub const VALUE_MATTERS: &str = "value_matters";

/// Whether the player finds a right turn in each position. All `players` stand for the same one,
/// each on a thread of its own; the result does not depend on how many there are. `watch` is told
/// how many positions are done.
pub fn measure<G: Game>(
    positions: &[Position<G>],
    players: &mut [Box<dyn Player<G>>],
    watch: impl Fn(u64) + Sync,
) -> Vec<bool> {
    let done = AtomicU64::new(0);
    ordered_map(players, positions, |player, position| {
        player.begin_game(position.number);
        let chosen = player.choose(&position.game, &position.moves);
        watch(done.fetch_add(1, Ordering::Relaxed) + 1);
        // Who gives up or fails has found nothing.
        chosen.is_ok_and(|chosen| position.is_solved_by(&chosen.turn.text))
    })
}

/// The scores by the names of what is measured, in the order of [`Kind`]: one for each kind, and
/// [`VALUE_MATTERS`].
pub fn scores<G: Game>(positions: &[Position<G>], solved: &[bool]) -> Vec<(String, Score)> {
    let mut scores: BTreeMap<(Kind, bool), Score> = BTreeMap::new();
    let mut count = |measure, solved: bool| {
        let score = scores.entry(measure).or_default();
        score.positions += 1;
        score.solved += u64::from(solved);
    };
    for (position, &solved) in positions.iter().zip(solved) {
        count((position.kind, false), solved);
        if position.kind == Kind::Value && position.matters() {
            count((position.kind, true), solved);
        }
    }
    let name = |(kind, matters): (Kind, bool)| match matters {
        true => VALUE_MATTERS.to_owned(),
        false => kind.to_string(),
    };
    scores.into_iter().map(|(measure, score)| (name(measure), score)).collect()
}
