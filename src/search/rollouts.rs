//! An evaluator that plays random games to the end, for the bootstrap of a run.

use super::{Evaluator, Wdl};
use crate::base::rng::{Purpose, stream};
use crate::games::Action;
use crate::registry::Position;

/// Evaluates a position by the result of one rollout, as in plain Monte Carlo tree search (Coulom
/// 2006). The policy is uniform.
#[derive(Clone, Debug, Default)]
pub(crate) struct Rollouts {
    seed: u64,
    legal: Vec<Action>,
}

impl Rollouts {
    /// An evaluator with this seed. The random numbers of a rollout depend only on the seed and the
    /// position, so a position always gets the same evaluation.
    pub(crate) fn new(seed: u64) -> Self {
        Self { seed, legal: Vec::new() }
    }
}

impl Evaluator for Rollouts {
    fn evaluate(&mut self, positions: &[Position], policy: &mut [f32], wdl: &mut [Wdl]) {
        policy.fill(0.0);
        for (game, wdl) in positions.iter().zip(wdl) {
            let name = u64::from(game.ply());
            let mut rng = stream(self.seed, name, game.position_key(), Purpose::Rollout);
            *wdl = game.roll_out(&mut self.legal, &mut rng).wdl_for(game.to_move());
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::registry::preset;

    fn evaluate(positions: &[Position]) -> Vec<Wdl> {
        let mut policy = vec![1.0; positions.len() * positions[0].spec().actions()];
        let mut wdl = vec![[0.0; 3]; positions.len()];
        Rollouts::new(3).evaluate(positions, &mut policy, &mut wdl);
        assert!(policy.iter().all(|&logit| logit == 0.0));
        wdl
    }

    #[test]
    fn evaluations_depend_on_the_position_and_not_on_the_batch() {
        let mut game = preset("connect_four").unwrap().initial();
        let mut positions = Vec::new();
        for column in [3, 3, 2, 4, 2, 4] {
            let mut legal = Vec::new();
            game.legal_actions(&mut legal);
            let action = legal.into_iter().find(|action| action % 7 == column).unwrap();
            game.play(action);
            positions.push(game);
        }
        let all = evaluate(&positions);
        for (position, wdl) in positions.iter().zip(&all) {
            assert_eq!(evaluate(&[*position]), [*wdl]);
            assert_eq!(wdl.iter().sum::<f32>(), 1.0);
        }
        assert!(all.iter().any(|wdl| *wdl != all[0]), "{all:?}");
    }
}
