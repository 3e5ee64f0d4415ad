//! Books: small proofs that a side wins from the start, and the turns that win.
//!
//! A *book* is a set of positions that the side to move has lost, each with a number of turns. It
//! is a proof because it is closed: after each turn of the side that loses the winner either wins
//! at once or has a turn to a position of the book with a smaller number. Whoever checks it needs
//! the rules of the game only.
//!
//! `make` makes the book of a game from its [solution](crate::exact::solution), `check` checks it
//! by the rules. `file` is what it looks like on a disk, `shipped` has the books within the
//! program.

mod check;
mod file;
mod make;
mod shipped;

use std::collections::HashMap;

use crate::exact::solution::SolvedGame;
use crate::games::{Layout, Outcome, Placement, Side, Turn, legal_turns};
use crate::registry::Position;

#[cfg(any(test, feature = "fuzzing"))]
pub(crate) use file::sealed_book;
pub(crate) use make::make;
pub(crate) use shipped::shipped;

/// The lost positions of a book and the turns until the end. A position stands for all those that
/// symmetries of the game map to each other.
type Lost = HashMap<Placement, u8>;

/// A proof that a side wins from the start.
#[derive(Clone, PartialEq, Debug)]
pub(crate) struct Book {
    /// The game, whatever the limit on its length.
    subject: SolvedGame,
    layout: Layout,
    /// The file.
    text: String,
    /// The limit on the length of a game, 0 for none.
    limit: u32,
    /// The side that wins.
    pub winner: Side,
    /// The turns of both sides in which it wins from the start.
    pub turns: u32,
    lost: Lost,
}

impl Book {
    /// The text of its file.
    pub(crate) fn text(&self) -> &str {
        &self.text
    }

    /// The number of positions.
    pub(crate) fn positions(&self) -> usize {
        self.lost.len()
    }

    /// The turn that wins soonest by the book, and in how many turns. `None` if the book does not
    /// say, or if the limit on the length of the game comes before.
    pub(crate) fn winning_turn(&self, game: &Position) -> Option<(Turn, u32)> {
        let turns = legal_turns(game).into_iter();
        let winning = turns.filter_map(|turn| Some((self.won_after(game, &turn)?, turn)));
        let (left, turn) = winning.min_by_key(|(left, _)| *left)?;
        let turns = left + 1;
        let is_in_time = self.limit == 0 || game.ply().saturating_add(turns) <= self.limit;
        is_in_time.then_some((turn, turns))
    }

    /// In how many turns the side to move wins after this turn. `None` if the book does not say.
    fn won_after(&self, game: &Position, turn: &Turn) -> Option<u32> {
        let after = turn.after(game);
        if let Some(outcome) = after.outcome() {
            return (outcome == Outcome::Win(game.to_move())).then_some(0);
        }
        let position = representative(&self.layout, &after.placement()?);
        self.lost.get(&position).map(|&left| u32::from(left))
    }
}

/// The position that stands for all those that symmetries of the game map to each other.
fn representative(layout: &Layout, placement: &Placement) -> Placement {
    let images = (0..layout.symmetries.len()).map(|symmetry| layout.image(placement, symmetry));
    images.min_by_key(order).expect("the identity is a symmetry")
}

/// Orders positions.
fn order(placement: &Placement) -> (u64, u64, Option<u8>) {
    (placement.other, placement.own, placement.neutral)
}

#[cfg(test)]
mod tests;
