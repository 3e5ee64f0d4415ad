//! Checks a solution by the rules of the game alone, without the code that found it.
//!
//! A value agrees with the rules if it follows from those of the turns. If that held for every
//! position, all values would be right: distances then lead down to ends of the game, and a side
//! that is neither winning nor losing always has a turn that keeps it so. A check draws positions
//! at random. Two searches that do not ask the solution look at them, too: an exhaustive one proves
//! short wins and losses, a proof-number search finds what it can.

use anyhow::{Context, Result, ensure};
use rand::RngExt;

use super::file::Solution;
use super::lookup::ended;
use super::values::Value;
use crate::base::parallel::ordered_map;
use crate::base::rng::{Purpose, Rng, stream};
use crate::classic::prover::DEEPEST;
use crate::games::Side;
use crate::registry::{AnyProofNumbers, AnyProver, Position, Variant};

/// The longest wins and losses that are proven, in turns.
pub(crate) const PROVEN: u32 = 9;

/// The most positions that a proof may visit.
const NODES: u64 = 200_000;

/// The most positions that a proof-number search may visit for each side.
const SEARCHED: u64 = 2_000;

/// The entries of the table of each search.
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
    /// Positions that a proof-number search found won or lost within 2,000 positions.
    pub found: u64,
}

impl Checked {
    fn add(&mut self, other: Self) {
        self.agreed += other.agreed;
        self.proven += other.proven;
        self.undecided += other.undecided;
        self.found += other.found;
    }
}

/// What proves values without the solution.
pub(crate) struct Searches {
    exhaustive: AnyProver,
    proof_numbers: AnyProofNumbers,
}

impl Searches {
    pub(crate) fn new() -> Self {
        let (exhaustive, first) = (AnyProver::new(TABLE), Side::P1);
        Self { exhaustive, proof_numbers: AnyProofNumbers::new(first, TABLE) }
    }

    /// The side that wins by force, if a short proof-number search finds it.
    fn winner(&mut self, game: &Position) -> Option<Side> {
        [game.to_move(), game.to_move().other()].into_iter().find(|&side| {
            self.proof_numbers.begin(side);
            self.proof_numbers.allow(SEARCHED);
            self.proof_numbers.wins(game) == Ok(true)
        })
    }
}

/// A random position of a solution with its value. Those that a symmetry maps to each other count
/// as one.
///
/// # Errors
///
/// If the solution is damaged there.
pub(crate) fn random_position(
    solution: &Solution,
    variant: &Variant,
    rng: &mut Rng,
) -> Result<(Position, Value)> {
    let uncapped = variant.uncapped();
    loop {
        let number = rng.random_range(0..solution.index().values);
        if let Some(found) = numbered_position(solution, &uncapped, number, rng)? {
            return Ok(found);
        }
    }
}

/// The position with this number by these rules, under a random symmetry and with a random side to
/// move. `None` if the number is that of no position.
///
/// # Errors
///
/// If the solution is damaged there, or contradicts itself.
pub(crate) fn numbered_position(
    solution: &Solution,
    variant: &Variant,
    number: u64,
    rng: &mut Rng,
) -> Result<Option<(Position, Value)>> {
    let index = solution.index();
    let symmetry = rng.random_range(0..index.layout().symmetries.len());
    let placement = index.layout().image(&index.placement(number), symmetry);
    let side = if rng.random_bool(0.5) { Side::P1 } else { Side::P2 };
    let Some(value) = solution.numbered(number)? else { return Ok(None) };
    let same = solution.value(&placement)?;
    ensure!(same == Some(value), "the value {number} is {value:?}, its mirror image has {same:?}");
    let game = variant.position_of(&placement, side);
    Ok(Some((game.context("a position of the solution is none of the game")?, value)))
}

/// Checks `count` random positions on all threads.
///
/// # Errors
///
/// If a value is wrong, or the solution is damaged.
pub(crate) fn recheck(
    solution: &Solution,
    variant: &Variant,
    count: u64,
    seed: u64,
    watch: impl Fn(u64) + Sync,
) -> Result<Checked> {
    let parts: Vec<u64> = (0..count.div_ceil(PART)).collect();
    let threads = rayon::current_num_threads();
    let mut searches: Vec<Searches> = (0..threads).map(|_| Searches::new()).collect();
    let done = ordered_map(&mut searches, &parts, |searches, &part| -> Result<Checked> {
        let mut rng = stream(seed, part, 0, Purpose::Position);
        let mut sum = Checked::default();
        for _ in 0..PART.min(count - part * PART) {
            let (game, value) = random_position(solution, variant, &mut rng)?;
            sum.add(check(solution, searches, &game, value)?);
            watch(1);
        }
        Ok(sum)
    });
    let mut sum = Checked::default();
    for checked in done {
        sum.add(checked?);
    }
    Ok(sum)
}

/// Checks a position.
///
/// # Errors
///
/// If its value is wrong, or the solution is damaged there.
pub(crate) fn check(
    solution: &Solution,
    searches: &mut Searches,
    game: &Position,
    value: Value,
) -> Result<Checked> {
    let expected = match game.outcome() {
        Some(outcome) => ended(game, outcome),
        None => solution.turns(game)?.first().map_or(Value::Loss(0), |(_, value)| *value),
    };
    let text = game.position_text();
    ensure!(value == expected, "{text} has the value {value:?}, its turns say {expected:?}");
    let mut checked = Checked { agreed: 1, ..Checked::default() };
    let (winner, turns) = match value {
        Value::Win(turns) => (Some(game.to_move()), turns),
        Value::Loss(turns) => (Some(game.to_move().other()), turns),
        Value::Neither => (None, 0),
    };
    if game.outcome().is_some() {
        return Ok(checked);
    }
    if let Some(found) = searches.winner(game) {
        ensure!(
            winner == Some(found),
            "{text} has the value {value:?}, a proof-number search says that {} wins",
            found.name(game.first())
        );
        checked.found = 1;
    }
    let Some(side) = winner.filter(|_| (1..=PROVEN.min(DEEPEST)).contains(&turns)) else {
        return Ok(checked);
    };
    let prover = &mut searches.exhaustive;
    prover.begin(NODES);
    match (prover.wins(game, side, turns), prover.wins(game, side, turns - 1)) {
        (Ok(true), Ok(false)) => checked.proven = 1,
        (Err(_), _) | (_, Err(_)) => checked.undecided = 1,
        found => anyhow::bail!("{text} has the value {value:?}, a proof says {found:?}"),
    }
    Ok(checked)
}
