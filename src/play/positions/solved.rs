//! Random positions of a solved game, and how well a player keeps their values.

use std::collections::BTreeMap;
use std::sync::atomic::{AtomicU64, Ordering};

use anyhow::{Result, ensure};
use rand::RngExt;

use super::accuracy::Score;
use crate::base::parallel::ordered_map;
use crate::base::rng::{Purpose, Rng, stream};
use crate::classic::solution::{Count, Solution, Value, numbered_position};
use crate::games::{Game, Turn, Variant};
use crate::play::players::Player;

/// A position with the values of its turns.
pub(crate) struct SolvedPosition<G> {
    game: G,
    value: Value,
    /// The legal turns with their values for the side to move, best first.
    turns: Vec<(Turn, Value)>,
}

/// How often a kind of position is looked for from another place before another kind is drawn.
const TRIES: usize = 16;

/// Draws positions that are not over. A value that `n` positions have is drawn as often as the square
/// root of `n` says, so that rare ones are among them.
///
/// # Errors
///
/// If the solution is damaged, or has no positions with a turn.
pub(crate) fn draw<G: Game>(
    solution: &Solution,
    variant: &Variant<G>,
    count: usize,
    seed: u64,
) -> Result<Vec<SolvedPosition<G>>> {
    let mut rng = stream(seed, 0, 0, Purpose::Position);
    let kinds = kinds(solution);
    let sum: f64 = kinds.iter().map(|(_, weight)| weight).sum();
    ensure!(sum > 0.0, "the solution has no positions with a turn");
    let mut positions = Vec::with_capacity(count);
    while positions.len() < count {
        let mut left = rng.random_range(0.0..sum);
        let kind = kinds.iter().find(|(_, weight)| {
            left -= weight;
            left < 0.0
        });
        let Some((value, _)) = kind.or(kinds.last()) else { continue };
        positions.extend(draw_one(solution, variant, *value, &mut rng)?);
    }
    Ok(positions)
}

/// The values of positions that are not over, with their weights.
fn kinds(solution: &Solution) -> Vec<(Value, f64)> {
    let about = solution.about();
    let mut kinds = vec![(Value::Neither, about.totals()[2])];
    for (turns, &Count { won, lost }) in about.counts.iter().enumerate().skip(1) {
        kinds.extend([(Value::Win(turns as u32), won), (Value::Loss(turns as u32), lost)]);
    }
    let with_weight = |(value, count): (Value, u64)| (value, (count as f64).sqrt());
    kinds.into_iter().filter(|(_, count)| *count > 0).map(with_weight).collect()
}

/// A random position with this value, the next one from a random place on; none if it was not found
/// near several places, or the game is drawn there.
fn draw_one<G: Game>(
    solution: &Solution,
    variant: &Variant<G>,
    value: Value,
    rng: &mut Rng,
) -> Result<Option<SolvedPosition<G>>> {
    for _ in 0..TRIES {
        let start = rng.random_range(0..solution.values());
        let Some(number) = solution.find(value, start)? else { continue };
        if let Some((game, value)) = numbered_position(solution, variant, number, rng)? {
            let over = game.outcome().is_some();
            let turns = if over { Vec::new() } else { solution.turns(&game)? };
            return Ok((!over).then_some(SolvedPosition { game, value, turns }));
        }
    }
    Ok(None)
}

/// The value of the turn that a player chooses, for each position; none if it fails. `players` are
/// instances of the same player, one for each thread.
pub(crate) fn measure<G: Game>(
    positions: &[SolvedPosition<G>],
    players: &mut [Box<dyn Player<G>>],
    watch: impl Fn(u64) + Sync,
) -> Vec<Option<Value>> {
    let done = AtomicU64::new(0);
    let numbers: Vec<usize> = (0..positions.len()).collect();
    ordered_map(players, &numbers, |player, &number| {
        let position = &positions[number];
        player.begin_game(number as u64);
        let chosen = player.choose(&position.game, &[]);
        watch(done.fetch_add(1, Ordering::Relaxed) + 1);
        let text = chosen.ok()?.turn.text;
        position.turns.iter().find(|(turn, _)| turn.text == text).map(|(_, value)| *value)
    })
}

/// The scores with their names. A value is kept by a turn after which the same side can force a win,
/// or neither. Positions all of whose turns keep the value are left out.
pub(crate) fn scores<G: Game>(
    positions: &[SolvedPosition<G>],
    chosen: &[Option<Value>],
) -> Vec<(String, Score)> {
    let mut scores: BTreeMap<(u8, u32, String), Score> = BTreeMap::new();
    for (position, chosen) in positions.iter().zip(chosen) {
        let same = |value: &Value| value.merit().signum() == position.value.merit().signum();
        let kept = chosen.as_ref().is_some_and(same);
        let best = *chosen == Some(position.value);
        let matters = !position.turns.iter().all(|(_, value)| same(value));
        let mut count = |order: u8, distance: u32, name: String, solved: bool| {
            let score = scores.entry((order, distance, name)).or_default();
            score.positions += 1;
            score.solved += u64::from(solved);
        };
        if matters {
            count(0, 0, "kept".into(), kept);
        }
        match position.value {
            Value::Win(turns) => {
                if matters {
                    count(1, 0, "win_kept".into(), kept);
                    count(4, turns, format!("win_in_{turns}"), kept);
                }
                count(3, 0, "win_shortest".into(), best);
            }
            Value::Loss(_) => count(3, 1, "loss_longest".into(), best),
            Value::Neither if matters => count(2, 0, "neither_kept".into(), kept),
            Value::Neither => {}
        }
    }
    scores.into_iter().map(|((_, _, name), score)| (name, score)).collect()
}
