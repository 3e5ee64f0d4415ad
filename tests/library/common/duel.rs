//! Matches between two ways of choosing an action, in pairs of games with colours exchanged.

use rand::RngExt;

use crate::base::rng::{Purpose, stream};
use crate::games::{Action, Outcome, Side};
use crate::registry::Position;

/// A player: the action it chooses in an unfinished position.
pub type Chooser<'a> = dyn FnMut(&Position) -> Action + 'a;

/// A game from `start`, the first player having `side`; the result in halves of a point for it.
fn halves(start: Position, side: Side, one: &mut Chooser, two: &mut Chooser) -> usize {
    let mut game = start;
    while game.outcome().is_none() {
        let action = if game.to_move() == side { one(&game) } else { two(&game) };
        assert!(game.try_play(action), "an illegal action");
    }
    let outcome = game.outcome().unwrap_or(Outcome::Draw);
    (1.0 + outcome.value_for(side)) as usize
}

/// An unfinished position after some random turns.
pub fn opening(initial: Position, turns: u32, seed: u64) -> Position {
    let mut legal = Vec::new();
    (0..)
        .find_map(|attempt| {
            let (mut game, mut rng) = (initial, stream(seed, 1, attempt, Purpose::Opening));
            while game.outcome().is_none() && game.ply() < turns {
                game.legal_actions(&mut legal);
                game.play(legal[rng.random_range(0..legal.len())]);
            }
            game.outcome().is_none().then_some(game)
        })
        .expect("some opening is not finished")
}

/// Pairs of games by the points they brought the first player: 0, 1/2, 1, 3/2, 2.
pub fn match_of(
    initial: Position,
    [pairs, turns]: [u64; 2],
    one: &mut Chooser,
    two: &mut Chooser,
) -> [u64; 5] {
    let mut counts = [0; 5];
    for pair in 0..pairs {
        let start = opening(initial, turns as u32, pair);
        let sides = [Side::P1, Side::P2];
        let points: usize = sides.map(|side| halves(start, side, one, two)).iter().sum();
        counts[points] += 1;
    }
    counts
}

/// The mean points of a game and half the width of their 95 % interval.
pub fn score(pairs: [u64; 5]) -> [f64; 2] {
    let total = pairs.iter().sum::<u64>() as f64;
    let mean_of = |value: &dyn Fn(f64) -> f64| {
        let terms = pairs.iter().enumerate();
        terms.map(|(points, &count)| count as f64 * value(points as f64 / 4.0)).sum::<f64>() / total
    };
    let mean = mean_of(&|points| points);
    let variance = mean_of(&|points| (points - mean).powi(2));
    [mean, 1.96 * (variance / total).sqrt()]
}
