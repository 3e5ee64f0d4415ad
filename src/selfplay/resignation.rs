//! The score below which a side resigns.

use super::Settings;
use crate::games::{Outcome, Side};
use crate::registry::Variant;
use crate::search::Wdl;
use crate::selfplay::record::GameRecord;

/// The least number of observed resignations before resignation is allowed.
const ENOUGH: usize = 20;

/// The expected score, from 0 to 1, below which sides resign: the highest score, up to
/// `resign_below`, with a tolerated error rate. The error rate is measured on the games that were
/// played out: the share of sides that did not lose among those whose score fell below the limit.
/// `None` if there are too few of them.
pub(crate) fn threshold<'a>(
    variant: &Variant,
    games: impl Iterator<Item = &'a GameRecord>,
    settings: &Settings,
) -> Option<f32> {
    if settings.resign_below <= 0.0 {
        return None;
    }
    let mut lows: Vec<Low> = games
        .filter(|game| game.played_out)
        .flat_map(|game| lows_of(variant, game))
        .filter(|low| low.score < settings.resign_below)
        .collect();
    lows.sort_by(|a, b| a.score.total_cmp(&b.score));
    // A limit at the score of the next low means resigning at all lows before it.
    let mut errors = 0;
    let mut best = None;
    for (index, low) in lows.iter().enumerate() {
        errors += usize::from(!low.was_lost);
        let resignations = index + 1;
        if errors as f32 <= settings.resign_errors * resignations as f32 && resignations >= ENOUGH {
            best = Some(lows.get(index + 1).map_or(settings.resign_below, |next| next.score));
        }
    }
    best
}

/// The lowest score of a side in a game.
struct Low {
    score: f32,
    was_lost: bool,
}

fn lows_of(variant: &Variant, record: &GameRecord) -> impl Iterator<Item = Low> {
    let mut lowest = [f32::INFINITY; 2];
    let mut game = record.start(variant);
    for choice in &record.choices {
        // A side with a proven result does not resign: playing it costs nothing.
        if let Some(search) = choice.search.as_ref().filter(|search| !search.value.contains(&1.0)) {
            let low = &mut lowest[game.to_move().index()];
            *low = low.min(score(search.value));
        }
        game.play(choice.action);
    }
    let lost = [Side::P1, Side::P2].map(|side| record.outcome == Outcome::Win(side.other()));
    lowest.into_iter().zip(lost).map(|(score, was_lost)| Low { score, was_lost })
}

/// The expected score of a side, from 0 to 1.
pub(super) fn score([win, draw, _]: Wdl) -> f32 {
    win + draw / 2.0
}
