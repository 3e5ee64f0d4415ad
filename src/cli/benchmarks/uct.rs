//! The benchmark of plain UCT.

use super::{Finding, Options, Unit, measure};
use crate::base::rng::{Purpose, mix, stream};
use crate::classic::uct::{Limits, Uct};
use crate::registry::Variant;

/// Simulations of a search.
const SIMULATIONS: u32 = 1000;

/// Plain UCT from the start position: fresh trees of 1,000 simulations, with one random rollout for
/// each simulation.
pub(super) fn uct(variant: &Variant, options: &Options) -> Finding {
    let threads = options.threads.unwrap_or(1);
    let worker = || {
        let mut search = Uct::default();
        move |unit: u64| {
            let mut rng = stream(0, 0, unit, Purpose::Playout);
            variant.initial().uct(&mut search, &Limits::simulations(SIMULATIONS), &mut rng);
            Unit { amount: search.simulations().into(), checksum: checksum(&search) }
        }
    };
    let (value, signature) = measure(threads, options.time, worker);
    let (bench, game, unit) = ("uct", variant.name, "simulations/s");
    Finding { bench, game, threads, value, unit, moves_per_s: None, signature }
}

fn checksum(search: &Uct) -> u64 {
    search.candidates().iter().fold(0, |checksum, found| {
        let visits = u64::from(found.visits) << 32 | u64::from(found.value.to_bits());
        mix(mix(checksum ^ u64::from(found.action)) ^ visits)
    })
}
