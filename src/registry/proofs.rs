//! The provers of [`classic::prover`](crate::classic::prover) for positions of any game.
//!
//! A prover is made for a type of games when the first position arrives.

use crate::classic::prover::{DEEPEST, ProofNumbers, Prover, Undecided};
use crate::games::Side;
use crate::games::picture::Picture;
use crate::registry::{GameType, Position};

/// What was asked of a prover is of another game than it was made for.
const OTHER_GAME: &str = "a prover is asked about one game only";

/// What is made for a type of games when the first position arrives.
struct Made<T: ?Sized>(Option<(GameType, Box<T>)>);

impl<T: ?Sized> Made<T> {
    fn get(&self) -> Option<&T> {
        self.0.as_ref().map(|(_, made)| &**made)
    }

    fn get_mut(&mut self) -> Option<&mut T> {
        self.0.as_mut().map(|(_, made)| &mut **made)
    }

    /// What was made for this type of games; makes it if there is none, or it is for another type.
    fn for_game(&mut self, game: GameType, make: impl FnOnce() -> Box<T>) -> &mut T {
        let kept = self.0.take().filter(|(of, _)| *of == game);
        let (_, made) = self.0.insert(kept.unwrap_or_else(|| (game, make())));
        made
    }
}

/// A [`Prover`] whose type of games is erased.
pub(super) trait ProverOf: Send {
    fn begin(&mut self, nodes: u64);
    fn allow(&mut self, nodes: u64);
    fn left(&self) -> u64;
    fn wins(&mut self, position: &Position, side: Side, turns: u32) -> Result<bool, Undecided>;
}

impl<G: Picture> ProverOf for Prover<G> {
    fn begin(&mut self, nodes: u64) {
        self.begin(nodes);
    }

    fn allow(&mut self, nodes: u64) {
        self.allow(nodes);
    }

    fn left(&self) -> u64 {
        self.left()
    }

    fn wins(&mut self, position: &Position, side: Side, turns: u32) -> Result<bool, Undecided> {
        self.wins(position.typed().expect(OTHER_GAME), side, turns)
    }
}

/// A [`Prover`] for positions of any game, of one game at a time.
pub(crate) struct AnyProver {
    entries: usize,
    /// The number of positions that may be visited, as long as there is no prover.
    nodes: u64,
    prover: Made<dyn ProverOf>,
}

impl AnyProver {
    /// A prover with a table of at most `entries` positions.
    pub(crate) fn new(entries: usize) -> Self {
        Self { entries, nodes: 0, prover: Made(None) }
    }

    /// As [`Prover::begin`].
    pub(crate) fn begin(&mut self, nodes: u64) {
        self.nodes = nodes;
        if let Some(prover) = self.prover.get_mut() {
            prover.begin(nodes);
        }
    }

    /// As [`Prover::allow`].
    pub(crate) fn allow(&mut self, nodes: u64) {
        self.nodes = nodes;
        if let Some(prover) = self.prover.get_mut() {
            prover.allow(nodes);
        }
    }

    /// As [`Prover::left`].
    pub(crate) fn left(&self) -> u64 {
        self.prover.get().map_or(self.nodes, |prover| prover.left())
    }

    /// As [`Prover::wins`].
    ///
    /// # Errors
    ///
    /// If the node limit is reached.
    pub(crate) fn wins(
        &mut self,
        position: &Position,
        side: Side,
        turns: u32,
    ) -> Result<bool, Undecided> {
        let game = position.game();
        let prover = self.prover.for_game(game, || {
            let mut prover = game.prover(self.entries);
            prover.begin(self.nodes);
            prover
        });
        prover.wins(position, side, turns)
    }

    /// The minimum number of turns within which `side` wins, or `None` if it is more than `most`.
    ///
    /// # Errors
    ///
    /// If the node limit is reached.
    pub(crate) fn soonest(
        &mut self,
        position: &Position,
        side: Side,
        most: u32,
    ) -> Result<Option<u32>, Undecided> {
        // Iterative deepening: the table entries of short searches guide the longer ones.
        for turns in 0..=most.min(DEEPEST) {
            if self.wins(position, side, turns)? {
                return Ok(Some(turns));
            }
        }
        Ok(None)
    }
}

/// [`ProofNumbers`] whose type of games is erased.
pub(super) trait ProofNumbersOf: Send {
    fn begin(&mut self, attacker: Side);
    fn allow(&mut self, nodes: u64);
    fn left(&self) -> u64;
    fn numbers(&self) -> [u32; 2];
    fn wins(&mut self, position: &Position) -> Result<bool, Undecided>;
}

impl<G: Picture> ProofNumbersOf for ProofNumbers<G> {
    fn begin(&mut self, attacker: Side) {
        self.begin(attacker);
    }

    fn allow(&mut self, nodes: u64) {
        self.allow(nodes);
    }

    fn left(&self) -> u64 {
        self.left()
    }

    fn numbers(&self) -> [u32; 2] {
        self.numbers()
    }

    fn wins(&mut self, position: &Position) -> Result<bool, Undecided> {
        self.wins(position.typed().expect(OTHER_GAME))
    }
}

/// [`ProofNumbers`] for positions of any game, of one game at a time.
pub(crate) struct AnyProofNumbers {
    entries: usize,
    attacker: Side,
    /// The number of positions that may be visited, as long as there is no search.
    nodes: u64,
    search: Made<dyn ProofNumbersOf>,
}

impl AnyProofNumbers {
    /// A search for wins of `attacker`, with a table of at most `entries` positions.
    pub(crate) fn new(attacker: Side, entries: usize) -> Self {
        Self { entries, attacker, nodes: 0, search: Made(None) }
    }

    /// As [`ProofNumbers::begin`].
    pub(crate) fn begin(&mut self, attacker: Side) {
        self.attacker = attacker;
        if let Some(search) = self.search.get_mut() {
            search.begin(attacker);
        }
    }

    /// As [`ProofNumbers::allow`].
    pub(crate) fn allow(&mut self, nodes: u64) {
        self.nodes = nodes;
        if let Some(search) = self.search.get_mut() {
            search.allow(nodes);
        }
    }

    /// As [`ProofNumbers::left`].
    pub(crate) fn left(&self) -> u64 {
        self.search.get().map_or(self.nodes, |search| search.left())
    }

    /// As [`ProofNumbers::numbers`].
    pub(crate) fn numbers(&self) -> [u32; 2] {
        self.search.get().map_or([1, 1], |search| search.numbers())
    }

    /// As [`ProofNumbers::wins`].
    ///
    /// # Errors
    ///
    /// If the node limit is reached.
    pub(crate) fn wins(&mut self, position: &Position) -> Result<bool, Undecided> {
        let game = position.game();
        let search = self.search.for_game(game, || {
            let mut search = game.proof_numbers(self.attacker, self.entries);
            search.begin(self.attacker);
            search.allow(self.nodes);
            search
        });
        search.wins(position)
    }
}
