//! The policy player: a network without search.

use super::{Chosen, Forfeit, Player, turn_by};
use crate::games::{Action, Text};
use crate::registry::Position;
use crate::search::BoxedEvaluator;

/// Plays the action with the largest logit, without search; of equal ones the lowest action.
pub struct PolicyPlayer {
    evaluator: BoxedEvaluator,
    logits: Vec<f32>,
    legal: Vec<Action>,
}

impl PolicyPlayer {
    /// A player with the policy of `evaluator`.
    pub fn new(evaluator: BoxedEvaluator) -> Self {
        Self { evaluator, logits: Vec::new(), legal: Vec::new() }
    }
}

impl Player for PolicyPlayer {
    fn unit(&self) -> Option<&'static str> {
        None
    }

    fn begin_game(&mut self, _: u64) {}

    fn choose_while(
        &mut self,
        position: &Position,
        _: &[Text],
        _: &dyn Fn() -> bool,
    ) -> Result<Chosen, Forfeit> {
        let Self { evaluator, logits, legal } = self;
        logits.resize(position.spec().actions(), 0.0);
        let turn = turn_by(position, |position| {
            evaluator.evaluate(&[*position], logits, &mut [[0.0; 3]]);
            position.legal_actions(legal);
            let logit = |action: &Action| logits[usize::from(*action)];
            let better =
                |a: &&Action, b: &&Action| logit(a).total_cmp(&logit(b)).then_with(|| b.cmp(a));
            *legal.iter().max_by(better).expect("an open position has legal actions")
        });
        Ok(Chosen { turn, work: 0 })
    }
}
