//! In how many turns a game ends whose result a search has proven.

use crate::games::{Outcome, Turn};
use crate::registry::{AnyProver, Position};

/// The positions that may be visited for all lengths of an answer: some 20 ms.
const NODES: u64 = 20_000;
/// The entries of the prover's table.
const ENTRIES: usize = 1 << 14;
/// Longer games are not looked for.
const LONGEST: u32 = 40;

/// Finds the lengths of proven games.
pub(super) struct ProofLengths {
    prover: AnyProver,
}

impl ProofLengths {
    pub(super) fn new() -> Self {
        let mut prover = AnyProver::new(ENTRIES);
        prover.begin(NODES);
        Self { prover }
    }

    /// The number of turns until the end if both sides play well, `None` if the result is not a
    /// proven win, or if the length was not found.
    pub(super) fn of(&mut self, position: &Position, proven: Option<Outcome>) -> Option<u32> {
        let Some(Outcome::Win(winner)) = proven else { return None };
        self.prover.soonest(position, winner, LONGEST).ok().flatten()
    }

    /// The same after a turn, counted from before it.
    pub(super) fn after(
        &mut self,
        position: &Position,
        turn: &Turn,
        proven: Option<Outcome>,
    ) -> Option<u32> {
        self.of(&turn.after(position), proven).map(|turns| turns + 1)
    }
}
