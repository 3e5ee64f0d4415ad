//! The cells that a convolution reads for each cell of a board.
//!
//! Only cells of the board are computed and stored, so the offset to a neighbour may differ from
//! one row to the next.

use super::framed::Framed;
use crate::nn::Board;

/// A neighbour that a convolution reads.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Tap {
    /// Index of its weights in the kernel: row by row, `0..9` for a 3x3 kernel.
    pub index: usize,
    /// Offset from the index of the computed cell to that of the neighbour.
    pub offset: isize,
}

/// Cells whose neighbours on the board have the same offsets, which can share a tile.
#[derive(Clone, Debug)]
struct CellClass {
    cells: Vec<usize>,
    taps: Vec<Tap>,
}

/// The cells of a board and their neighbours under a kernel.
#[derive(Clone, Debug)]
pub(crate) struct Geometry {
    cells: usize,
    kernel: usize,
    classes: Vec<CellClass>,
    /// For each neighbour, the cells that have it.
    neighbours: Vec<(Tap, Vec<u32>)>,
    /// The same cells within a border.
    framed: Framed,
}

impl Geometry {
    /// The geometry of a board under a square kernel, whose side `kernel` is odd.
    pub(crate) fn of(board: &Board, kernel: usize) -> Self {
        let spec = board.spec();
        Self::of_cells(board.cells(), [spec.height, spec.width], kernel)
    }

    /// The same for a board that has all cells of its frame.
    pub(crate) fn new(height: usize, width: usize, kernel: usize) -> Self {
        Self::of_cells(0..height * width, [height, width], kernel)
    }

    /// The same for some cells of the frame, in ascending order.
    fn of_cells(
        cells: impl ExactSizeIterator<Item = usize> + Clone,
        frame: [usize; 2],
        kernel: usize,
    ) -> Self {
        let mut numbers = vec![None; frame[0] * frame[1]];
        cells.clone().enumerate().for_each(|(number, cell)| numbers[cell] = Some(number));
        let mut classes: Vec<CellClass> = Vec::new();
        let mut class_of_cells = Vec::with_capacity(cells.len());
        for (number, cell) in cells.clone().enumerate() {
            let taps = taps(cell, frame, kernel).filter_map(|(index, neighbour)| {
                let offset = numbers[neighbour]? as isize - number as isize;
                Some(Tap { index, offset })
            });
            let taps: Vec<Tap> = taps.collect();
            let known = classes.iter().position(|class| class.taps == taps);
            let class = known.unwrap_or(classes.len());
            match known {
                Some(class) => classes[class].cells.push(number),
                None => classes.push(CellClass { cells: vec![number], taps }),
            }
            class_of_cells.push(class);
        }
        let neighbours = neighbours(&classes);
        let framed = Framed::new(cells.clone(), frame, &class_of_cells);
        Self { cells: cells.len(), kernel, classes, neighbours, framed }
    }

    /// Number of cells of the board.
    pub(crate) fn cells(&self) -> usize {
        self.cells
    }

    /// Side of the kernel.
    pub(crate) fn kernel(&self) -> usize {
        self.kernel
    }

    /// The cells within a border of zeros.
    pub(crate) fn framed(&self) -> &Framed {
        &self.framed
    }

    /// Number of weights of the kernel for each pair of channels.
    pub(crate) fn taps(&self) -> usize {
        self.kernel * self.kernel
    }

    /// The classes of cells: their cells, at least one and in ascending order, and their
    /// neighbours. For each cell and neighbour, `cell + offset` is a cell of the board.
    pub(crate) fn classes(&self) -> impl ExactSizeIterator<Item = (&[usize], &[Tap])> {
        self.classes.iter().map(|class| (&*class.cells, &*class.taps))
    }

    /// The neighbours that any cell has, each with these cells. The same tap of the kernel may come
    /// with several offsets. For each of the cells, `cell + offset` is a cell of the board.
    pub(crate) fn neighbours(&self) -> impl Iterator<Item = (Tap, &[u32])> {
        self.neighbours.iter().map(|(tap, cells)| (*tap, &**cells))
    }

    /// Number of neighbours of all cells together.
    pub(crate) fn reads(&self) -> usize {
        self.classes.iter().map(|class| class.cells.len() * class.taps.len()).sum()
    }
}

/// Groups the cells of all classes by tap.
fn neighbours(classes: &[CellClass]) -> Vec<(Tap, Vec<u32>)> {
    let mut neighbours: Vec<(Tap, Vec<u32>)> = Vec::new();
    for class in classes {
        for tap in &class.taps {
            let cells = class.cells.iter().map(|&cell| cell as u32);
            match neighbours.iter_mut().find(|(known, _)| known == tap) {
                Some((_, known)) => known.extend(cells),
                None => neighbours.push((*tap, cells.collect())),
            }
        }
    }
    neighbours.iter_mut().for_each(|(_, cells)| cells.sort_unstable());
    neighbours
}

/// The neighbours of a cell that are in the frame, each with the index of its weights.
fn taps(
    cell: usize,
    [height, width]: [usize; 2],
    kernel: usize,
) -> impl Iterator<Item = (usize, usize)> {
    let neighbour = move |index: usize| {
        let reach = kernel / 2;
        let row = (cell / width + index / kernel).checked_sub(reach)?;
        let column = (cell % width + index % kernel).checked_sub(reach)?;
        (row < height && column < width).then_some((index, row * width + column))
    };
    (0..kernel * kernel).filter_map(neighbour)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn borders_are_not_read() {
        let board = Geometry::new(6, 7, 3);
        assert_eq!((board.cells(), board.taps(), board.classes().len()), (42, 9, 9));
        assert_eq!(board.reads(), (3 * 6 - 2) * (3 * 7 - 2));
        assert_eq!(board.classes().map(|(cells, _)| cells.len()).sum::<usize>(), 42);
        for (cells, taps) in board.classes() {
            for &cell in cells {
                let read = |tap: &Tap| cell.checked_add_signed(tap.offset);
                assert!(taps.iter().all(|tap| read(tap).is_some_and(|cell| cell < 42)));
            }
        }
    }

    /// A frame of 3x3 without the left cell of the second row.
    #[test]
    fn cells_that_are_not_there_are_not_read() {
        let board = Geometry::of_cells([0, 1, 2, 4, 5, 6, 7, 8].into_iter(), [3, 3], 3);
        assert_eq!((board.cells(), board.reads()), (8, 49 - 6 - 5));
        let (_, middle) = board.classes().find(|(cells, _)| *cells == [3]).unwrap();
        let offsets: Vec<_> = middle.iter().map(|tap| (tap.index, tap.offset)).collect();
        assert_eq!(offsets, [(0, -3), (1, -2), (2, -1), (4, 0), (5, 1), (6, 2), (7, 3), (8, 4)]);
        // The cell below is two numbers on in the first row, three in the second.
        let below = board.neighbours().filter(|(tap, _)| tap.index == 7);
        let below: Vec<_> = below.map(|(tap, cells)| (tap.offset, cells.to_vec())).collect();
        assert_eq!(below, [(2, vec![1, 2]), (3, vec![3, 4])]);
    }

    #[test]
    fn small_boards_have_few_classes() {
        assert_eq!(Geometry::new(1, 1, 3).reads(), 1);
        assert_eq!(Geometry::new(1, 4, 3).classes().len(), 3);
        assert_eq!(Geometry::new(9, 9, 1).classes().len(), 1);
    }
}
