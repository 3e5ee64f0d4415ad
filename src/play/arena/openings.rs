//! Openings: different positions in which no side wins at once.

use std::collections::HashSet;

use rand::RngExt;
use thiserror::Error;

use crate::base::rng::{Purpose, Rng, stream};
use crate::classic::prover::DEEPEST;
use crate::games::{Outcome, Side, Text, Turn, legal_turns};
use crate::play::Threefold;
use crate::registry::{AnyProofNumbers, AnyProver, Position, Variant};

/// The opening of a pair of games.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct Opening {
    /// Its index among the openings of the match.
    pub number: u64,
    /// The turns that lead to it.
    pub moves: Vec<Text>,
    /// The position.
    pub position: Position,
    /// Whether the third occurrence of a position is a draw, with the positions so far.
    pub threefold: Threefold,
}

/// There are too few openings.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Error)]
#[error(
    "only {found} different open positions were found after {turns} random turns, but {wanted} \
     pairs of games need one each; ask for fewer games{or_others} or another number of turns",
    or_others = .left_out.remedy()
)]
pub(crate) struct TooFewOpenings {
    turns: u32,
    found: usize,
    wanted: usize,
    left_out: LeftOut,
}

impl TooFewOpenings {
    /// The number of openings found.
    pub(crate) fn found(&self) -> usize {
        self.found
    }
}

/// Which openings are left out, in addition to those that are won at once.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum LeftOut {
    Nothing,
    Decided,
    DecidedLate,
}

impl LeftOut {
    fn remedy(self) -> &'static str {
        match self {
            Self::Nothing => "",
            Self::Decided => ", for decided openings too (--decided),",
            Self::DecidedLate => ", for openings that are decided late too (without --balanced),",
        }
    }
}

/// Generates different positions after random turns. They must differ because players may be
/// deterministic and would repeat a game from the same opening. Positions in which a side wins at
/// once are left out.
pub(crate) struct OpeningBook {
    /// The position before the random turns.
    start: Position,
    /// Whether that position was given, and is not the start of the game.
    is_given: bool,
    turns: u32,
    seed: u64,
    /// Whether the third occurrence of a position is a draw.
    is_threefold: bool,
    /// Number of positions sampled so far.
    attempts: u64,
    seen: HashSet<Position>,
    found: Vec<Opening>,
    /// For each opening found, the number of positions sampled before it.
    drawn_before: Vec<u64>,
    left_out: LeftOut,
    /// Finds decided positions.
    prover: AnyProver,
    /// Finds positions that are decided late.
    late: AnyProofNumbers,
}

/// Positions that the prover visits to find out whether an opening is decided: a few milliseconds.
const PROOF_NODES: u64 = 20_000;

/// Positions that the proof-number search visits for each side to find out whether an opening is
/// decided late: about 20 milliseconds.
const LATE_NODES: u64 = 200_000;

/// Entries of the tables of both proof searches.
const PROOF_ENTRIES: usize = 1 << 14;

impl OpeningBook {
    /// A book of positions after `turns` random turns.
    pub(crate) fn new(variant: &Variant, turns: u32, seed: u64) -> Self {
        Self {
            start: variant.initial(),
            is_given: false,
            turns,
            seed,
            is_threefold: false,
            attempts: 0,
            seen: HashSet::new(),
            found: Vec::new(),
            drawn_before: Vec::new(),
            left_out: LeftOut::Nothing,
            prover: AnyProver::new(0),
            late: AnyProofNumbers::new(Side::P1, 0),
        }
    }

    /// Draws the random turns from another position than the start of the game, which is not over.
    /// Without random turns that position is the only opening, also if it is decided.
    pub(crate) fn starting(self, position: Position) -> Self {
        Self { start: position, is_given: true, ..self }
    }

    /// Sets whether the third occurrence of a position is a draw.
    pub(crate) fn threefold(self, is_agreed: bool) -> Self {
        Self { is_threefold: is_agreed, ..self }
    }

    /// Also leaves out positions that a prover proves to be won by force with 20,000 visited
    /// positions. Either player wins them, so they say nothing about the players.
    pub(crate) fn undecided(self) -> Self {
        Self { left_out: LeftOut::Decided, prover: AnyProver::new(PROOF_ENTRIES), ..self }
    }

    /// As [`undecided`](Self::undecided), but also leaves out positions that [`AnyProofNumbers`]
    /// proves to be won by force with 200,000 visited positions.
    pub(crate) fn balanced(self) -> Self {
        let late = AnyProofNumbers::new(Side::P1, PROOF_ENTRIES);
        Self { left_out: LeftOut::DecidedLate, late, ..self.undecided() }
    }

    /// Returns the first `pairs` openings.
    ///
    /// # Errors
    ///
    /// If there are too few of them.
    pub(crate) fn all(mut self, pairs: usize) -> Result<Vec<Opening>, TooFewOpenings> {
        // A position that was asked for is not left out.
        let left_out = if self.is_asked_for() { LeftOut::Nothing } else { self.left_out };
        let turns = self.turns;
        let found = self.first(pairs);
        match found.len() == pairs {
            true => Ok(found.to_vec()),
            false => Err(TooFewOpenings { turns, found: found.len(), wanted: pairs, left_out }),
        }
    }

    /// The first `pairs` openings, or fewer if 1000 + 20 `pairs` random positions do not yield as
    /// many. The result does not depend on earlier calls.
    pub(crate) fn first(&mut self, pairs: usize) -> &[Opening] {
        let most = 1000 + 20 * pairs as u64;
        while self.found.len() < pairs && self.attempts < most {
            self.draw();
        }
        let in_time = self.drawn_before.partition_point(|&before| before < most);
        &self.found[..in_time.min(pairs)]
    }

    fn draw(&mut self) {
        let mut rng = stream(self.seed, 0, self.attempts, Purpose::Opening);
        let drawn = random_position(self.start, self.turns, &mut rng);
        if let Some((position, moves)) = drawn
            && (self.is_asked_for() || is_open(&position))
            && self.seen.insert(position)
            && (self.is_asked_for() || !self.is_left_out(&position))
        {
            let threefold = Threefold::after_turns(self.is_threefold, &self.start, &moves);
            let number = self.found.len() as u64;
            self.found.push(Opening { number, moves, position, threefold });
            self.drawn_before.push(self.attempts);
        }
        self.attempts += 1;
    }

    /// Whether the only opening is the position that was given, which nobody drew.
    fn is_asked_for(&self) -> bool {
        self.is_given && self.turns == 0
    }

    /// Whether a position is left out because a side wins by force.
    fn is_left_out(&mut self, position: &Position) -> bool {
        match self.left_out {
            LeftOut::Nothing => false,
            LeftOut::Decided => self.is_decided(position),
            LeftOut::DecidedLate => self.is_decided(position) || self.is_decided_late(position),
        }
    }

    fn is_decided(&mut self, position: &Position) -> bool {
        self.prover.begin(PROOF_NODES);
        let sides = sides_of(position);
        let questions = (1..=DEEPEST).flat_map(|turns| sides.map(|side| (side, turns)));
        let mut answers =
            questions.map_while(|(side, turns)| self.prover.wins(position, side, turns).ok());
        answers.any(|wins| wins)
    }

    fn is_decided_late(&mut self, position: &Position) -> bool {
        sides_of(position).into_iter().any(|side| {
            self.late.begin(side);
            self.late.allow(LATE_NODES);
            self.late.wins(position) == Ok(true)
        })
    }
}

/// The side to move, then the other.
fn sides_of(position: &Position) -> [Side; 2] {
    [position.to_move(), position.to_move().other()]
}

/// The first `pairs` positions of the [`OpeningBook`], including decided ones.
///
/// # Errors
///
/// If there are too few of them.
pub(crate) fn openings(
    variant: &Variant,
    turns: u32,
    pairs: usize,
    seed: u64,
) -> Result<Vec<Opening>, TooFewOpenings> {
    OpeningBook::new(variant, turns, seed).all(pairs)
}

/// The position after random turns, and those turns; `None` if the game ends before.
pub(crate) fn random_position(
    mut game: Position,
    turns: u32,
    rng: &mut Rng,
) -> Option<(Position, Vec<Text>)> {
    let mut moves = Vec::new();
    for _ in 0..turns {
        let legal = legal_turns(&game);
        if legal.is_empty() {
            return None;
        }
        let turn = &legal[rng.random_range(0..legal.len())];
        turn.play_on(&mut game);
        moves.push(turn.text);
    }
    Some((game, moves))
}

/// Whether no side wins at once: the side to move has no winning turn, but a turn after which the
/// other side has none.
fn is_open(game: &Position) -> bool {
    let is_safe = |turn: &Turn| {
        let next = turn.after(game);
        next.outcome().is_none() && !wins_at_once(&next)
    };
    !wins_at_once(game) && legal_turns(game).iter().any(is_safe)
}

fn wins_at_once(game: &Position) -> bool {
    let won = Some(Outcome::Win(game.to_move()));
    legal_turns(game).iter().any(|turn| turn.after(game).outcome() == won)
}
