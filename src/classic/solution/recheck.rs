//! Checks a solution by the rules of the game alone, without the code that found it.
//!
//! A value agrees with the rules if it follows from those of the turns. If that held for every
//! position, all values would be right: distances then lead down to ends of the game, and a side
//! that is neither winning nor losing always has a turn that keeps it so. A check draws positions
//! at random. Short wins and losses are also proven by a search that does not ask the solution.

use anyhow::{Context, Result, ensure};
use rand::RngExt;

use super::file::Solution;
use super::lookup::ended;
use super::values::Value;
use crate::base::parallel::ordered_map;
use crate::base::rng::{Purpose, Rng, stream};
use crate::classic::prover::{DEEPEST, Prover};
use crate::games::{Game, Rules, Side, Variant};

/// The longest wins and losses that are proven, in turns.
pub(crate) const PROVEN: u32 = 9;

/// The most positions that a proof may visit.
const NODES: u64 = 200_000;

/// The entries of the table of a prover.
const TABLE: usize = 1 << 16;

/// The positions of a part, which one thread checks.
const PART: u64 = 64;

/// What a check has looked at.
#[derive(Clone, Copy, Default, PartialEq, Eq, Debug)]
pub(crate) struct Checked {
    /// Positions that agree with the values of their turns.
    pub agreed: u64,
    /// Positions whose values have been proven, too.
    pub proven: u64,
    /// Proofs that were given up after 200,000 positions.
    pub undecided: u64,
}

/// A random position of a solution with its value. Those that a symmetry maps to each other count
/// as one.
///
/// # Errors
///
/// If the solution is damaged there.
pub(crate) fn random_position<G: Game>(
    solution: &Solution,
    variant: &Variant<G>,
    rng: &mut Rng,
) -> Result<(G, Value)> {
    loop {
        let number = rng.random_range(0..solution.index().values);
        if let Some(found) = numbered_position(solution, variant, number, rng)? {
            return Ok(found);
        }
    }
}

/// The position with this number, under a random symmetry and with a random side to move. `None` if
/// the number is that of no position.
///
/// # Errors
///
/// If the solution is damaged there, or contradicts itself.
pub(crate) fn numbered_position<G: Game>(
    solution: &Solution,
    variant: &Variant<G>,
    number: u64,
    rng: &mut Rng,
) -> Result<Option<(G, Value)>> {
    let index = solution.index();
    let symmetry = rng.random_range(0..index.layout().symmetries.len());
    let placement = index.layout().image(&index.placement(number), symmetry);
    let side = if rng.random_bool(0.5) { Side::P1 } else { Side::P2 };
    let Some(value) = solution.numbered(number)? else { return Ok(None) };
    let same = solution.value(&placement)?;
    ensure!(same == Some(value), "the value {number} is {value:?}, its mirror image has {same:?}");
    let rules = variant.rules.uncapped();
    let game = G::from_placement(&rules, &placement, side);
    Ok(Some((game.context("a position of the solution is none of the game")?, value)))
}

/// Checks `count` random positions on all threads.
///
/// # Errors
///
/// If a value is wrong, or the solution is damaged.
pub(crate) fn recheck<G: Game>(
    solution: &Solution,
    variant: &Variant<G>,
    count: u64,
    seed: u64,
    watch: impl Fn(u64) + Sync,
) -> Result<Checked> {
    let parts: Vec<u64> = (0..count.div_ceil(PART)).collect();
    let threads = rayon::current_num_threads();
    let mut provers: Vec<Prover<G>> = (0..threads).map(|_| Prover::new(TABLE)).collect();
    let done = ordered_map(&mut provers, &parts, |prover, &part| {
        let mut rng = stream(seed, part, 0, Purpose::Position);
        let mut sum = Checked::default();
        for _ in 0..PART.min(count - part * PART) {
            let (game, value) = random_position(solution, variant, &mut rng)?;
            let checked = check(solution, prover, &game, value)?;
            sum.agreed += checked.agreed;
            sum.proven += checked.proven;
            sum.undecided += checked.undecided;
            watch(1);
        }
        Ok(sum)
    });
    let mut sum = Checked::default();
    for checked in done {
        let checked: Checked = checked.map_err(|error: anyhow::Error| error)?;
        sum.agreed += checked.agreed;
        sum.proven += checked.proven;
        sum.undecided += checked.undecided;
    }
    Ok(sum)
}

/// Checks a position.
///
/// # Errors
///
/// If its value is wrong, or the solution is damaged there.
pub(crate) fn check<G: Game>(
    solution: &Solution,
    prover: &mut Prover<G>,
    game: &G,
    value: Value,
) -> Result<Checked> {
    let expected = match game.outcome() {
        Some(outcome) => ended(game, outcome),
        None => solution.turns(game)?.first().map_or(Value::Loss(0), |(_, value)| *value),
    };
    let text = game.position_text();
    ensure!(value == expected, "{text} has the value {value:?}, its turns say {expected:?}");
    let mut checked = Checked { agreed: 1, ..Checked::default() };
    let (side, turns) = match value {
        Value::Win(turns) => (game.to_move(), turns),
        Value::Loss(turns) => (game.to_move().other(), turns),
        Value::Neither => return Ok(checked),
    };
    if turns == 0 || turns > PROVEN.min(DEEPEST) {
        return Ok(checked);
    }
    prover.begin(NODES);
    let wins_in = prover.wins(game, side, turns);
    let wins_before = prover.wins(game, side, turns - 1);
    match (wins_in, wins_before) {
        (Ok(true), Ok(false)) => checked.proven = 1,
        (Err(_), _) | (_, Err(_)) => checked.undecided = 1,
        found => anyhow::bail!("{text} has the value {value:?}, a proof says {found:?}"),
    }
    Ok(checked)
}
