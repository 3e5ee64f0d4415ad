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
    ///
    /// The zeros at the beginning of a row stay zeros, and cost nothing.
    pub(super) fn cholesky(&self) -> Option<Lower> {
        let begins = (0..self.size).map(|row| {
            let filled = |&column: &usize| self[[row, column]] != 0.0;
            (0..row).find(filled).unwrap_or(row)
        });
        let begins: Vec<usize> = begins.collect();
        let mut lower = Self::zeros(self.size);
        for row in 0..self.size {
            for column in begins[row]..=row {
                let common = begins[row].max(begins[column])..column;
                let inner: f64 = common.map(|k| lower[[row, k]] * lower[[column, k]]).sum();
                let rest = self[[row, column]] - inner;
                lower[[row, column]] = match row == column {
                    true if rest > 0.0 => rest.sqrt(),
                    true => return None,
                    false => rest / lower[[column, column]],
                };
            }
        }
        Some(Lower { cells: lower, begins })
    }
}

/// The lower triangular factor `L` of a matrix `L L^T`.
#[derive(Clone, PartialEq, Debug)]
pub(super) struct Lower {
    cells: Matrix,
    /// The first column of each row that is not zero.
    begins: Vec<usize>,
}

impl Lower {
    /// Solves `L L^T x = b` for `x`.
    pub(super) fn solve(&self, b: &[f64]) -> Vec<f64> {
        let mut x = b.to_vec();
        self.solve_from(0, &mut x);
        x
    }

    /// Replaces `b`, which is zero before `from`, by the solution.
    fn solve_from(&self, from: usize, b: &mut [f64]) {
        let Self { cells, begins } = self;
        for row in from..b.len() {
            let known: f64 = (begins[row]..row).map(|k| cells[[row, k]] * b[k]).sum();
            b[row] = (b[row] - known) / cells[[row, row]];
        }
        for row in (0..b.len()).rev() {
            let value = b[row] / cells[[row, row]];
            b[row] = value;
            (begins[row]..row).for_each(|k| b[k] -= cells[[row, k]] * value);
        }
    }

    /// The inverse of `L L^T`.
    pub(super) fn inverse(&self) -> Matrix {
        let size = self.cells.size;
        let mut inverse = Matrix::zeros(size);
        // It is symmetric, so that rows are columns.
        for (row, unit) in inverse.cells.chunks_exact_mut(size.max(1)).enumerate() {
            unit[row] = 1.0;
            self.solve_from(row, unit);
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
    fn zeros_at_the_beginning_of_rows_are_used() {
        // A chain, and a row that is filled.
        let size = 12;
        let mut matrix = Matrix::zeros(size);
        for index in 0..size {
            matrix[[index, index]] = 4.0 + index as f64;
            for (row, column) in [(index, index.saturating_sub(1)), (size - 1, index)] {
                if row != column {
                    matrix[[row, column]] = 0.3 - 0.1 * column as f64;
                    matrix[[column, row]] = matrix[[row, column]];
                }
            }
        }
        let lower = matrix.cholesky().unwrap();
        assert_eq!(lower.begins, [0, 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 0]);
        let inverse = lower.inverse();
        for (row, column) in (0..size).flat_map(|row| (0..size).map(move |column| (row, column))) {
            let cell: f64 = (0..size).map(|k| matrix[[row, k]] * inverse[[k, column]]).sum();
            assert!((cell - f64::from(u8::from(row == column))).abs() < 1e-12, "{row} {column}");
        }
    }

    #[test]
    fn what_is_not_positive_definite_is_refused() {
        let mut matrix = Matrix::zeros(2);
        (matrix[[0, 0]], matrix[[1, 0]], matrix[[1, 1]]) = (1.0, 2.0, 1.0);
        assert_eq!(matrix.cholesky(), None);
    }
}
