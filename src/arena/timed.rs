//! Games one after the other, each player with the whole machine while it is to move.

use super::Contestant;
use crate::evaluator::Evaluator;
use crate::game::{Game, Outcome, Side, Turn};
use crate::player::Player;

/// The results of the two games from each opening.
pub(super) fn play<G: Game, A: Evaluator<G> + Clone + Send, B: Evaluator<G> + Clone + Send>(
    openings: &[G],
    first: &Contestant<A>,
    second: &Contestant<B>,
    threads: usize,
    watch: impl Fn(u64),
) -> Vec<[Outcome; 2]> {
    let budgets = [first.budget, second.budget];
    let mut first = player(first, threads);
    let mut second = player(second, threads);
    let mut finished = 0;
    let mut play = |start: &G, side: Side| {
        let mut position = *start;
        while position.outcome().is_none() {
            let turn = if position.to_move() == side {
                first.think(&position, &budgets[0].limits()).best
            } else {
                second.think(&position, &budgets[1].limits()).best
            };
            first.follow(&turn);
            second.follow(&turn);
            position = after(position, &turn);
        }
        finished += 1;
        watch(finished);
        position.outcome().unwrap_or(Outcome::Draw)
    };
    openings.iter().map(|start| [play(start, Side::P1), play(start, Side::P2)]).collect()
}

fn player<G: Game, E: Evaluator<G> + Clone + Send>(
    contestant: &Contestant<E>,
    threads: usize,
) -> Player<G, E> {
    let evaluators = vec![contestant.evaluator.clone(); threads.max(1)];
    Player::new(evaluators, contestant.search)
}

fn after<G: Game>(mut position: G, turn: &Turn) -> G {
    turn.actions.iter().for_each(|&action| position.play(action));
    position
}
