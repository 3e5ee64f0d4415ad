//! Linear algebra for ratings: Cholesky decomposition of symmetric positive definite matrices.

use std::ops::{Index, IndexMut};

/// A square matrix, row by row.
#[derive(Clone, PartialEq, Debug)]
pub(super) struct Matrix {
    size: usize,
    cells: Vec<f64>,
}

impl Matrix {
    /// The matrix of zeros with `size` rows and columns.
    pub(super) fn zeros(size: usize) -> Self {
        Self { size, cells: vec![0.0; size * size] }
    }

    /// Returns the lower triangular `L` such that `L L^T` is this matrix, or none if the matrix is
    /// not positive definite. Only the lower triangle of the matrix is read.
    pub(super) fn cholesky(&self) -> Option<Self> {
        let mut lower = Self::zeros(self.size);
        for row in 0..self.size {
            for column in 0..=row {
                let inner: f64 = (0..column).map(|k| lower[[row, k]] * lower[[column, k]]).sum();
                let rest = self[[row, column]] - inner;
                lower[[row, column]] = match row == column {
                    true if rest > 0.0 => rest.sqrt(),
                    true => return None,
                    false => rest / lower[[column, column]],
                };
            }
        }
        Some(lower)
    }

    /// Solves `L L^T x = b` for `x`, where `L` is this lower triangular matrix.
    pub(super) fn solve(&self, b: &[f64]) -> Vec<f64> {
        let mut x = b.to_vec();
        for row in 0..self.size {
            let known: f64 = (0..row).map(|k| self[[row, k]] * x[k]).sum();
            x[row] = (x[row] - known) / self[[row, row]];
        }
        for row in (0..self.size).rev() {
            let known: f64 = (row + 1..self.size).map(|k| self[[k, row]] * x[k]).sum();
            x[row] = (x[row] - known) / self[[row, row]];
        }
        x
    }

    /// The inverse of `L L^T`, where `L` is this lower triangular matrix.
    pub(super) fn inverse(&self) -> Self {
        let mut inverse = Self::zeros(self.size);
        let mut unit = vec![0.0; self.size];
        for column in 0..self.size {
            unit[column] = 1.0;
            for (row, value) in self.solve(&unit).into_iter().enumerate() {
                inverse[[row, column]] = value;
            }
            unit[column] = 0.0;
        }
        inverse
    }
}

impl Index<[usize; 2]> for Matrix {
    type Output = f64;

    fn index(&self, [row, column]: [usize; 2]) -> &f64 {
        &self.cells[row * self.size + column]
    }
}

impl IndexMut<[usize; 2]> for Matrix {
    fn index_mut(&mut self, [row, column]: [usize; 2]) -> &mut f64 {
        &mut self.cells[row * self.size + column]
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_inverse_times_the_matrix_is_one() {
        let mut matrix = Matrix::zeros(3);
        for (row, cells) in [[4.0, 1.0, -2.0], [1.0, 5.0, 0.5], [-2.0, 0.5, 3.0]].iter().enumerate()
        {
            cells.iter().enumerate().for_each(|(column, &cell)| matrix[[row, column]] = cell);
        }
        let inverse = matrix.cholesky().map(|lower| lower.inverse());
        let inverse = inverse.unwrap_or_else(|| Matrix::zeros(3));
        for (row, column) in (0..3).flat_map(|row| (0..3).map(move |column| (row, column))) {
            let cell: f64 = (0..3).map(|k| matrix[[row, k]] * inverse[[k, column]]).sum();
            assert!((cell - f64::from(u8::from(row == column))).abs() < 1e-12);
        }
    }

    #[test]
    fn what_is_not_positive_definite_is_refused() {
        let mut matrix = Matrix::zeros(2);
        (matrix[[0, 0]], matrix[[1, 0]], matrix[[1, 1]]) = (1.0, 2.0, 1.0);
        assert_eq!(matrix.cholesky(), None);
    }
}
