//! The choice of an action among those that a search weighed.

use rand::RngExt;

use crate::base::rng::Rng;
use crate::games::Action;

/// Chooses with probability proportional to `share ^ (1 / temperature)`; at temperature 0 the
/// largest share, the first of equal ones.
///
/// # Panics
///
/// If there are no actions.
pub fn pick(policy: &[(Action, f32)], temperature: f32, rng: &mut Rng) -> Action {
    let best =
        policy.iter().copied().reduce(|best, next| if next.1 > best.1 { next } else { best });
    let (best, largest) = best.expect("a search weighs at least one action");
    if temperature <= 0.0 {
        return best;
    }
    // Relative to the best, so that no power overflows however low the temperature.
    let weight =
        |share: f32| (f64::from(share) / f64::from(largest)).powf(1.0 / f64::from(temperature));
    let total: f64 = policy.iter().map(|&(_, share)| weight(share)).sum();
    let mut rest = rng.random::<f64>() * total;
    for &(action, share) in policy {
        rest -= weight(share);
        if rest < 0.0 {
            return action;
        }
    }
    best
}
