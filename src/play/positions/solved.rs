//! Random positions of a solved game, and how well a player keeps their values.

use std::collections::BTreeMap;
use std::str::FromStr;
use std::sync::atomic::{AtomicU64, Ordering};

use anyhow::{Error, Result, anyhow, ensure};
use rand::RngExt;

use super::accuracy::Score;
use crate::base::parallel::ordered_map;
use crate::base::rng::{Purpose, Rng, stream};
use crate::exact::solution::{Count, Solution, Value, numbered_position};
use crate::games::{Outcome, Text, Turn};
use crate::play::players::{Player, RankedTurn, SearchReport};
use crate::registry::{Position, Variant};

/// A position with the values of its turns.
pub(crate) struct SolvedPosition {
    game: Position,
    value: Value,
    /// The legal turns with their values for the side to move, best first.
    turns: Vec<(Turn, Value)>,
}

/// A class of positions.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Class {
    Win,
    /// Wins in [`LATE`] turns and more.
    WinLate,
    Loss,
    Neither,
    /// Positions that neither side wins, but after all turns except one the other side does.
    NeitherOnly,
}

/// The number of turns from which on a win is late.
const LATE: u32 = 11;

impl Class {
    const ALL: [Self; 5] = [Self::Win, Self::WinLate, Self::Loss, Self::Neither, Self::NeitherOnly];

    /// The name on the command line and in measures.
    fn text(self) -> &'static str {
        match self {
            Self::Win => "win",
            Self::WinLate => "win_late",
            Self::Loss => "loss",
            Self::Neither => "neither",
            Self::NeitherOnly => "neither_only",
        }
    }

    /// Whether positions of this value can be in the class.
    fn may_have(self, value: Value) -> bool {
        match self {
            Self::Win => matches!(value, Value::Win(_)),
            Self::WinLate => matches!(value, Value::Win(turns) if turns >= LATE),
            Self::Loss => matches!(value, Value::Loss(_)),
            Self::Neither | Self::NeitherOnly => value == Value::Neither,
        }
    }
}

impl FromStr for Class {
    type Err = Error;

    fn from_str(text: &str) -> Result<Self> {
        Self::ALL.into_iter().find(|class| class.text() == text).ok_or_else(|| {
            let names = Self::ALL.map(Self::text).join(", ");
            anyhow!("`{text}` is no class of positions; there are {names}")
        })
    }
}

/// How often a kind of position is looked for from another place before another kind is drawn.
const TRIES: usize = 16;

/// How many positions are looked at for each that is wanted.
const MOST_LOOKED_AT: usize = 10_000;

/// Draws positions that are not over, of these classes only if there are any. A value that `n`
/// positions have is drawn as often as the square root of `n` says, so that rare ones are among
/// them.
///
/// # Errors
///
/// If the solution is damaged, or has no such positions, or hardly any.
pub(crate) fn draw(
    solution: &Solution,
    variant: &Variant,
    count: usize,
    seed: u64,
    classes: &[Class],
) -> Result<Vec<SolvedPosition>> {
    let mut rng = stream(seed, 0, 0, Purpose::Position);
    let is_wanted =
        |value: Value| classes.is_empty() || classes.iter().any(|class| class.may_have(value));
    let kinds: Vec<(Value, f64)> =
        kinds(solution).into_iter().filter(|(value, _)| is_wanted(*value)).collect();
    let sum: f64 = kinds.iter().map(|(_, weight)| weight).sum();
    ensure!(sum > 0.0, "the solution has no such positions with a turn");
    let rules = rules_for(solution, variant);
    let mut positions = Vec::with_capacity(count);
    let mut looked_at = 0;
    while positions.len() < count {
        looked_at += 1;
        ensure!(
            looked_at <= MOST_LOOKED_AT.saturating_mul(count),
            "the solution has hardly any such positions: {} were found among {}",
            positions.len(),
            looked_at - 1
        );
        let mut left = rng.random_range(0.0..sum);
        let kind = kinds.iter().find(|(_, weight)| {
            left -= weight;
            left < 0.0
        });
        let Some((value, _)) = kind.or(kinds.last()) else { continue };
        let found = draw_one(solution, &rules, *value, &mut rng)?;
        positions.extend(found.filter(|position| {
            classes.is_empty() || classes.iter().any(|&class| position.is_of(class))
        }));
    }
    Ok(positions)
}

/// The number of turns before a position of a solution, at most.
const BEFORE: u32 = 3;

/// The rules by which players look at the positions: those of the game, so that random games end. A
/// limit that could cut a win of the solution is left out.
fn rules_for(solution: &Solution, variant: &Variant) -> Variant {
    let longest = solution.about().counts.len() as u32;
    let cuts = variant.longest_game() < longest + BEFORE;
    if cuts { variant.uncapped() } else { *variant }
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
fn draw_one(
    solution: &Solution,
    variant: &Variant,
    value: Value,
    rng: &mut Rng,
) -> Result<Option<SolvedPosition>> {
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

/// What a player answers in a position.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Answer {
    /// The value of the turn that it chooses; none if it fails.
    chosen: Option<Value>,
    /// Whether what it says to be proven, of the position and its turns, is so; none if it says
    /// nothing.
    claims: Option<bool>,
}

impl Answer {
    /// A wrong one in every measure.
    pub(crate) const WRONG: Self = Self { chosen: None, claims: Some(false) };
}

/// The answers of a player in each position. `players` are instances of the same player, one for
/// each thread.
pub(crate) fn measure(
    positions: &[SolvedPosition],
    players: &mut [Box<dyn Player>],
    watch: impl Fn(u64) + Sync,
) -> Vec<Answer> {
    let done = AtomicU64::new(0);
    let numbers: Vec<usize> = (0..positions.len()).collect();
    ordered_map(players, &numbers, |player, &number| {
        let position = &positions[number];
        player.begin_game(number as u64);
        let report = player.analyze(&position.game);
        let (turn, claims) = match report {
            Some(report) => (Some(report.best.text), position.claims(&report)),
            None => (player.choose(&position.game, &[]).ok().map(|it| it.turn.text), None),
        };
        watch(done.fetch_add(1, Ordering::Relaxed) + 1);
        let chosen = turn.and_then(|text| position.value_of(&text));
        Answer { chosen, claims }
    })
}

impl SolvedPosition {
    fn is_of(&self, class: Class) -> bool {
        let keeping = || self.turns.iter().filter(|(_, value)| self.is_kept_by(*value)).count();
        class.may_have(self.value)
            && (class != Class::NeitherOnly || self.turns.len() > 1 && keeping() == 1)
    }

    /// Whether a turn of this value keeps that of the position.
    fn is_kept_by(&self, value: Value) -> bool {
        value.merit().signum() == self.value.merit().signum()
    }

    /// The value of a turn, if it is legal.
    fn value_of(&self, text: &Text) -> Option<Value> {
        self.turns.iter().find(|(turn, _)| turn.text == *text).map(|(_, value)| *value)
    }

    /// Whether all results that a search says to be proven are those of the solution; none if it
    /// says nothing.
    fn claims(&self, report: &SearchReport) -> Option<bool> {
        let side = self.game.to_move();
        let agrees = |outcome: Outcome, value: Option<Value>| match value {
            Some(Value::Win(_)) => outcome == Outcome::Win(side),
            Some(Value::Loss(_)) => outcome == Outcome::Win(side.other()),
            Some(Value::Neither) => outcome == Outcome::Draw,
            None => false,
        };
        let whole = report.proven.map(|outcome| agrees(outcome, Some(self.value)));
        let of_turn =
            |ranked: &RankedTurn| Some(agrees(ranked.proven?, self.value_of(&ranked.turn.text)));
        let mut claims =
            whole.into_iter().chain(report.turns.iter().filter_map(of_turn)).peekable();
        claims.peek()?;
        Some(claims.all(|agrees| agrees))
    }
}

/// The scores with their names. A value is kept by a turn after which the same side can force a
/// win, or neither. Positions all of whose turns keep the value are left out.
pub(crate) fn scores(positions: &[SolvedPosition], answers: &[Answer]) -> Vec<(String, Score)> {
    let mut scores: BTreeMap<(u8, u32, String), Score> = BTreeMap::new();
    for (position, Answer { chosen, claims }) in positions.iter().zip(answers) {
        let kept = chosen.is_some_and(|value| position.is_kept_by(value));
        let best = *chosen == Some(position.value);
        let matters = !position.turns.iter().all(|(_, value)| position.is_kept_by(*value));
        let mut count = |order: u8, distance: u32, name: String, solved: bool| {
            let score = scores.entry((order, distance, name)).or_default();
            score.positions += 1;
            score.solved += u64::from(solved);
        };
        if matters {
            count(0, 0, "kept".into(), kept);
        }
        if let Some(agree) = claims {
            count(3, 2, "claims".into(), *agree);
        }
        match position.value {
            Value::Win(turns) => {
                if matters {
                    count(1, 0, "win_kept".into(), kept);
                    if turns >= LATE {
                        count(1, 1, "win_late_kept".into(), kept);
                    }
                    count(4, turns, format!("win_in_{turns}"), kept);
                }
                count(3, 0, "win_shortest".into(), best);
            }
            Value::Loss(_) => count(3, 1, "loss_longest".into(), best),
            Value::Neither if matters => {
                count(2, 0, "neither_kept".into(), kept);
                if position.is_of(Class::NeitherOnly) {
                    count(2, 1, "neither_only_kept".into(), kept);
                }
            }
            Value::Neither => {}
        }
    }
    scores.into_iter().map(|((_, _, name), score)| (name, score)).collect()
}
