//! Boards within a border of zeros, on which all cells have their neighbours at the same offsets.
//!
//! Places are counted row by row. The border is as wide as a kernel of 3x3 reaches. What is right of
//! a row is also left of the next one, and what is below a board is also above the next one.

/// Number of places that are computed together.
pub(crate) const TOGETHER: usize = 16;

/// How far the border reaches.
const REACH: usize = 1;

/// Where the cells of boards lie within their border.
#[derive(Clone, Debug)]
pub(crate) struct Framed {
    spacing: Spacing,
    /// For each cell of a board its place.
    places: Vec<usize>,
    blocks: Vec<Block>,
}

/// Places between rows and between boards.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Spacing {
    row: usize,
    board: usize,
}

/// Places that are computed together, at least one of them a cell.
#[derive(Clone, Debug)]
pub(crate) struct Block {
    /// The first of the [`TOGETHER`] places.
    pub first: usize,
    pub cells: Vec<FramedCell>,
}

/// A cell of a block.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct FramedCell {
    /// Index of its place in the block.
    pub slot: usize,
    /// Index of the cell on the board.
    pub cell: usize,
    /// Index of its class: which neighbours it has.
    pub class: usize,
}

/// Dwords that a framed cell multiplies at once: where they are from the cell on, and where their
/// weights are among those of the group, both in bytes.
#[repr(C)]
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Step {
    pub input: isize,
    pub weights: isize,
}

/// Cells that follow one another also in their places.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Run {
    /// The first cell.
    pub cell: usize,
    /// Its place.
    pub place: usize,
    /// Number of cells.
    pub cells: usize,
}

impl Framed {
    /// Frames a board, whose `cells` of the frame are in ascending order and have these `classes`.
    pub(super) fn new(
        cells: impl Iterator<Item = usize>,
        [height, width]: [usize; 2],
        classes: &[usize],
    ) -> Self {
        let row = width + REACH;
        let places: Vec<usize> = cells.map(|cell| cell / width * row + cell % width).collect();
        let mut blocks: Vec<Block> = Vec::new();
        for (cell, (&place, &class)) in places.iter().zip(classes).enumerate() {
            let slot = place % TOGETHER;
            let found = FramedCell { slot, cell, class };
            match blocks.last_mut() {
                Some(block) if block.first == place - slot => block.cells.push(found),
                _ => blocks.push(Block { first: place - slot, cells: vec![found] }),
            }
        }
        Self { spacing: Spacing { row, board: (height + REACH) * row }, places, blocks }
    }

    /// Number of places that any number of boards takes, together with all that is read around them.
    pub(crate) fn room(&self, boards: usize) -> usize {
        let last = self.blocks.last().map_or(0, |block| block.first + TOGETHER);
        2 * self.margin() + boards.saturating_sub(1) * self.spacing.board + last
    }

    /// The place of the first place of a board.
    pub(crate) fn start(&self, board: usize) -> usize {
        self.margin() + board * self.spacing.board
    }

    /// For each cell its place on its board.
    pub(crate) fn places(&self) -> &[usize] {
        &self.places
    }

    /// What the offsets depend on.
    pub(crate) fn spacing(&self) -> Spacing {
        self.spacing
    }

    /// The blocks in which a board has cells, in ascending order.
    pub(crate) fn blocks(&self) -> &[Block] {
        &self.blocks
    }

    /// The cells of a board in as few runs as there are.
    pub(crate) fn runs(&self) -> impl Iterator<Item = Run> {
        let places = self.places.chunk_by(|&place, &next| next == place + 1);
        places.scan(0, |cell, places| {
            let run = Run { cell: *cell, place: places[0], cells: places.len() };
            *cell += places.len();
            Some(run)
        })
    }

    /// Places before the first cell of the first board.
    fn margin(&self) -> usize {
        REACH * (self.spacing.row + 1)
    }
}

impl Spacing {
    /// Places from a cell to its neighbour under a square kernel of this side, at most 3.
    pub(crate) fn offset(self, kernel: usize, tap: usize) -> isize {
        let reach = kernel / 2;
        assert!(reach <= REACH && tap < kernel * kernel, "the border is wide enough");
        let [down, right] = [tap / kernel, tap % kernel].map(|at| at as isize - reach as isize);
        down * self.row as isize + right
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Two boards of 3x4 without the first cell: rows of five places, boards of four rows.
    #[test]
    fn boards_share_their_borders() {
        let framed = Framed::new(1..12, [3, 4], &[0; 11]);
        assert_eq!([framed.start(0), framed.start(1)], [6, 26]);
        assert_eq!([framed.places()[0], framed.places()[3], framed.places()[10]], [1, 5, 13]);
        let runs: Vec<_> = framed.runs().map(|run| [run.cell, run.place, run.cells]).collect();
        assert_eq!(runs, [[0, 1, 3], [3, 5, 4], [7, 10, 4]]);
        let blocks: Vec<_> = framed.blocks().iter().map(|it| (it.first, it.cells.len())).collect();
        assert_eq!(blocks, [(0, 11)]);
        assert_eq!(framed.room(2), 6 + 20 + 16 + 6);
        let offsets = [0, 1, 4, 5, 8].map(|tap| framed.spacing().offset(3, tap));
        assert_eq!((offsets, framed.spacing().offset(1, 0)), ([-6, -5, 0, 1, 6], 0));
    }

    #[test]
    fn cells_are_in_the_block_of_their_place() {
        let framed = Framed::new(0..64, [8, 8], &[0; 64]);
        assert_eq!(framed.blocks().len(), 5);
        for block in framed.blocks() {
            let is_there = |it: &FramedCell| framed.places()[it.cell] == block.first + it.slot;
            assert!(block.first.is_multiple_of(TOGETHER) && block.cells.iter().all(is_there));
        }
        assert_eq!(framed.blocks().iter().map(|block| block.cells.len()).sum::<usize>(), 64);
    }

    /// Whatever is not a cell of a board remains zero, so that nothing is read beyond it.
    #[test]
    fn neighbours_beyond_the_board_are_in_the_border() {
        let (height, width) = (3, 4);
        let framed = Framed::new(0..12, [height, width], &[0; 12]);
        let cells: Vec<_> = (0..2)
            .flat_map(|board| (0..12).map(move |cell| (board, cell)))
            .map(|(board, cell)| framed.start(board) + framed.places()[cell])
            .collect();
        for (index, &place) in cells.iter().enumerate() {
            for tap in 0..9 {
                let neighbour = place.checked_add_signed(framed.spacing().offset(3, tap)).unwrap();
                let row = (index % 12 / width + tap / 3).checked_sub(1).filter(|&it| it < height);
                let column = (index % width + tap % 3).checked_sub(1).filter(|&it| it < width);
                assert_eq!(cells.contains(&neighbour), row.is_some() && column.is_some());
                assert!(neighbour < framed.room(2));
            }
        }
    }
}
