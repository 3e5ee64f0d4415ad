//! Board symmetries, as integer matrices about the centre of the board.
//!
//! A symmetry maps cells and displacements by the same matrix. The permutation of the action space
//! is computed from it, never written by hand.

use crate::games::Spec;

/// A linear map `(x, y) -> (xx * x + xy * y, yx * x + yy * y)` of the plane about the centre of the
/// board, with `x` to the right and `y` down.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct Matrix {
    xx: i32,
    xy: i32,
    yx: i32,
    yy: i32,
}

const fn matrix(xx: i32, xy: i32, yx: i32, yy: i32) -> Matrix {
    Matrix::new(xx, xy, yx, yy)
}

/// No symmetry but the identity.
pub const TRIVIAL: &[Matrix] = &[matrix(1, 0, 0, 1)];

/// The left-right mirror of a rectangular board.
pub const MIRROR: &[Matrix] = &[matrix(1, 0, 0, 1), matrix(-1, 0, 0, 1)];

/// The four symmetries of a rectangular board: the identity, both mirrors and the half turn.
pub const RECTANGLE: &[Matrix] =
    &[matrix(1, 0, 0, 1), matrix(-1, 0, 0, 1), matrix(1, 0, 0, -1), matrix(-1, 0, 0, -1)];

/// The rotation of a rectangular or rhombic board by 180 degrees.
pub const HALF_TURN: &[Matrix] = &[matrix(1, 0, 0, 1), matrix(-1, 0, 0, -1)];

/// The eight symmetries of a square board.
pub const SQUARE: &[Matrix] = &[
    matrix(1, 0, 0, 1),
    matrix(0, -1, 1, 0),
    matrix(-1, 0, 0, -1),
    matrix(0, 1, -1, 0),
    matrix(-1, 0, 0, 1),
    matrix(1, 0, 0, -1),
    matrix(0, 1, 1, 0),
    matrix(0, -1, -1, 0),
];

/// The twelve symmetries of a hexagonal board in skewed coordinates: the powers of the rotation by
/// 60 degrees `(x, y) -> (x + y, -x)`, and the same after exchanging `x` and `y`.
///
/// In skewed coordinates the six neighbours of a cell are
/// `(1, 0) (1, -1) (0, -1) (-1, 0) (-1, 1) (0, 1)`: in the square array, horizontal, vertical and
/// rising diagonal neighbours touch, and falling diagonal neighbours do not.
pub const HEXAGON: &[Matrix] = &[
    matrix(1, 0, 0, 1),
    matrix(1, 1, -1, 0),
    matrix(0, 1, -1, -1),
    matrix(-1, 0, 0, -1),
    matrix(-1, -1, 1, 0),
    matrix(0, -1, 1, 1),
    matrix(0, 1, 1, 0),
    matrix(1, 1, 0, -1),
    matrix(1, 0, -1, -1),
    matrix(0, -1, -1, 0),
    matrix(-1, -1, 0, 1),
    matrix(-1, 0, 1, 1),
];

impl Matrix {
    /// The map `(x, y) -> (xx * x + xy * y, yx * x + yy * y)`. A game lists its symmetries
    /// beginning with the identity, and with two of them also their composition.
    pub const fn new(xx: i32, xy: i32, yx: i32, yy: i32) -> Self {
        Self { xx, xy, yx, yy }
    }

    /// The image of the vector `(x, y)`.
    pub const fn apply(self, x: i32, y: i32) -> (i32, i32) {
        (self.xx * x + self.xy * y, self.yx * x + self.yy * y)
    }

    /// The composition that applies first `self`, then `next`.
    pub const fn then(self, next: Self) -> Self {
        let (xx, yx) = next.apply(self.xx, self.yx);
        let (xy, yy) = next.apply(self.xy, self.yy);
        matrix(xx, xy, yx, yy)
    }
}

/// A symmetry of a game with a given [`Spec`], as permutations of its cells and its actions.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Permutation {
    cells: Vec<u16>,
    actions: Vec<u16>,
}

impl Permutation {
    /// The permutations of all `symmetries` for a game with this `spec`.
    ///
    /// A symmetry of the hexagon maps some corners of the square array outside it. These cells are
    /// mapped to the remaining ones in order. They are not on the board, so no action there is ever
    /// legal.
    pub fn all(spec: &Spec, symmetries: &[Matrix]) -> Vec<Self> {
        symmetries.iter().map(|&m| Self::new(spec, m)).collect()
    }

    fn new(spec: &Spec, matrix: Matrix) -> Self {
        let area = spec.cells();
        let image = |cell: usize| image_of_cell(spec, matrix, cell);
        let cells = completed((0..area).map(image).collect());
        let mut actions = Vec::with_capacity(spec.actions());
        for &(dx, dy) in spec.displacements {
            let moved = matrix.apply(i32::from(dx), i32::from(dy));
            let plane = spec
                .displacements
                .iter()
                .position(|&(x, y)| (i32::from(x), i32::from(y)) == moved)
                .expect("a symmetry of a game maps its displacements onto each other");
            actions.extend(cells.iter().map(|&cell| (plane * area) as u16 + cell));
        }
        if spec.pass {
            actions.push((spec.actions() - 1) as u16);
        }
        Self { cells, actions }
    }

    /// The image of a cell.
    pub fn cell(&self, cell: usize) -> usize {
        usize::from(self.cells[cell])
    }

    /// The image of an action.
    pub fn action(&self, action: u16) -> u16 {
        self.actions[usize::from(action)]
    }

    /// Writes the image of an observation, `[planes, height, width]`, into `out`.
    pub fn observation(&self, observation: &[f32], out: &mut [f32]) {
        let area = self.cells.len();
        for (from, to) in observation.chunks_exact(area).zip(out.chunks_exact_mut(area)) {
            for (value, &cell) in from.iter().zip(&self.cells) {
                to[usize::from(cell)] = *value;
            }
        }
    }
}

/// The image of `cell` under `matrix`, or `None` if it is outside the array. Coordinates are
/// doubled so that the centre of a board of even size is an integer point too.
fn image_of_cell(spec: &Spec, matrix: Matrix, cell: usize) -> Option<u16> {
    let (width, height) = (spec.width as i32, spec.height as i32);
    let x = 2 * (cell as i32 % width) - (width - 1);
    let y = 2 * (cell as i32 / width) - (height - 1);
    let (x, y) = matrix.apply(x, y);
    let (column, row) = (x + width - 1, y + height - 1);
    let inside = column % 2 == 0 && row % 2 == 0;
    let (column, row) = (column / 2, row / 2);
    let inside = inside && (0..width).contains(&column) && (0..height).contains(&row);
    inside.then_some((row * width + column) as u16)
}

/// Completes a partial injection of cells to a permutation: cells without an image are mapped to
/// the unused ones in order.
fn completed(images: Vec<Option<u16>>) -> Vec<u16> {
    let mut taken = vec![false; images.len()];
    images.iter().flatten().for_each(|&cell| taken[usize::from(cell)] = true);
    let mut free = (0..images.len() as u16).filter(|&cell| !taken[usize::from(cell)]);
    images
        .into_iter()
        .map(|image| {
            image.unwrap_or_else(|| free.next().expect("as many free cells as missing images"))
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn is_group(symmetries: &[Matrix]) -> bool {
        symmetries.iter().all(|&a| symmetries.iter().all(|&b| symmetries.contains(&a.then(b))))
    }

    #[test]
    fn each_family_is_a_group_that_starts_with_the_identity() {
        for family in [TRIVIAL, MIRROR, HALF_TURN, SQUARE, HEXAGON] {
            assert_eq!(family[0], matrix(1, 0, 0, 1));
            assert!(is_group(family));
            assert!(family.iter().enumerate().all(|(i, a)| !family[..i].contains(a)));
        }
    }

    #[test]
    fn the_hexagon_keeps_its_neighbours() {
        let neighbours = [(1, 0), (1, -1), (0, -1), (-1, 0), (-1, 1), (0, 1)];
        for matrix in HEXAGON {
            assert!(neighbours.iter().all(|&(x, y)| neighbours.contains(&matrix.apply(x, y))));
        }
        let turned = neighbours.map(|(x, y)| HEXAGON[1].apply(x, y));
        assert!(turned.iter().eq(neighbours.iter().cycle().skip(1).take(6)), "a sixth of a turn");
    }

    #[test]
    fn a_mirror_exchanges_columns_and_directions() {
        let spec =
            Spec { planes: 1, height: 2, width: 3, displacements: &[(1, 0), (-1, 0)], pass: true };
        let mirror = &Permutation::all(&spec, MIRROR)[1];
        let mut out = [0.0; 6];
        mirror.observation(&[1.0, 2.0, 3.0, 4.0, 5.0, 6.0], &mut out);
        assert_eq!(out, [3.0, 2.0, 1.0, 6.0, 5.0, 4.0]);
        assert_eq!(mirror.action(0), 6 + 2, "cell 0 to the right becomes cell 2 to the left");
        assert_eq!(mirror.action(12), 12, "a pass stays a pass");
    }
}
