//! Proofs by trying everything: can a side force a win within so many turns?
//!
//! Unlike the classical opponent the prover has no evaluation and never guesses: an answer is true
//! of the game as it is, limits of length and repetition included, or there is none because the
//! nodes allowed did not suffice. A side wins within `n` turns if, whatever the other side plays,
//! the game ends with its victory after at most `n` complete turns of both sides together; a turn
//! in the making counts as one. Draws, and games that go on, are no wins.
//!
//! [`ProofNumbers`] answers another question, by other means: can a side force a win at all?

mod proof_numbers;
mod table;

pub use proof_numbers::ProofNumbers;
use table::Table;
use thiserror::Error;

use crate::classic::alphabeta::{Lists, Ordering, pick};
use crate::games::{Action, Game, Outcome, Side};

/// Turns looked ahead at the most: few enough for the stack, where each level keeps a position.
pub const DEEPEST: u32 = 48;

/// The question took more nodes than were allowed: there is no answer.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Error)]
#[error("not decided with the nodes allowed")]
pub struct Undecided;

/// A depth-first search for proofs, and what it remembers from one question to the next.
#[derive(Clone, Debug)]
pub struct Prover<G> {
    table: Table<G>,
    ordering: Ordering,
    lists: Lists,
    legal: Vec<Action>,
    /// Positions that may still be visited.
    left: u64,
}

impl<G: Game> Prover<G> {
    /// A prover that remembers at most so many positions.
    pub fn new(entries: usize) -> Self {
        Self {
            left: 0,
            legal: Vec::new(),
            lists: Lists::default(),
            ordering: Ordering::default(),
            table: Table::new(entries),
        }
    }

    /// Forgets everything and allows so many positions to be visited by the questions to come.
    /// Whether these are answered then depends on nothing else.
    pub fn begin(&mut self, nodes: u64) {
        self.table.clear();
        self.ordering.clear(G::SPEC.actions());
        self.left = nodes;
    }

    /// Allows so many positions to be visited from now on, whatever was allowed before. A question
    /// that was left undecided may then be asked again: what was found out is remembered.
    pub fn allow(&mut self, nodes: u64) {
        self.left = nodes;
    }

    /// Positions that may still be visited.
    pub fn left(&self) -> u64 {
        self.left
    }

    /// Whether `side` wins within so many turns (no more than [`DEEPEST`] are looked at), whoever
    /// is to move.
    ///
    /// # Errors
    ///
    /// If the nodes allowed do not suffice.
    pub fn wins(&mut self, game: &G, side: Side, turns: u32) -> Result<bool, Undecided> {
        self.search(game, side, turns.min(DEEPEST) as u8, 0)
    }

    /// The fewest turns within which `side` wins, if they are no more than `most`.
    ///
    /// # Errors
    ///
    /// If the nodes allowed do not suffice.
    pub fn soonest(&mut self, game: &G, side: Side, most: u32) -> Result<Option<u32>, Undecided> {
        // Short wins first: what they leave in the table leads the search for longer ones.
        for turns in 0..=most.min(DEEPEST) {
            if self.wins(game, side, turns)? {
                return Ok(Some(turns));
            }
        }
        Ok(None)
    }

    fn search(&mut self, game: &G, side: Side, turns: u8, level: usize) -> Result<bool, Undecided> {
        if let Some(outcome) = game.outcome() {
            return Ok(outcome == Outcome::Win(side));
        }
        if turns == 0 {
            return Ok(false);
        }
        self.left = self.left.checked_sub(1).ok_or(Undecided)?;
        // With one turn left it is as quick to try the actions as to look them up.
        let key = (turns > 1).then(|| game.full_key());
        let known = key.and_then(|key| self.table.get(key, game));
        if let Some(answer) = known.and_then(|entry| entry.answer(side, turns)) {
            return Ok(answer);
        }
        let table_action = known.and_then(|entry| entry.action);
        let decisive = self.decisive_action(game, side, turns, level, table_action)?;
        let attacks = game.to_move() == side;
        let won = decisive.is_some() == attacks;
        if let Some(key) = key {
            self.table.put(key, game, (side, turns, won), decisive.or(table_action));
        }
        Ok(won)
    }

    /// The first action found that settles the question as the side to move wants it.
    fn decisive_action(
        &mut self,
        game: &G,
        side: Side,
        turns: u8,
        level: usize,
        table_action: Option<Action>,
    ) -> Result<Option<Action>, Undecided> {
        let place = (game.to_move(), level);
        let attacks = game.to_move() == side;
        let mut list = self.lists.take(level);
        game.legal_actions(&mut self.legal);
        self.ordering.rate(&mut list, &self.legal, place, table_action);
        let mut decisive = None;
        for index in 0..list.len() {
            let action = pick(&mut list, index);
            let mut next = *game;
            next.play(action);
            let turns_left = turns - u8::from(next.ply() > game.ply());
            if self.search(&next, side, turns_left, level + 1)? == attacks {
                self.ordering.note(action, place, turns);
                decisive = Some(action);
                break;
            }
        }
        self.lists.put_back(level, list);
        Ok(decisive)
    }
}
