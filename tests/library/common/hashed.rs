//! An evaluator with firm but meaningless opinions, which depend on the position alone.

use crate::base::rng::mix;
use crate::registry::Position;
use crate::search::{Evaluator, Wdl};

/// Judges a position by its key.
#[derive(Clone, Copy, Debug)]
pub struct Hashed;

/// A number in `0.0..1.0`.
fn unit(word: u64) -> f32 {
    (mix(word) >> 40) as f32 / (1 << 24) as f32
}

impl Evaluator for Hashed {
    fn evaluate(&mut self, positions: &[Position], policy: &mut [f32], wdl: &mut [Wdl]) {
        let Some(actions) = positions.first().map(|it| it.spec().actions()) else { return };
        let rows = policy.chunks_exact_mut(actions).zip(wdl);
        for (position, (logits, wdl)) in positions.iter().zip(rows) {
            let key = position.position_key();
            for (action, logit) in logits.iter_mut().enumerate() {
                *logit = 4.0 * unit(key ^ action as u64) - 2.0;
            }
            let parts = [1 << 20, 1 << 21, 1 << 22].map(|part| unit(key ^ part) + 0.01);
            let total: f32 = parts.iter().sum();
            *wdl = parts.map(|part| part / total);
        }
    }
}
