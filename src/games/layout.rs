//! Positions as sets of cells, for games all of whose positions can be listed.
//!
//! A solver numbers the positions of a game by the sets of cells that the pieces of each side
//! cover. A game takes part by three functions of [`Game`]: [`Game::layout`],
//! [`Game::placement`] and [`Game::from_placement`].

use super::board::bits;
use super::symmetry::Permutation;
use super::{Game, Spec};

/// The most cells of a board whose positions can be listed.
pub(crate) const MAX_CELLS: usize = 25;

/// The most places of a piece that belongs to neither side.
const MAX_LANES: usize = 15;

/// A position at the beginning of a turn, as the side to move sees the board.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct Placement {
    /// The pieces of the side to move, as bits by cell.
    pub own: u64,
    /// The pieces of the other side.
    pub other: u64,
    /// The cell of the piece that belongs to neither side, in games that have one.
    pub neutral: Option<u8>,
}

/// What a solver has to know to number the positions of a game.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Layout {
    /// The number of cells, at most 25. Cells are those of the game's [`Spec`].
    pub cells: usize,
    /// The numbers of pieces of the side to move and of the other side that a position can have.
    pub counts: Vec<[u32; 2]>,
    /// The cells of the neutral piece while the game is not over, at most 15. Empty for a game
    /// without such a piece.
    pub neutral: Vec<u8>,
    /// For each symmetry of the rules the images of all cells. The first is the identity.
    pub symmetries: Vec<Vec<u8>>,
    /// For each cell the number that the other side sees it under. It is its own inverse.
    pub turned: Vec<u8>,
}

impl Layout {
    /// A layout with the cells and symmetries of a game, in which both sides see the board alike.
    pub fn of<G: Game>(counts: Vec<[u32; 2]>) -> Self {
        let spec: Spec = G::SPEC;
        let images = |symmetry: &Permutation| {
            (0..spec.cells()).map(|cell| symmetry.cell(cell) as u8).collect()
        };
        Self {
            cells: spec.cells(),
            counts,
            neutral: Vec::new(),
            symmetries: Permutation::all(&spec, G::SYMMETRIES).iter().map(images).collect(),
            turned: (0..spec.cells() as u8).collect(),
        }
    }

    /// The number of places of the neutral piece, 1 without one.
    pub fn lanes(&self) -> usize {
        self.neutral.len().max(1)
    }

    /// The image of a position under a symmetry, by its number.
    pub(crate) fn image(&self, placement: &Placement, symmetry: usize) -> Placement {
        let images = &self.symmetries[symmetry];
        let image = |set: u64| bits(set).fold(0, |image, cell| image | 1 << images[cell]);
        Placement {
            own: image(placement.own),
            other: image(placement.other),
            neutral: placement.neutral.map(|cell| images[usize::from(cell)]),
        }
    }

    /// Whether a solver can number these positions.
    pub fn fits(&self) -> bool {
        self.cells <= MAX_CELLS && self.neutral.len() <= MAX_LANES
    }
}
