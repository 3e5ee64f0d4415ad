//! The mean of a table of scores whose rows and columns were drawn at random.

use super::{Estimate, Z95};

/// 97.5 % quantiles of Student's t for 1, 2, ... degrees of freedom.
const STUDENT: [f64; 20] = [
    12.706, 4.303, 3.182, 2.776, 2.571, 2.447, 2.365, 2.306, 2.262, 2.228, 2.201, 2.179, 2.160,
    2.145, 2.131, 2.120, 2.110, 2.101, 2.093, 2.086,
];

/// The 97.5 % quantile of Student's t for one degree of freedom or more. Beyond the table these are
/// the first terms of its expansion (Abramowitz and Stegun 1964, 26.7.5), right to 0.0005.
fn student(degrees: usize) -> f64 {
    let known = STUDENT.get(degrees.saturating_sub(1)).copied();
    known.unwrap_or_else(|| {
        let (z, n) = (Z95, degrees as f64);
        let first = (z.powi(3) + z) / 4.0;
        let second = (5.0 * z.powi(5) + 16.0 * z.powi(3) + 3.0 * z) / 96.0;
        z + first / n + second / (n * n)
    })
}

/// The mean of a square table and its 95 % interval, which covers both what differs between rows
/// and what differs between columns. There must be two rows or more.
///
/// The variance is that of the means of rows and that of the means of columns; `n` of each have
/// `2 n - 2` degrees of freedom.
pub(crate) fn mean_of_table(table: &[Vec<f64>]) -> Estimate {
    let n = table.len();
    let rows: Vec<f64> = table.iter().map(|row| mean(row)).collect();
    let column = |at: usize| mean(&table.iter().map(|row| row[at]).collect::<Vec<_>>());
    let columns: Vec<f64> = (0..n).map(column).collect();
    let deviation = ((variance(&rows) + variance(&columns)) / n as f64).sqrt();
    let (value, reach) = (mean(&rows), student(2 * n - 2) * deviation);
    Estimate { value, low: value - reach, high: value + reach }
}

/// The mean; 0 of no numbers.
pub(crate) fn mean(numbers: &[f64]) -> f64 {
    numbers.iter().sum::<f64>() / numbers.len().max(1) as f64
}

/// The median; 0 of no numbers.
pub(crate) fn median(numbers: &[f64]) -> f64 {
    let mut sorted = numbers.to_vec();
    sorted.sort_by(f64::total_cmp);
    let half = sorted.len() / 2;
    match sorted.len() {
        0 => 0.0,
        odd if odd % 2 == 1 => sorted[half],
        _ => mean(&sorted[half - 1..=half]),
    }
}

/// The unbiased variance of two numbers or more.
fn variance(numbers: &[f64]) -> f64 {
    let centre = mean(numbers);
    let squares: f64 = numbers.iter().map(|number| (number - centre).powi(2)).sum();
    squares / (numbers.len() - 1) as f64
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_interval_covers_rows_and_columns() {
        // Means of rows 0.3, 0.5 and 0.7, of columns 0.4, 0.5 and 0.6: variances 0.04 and 0.01.
        let table = [[0.2, 0.3, 0.4], [0.4, 0.5, 0.6], [0.6, 0.7, 0.8]].map(Vec::from);
        let found = mean_of_table(&table);
        let reach = 2.776 * (0.05_f64 / 3.0).sqrt();
        for (found, expected) in
            [(found.value, 0.5), (found.low, 0.5 - reach), (found.high, 0.5 + reach)]
        {
            assert!((found - expected).abs() < 1e-12, "{found}, not {expected}");
        }
        let turned: Vec<Vec<f64>> =
            (0..3).map(|at| table.iter().map(|row| row[at]).collect()).collect();
        assert!((mean_of_table(&turned).high - found.high).abs() < 1e-12);
    }

    #[test]
    fn quantiles_go_on_beyond_the_table() {
        assert_eq!(student(1), 12.706);
        // Of the table of Student's t in Abramowitz and Stegun, 26.10.
        for (degrees, expected) in [(21, 2.080), (30, 2.042), (60, 2.000), (120, 1.980)] {
            assert!((student(degrees) - expected).abs() < 0.001, "{degrees}");
        }
    }

    #[test]
    fn medians_are_in_the_middle() {
        assert_eq!([median(&[]), median(&[3.0]), median(&[4.0, 1.0])], [0.0, 3.0, 2.5]);
        assert_eq!(median(&[9.0, 1.0, 2.0]), 2.0);
    }
}
