//! Exhaustive proof search: can a side force a win within a number of turns?
//!
//! Unlike alpha-beta the prover uses no heuristic. An answer is exact for the game with all its
//! options, including the limits on its length. If the node limit is reached, there is no answer. A
//! side wins within `n` turns if it can force a won end of the game after at most `n` complete
//! turns of both sides together. A turn that has begun counts as one. Draws and unfinished games
//! are not wins.
//!
//! [`ProofNumbers`] answers another question: can a side force a win at all?

mod proof_numbers;
mod table;

pub(crate) use proof_numbers::ProofNumbers;
use table::Table;
use thiserror::Error;

use crate::classic::alphabeta::{Lists, Ordering, pick};
use crate::games::{Action, Game, Outcome, Side};

/// The maximum number of turns of a proof. It is limited by the stack, on which each level keeps a
/// position.
pub(crate) const DEEPEST: u32 = 48;

/// The node limit was reached without an answer.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Error)]
#[error("not decided within the node limit")]
pub(crate) struct Undecided;

/// A depth-first proof search. Its table is kept from one call to the next.
#[derive(Clone, Debug)]
pub(crate) struct Prover<G> {
    table: Table<G>,
    ordering: Ordering,
    lists: Lists,
    legal: Vec<Action>,
    /// The number of positions that may still be visited.
    left: u64,
}

impl<G: Game> Prover<G> {
    /// A prover with a table of at most `entries` positions.
    pub(crate) fn new(entries: usize) -> Self {
        Self {
            left: 0,
            legal: Vec::new(),
            lists: Lists::default(),
            ordering: Ordering::default(),
            table: Table::new(entries),
        }
    }

    /// Clears the table and allows the following calls to visit `nodes` positions in total. Their
    /// results then do not depend on earlier calls.
    pub(crate) fn begin(&mut self, nodes: u64) {
        self.table.clear();
        self.ordering.clear(G::SPEC.actions());
        self.left = nodes;
    }

    /// Sets the number of positions that the following calls may visit, without clearing the table.
    /// A call that was undecided can be repeated and resumes from the table.
    pub(crate) fn allow(&mut self, nodes: u64) {
        self.left = nodes;
    }

    /// The number of positions that may still be visited.
    pub(crate) fn left(&self) -> u64 {
        self.left
    }

    /// Whether `side` wins within `turns` turns, whichever side is to move. `turns` is capped at
    /// [`DEEPEST`].
    ///
    /// # Errors
    ///
    /// If the node limit is reached.
    pub(crate) fn wins(&mut self, game: &G, side: Side, turns: u32) -> Result<bool, Undecided> {
        self.search(game, side, turns.min(DEEPEST) as u8, 0)
    }

    fn search(&mut self, game: &G, side: Side, turns: u8, level: usize) -> Result<bool, Undecided> {
        if let Some(outcome) = game.outcome() {
            return Ok(outcome == Outcome::Win(side));
        }
        if turns == 0 {
            return Ok(false);
        }
        self.left = self.left.checked_sub(1).ok_or(Undecided)?;
        // With one turn left, trying the actions is as fast as a lookup.
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

    /// The first action that decides the position in favour of the side to move, if there is one.
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
