//! Evaluations with noise, for opponents that people can beat.
//!
//! A player that only searches less still plays as a machine does: it never overlooks what lies two
//! turns ahead and never likes a bad plan. Noise in what its network says gives it opinions of its
//! own, which it holds for a whole game.

use std::hash::Hash;

use rand_distr::{Distribution, Gumbel, StandardNormal};
use serde::{Deserialize, Serialize};

use super::cache::hash;
use super::{Evaluator, Wdl};
use crate::base::checks::{Fault, within};
use crate::base::rng::{Purpose, Rng, stream};
use crate::registry::Position;

/// The noise in the evaluations of a player.
#[derive(Clone, Copy, PartialEq, Debug, Default, Serialize, Deserialize)]
pub struct Weakening {
    /// Scale of Gumbel noise in the logits of the policy. A search of one simulation plays each
    /// action with the probability of the policy at this temperature; larger searches correct what
    /// the noise suggests.
    pub temperature: f32,
    /// Standard deviation of normal noise in the logarithm of the odds of a win against a loss.
    /// Where the network is sure of the result, noise hardly changes it.
    pub value_noise: f32,
}

impl Weakening {
    /// Whether there is no noise.
    pub fn is_none(&self) -> bool {
        *self == Self::default()
    }

    /// Checks the range of both values.
    ///
    /// # Errors
    ///
    /// If one is out of range.
    pub(crate) fn check(&self) -> Result<(), Fault> {
        within("temperature", self.temperature, [0.0, 100.0])?;
        within("value_noise", self.value_noise, [0.0, 100.0])
    }
}

/// An evaluator with noise. The noise of a position depends on the seed, the game and the position
/// alone: within a game, a position is always misjudged in the same way.
pub(crate) struct Weakened<E> {
    evaluator: E,
    weakening: Weakening,
    /// The seed and the number of the player.
    seed: [u64; 2],
    game: u64,
}

impl<E> Weakened<E> {
    pub(crate) fn new(evaluator: E, weakening: Weakening, seed: [u64; 2]) -> Self {
        Self { evaluator, weakening, seed, game: 0 }
    }

    fn stream(&self, position: &impl Hash) -> Rng {
        let [seed, player] = self.seed;
        stream(seed, hash(position, self.game), player, Purpose::Weakening)
    }
}

impl<E: Evaluator> Evaluator for Weakened<E> {
    fn evaluate(&mut self, positions: &[Position], policy: &mut [f32], wdl: &mut [Wdl]) {
        self.evaluator.evaluate(positions, policy, wdl);
        let Some(actions) = positions.first().map(|it| it.spec().actions()) else { return };
        let logits = policy.chunks_exact_mut(actions);
        for ((position, logits), wdl) in positions.iter().zip(logits).zip(wdl) {
            let mut random = self.stream(position);
            let noise: f32 = StandardNormal.sample(&mut random);
            *wdl = tilted(*wdl, self.weakening.value_noise * noise);
            add_noise(logits, self.weakening.temperature, &mut random);
        }
    }

    fn begin_game(&mut self, game: u64) {
        self.game = game;
        self.evaluator.begin_game(game);
    }
}

/// Adds Gumbel noise of this scale to each logit. The largest sum is then a sample of the softmax
/// of `logits / scale`.
fn add_noise(logits: &mut [f32], scale: f32, random: &mut Rng) {
    let gumbel = Gumbel::new(0.0_f32, 1.0).expect("the standard distribution");
    logits.iter_mut().for_each(|logit| *logit += scale * gumbel.sample(random));
}

/// Multiplies the odds of a win against a loss by `exp(by)`, and those of a draw against a loss by
/// its root.
fn tilted([win, draw, loss]: Wdl, by: f32) -> Wdl {
    // Around the middle, so that neither factor overflows.
    let half = (by / 2.0).clamp(-40.0, 40.0);
    let parts = [win * half.exp(), draw, loss * (-half).exp()];
    let total: f32 = parts.iter().sum();
    if total > 0.0 { parts.map(|part| part / total) } else { [win, draw, loss] }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::registry::preset;
    use crate::search::Uniform;

    fn evaluated(weakening: Weakening, seed: [u64; 2], game: u64) -> (Vec<f32>, Wdl) {
        let mut evaluator = Weakened::new(Uniform, weakening, seed);
        evaluator.begin_game(game);
        let start = preset("tic_tac_toe").unwrap().initial();
        let (mut policy, mut wdl) = (vec![0.0; start.spec().actions()], [[0.0; 3]]);
        evaluator.evaluate(&[start], &mut policy, &mut wdl);
        (policy, wdl[0])
    }

    #[test]
    fn noise_depends_on_seed_player_and_game_alone() {
        let some = Weakening { temperature: 1.0, value_noise: 1.0 };
        let first = evaluated(some, [1, 0], 5);
        assert_eq!(first, evaluated(some, [1, 0], 5));
        for (seed, game) in [([2, 0], 5), ([1, 1], 5), ([1, 0], 6)] {
            assert_ne!(first, evaluated(some, seed, game));
        }
        assert_eq!(evaluated(Weakening::default(), [1, 0], 5), (vec![0.0; 9], [0.5, 0.0, 0.5]));
    }

    #[test]
    fn the_largest_noisy_logit_is_a_sample_of_the_policy_at_the_temperature() {
        let mut random = stream(1, 2, 3, Purpose::Weakening);
        let mut first = 0;
        for _ in 0..20_000 {
            let mut logits = [1.0, 0.0];
            add_noise(&mut logits, 2.0, &mut random);
            first += u32::from(logits[0] > logits[1]);
        }
        let expected = 1.0 / (1.0 + (-0.5_f64).exp());
        assert!((f64::from(first) / 20_000.0 - expected).abs() < 0.015, "{first}");
    }

    #[test]
    fn odds_are_multiplied_and_certain_results_stay() {
        let [win, draw, loss] = tilted([0.2, 0.4, 0.4], 1.0);
        assert!((win + draw + loss - 1.0).abs() < 1e-6);
        assert!((win / loss - 0.5 * 1.0_f32.exp()).abs() < 1e-5);
        assert!((draw / loss - 0.5_f32.exp()).abs() < 1e-5);
        assert_eq!(tilted([1.0, 0.0, 0.0], -5.0), [1.0, 0.0, 0.0]);
        for by in [-1e30, 1e30, f32::MAX] {
            let shares = tilted([0.3, 0.3, 0.4], by);
            assert!(shares.iter().all(|share| (0.0..=1.0).contains(share)), "{shares:?}");
        }
    }
}
