//! The accuracy of a player on a test suite.

use std::collections::BTreeMap;
use std::sync::atomic::{AtomicU64, Ordering};

use super::{Kind, SuitePosition};
use crate::base::parallel::ordered_map;
use crate::play::players::Player;

/// The number of solved positions among the positions of a kind.
#[derive(Clone, Copy, Default, PartialEq, Eq, Debug)]
pub(crate) struct Score {
    /// Positions in which the player chose a correct turn.
    pub solved: u64,
    /// All positions.
    pub positions: u64,
}

/// The name of the score on positions of solved games in which some legal turn is wrong.
pub(crate) const VALUE_MATTERS: &str = "value_matters";

/// Whether the player chooses a correct turn, for each position. `players` are instances of the
/// same player, one for each thread; the result does not depend on their number. `watch` receives
/// the number of finished positions.
pub(crate) fn measure(
    positions: &[SuitePosition],
    players: &mut [Box<dyn Player>],
    watch: impl Fn(u64) + Sync,
) -> Vec<bool> {
    let done = AtomicU64::new(0);
    ordered_map(players, positions, |player, position| {
        player.begin_game(position.number);
        let chosen = player.choose(&position.game, &position.moves);
        watch(done.fetch_add(1, Ordering::Relaxed) + 1);
        // A player that resigns or fails has not solved the position.
        chosen.is_ok_and(|chosen| position.is_solved_by(&chosen.turn.text))
    })
}

/// The scores with their names, in the order of [`Kind`]: one for each kind, and
/// [`VALUE_MATTERS`].
pub(crate) fn scores(positions: &[SuitePosition], solved: &[bool]) -> Vec<(String, Score)> {
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
