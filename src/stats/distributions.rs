//! The normal and the chi-square distribution, computed from the incomplete gamma function.

/// Returns the probability that a standard normal variable is below `z`.
pub(crate) fn normal_cdf(z: f64) -> f64 {
    let tail = gamma_tail(1, z * z / 2.0) / 2.0;
    if z < 0.0 { tail } else { 1.0 - tail }
}

/// Returns the probability that a chi-square variable with `degrees` degrees of freedom exceeds
/// `value`. It is 1 for 0 degrees of freedom.
pub(crate) fn chi_square_tail(value: f64, degrees: u32) -> f64 {
    gamma_tail(degrees, value / 2.0)
}

/// The regularised upper incomplete gamma function `Q(halves / 2, x)`. It is computed by the series
/// of its complement where that converges fast, elsewhere by the continued fraction (Abramowitz
/// and Stegun 1964, 6.5.29 and 6.5.31).
fn gamma_tail(halves: u32, x: f64) -> f64 {
    if halves == 0 || x <= 0.0 {
        return 1.0;
    }
    let a = f64::from(halves) / 2.0;
    let factor = (a * x.ln() - x - log_gamma(halves)).exp();
    if x < a + 1.0 { 1.0 - factor * series(a, x) } else { factor * fraction(a, x) }
}

/// `ln gamma(halves / 2)`, from 1/2 or 1 upwards by the recurrence `gamma(a + 1) = a gamma(a)`.
fn log_gamma(halves: u32) -> f64 {
    let (start, base) = match halves % 2 {
        0 => (1.0, 0.0),
        _ => (0.5, std::f64::consts::PI.ln() / 2.0),
    };
    let steps = halves.saturating_sub(1) / 2;
    (0..steps).map(|step| (start + f64::from(step)).ln()).sum::<f64>() + base
}

/// `1/a + x/(a(a+1)) + x^2/(a(a+1)(a+2)) + ...`
fn series(a: f64, x: f64) -> f64 {
    let (mut term, mut sum, mut next) = (1.0 / a, 1.0 / a, a);
    while term > sum * 1e-17 {
        next += 1.0;
        term *= x / next;
        sum += term;
    }
    sum
}

/// `1/(x+1-a- 1(1-a)/(x+3-a- 2(2-a)/(x+5-a- ...)))`, evaluated forwards by Lentz's method.
fn fraction(a: f64, x: f64) -> f64 {
    const TINY: f64 = 1e-300;
    const MAX_TERMS: u32 = 10_000;
    let mut denominator = x + 1.0 - a;
    let (mut ahead, mut behind) = (1.0 / TINY, 1.0 / denominator);
    let mut value = behind;
    for index in 1..MAX_TERMS {
        let index = f64::from(index);
        let numerator = index * (a - index);
        denominator += 2.0;
        let away_from_zero = |part: f64| if part.abs() < TINY { TINY } else { part };
        behind = 1.0 / away_from_zero(numerator * behind + denominator);
        ahead = away_from_zero(denominator + numerator / ahead);
        value *= ahead * behind;
        if (ahead * behind - 1.0).abs() < 1e-15 {
            break;
        }
    }
    value
}

#[cfg(test)]
mod tests {
    use super::*;

    fn near(found: f64, expected: f64) {
        assert!((found - expected).abs() < 1e-12 * expected.max(1e-3), "{found}, not {expected}");
    }

    #[test]
    fn the_normal_distribution_has_its_known_values() {
        near(normal_cdf(0.0), 0.5);
        near(normal_cdf(1.0), 0.841_344_746_068_542_9);
        near(normal_cdf(-1.959_963_984_540_054), 0.025);
        near(normal_cdf(-6.0), 9.865_876_450_376_946e-10);
        near(normal_cdf(3.0) + normal_cdf(-3.0), 1.0);
    }

    #[test]
    fn the_chi_square_distribution_has_its_known_values() {
        // With two degrees of freedom the tail is an exponential, with four it is an exponential
        // times a linear function.
        for value in [0.1, 1.0, 5.0, 30.0_f64] {
            near(chi_square_tail(value, 2), (-value / 2.0).exp());
            near(chi_square_tail(value, 4), (-value / 2.0).exp() * (1.0 + value / 2.0));
            near(chi_square_tail(value, 1), 2.0 * normal_cdf(-value.sqrt()));
        }
        assert_eq!(chi_square_tail(3.0, 0), 1.0);
        assert_eq!(chi_square_tail(0.0, 5), 1.0);
    }
}
