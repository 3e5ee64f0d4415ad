//! The cells that a network computes.

use std::sync::Arc;

use crate::games::Spec;
use crate::registry::Variant;

/// The board of a game as a network computes it: the sizes of the game, and those cells of its
/// frame, the rectangle of [`Spec`], that there are.
///
/// Activations are `[cells, channels]` of these cells alone, in ascending order. What the frame has
/// beside them is not read, takes no part in norms and pooled channels, and has the logit 0.
#[derive(Clone, PartialEq, Debug)]
pub struct Board {
    spec: Spec,
    cells: Arc<[u16]>,
}

impl Board {
    /// The board whose cells are all cells of the frame.
    pub fn whole(spec: Spec) -> Self {
        Self { spec, cells: (0..spec.cells() as u16).collect() }
    }

    /// The board of a game: the cells that have a name.
    pub fn of(variant: &Variant) -> Self {
        let (whole, start) = (Self::whole(*variant.spec()), variant.initial());
        let is_there = |&cell: &u16| !start.cell_name(usize::from(cell)).is_empty();
        let cells: Arc<[u16]> = whole.cells.iter().copied().filter(is_there).collect();
        // A game that names no cell has them nevertheless.
        if cells.is_empty() { whole } else { Self { cells, ..whole } }
    }

    /// The sizes of the game.
    pub(crate) fn spec(&self) -> &Spec {
        &self.spec
    }

    /// The cells, ascending, by their numbers in the frame.
    pub(crate) fn cells(&self) -> impl ExactSizeIterator<Item = usize> + Clone {
        self.cells.iter().map(|&cell| usize::from(cell))
    }

    /// Checks that a network computes the cells of this board. `computed` is their number by its
    /// file; if that does not tell, it is one of those that computed the whole frame.
    ///
    /// # Errors
    ///
    /// If it computes others.
    pub(crate) fn check_computed(&self, computed: Option<usize>) -> Result<(), String> {
        let (own, frame) = (self.cells.len(), self.spec.cells());
        match computed.unwrap_or(frame) {
            computed if computed == own => Ok(()),
            computed => Err(format!(
                "its network computes {computed} cells, as earlier versions of this program did, \
                 but the board has {own}; train a new one"
            )),
        }
    }

    /// Whether every cell of the frame is computed.
    pub(crate) fn is_whole(&self) -> bool {
        self.cells.len() == self.spec.cells()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::registry::preset;

    #[test]
    fn the_corners_of_the_frame_of_a_hexagon_are_left_out() {
        let board = Board::of(&preset("susan").unwrap());
        assert_eq!((board.cells().len(), board.is_whole()), (61, false));
        assert_eq!((board.spec().cells(), Board::whole(*board.spec()).cells().len()), (81, 81));
        assert!(!board.cells().any(|cell| cell == 0 || cell == 80));
        let refused = board.check_computed(None).unwrap_err();
        assert!(refused.contains("computes 81 cells") && refused.contains("has 61"), "{refused}");
        assert_eq!(board.check_computed(Some(61)), Ok(()));
        assert_eq!(Board::whole(*board.spec()).check_computed(None), Ok(()));
        let neutron = preset("neutron5").unwrap();
        assert_eq!(Board::of(&neutron), Board::whole(*neutron.spec()));
    }
}
