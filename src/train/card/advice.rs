//! What may make a network better, as far as its training tells.

use super::{Card, Rated};
use crate::train::alarms;

/// A curve that is shorter says nothing.
const FEWEST: usize = 4;

/// From this score against every opponent on, they are too weak to tell more.
const BEATEN: f64 = 0.95;

/// The advice to a card without advice, whose newest iteration raised these alarms.
pub(super) fn advice(card: &Card, alarms: &[&str]) -> Vec<String> {
    let known = alarms.iter().filter_map(|name| alarms::named(name));
    let mut advice: Vec<String> =
        known.map(|alarm| format!("alarm {}: {}", alarm.name, alarm.hint)).collect();
    advice.extend(curve(&card.ratings).map(str::to_owned));
    if !card.scores.is_empty() && card.scores.iter().all(|scored| scored.score.value >= BEATEN) {
        advice.push(
            "it beats the whole panel: stronger opponents in evaluation.panel, such as \
             uct?rollouts=100000, or a ladder of its checkpoints tell more"
                .to_owned(),
        );
    }
    advice
}

/// What the last third of the curve says.
fn curve(ratings: &[Rated]) -> Option<&'static str> {
    if ratings.len() < FEWEST {
        return Some("more time: there are too few evaluations to tell how it goes on");
    }
    let last = ratings.last()?;
    let before = ratings.get(ratings.len() - 1 - ratings.len() / 3)?;
    let gained = last.elo.value - before.elo.value;
    let error = (last.elo.high - last.elo.low).max(before.elo.high - before.elo.low) / 2.0;
    Some(if gained > error / 2.0 {
        "more time: it still got stronger in the last third of its training"
    } else {
        "the last third of its training gained little: a larger network (network.channels) and \
         longer searches (selfplay.simulations), with more time for both"
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::stats::Estimate;
    use crate::train::card::Scored;

    fn card(ratings: &[f64], score: f64) -> Card {
        let share =
            |value: f64, error: f64| Estimate { value, low: value - error, high: value + error };
        let rated = |(index, &elo): (usize, &f64)| {
            let number = 10 * (index as u64 + 1);
            Rated { iteration: number, seconds: number as f64, elo: share(elo, 60.0) }
        };
        let opponent = "uct?rollouts=1000".to_owned();
        Card {
            game: "hex5".to_owned(),
            iteration: 80,
            seconds: 600.0,
            games: 1000,
            positions: 20_000,
            simulations: 64,
            scores: vec![Scored { opponent, games: 40, score: share(score, 0.1) }],
            proven: None,
            ratings: ratings.iter().enumerate().map(rated).collect(),
            advice: Vec::new(),
        }
    }

    #[test]
    fn a_curve_that_rises_asks_for_time_and_a_flat_one_for_more() {
        let rising = advice(&card(&[0.0, 200.0, 300.0, 400.0, 500.0, 600.0], 0.8), &[]);
        assert_eq!(rising.len(), 1);
        assert!(rising[0].contains("still got stronger"), "{rising:?}");
        let flat = advice(&card(&[0.0, 500.0, 590.0, 600.0, 595.0, 600.0], 0.8), &[]);
        assert!(flat[0].contains("a larger network"), "{flat:?}");
        let short = advice(&card(&[0.0, 500.0], 0.8), &[]);
        assert!(short[0].contains("too few evaluations"), "{short:?}");
    }

    #[test]
    fn alarms_and_beaten_opponents_are_named() {
        let found = advice(&card(&[0.0; 6], 0.96), &["draw_death", "unknown"]);
        assert_eq!(found.len(), 3);
        assert!(found[0].starts_with("alarm draw_death: set search.draw_value below 0"));
        assert!(found[2].contains("beats the whole panel"));
    }
}
