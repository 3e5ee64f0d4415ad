//! Random positions of solved games, with all turns that keep their result.

use std::collections::HashSet;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};

use anyhow::{Context, Result};

use super::{Kind, SuitePosition};
use crate::base::parallel::ordered_map;
use crate::base::rng::{Purpose, stream};
use crate::exact::solvers::Solver;
use crate::games::{Outcome, Text};
use crate::play::arena::random_position;
use crate::registry::{Position, Variant};

/// Random games for each wanted position after a number of turns. Most are of no use: late
/// positions are often finished, and early ones seldom new.
const ATTEMPTS: u64 = 20;

/// The positions to sample.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Draw {
    /// The number of positions for every number of turns played.
    pub each: u64,
    /// The fewest and the most turns played.
    pub plies: [u32; 2],
    /// The seed.
    pub seed: u64,
}

/// Samples up to `draw.each` different unfinished positions for every number of turns played, by
/// uniformly random turns from the start, and solves them. `watch` receives the number of solved
/// positions and of all; when `stop` is set, the rest is left out.
///
/// # Errors
///
/// If the game has no solver.
pub(crate) fn values(
    variant: &Variant,
    draw: &Draw,
    threads: usize,
    stop: &AtomicBool,
    watch: impl Fn(u64, u64) + Sync,
) -> Result<Vec<SuitePosition>> {
    let solver =
        || Solver::of(variant.game()).with_context(|| format!("{} is not solved", variant.name));
    let mut solvers = (0..threads.max(1)).map(|_| solver()).collect::<Result<Vec<_>>>()?;
    let drawn = drawn(variant, draw);
    let solved = AtomicU64::new(0);
    // Late positions first: they are fast to solve, and the solver's table helps with early ones.
    let late_first: Vec<&(Vec<Text>, Position)> = drawn.iter().rev().collect();
    let mut positions = ordered_map(&mut solvers, &late_first, |solver, (moves, game)| {
        if stop.load(Ordering::Relaxed) {
            return None;
        }
        let position = solved_position(solver, moves, game)?;
        watch(solved.fetch_add(1, Ordering::Relaxed) + 1, drawn.len() as u64);
        Some(position)
    });
    positions.reverse();
    let numbered = positions.into_iter().flatten().zip(0..);
    Ok(numbered.map(|(position, number)| SuitePosition { number, ..position }).collect())
}

/// The sampled positions and the turns that lead to them, ascending by the number of turns.
fn drawn(variant: &Variant, draw: &Draw) -> Vec<(Vec<Text>, Position)> {
    let Draw { each, plies: [first, last], seed } = *draw;
    let mut drawn = Vec::new();
    for turns in first..variant.longest_game().min(last.saturating_add(1)) {
        let mut seen = HashSet::new();
        for attempt in 0..each.saturating_mul(ATTEMPTS) {
            if seen.len() as u64 == each {
                break;
            }
            let mut rng = stream(seed, u64::from(turns), attempt, Purpose::Position);
            if let Some((game, moves)) = random_position(variant.initial(), turns, &mut rng)
                && game.outcome().is_none()
                && seen.insert(game)
            {
                drawn.push((moves, game));
            }
        }
    }
    drawn
}

fn solved_position(solver: &mut Solver, moves: &[Text], game: &Position) -> Option<SuitePosition> {
    let outcomes = solver.outcomes(game)?;
    let value = |outcome: Outcome| outcome.value_for(game.to_move()) as i8;
    let best = outcomes.iter().map(|&(_, outcome)| value(outcome)).max()?;
    let kept = outcomes.iter().filter(|&&(_, outcome)| value(outcome) == best);
    // A turn of a game with a solver is one action.
    let mut right: Vec<Text> = kept.map(|&(action, _)| game.action_text(action)).collect();
    right.sort_unstable();
    let (kind, moves, legal) = (Kind::Value, moves.to_vec(), outcomes.len());
    Some(SuitePosition { kind, number: 0, moves, game: *game, right, legal })
}
