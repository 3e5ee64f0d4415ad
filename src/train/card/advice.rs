//! What may make a network better, as far as its training tells.

use super::{Card, Rated};
use crate::stats::Estimate;
use crate::train::alarms;

/// A curve that is shorter says nothing.
const FEWEST: usize = 4;

/// From this score against every opponent on, they are too weak to tell more.
const BEATEN: f64 = 0.95;

/// A gain in Elo that is worth no more time.
const LITTLE: f64 = 30.0;

/// The advice to a card without advice, whose newest iteration raised these alarms. `gain` gives by
/// how many Elo the network of an iteration is above that of another.
pub(super) fn advice(
    card: &Card,
    alarms: &[&str],
    gain: impl Fn(u64, u64) -> Option<Estimate>,
) -> Vec<String> {
    let known = alarms.iter().filter_map(|name| alarms::named(name));
    let mut advice: Vec<String> =
        known.map(|alarm| format!("alarm {}: {}", alarm.name, alarm.hint)).collect();
    advice.extend(curve(&card.ratings, gain));
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
fn curve(ratings: &[Rated], gain: impl Fn(u64, u64) -> Option<Estimate>) -> Option<String> {
    if ratings.len() < FEWEST {
        return Some("more time: there are too few evaluations to tell how it goes on".to_owned());
    }
    let last = ratings.last()?;
    let before = ratings.get(ratings.len() - 1 - ratings.len() / 3)?;
    let Estimate { value, low, high } = gain(before.iteration, last.iteration)?;
    let gained = format!("{value:.0} Elo ({low:.0} to {high:.0})");
    Some(if low > 0.0 {
        format!("more time: the last third of its training gained {gained}")
    } else if high < LITTLE {
        format!(
            "the last third of its training gained {gained}: a larger network (network.channels) \
             and longer searches (selfplay.simulations), with more time for both"
        )
    } else {
        format!(
            "more time, perhaps: the last third of its training gained {gained}; more games \
             (evaluation.games) tell more"
        )
    })
}

#[cfg(test)]
mod tests {
    use super::*;
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

    /// The advice where the last third gained this much.
    fn of_curve(ratings: &[f64], gain: [f64; 3]) -> Vec<String> {
        let [low, value, high] = gain;
        let gain = |from: u64, to: u64| {
            // Of the ratings of iterations 10, 20 and so on.
            let count = ratings.len() as u64;
            assert_eq!((from, to), (10 * (count - count / 3), 10 * count));
            Some(Estimate { value, low, high })
        };
        advice(&card(ratings, 0.8), &[], gain)
    }

    #[test]
    fn a_curve_that_rises_asks_for_time_and_a_flat_one_for_more() {
        let rising = of_curve(&[0.0; 6], [20.0, 100.0, 180.0]);
        assert_eq!(
            rising,
            ["more time: the last third of its training gained 100 Elo (20 to 180)"]
        );
        let flat = of_curve(&[0.0; 7], [-40.0, -10.0, 20.0]);
        assert!(flat[0].contains("gained -10 Elo (-40 to 20): a larger network"), "{flat:?}");
        let unsure = of_curve(&[0.0; 5], [-80.0, 40.0, 160.0]);
        assert!(
            unsure[0].contains("perhaps") && unsure[0].contains("evaluation.games"),
            "{unsure:?}"
        );
        let short = advice(&card(&[0.0, 500.0], 0.8), &[], |_, _| None);
        assert!(short[0].contains("too few evaluations"), "{short:?}");
        assert!(
            advice(&card(&[0.0; 6], 0.8), &[], |_, _| None).is_empty(),
            "nothing connects them"
        );
    }

    #[test]
    fn alarms_and_beaten_opponents_are_named() {
        let known = &["draw_death", "unknown"];
        let found = advice(&card(&[0.0; 6], 0.96), known, |_, _| None);
        assert_eq!(found.len(), 2);
        assert!(found[0].starts_with("alarm draw_death: set search.draw_value below 0"));
        assert!(found[1].contains("beats the whole panel"));
    }
}
