//! The variety of the games of an iteration: how they end, and how much they differ.

use std::collections::HashSet;
use std::hash::{DefaultHasher, Hash, Hasher};

use crate::registry::Variant;
use crate::selfplay::record::GameRecord;

/// How the games of an iteration end, and how much they differ.
#[derive(Clone, Copy, PartialEq, Debug)]
pub(crate) struct Variety {
    /// Share of games that ended by `max_plies`.
    pub cut_short: f64,
    /// Number of different games as a share of all; games with the same first position and actions
    /// are the same.
    pub distinct_games: f64,
    /// Number of different searched positions as a share of all searched positions. Openings and
    /// the beginnings of restarts are not searched. `None` if no position was searched.
    pub distinct_positions: Option<f64>,
}

impl Variety {
    /// The variety of these games.
    pub(crate) fn of(variant: &Variant, games: &[GameRecord]) -> Self {
        let mut searched = 0;
        let (mut lines, mut positions) = (HashSet::new(), HashSet::new());
        for record in games {
            let mut game = record.start(variant);
            let mut line = DefaultHasher::new();
            record.position.hash(&mut line);
            for choice in &record.choices {
                if choice.search.is_some() {
                    searched += 1;
                    positions.insert(game.position_key());
                }
                choice.action.hash(&mut line);
                game.play(choice.action);
            }
            lines.insert(line.finish());
        }
        let cut = games.iter().filter(|record| is_cut_short(variant, record)).count();
        Self {
            cut_short: share(cut, games.len()),
            distinct_games: share(lines.len(), games.len()),
            distinct_positions: (searched > 0).then(|| share(positions.len(), searched)),
        }
    }
}

/// Whether `max_plies` ended the game. A draw by repetition, by turns without capture or by a full
/// board is not counted.
fn is_cut_short(variant: &Variant, record: &GameRecord) -> bool {
    let ply = record.start(variant).ply() + record.plies;
    if record.resigned || ply < variant.longest_game() {
        return false;
    }
    let uncapped = variant.uncapped();
    let mut game = record.start(&uncapped);
    record.choices.iter().for_each(|choice| game.play(choice.action));
    game.outcome().is_none()
}

fn share(part: usize, whole: usize) -> f64 {
    part as f64 / whole.max(1) as f64
}
