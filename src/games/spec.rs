//! The sizes of a game's observations and actions.

use serde::Serialize;

/// A step of a turn, as an index into the policy; see [`Spec`] for its layout.
pub type Action = u16;

/// The sizes of a game's observation and action space, all that a network has to know of it.
///
/// An action is `plane * height * width + cell`: the thing on `cell` moves by the displacement of
/// that plane, where `(0, 0)` means the cell itself (place there, capture there). If there is a
/// pass it is the last action. One 1x1 convolution is thus the policy head of every game.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize)]
pub struct Spec {
    /// Planes of an observation.
    pub planes: usize,
    /// Rows of the board.
    pub height: usize,
    /// Columns of the board.
    pub width: usize,
    /// `(dx, dy)` of every action plane, `dx` to the right, `dy` downwards.
    pub displacements: &'static [(i8, i8)],
    /// Whether there is one more action, without a cell.
    pub pass: bool,
}

impl Spec {
    /// Cells of the board.
    pub const fn cells(&self) -> usize {
        self.height * self.width
    }

    /// Numbers in an observation, laid out `[planes, height, width]`.
    pub const fn observation(&self) -> usize {
        self.planes * self.cells()
    }

    /// Actions of the policy, legal or not.
    pub const fn actions(&self) -> usize {
        self.displacements.len() * self.cells() + self.pass as usize
    }

    /// The action of `plane` on `cell`.
    #[inline]
    pub const fn action(&self, plane: usize, cell: usize) -> Action {
        (plane * self.cells() + cell) as Action
    }

    /// The pass, where there is one.
    #[inline]
    pub const fn pass_action(&self) -> Action {
        (self.displacements.len() * self.cells()) as Action
    }

    /// The plane and cell of an action that is not the pass.
    #[inline]
    pub const fn plane_and_cell(&self, action: Action) -> (usize, usize) {
        (action as usize / self.cells(), action as usize % self.cells())
    }
}
