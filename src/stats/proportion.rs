//! The confidence interval of a share of successes.

use super::{Estimate, Z95};

/// Returns the share of successes among independent trials with the 95 % interval of E. B. Wilson
/// (1927), or none without trials. The interval has a positive width even if all or none succeeded.
pub(crate) fn wilson(successes: u64, trials: u64) -> Option<Estimate> {
    if trials == 0 {
        return None;
    }
    let (count, share) = (trials as f64, successes as f64 / trials as f64);
    let squared = Z95 * Z95;
    let centre = (share + squared / (2.0 * count)) / (1.0 + squared / count);
    let spread = (share * (1.0 - share) / count + squared / (4.0 * count * count)).sqrt();
    let margin = Z95 * spread / (1.0 + squared / count);
    // Rounding could otherwise exclude the share itself from the interval.
    let (low, high) = ((centre - margin).clamp(0.0, share), (centre + margin).clamp(share, 1.0));
    Some(Estimate { value: share, low, high })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn intervals_are_those_of_the_formula() {
        // Wilson's bounds p solve the quadratic (share - p)^2 = z^2 p (1 - p) / n.
        for (successes, trials) in [(0, 10), (3, 10), (10, 10), (81, 263), (500, 1000)] {
            let found = wilson(successes, trials).unwrap();
            for bound in [found.low, found.high] {
                let distance = (found.value - bound).powi(2);
                let allowed = Z95 * Z95 * bound * (1.0 - bound) / trials as f64;
                assert!((distance - allowed).abs() < 1e-12, "{successes}/{trials}: {found:?}");
            }
            assert!(found.low <= found.value && found.value <= found.high);
        }
        assert!((wilson(81, 263).unwrap().low - 0.2553).abs() < 5e-5, "Newcombe 1998, table I");
        assert!((wilson(81, 263).unwrap().high - 0.3662).abs() < 5e-5);
        assert_eq!(wilson(0, 0), None);
    }
}
