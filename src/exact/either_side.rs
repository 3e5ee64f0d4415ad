//! Who wins a position by force? Proof-number search for both sides by turns.

use crate::games::Side;
use crate::registry::AnyProofNumbers;
use crate::registry::Position;

/// A search for a win of either side, which goes on part by part.
pub(crate) struct EitherSide {
    game: Position,
    searches: [Search; 2],
    /// Positions visited.
    visited: u64,
}

/// The search for a win of one side.
struct Search {
    side: Side,
    numbers: AnyProofNumbers,
    /// Whether it found no win of up to 200 actions.
    is_over: bool,
}

/// What is known.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Finding {
    /// This side wins by force, which is certain.
    Win(Side),
    /// Neither side has a win of up to 200 actions, as far as the table remembered what it saw.
    NoWin,
    /// Nothing yet.
    Open,
}

impl EitherSide {
    /// A search from `game` whose two tables take at most `bytes` bytes.
    pub(crate) fn new(game: Position, bytes: u64) -> Self {
        let entries = bytes / 2 / game.game().proof_number_entry() as u64;
        let search = |side| {
            let mut numbers =
                AnyProofNumbers::new(side, usize::try_from(entries).unwrap_or(usize::MAX));
            numbers.begin(side);
            Search { side, numbers, is_over: false }
        };
        let mover = game.to_move();
        Self { game, searches: [search(mover), search(mover.other())], visited: 0 }
    }

    /// Continues for about this number of positions.
    pub(crate) fn go_on(&mut self, positions: u64) -> Finding {
        let open = self.searches.iter().filter(|search| !search.is_over).count() as u64;
        for search in self.searches.iter_mut().filter(|search| !search.is_over) {
            let allowed = positions / open;
            search.numbers.allow(allowed);
            let found = search.numbers.wins(&self.game);
            self.visited += allowed - search.numbers.left();
            match found {
                Ok(true) => return Finding::Win(search.side),
                Ok(false) => search.is_over = true,
                Err(_) => {}
            }
        }
        match self.searches.iter().all(|search| search.is_over) {
            true => Finding::NoWin,
            false => Finding::Open,
        }
    }

    /// Positions visited so far.
    pub(crate) fn visited(&self) -> u64 {
        self.visited
    }

    /// For each side, that to move first, its proof and its disproof number: how many leaves have
    /// to be decided at least until its win is proven or excluded.
    pub(crate) fn numbers(&self) -> [(Side, [u32; 2]); 2] {
        self.searches.each_ref().map(|search| (search.side, search.numbers.numbers()))
    }
}
