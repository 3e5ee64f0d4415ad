//! Sampling of an action from a policy.

use rand::RngExt;

use crate::base::rng::Rng;
use crate::games::Action;

/// Samples an action with probability proportional to `share ^ (1 / temperature)`. At temperature 0
/// returns the action with the largest share, the first of equal ones.
///
/// # Panics
///
/// If there are no actions.
pub(crate) fn pick(policy: &[(Action, f32)], temperature: f32, rng: &mut Rng) -> Action {
    let best =
        policy.iter().copied().reduce(|best, next| if next.1 > best.1 { next } else { best });
    let (best, largest) = best.expect("a policy has at least one action");
    if temperature <= 0.0 {
        return best;
    }
    // Relative to the largest share, so that no power overflows at low temperatures.
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
