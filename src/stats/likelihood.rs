//! Maximum likelihood distributions of pair results under a constraint, as the sequential test
//! needs them.

use super::pentanomial::{SCORES, moment};

/// Returns the distribution with mean `mean` that maximises the likelihood of `shares`, or none if
/// the mean is not between 0 and 1. All shares must be positive.
///
/// By Lagrange's method it is `share / (1 + x * (score - mean))` for one number `x`.
pub(super) fn with_mean(shares: &[f64; 5], mean: f64) -> Option<[f64; 5]> {
    tilted(shares, &SCORES.map(|score| score - mean))
}

/// Returns the distribution with mean `t` standard deviations above one half that maximises the
/// likelihood of `shares`, as closely as the iteration approaches it.
///
/// Each iteration linearises the constraint about the last distribution, which makes it a
/// constraint on a mean (M. Van den Bergh, *Normalized Elo practical*, 2020).
pub(super) fn with_t_value(shares: &[f64; 5], t: f64) -> [f64; 5] {
    const MAX_STEPS: usize = 50;
    const TOLERANCE: f64 = 1e-11;
    let mut found = [0.2; 5];
    for _ in 0..MAX_STEPS {
        let mean = moment(&found, 0.0, 1);
        let deviation = moment(&found, mean, 2).sqrt();
        let constraint = SCORES.map(|score| {
            let distance = (score - mean) / deviation;
            score - 0.5 - t * deviation * (1.0 + distance * distance) / 2.0
        });
        let Some(next) = tilted(shares, &constraint) else {
            break;
        };
        let change = next.iter().zip(found).map(|(next, last)| (next - last).abs());
        let change = change.fold(0.0, f64::max);
        found = next;
        if change < TOLERANCE {
            break;
        }
    }
    found
}

/// `share / (1 + x * value)` with the `x` that makes the mean of the values zero; none unless some
/// values are negative and some positive.
fn tilted(shares: &[f64; 5], values: &[f64; 5]) -> Option<[f64; 5]> {
    let lowest = values.iter().copied().fold(f64::INFINITY, f64::min);
    let highest = values.iter().copied().fold(f64::NEG_INFINITY, f64::max);
    if !(lowest < 0.0 && highest > 0.0) {
        return None;
    }
    let x = root(shares, values, [-1.0 / highest, -1.0 / lowest]);
    let mut tilted = *shares;
    tilted.iter_mut().zip(values).for_each(|(share, value)| *share /= 1.0 + x * value);
    Some(tilted)
}

/// The zero of the sum of `share * value / (1 + x * value)`, which falls from infinity to minus
/// infinity between the poles `low` and `high`. A step of Newton's method that would leave the
/// bracket is replaced by bisection.
fn root(shares: &[f64; 5], values: &[f64; 5], [mut low, mut high]: [f64; 2]) -> f64 {
    const MAX_STEPS: usize = 200;
    let mut x = 0.0;
    for _ in 0..MAX_STEPS {
        let (mut sum, mut slope) = (0.0, 0.0);
        for (share, value) in shares.iter().zip(values) {
            let part = value / (1.0 + x * value);
            sum += share * part;
            slope -= share * part * part;
        }
        if sum > 0.0 {
            low = x;
        } else {
            high = x;
        }
        let newton = x - sum / slope;
        let next = if low <= newton && newton <= high { newton } else { f64::midpoint(low, high) };
        let step = (next - x).abs();
        x = next;
        if step <= 1e-15 * (1.0 + x.abs()) {
            break;
        }
    }
    x
}

#[cfg(test)]
mod tests {
    use super::*;

    const SHARES: [f64; 5] = [0.1, 0.2, 0.4, 0.2, 0.1];

    #[test]
    fn a_distribution_that_meets_the_constraint_is_unchanged() {
        for found in [with_mean(&SHARES, 0.5), Some(with_t_value(&SHARES, 0.0))] {
            let found = found.unwrap_or_default();
            assert!(found.iter().zip(SHARES).all(|(found, share)| (found - share).abs() < 1e-12));
        }
    }

    #[test]
    fn the_constraints_are_met_by_a_distribution() {
        let uneven = [0.02, 0.3, 0.08, 0.5, 0.1];
        for mean in [0.05, 0.3, 0.5, 0.7, 0.95] {
            let found = with_mean(&uneven, mean).unwrap_or_default();
            assert!((found.iter().sum::<f64>() - 1.0).abs() < 1e-10);
            assert!((moment(&found, 0.0, 1) - mean).abs() < 1e-10);
        }
        for t in [-0.5, -0.1, 0.0, 0.01, 0.3] {
            let found = with_t_value(&uneven, t);
            let mean = moment(&found, 0.0, 1);
            let reached = (mean - 0.5) / moment(&found, mean, 2).sqrt();
            assert!((found.iter().sum::<f64>() - 1.0).abs() < 1e-8);
            assert!((reached - t).abs() < 1e-8, "{reached}, not {t}");
        }
    }

    #[test]
    fn an_impossible_mean_has_no_distribution() {
        assert_eq!(with_mean(&SHARES, 1.0), None);
        assert_eq!(with_mean(&SHARES, -0.1), None);
    }
}
