//! The cells that a convolution reads for each cell of a board.

/// A neighbour that a convolution reads.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Tap {
    /// Index of its weights in the kernel: row by row, `0..9` for a 3x3 kernel.
    pub index: usize,
    /// Offset from the index of the computed cell to that of the neighbour.
    pub offset: isize,
}

/// Cells with the same neighbours on the board, which can share a tile.
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
    /// For each tap of the kernel, the cells that have this neighbour.
    neighbours: Vec<(Tap, Vec<u32>)>,
}

impl Geometry {
    /// The geometry of a board under a square kernel, whose side `kernel` is odd.
    pub(crate) fn new(height: usize, width: usize, kernel: usize) -> Self {
        let mut classes: Vec<CellClass> = Vec::new();
        for cell in 0..height * width {
            let taps = taps(cell, [height, width], kernel);
            let indices = |taps: &[Tap]| taps.iter().map(|tap| tap.index).collect::<Vec<_>>();
            match classes.iter_mut().find(|class| indices(&class.taps) == indices(&taps)) {
                Some(class) => class.cells.push(cell),
                None => classes.push(CellClass { cells: vec![cell], taps }),
            }
        }
        let neighbours = neighbours(&classes);
        Self { cells: height * width, kernel, classes, neighbours }
    }

    /// Number of cells of the board.
    pub(crate) fn cells(&self) -> usize {
        self.cells
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

    /// The taps of the kernel that any cell has, each with the cells that have this neighbour. For
    /// each of them, `cell + offset` is a cell of the board.
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
            match neighbours.iter_mut().find(|(known, _)| known.index == tap.index) {
                Some((_, known)) => known.extend(cells),
                None => neighbours.push((*tap, cells.collect())),
            }
        }
    }
    neighbours.iter_mut().for_each(|(_, cells)| cells.sort_unstable());
    neighbours
}

/// The neighbours of a cell that are on the board.
fn taps(cell: usize, [height, width]: [usize; 2], kernel: usize) -> Vec<Tap> {
    let reach = (kernel / 2) as isize;
    let (row, column) = ((cell / width) as isize, (cell % width) as isize);
    let (rows, columns) = (0..height as isize, 0..width as isize);
    (0..kernel * kernel)
        .map(|index| (index, (index / kernel) as isize - reach, (index % kernel) as isize - reach))
        .filter(|&(_, down, right)| {
            rows.contains(&(row + down)) && columns.contains(&(column + right))
        })
        .map(|(index, down, right)| Tap { index, offset: down * width as isize + right })
        .collect()
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

    #[test]
    fn small_boards_have_few_classes() {
        assert_eq!(Geometry::new(1, 1, 3).reads(), 1);
        assert_eq!(Geometry::new(1, 4, 3).classes().len(), 3);
        assert_eq!(Geometry::new(9, 9, 1).classes().len(), 1);
    }
}
