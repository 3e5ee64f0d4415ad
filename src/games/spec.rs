//! The sizes of a game's observations and action space.

use serde::Serialize;

/// A step of a turn, as an index into the policy. See [`Spec`] for the layout.
pub type Action = u16;

/// The sizes of a game's observations and action space: all that a network needs to know of a game.
///
/// An action is `plane * height * width + cell`: the piece on `cell` moves by the displacement of
/// the plane. The displacement `(0, 0)` stands for the cell itself, as in a placement or a capture.
/// A pass, if there is one, is the last action. A 1x1 convolution is therefore the policy head of
/// every game.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize)]
pub struct Spec {
    /// The number of planes of an observation.
    pub planes: usize,
    /// The number of rows of the board.
    pub height: usize,
    /// The number of columns of the board.
    pub width: usize,
    /// `(dx, dy)` of every action plane, `dx` to the right and `dy` down.
    pub displacements: &'static [(i8, i8)],
    /// Whether there is one more action, the pass, without a cell.
    pub pass: bool,
}

impl Spec {
    /// The most actions that a game may have, a power of two: the search has 12 bits for them.
    pub const MOST_ACTIONS: usize = 1 << 12;

    /// The number of cells of the board.
    pub const fn cells(&self) -> usize {
        self.height * self.width
    }

    /// The number of values of an observation, laid out `[planes, height, width]`.
    pub const fn observation(&self) -> usize {
        self.planes * self.cells()
    }

    /// The number of actions, legal or not: the size of the policy.
    pub const fn actions(&self) -> usize {
        self.displacements.len() * self.cells() + self.pass as usize
    }

    /// The action of `plane` on `cell`.
    #[inline]
    pub const fn action(&self, plane: usize, cell: usize) -> Action {
        (plane * self.cells() + cell) as Action
    }

    /// The index of the pass, in games that have one.
    #[inline]
    pub const fn pass_action(&self) -> Action {
        (self.displacements.len() * self.cells()) as Action
    }

    /// The plane and the cell of an action that is not the pass.
    #[inline]
    pub const fn plane_and_cell(&self, action: Action) -> (usize, usize) {
        (action as usize / self.cells(), action as usize % self.cells())
    }
}
