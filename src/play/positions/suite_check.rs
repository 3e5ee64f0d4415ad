//! Whether test suites agree with the solution of their game.

use anyhow::{Result, ensure};

use super::{Kind, SuitePosition};
use crate::exact::solution::{Solution, Value};
use crate::games::{Text, Turn};

/// Compares the kind and the correct turns of positions that were proven up to `horizon` turns, or
/// come from a solver, with a solution.
///
/// # Errors
///
/// If they differ, or the solution is damaged.
pub(crate) fn check(
    solution: &Solution,
    positions: &[SuitePosition],
    horizon: Option<u32>,
) -> Result<()> {
    for position in positions {
        let turns = solution.turns(&position.game)?;
        let found = match (position.kind, horizon) {
            (Kind::Value, _) | (_, None) => Some((Kind::Value, keeping(&turns))),
            (_, Some(horizon)) => classified(&turns, horizon),
        };
        let SuitePosition { kind, right, .. } = position;
        let text = position.game.position_text();
        ensure!(
            found.as_ref().is_some_and(|found| (found.0, &found.1) == (*kind, right)),
            "{text} is of the kind {kind} with the turns {right:?}, the solution has {found:?}"
        );
    }
    Ok(())
}

/// The turns that keep the value of the position, sorted; `turns` has the best first.
fn keeping(turns: &[(Turn, Value)]) -> Vec<Text> {
    let best = turns.first().map(|(_, value)| value.merit().signum());
    sorted(turns, |value| Some(value.merit().signum()) == best)
}

/// The kind and the correct turns of a position of which only what happens within `horizon` turns
/// is known; none if it is of no kind.
fn classified(turns: &[(Turn, Value)], horizon: u32) -> Option<(Kind, Vec<Text>)> {
    let wins = |value| matches!(value, Value::Win(turns) if turns <= horizon);
    if let Some((_, Value::Win(soonest))) = turns.first().filter(|(_, value)| wins(*value)) {
        return Some((Kind::Win(*soonest), sorted(turns, wins)));
    }
    let loses = |value| matches!(value, Value::Loss(turns) if turns <= horizon);
    let right = sorted(turns, |value| !loses(value));
    let longest = turns.iter().filter_map(|(_, value)| match value {
        Value::Loss(turns) if *turns <= horizon => Some(*turns),
        _ => None,
    });
    (right.len() == 1).then_some(Kind::Only(longest.max()?)).map(|kind| (kind, right))
}

/// The turns whose values are wanted, in order.
fn sorted(turns: &[(Turn, Value)], wanted: impl Fn(Value) -> bool) -> Vec<Text> {
    let mut found: Vec<Text> =
        turns.iter().filter(|(_, value)| wanted(*value)).map(|(turn, _)| turn.text).collect();
    found.sort_unstable();
    found
}
