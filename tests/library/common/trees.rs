//! Written trees drawn at random, and the truth about positions: everything below them, looked at.

use rand::RngExt;

use crate::base::rng::{Purpose, Rng, stream};
use crate::games::Outcome;
use crate::registry::Position;

/// The result of `position` under best play. None if that takes more positions than are left of
/// `budget`, which is counted down.
pub fn solved_within(position: &Position, budget: &mut u32) -> Option<Outcome> {
    *budget = budget.checked_sub(1)?;
    if let Some(outcome) = position.outcome() {
        return Some(outcome);
    }
    let mover = position.to_move();
    let (win, mut best) = (Outcome::Win(mover), Outcome::Win(mover.other()));
    let mut actions = Vec::new();
    position.legal_actions(&mut actions);
    for action in actions {
        let found = solved_within(&after(position, action), budget)?;
        if found.value_for(mover) > best.value_for(mover) {
            best = found;
        }
        if best == win {
            break;
        }
    }
    Some(best)
}

/// The result of `position` under best play, whatever that takes.
pub fn solved(position: &Position) -> Outcome {
    solved_within(position, &mut { u32::MAX }).expect("so many positions are too many")
}

/// The position that follows.
pub fn after(position: &Position, action: u16) -> Position {
    let mut next = *position;
    next.play(action);
    next
}

/// The same tree with the sides exchanged.
pub fn exchanged(text: &str) -> String {
    let swap = |letter| match letter {
        'x' => 'o',
        'o' => 'x',
        other => other,
    };
    text.chars().map(swap).collect()
}

/// A tree in which about half of all positions are of the same side as their parent.
fn random_tree(rng: &mut Rng, depth: u32) -> String {
    if depth == 0 || rng.random_range(0..4) == 0 {
        return ["x", "o", "="][rng.random_range(0..3)].to_owned();
    }
    let mut text = format!("({}", ["x", "o"][rng.random_range(0..2)]);
    for _ in 0..rng.random_range(1..5) {
        let hole = rng.random_range(0..5) == 0;
        text += if hole { " . " } else { " " };
        text += &random_tree(rng, depth - 1);
    }
    text + ")"
}

/// Random trees, each at most so many actions deep.
pub fn random_roots(seed: u64, depth: u32, count: usize) -> impl Iterator<Item = String> {
    let mut rng = stream(seed, 0, 0, Purpose::Playout);
    let texts = std::iter::repeat_with(move || random_tree(&mut rng, depth));
    texts.filter(|text| text.starts_with('(')).take(count)
}
