//! An evaluator by the hand-written heuristics, for the bootstrap of a run in games that random
//! play hardly ever finishes.

use super::{Evaluator, Wdl};
use crate::games::{Action, Outcome};
use crate::registry::Position;

/// The heuristic advantage that counts as a logit of 1: it makes an action 2.7 times as likely.
const LOGIT: f32 = 100.0;

/// The scale of the logistic function of the value: this advantage is a win probability of 73 %.
const LOGISTIC: f32 = 300.0;

/// The maximum logit, which is also that of a winning action.
const LARGEST: f32 = 12.0;

/// Evaluates a position by its heuristic, and each action by that of the resulting position.
#[derive(Clone, Debug, Default)]
pub(crate) struct HeuristicEvaluator {
    legal: Vec<Action>,
}

impl Evaluator for HeuristicEvaluator {
    fn evaluate(&mut self, positions: &[Position], policy: &mut [f32], wdl: &mut [Wdl]) {
        let Some(actions) = positions.first().map(|game| game.spec().actions()) else { return };
        for ((game, policy), wdl) in positions.iter().zip(policy.chunks_exact_mut(actions)).zip(wdl)
        {
            policy.fill(0.0);
            game.legal_actions(&mut self.legal);
            for &action in &self.legal {
                policy[usize::from(action)] = logit_after(game, action);
            }
            *wdl = heuristic_wdl(game);
        }
    }
}

/// The win, draw and loss probabilities of the heuristic for the side to move. The draw probability
/// is 0.
pub(crate) fn heuristic_wdl(game: &Position) -> Wdl {
    let win = 1.0 / (1.0 + (-(game.heuristic() as f32) / LOGISTIC).exp());
    [win, 0.0, 1.0 - win]
}

/// The logit of an action, by the position after it.
fn logit_after(game: &Position, action: Action) -> f32 {
    let (mut next, mover) = (*game, game.to_move());
    next.play(action);
    let logit = match next.outcome() {
        Some(Outcome::Draw) => 0.0,
        Some(outcome) => outcome.value_for(mover) * LARGEST,
        None if next.to_move() == mover => next.heuristic() as f32 / LOGIT,
        None => -(next.heuristic() as f32) / LOGIT,
    };
    logit.clamp(-LARGEST, LARGEST)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::games::parse_turn;
    use crate::registry::preset;

    #[test]
    fn it_wins_where_it_can_and_prefers_what_the_heuristic_does() {
        let mut game = preset("connect_four").unwrap().initial();
        for turn in ["4", "1", "4", "1", "4", "2"] {
            parse_turn(&game, turn).unwrap().actions.into_iter().for_each(|a| game.play(a));
        }
        let mut policy = vec![0.0; game.spec().actions()];
        let mut wdl = [[0.0; 3]];
        HeuristicEvaluator::default().evaluate(&[game], &mut policy, &mut wdl);
        let mut legal = Vec::new();
        game.legal_actions(&mut legal);
        let wins = parse_turn(&game, "4").unwrap().actions[0];
        let logit = |action: &Action| policy[usize::from(*action)];
        assert!((logit(&wins) - LARGEST).abs() < 1e-6);
        assert!(legal.iter().filter(|action| **action != wins).all(|a| logit(a) < LARGEST));
        assert!(game.heuristic() > 0 && wdl[0][0] > 0.5, "{wdl:?}");
        assert!((wdl[0].iter().sum::<f32>() - 1.0).abs() < 1e-6);
    }
}
