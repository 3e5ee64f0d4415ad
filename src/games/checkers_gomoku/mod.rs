//! The rules of Checkers Gomoku: lines of five capture, and running out of pieces loses.
//!
//! The board has 8x8 cells and is empty at the start. Each player has twelve pieces. Black moves
//! first. In the first 24 turns the players alternately place one of their pieces on any empty
//! cell, and nothing moves. After that a turn is a step of an own piece to an empty adjacent cell,
//! straight or diagonal.
//!
//! If the piece just placed or moved is in an unbroken line of five or more pieces of its colour,
//! its owner captures an enemy piece of their choice, which never returns. Only the arriving piece
//! counts: a five that merely stands captures nothing, but leaving and entering it captures again.
//!
//! A player with four pieces left, on the board and in hand together, loses. A player who must step
//! and cannot loses, too. Games of weak players hardly ever end by themselves. Therefore two limits
//! end them in a draw: one on the turns of a game, one on consecutive steps without a capture.
//!
//! Cells are named as in chess, `a1` at the bottom left. A placement is written as its cell, a step
//! as the cells left and reached. Captures are appended to either: `d4`, `d4-d5`, `e1xb8`,
//! `d4-d5xe6`.
//!
//! The inventor is not known. The rules are those of J. Neto's World of Abstract Games. Where they
//! leave a choice, it is an option.

mod threats;

use std::fmt;

use serde::{Deserialize, Serialize};

use crate::base::rng::mix;
use crate::games::board::{
    Counted, DIRECTIONS, Grid, bits, draw_letters, draw_rows, letter, read_cells, write_plane,
};
use crate::games::picture::{Labels, Picture, piece};
use crate::games::position::fitting_ply;
use crate::games::symmetry::{self, Matrix};
use crate::games::{
    Action, Choice, Colour, Ending, Game, Outcome, PositionError, RuleOption, Rules, RulesError,
    Setup, Side, Spec, Text, is_over_long,
};

const SIZE: usize = 8;

/// The number of pieces of a player.
const PIECES: u32 = 12;

/// The number of turns in which pieces are placed.
const PLACEMENTS: u32 = 2 * PIECES;

/// A player with this number of pieces or fewer has lost.
const TOO_FEW: u32 = 4;

/// The number of lines through a cell, which is the maximum number of captures of a turn.
const LINES: usize = 4;

type Board = Grid<SIZE, SIZE>;

/// Whether a line of five must capture.
#[derive(Clone, Copy, Default, PartialEq, Eq, Hash, Debug, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Capture {
    /// It must.
    #[default]
    Mandatory,
    /// The player may decline.
    Optional,
}

/// Whether a line of more than five captures.
#[derive(Clone, Copy, Default, PartialEq, Eq, Hash, Debug, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Overline {
    /// It does: it contains a line of five.
    #[default]
    Allow,
    /// It does not: a line must have exactly five pieces.
    Exact,
}

/// The number of captures by a piece that completes several lines at once.
#[derive(Clone, Copy, Default, PartialEq, Eq, Hash, Debug, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum PerMove {
    /// One piece.
    #[default]
    One,
    /// One piece for each line, as long as there are enemy pieces.
    PerLine,
}

/// The result of a game that reaches `max_plies`.
#[derive(Clone, Copy, Default, PartialEq, Eq, Hash, Debug, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum CapResult {
    /// A draw.
    #[default]
    Draw,
    /// The player with more pieces, on the board and in hand, wins.
    Material,
}

/// The options of Checkers Gomoku.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct CheckersGomokuRules {
    /// Whether a line of five must capture.
    pub capture: Capture,
    /// Whether a line of more than five captures.
    pub overline: Overline,
    /// Whether a turn that completes several lines captures one piece or one for each line.
    pub per_move: PerMove,
    /// The game ends after this number of turns. 0 is no limit.
    pub max_plies: u16,
    /// The result of a game that reaches `max_plies`.
    pub cap_result: CapResult,
    /// The game is a draw after this number of consecutive steps without a capture. 0 is no limit.
    pub no_capture_limit: u16,
}

impl Default for CheckersGomokuRules {
    fn default() -> Self {
        Self {
            capture: Capture::default(),
            overline: Overline::default(),
            per_move: PerMove::default(),
            max_plies: 400,
            cap_result: CapResult::default(),
            no_capture_limit: 100,
        }
    }
}

impl Rules for CheckersGomokuRules {
    const OPTIONS: &'static [RuleOption] = &[
        RuleOption::new(
            "capture",
            "Whether a line of five must capture.",
            &[
                Choice::new("mandatory", "It must."),
                Choice::new("optional", "The player may decline."),
            ],
        ),
        RuleOption::new(
            "overline",
            "Whether a line of more than five captures.",
            &[
                Choice::new("allow", "It does, like a line of five."),
                Choice::new("exact", "It does not: only a line of exactly five captures."),
            ],
        ),
        RuleOption::new(
            "per_move",
            "How many pieces a turn captures that completes several lines at once.",
            &[
                Choice::new("one", "One."),
                Choice::new("per_line", "One for each line, as long as there are enemy pieces."),
            ],
        ),
        RuleOption::new(
            "max_plies",
            "The game ends after this number of turns, counting those of both players, unless the \
             last one decides it. 0 means no limit.",
            &[],
        ),
        RuleOption::new(
            "cap_result",
            "The result of a game that reaches `max_plies`.",
            &[
                Choice::new("draw", "A draw."),
                Choice::new(
                    "material",
                    "The player with more pieces, on the board and in hand, wins; with as many it \
                     is a draw.",
                ),
            ],
        ),
        RuleOption::new(
            "no_capture_limit",
            "The game is a draw after this number of steps in a row without a capture, counting \
             those of both players. 0 means no limit.",
            &[],
        ),
    ];

    fn check(&self) -> Result<(), RulesError> {
        Ok(())
    }

    fn longest_game(&self) -> u32 {
        u32::from(self.max_plies)
    }

    fn uncapped(self) -> Self {
        Self { max_plies: 0, ..self }
    }
}

#[inline]
const fn opposite(direction: usize) -> usize {
    (direction + 4) % 8
}

/// The length of the unbroken line of `pieces` through `piece` in a direction and its opposite.
#[inline]
fn line_length(pieces: u64, piece: u64, direction: usize) -> u32 {
    let mut line = piece;
    loop {
        let ends = Board::step(line, direction) | Board::step(line, opposite(direction));
        let longer = line | ends & pieces;
        if longer == line {
            return line.count_ones();
        }
        line = longer;
    }
}

/// A game of Checkers Gomoku.
///
/// A turn has one to five actions: a placement or a step, then the captures due. Several captures
/// (option `per_move`) are made in ascending order of cells, so that only one turn captures a given
/// set of pieces. This order is not symmetric: it distinguishes the top of the board from the
/// bottom while captures are due.
///
/// ```text
///  0  1  2  3  4  5  6  7    rank 8
///  8  9 10 11 12 13 14 15
/// 16 17 18 19 20 21 22 23
/// 24 25 26 27 28 29 30 31
/// 32 33 34 35 36 37 38 39
/// 40 41 42 43 44 45 46 47
/// 48 49 50 51 52 53 54 55
/// 56 57 58 59 60 61 62 63    rank 1
/// ```
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct CheckersGomoku {
    /// Pieces of the side to move.
    own: u64,
    /// Pieces of the other side.
    other: u64,
    /// The piece that completed the lines; empty unless a capture is due.
    arrived: u64,
    /// The enemy pieces on higher cells than the last capture of this turn; empty unless a capture
    /// is due.
    capturable: u64,
    /// Completed turns.
    ply: u32,
    /// Steps since the last capture, including the step of this turn.
    quiet: u16,
    /// Captures still due in this turn, or offered if they are optional.
    due: u8,
    outcome: Option<Outcome>,
    rules: CheckersGomokuRules,
}

impl CheckersGomoku {
    /// Parses a drawn board, with no pieces in hand, right after a capture or the last placement.
    /// The number of turns is 24 if P1 is to move and 25 otherwise. `None` if the text does not
    /// have 64 cells, if it has pieces in hand, if a side has more than twelve pieces, or if the
    /// side that moved last has so few that it would have lost before.
    pub fn from_board(rules: &CheckersGomokuRules, board: &str, to_move: Side) -> Option<Self> {
        let (cells, hand) = board.split_once("hand").unwrap_or((board, "x=0 o=0"));
        let [x, o]: [u64; 2] = read_cells(cells, ['x', 'o'], 0..SIZE * SIZE)?;
        let (own, other) = if to_move == Side::P1 { (x, o) } else { (o, x) };
        let possible = own.count_ones() <= PIECES
            && (TOO_FEW + 1..=PIECES).contains(&other.count_ones())
            && hand.trim() == "x=0 o=0";
        let ply = PLACEMENTS + to_move.index() as u32;
        possible.then(|| Self::arranged(rules, [own, other], ply, 0))
    }

    /// The position with these pieces of the side to move and of the other side, after `ply` turns
    /// of which the last `quiet` were steps without a capture.
    fn arranged(rules: &CheckersGomokuRules, pieces: [u64; 2], ply: u32, quiet: u16) -> Self {
        let [own, other] = pieces;
        let mut game = Self { own, other, ply, quiet, ..Self::initial(rules) };
        game.outcome = game.outcome_between_turns();
        game
    }

    /// The number of completed turns of a position as it is written: it has the pieces in hand or
    /// the number itself.
    fn written_ply(
        rules: &CheckersGomokuRules,
        setup: &Setup,
        quiet: u32,
    ) -> Result<u32, PositionError> {
        let Some([x, o]) = setup.pair("hand").filter(|hand| *hand != [0, 0]) else {
            let is_placing = setup.has("ply") && !setup.has("hand") && quiet == 0;
            let least = if is_placing { 0 } else { PLACEMENTS + quiet };
            return setup.ply::<Self>(least, rules.longest_game());
        };
        let side = setup.side::<Self>();
        let are_in_turn = o == x + side.index() as u32;
        if x > PIECES || o > PIECES || !are_in_turn {
            let mover = side.name(Self::FIRST);
            let reason = format!("hand={x},{o} does not fit {mover} to move: Black places first");
            return Err(PositionError::new(reason));
        }
        let placed = PLACEMENTS - x - o;
        if quiet > 0 || setup.has("ply") && setup.ply::<Self>(0, 0)? != placed {
            let reason = format!("with hand={x},{o} it is ply={placed} and quiet=0");
            return Err(PositionError::new(reason));
        }
        setup.ply_within(placed, rules.longest_game())
    }

    /// Checks the pieces: at most twelve a side with those in hand, and only the side to move can
    /// have lost.
    fn checked(self) -> Result<Self, PositionError> {
        let side = self.to_move();
        let [own, other] = self.totals();
        for (side, total) in [(side, own), (side.other(), other)] {
            if total > PIECES {
                let name = side.name(Self::FIRST);
                let reason = format!("{name} has {total} pieces with those in hand, not {PIECES}");
                return Err(PositionError::new(reason + " or fewer"));
            }
        }
        if other <= TOO_FEW {
            let name = side.other().name(Self::FIRST);
            let reason = format!("{name} has {other} pieces and had lost before the last turn");
            return Err(PositionError::new(reason));
        }
        Ok(self)
    }

    /// Pieces on the board of the side to move and of the other side, as bits by cell.
    #[inline]
    pub(crate) fn pieces(&self) -> [u64; 2] {
        [self.own, self.other]
    }

    /// Steps since the last capture.
    #[inline]
    pub(crate) fn quiet(&self) -> u16 {
        self.quiet
    }

    #[inline]
    fn capturing(&self) -> bool {
        self.due > 0
    }

    #[inline]
    fn placing(&self) -> bool {
        self.ply < PLACEMENTS
    }

    #[inline]
    fn empty(&self) -> u64 {
        !(self.own | self.other)
    }

    /// The number of pieces that a side has not yet placed.
    #[inline]
    fn in_hand(&self, side: Side) -> u32 {
        // While a capture is due, the piece of this turn is already on the board.
        let placed = (self.ply + u32::from(self.capturing())).min(PLACEMENTS);
        PIECES - (placed + 1 - side.index() as u32) / 2
    }

    /// Pieces on the board and in hand, of the side to move and of the other side.
    #[inline]
    pub(crate) fn totals(&self) -> [u32; 2] {
        let side = self.to_move();
        let total = |pieces: u64, side| pieces.count_ones() + self.in_hand(side);
        [total(self.own, side), total(self.other, side.other())]
    }

    /// The enemy pieces that the next capture may take.
    #[inline]
    fn targets(&self) -> u64 {
        let mut targets = self.capturable;
        if self.rules.capture == Capture::Mandatory {
            // Later captures need higher cells, so the highest ones are reserved for them.
            for _ in 1..self.due {
                targets &= !(1_u64 << 63 >> (targets | 1).leading_zeros());
            }
        }
        targets
    }

    /// For each direction, the pieces with an empty cell there.
    #[inline]
    fn movers(&self) -> [u64; DIRECTIONS.len()] {
        let empty = self.empty();
        std::array::from_fn(|direction| self.own & Board::step(empty, opposite(direction)))
    }

    /// Whether the side to move has a piece in an unbroken line of at least five.
    #[inline]
    fn has_five(&self) -> bool {
        (0..LINES).any(|direction| {
            let after = |line| self.own & Board::step(line, direction);
            after(after(after(after(self.own)))) != 0
        })
    }

    /// Places or moves a piece. The turn ends unless a capture is due.
    #[inline]
    fn arrive(&mut self, action: Action) {
        let (plane, cell) = Self::SPEC.plane_and_cell(action);
        let mut piece = 1 << cell;
        if plane > 0 {
            self.own &= !piece;
            piece = Board::step(piece, (plane - 1) % DIRECTIONS.len());
            self.quiet = self.quiet.saturating_add(1);
        }
        self.own |= piece;
        self.due = self.captures_of(piece);
        if self.capturing() {
            self.arrived = piece;
            self.capturable = self.other;
        } else {
            self.end_turn();
        }
    }

    /// The number of captures due to `piece`.
    #[inline]
    fn captures_of(&self, piece: u64) -> u8 {
        // Most turns complete no line, and this is told without loops.
        if !self.has_five() {
            return 0;
        }
        let captures = |&direction: &usize| {
            let length = line_length(self.own, piece, direction);
            length == 5 || length > 5 && self.rules.overline == Overline::Allow
        };
        let lines = (0..LINES).filter(captures).count() as u32;
        let most = if self.rules.per_move == PerMove::One { 1 } else { self.other.count_ones() };
        lines.min(most).min(self.other.count_ones()) as u8
    }

    #[inline]
    fn take(&mut self, cell: usize) {
        self.other &= !(1 << cell);
        self.quiet = 0;
        self.capturable &= u64::MAX << cell << 1;
        self.due -= 1;
        // If captures are optional, there may be no enemy piece on a higher cell.
        if self.due == 0 || self.capturable == 0 {
            self.end_turn();
        }
    }

    #[inline]
    fn end_turn(&mut self) {
        *self = Self {
            own: self.other,
            other: self.own,
            arrived: 0,
            capturable: 0,
            ply: self.ply + 1,
            due: 0,
            ..*self
        };
        self.outcome = self.outcome_between_turns();
    }

    /// Whether the side to move must step and cannot.
    #[inline]
    fn is_blocked(&self) -> bool {
        !self.placing() && Board::neighbours(self.own) & self.empty() == 0
    }

    /// The outcome at the beginning of a turn. Only the side to move can have lost.
    #[inline]
    fn outcome_between_turns(&self) -> Option<Outcome> {
        let [own, _] = self.totals();
        if own <= TOO_FEW || self.is_blocked() {
            Some(Outcome::Win(self.to_move().other()))
        } else if is_over_long(self.ply, self.rules.max_plies) {
            Some(self.result_at_cap())
        } else {
            let limit = self.rules.no_capture_limit;
            (limit > 0 && self.quiet >= limit).then_some(Outcome::Draw)
        }
    }

    fn result_at_cap(&self) -> Outcome {
        let [own, other] = self.totals();
        if self.rules.cap_result == CapResult::Draw || own == other {
            Outcome::Draw
        } else if own > other {
            Outcome::Win(self.to_move())
        } else {
            Outcome::Win(self.to_move().other())
        }
    }

    /// The end of a game that reached `max_plies`.
    fn ending_at_cap(&self, outcome: Outcome) -> Ending {
        let [own, other] = self.totals();
        let limit = Ending::over_long(self.rules.max_plies).reason;
        match outcome {
            Outcome::Win(winner) => {
                let (name, most, least) =
                    (winner.name(Self::FIRST), own.max(other), own.min(other));
                Ending::new(format!("{limit}, and {name} has {most} pieces against {least}"))
            }
            Outcome::Draw => Ending::new(limit),
        }
    }

    /// The planes of an observation that show unfinished lines of five, five planes for each side.
    fn threats(&self) -> impl Iterator<Item = u64> {
        let side = self.to_move();
        let of_side = |own, other, side| {
            let fives = threats::fives_to_make(own, other, self.in_hand(side) > 0);
            threats::lines_with_two_to_five(own, other).into_iter().chain([fives])
        };
        let own = of_side(self.own, self.other, side);
        own.chain(of_side(self.other, self.own, side.other()))
    }

    /// The constant planes of an observation.
    fn counters(&self) -> [f32; 8] {
        let side = self.to_move();
        let of_pieces = |count: u32| count as f32 / PIECES as f32;
        let of_limit = |count: u32, limit: u16| count as f32 / f32::from(limit.max(1));
        let [own, other] = self.totals();
        let left = match self.rules.max_plies {
            0 => 1.0,
            limit => of_limit(u32::from(limit).saturating_sub(self.ply), limit),
        };
        let quiet = match self.rules.no_capture_limit {
            0 => 0.0,
            limit => of_limit(u32::from(self.quiet.min(limit)), limit),
        };
        [
            f32::from(self.due) / LINES as f32,
            f32::from(u8::from(self.placing())),
            of_pieces(self.in_hand(side)),
            of_pieces(self.in_hand(side.other())),
            of_pieces(own),
            of_pieces(other),
            left,
            quiet,
        ]
    }
}

impl Game for CheckersGomoku {
    type Rules = CheckersGomokuRules;

    const RULES_VERSION: u32 = 1;
    const FIRST: Colour = Colour::Black;
    const SPEC: Spec = Spec {
        planes: 21,
        height: SIZE,
        width: SIZE,
        displacements: &{
            // The cell itself (place, capture), then the steps.
            let (mut displacements, mut direction) = ([(0, 0); 9], 0);
            while direction < 8 {
                displacements[direction + 1] = DIRECTIONS[direction];
                direction += 1;
            }
            displacements
        },
        pass: true,
    };
    const ACTIONS: &'static str = "plane 0 places a piece on the cell or captures the one there, the others step from the cell; \
         the last action declines further captures";
    const SYMMETRIES: &'static [Matrix] = symmetry::SQUARE;

    const COUNTERS: &'static [&'static str] = &["ply", "hand", "quiet"];

    fn initial(rules: &Self::Rules) -> Self {
        Self {
            own: 0,
            other: 0,
            arrived: 0,
            capturable: 0,
            ply: 0,
            quiet: 0,
            due: 0,
            outcome: None,
            rules: *rules,
        }
    }

    #[inline]
    fn ply(&self) -> u32 {
        self.ply
    }

    #[inline]
    fn outcome(&self) -> Option<Outcome> {
        self.outcome
    }

    fn ending(&self) -> Option<Ending> {
        let outcome = self.outcome?;
        let loser = self.to_move().name(Self::FIRST);
        let [own, _] = self.totals();
        Some(if own <= TOO_FEW {
            Ending::new(format!("{loser} has only {own} pieces left")).on(self.own)
        } else if self.is_blocked() {
            Ending::new(format!("{loser} has no piece that can step")).on(self.own)
        } else if is_over_long(self.ply, self.rules.max_plies) {
            self.ending_at_cap(outcome)
        } else {
            let limit = self.rules.no_capture_limit;
            Ending::new(format!("The last {limit} steps captured nothing"))
        })
    }

    #[inline]
    fn legal_actions(&self, actions: &mut Vec<Action>) {
        actions.clear();
        if self.outcome.is_some() {
        } else if self.capturing() {
            actions.extend(bits(self.targets()).map(|cell| cell as Action));
            if self.rules.capture == Capture::Optional {
                actions.push(Self::SPEC.pass_action());
            }
        } else if self.placing() {
            actions.extend(bits(self.empty()).map(|cell| cell as Action));
        } else {
            for (direction, movers) in self.movers().into_iter().enumerate() {
                actions.extend(bits(movers).map(|cell| Self::SPEC.action(1 + direction, cell)));
            }
        }
    }

    #[inline]
    fn choose_action(
        &self,
        actions: &mut Vec<Action>,
        choose: impl FnOnce(u32) -> u32,
    ) -> Option<Action> {
        if self.outcome.is_some() || self.capturing() {
            self.legal_actions(actions);
            return (!actions.is_empty()).then(|| actions[choose(actions.len() as u32) as usize]);
        }
        if self.placing() {
            let cells = Counted::new([self.empty()]);
            return cells.choose(choose).map(|(_, cell)| cell as Action);
        }
        let found = Counted::new(self.movers()).choose(choose);
        found.map(|(direction, cell)| Self::SPEC.action(1 + direction, cell))
    }

    #[inline]
    fn play(&mut self, action: Action) {
        if !self.capturing() {
            self.arrive(action);
        } else if action == Self::SPEC.pass_action() {
            self.end_turn();
        } else {
            self.take(usize::from(action) % Self::SPEC.cells());
        }
    }

    fn observe(&self, planes: &mut [f32]) {
        let mut planes = planes.chunks_exact_mut(Self::SPEC.cells());
        let pieces = [self.own, self.other, self.arrived];
        for cells in pieces.into_iter().chain(self.threats()) {
            planes.by_ref().take(1).for_each(|plane| write_plane(plane, cells));
        }
        planes.zip(self.counters()).for_each(|(plane, value)| plane.fill(value));
    }

    fn planes() -> Vec<&'static str> {
        vec![
            "own pieces",
            "the opponent's pieces",
            "the piece that has just completed a line",
            "own lines of five with two pieces and no enemy piece",
            "own lines of five with three pieces and no enemy piece",
            "own lines of five with four pieces and no enemy piece",
            "own lines of five with five pieces",
            "cells on which an own piece can complete a line of five or more in a turn",
            "the opponent's lines of five with two pieces and no own piece",
            "the opponent's lines of five with three pieces and no own piece",
            "the opponent's lines of five with four pieces and no own piece",
            "the opponent's lines of five with five pieces",
            "cells on which an opponent's piece can complete a line of five or more in a turn",
            "captures due, divided by 4",
            "1 in the placement phase",
            "own pieces in hand, divided by 12",
            "the opponent's pieces in hand, divided by 12",
            "own pieces on the board and in hand, divided by 12",
            "the opponent's pieces on the board and in hand, divided by 12",
            "turns left, divided by the limit; 1 without a limit",
            "steps since the last capture, divided by the limit; 0 without a limit",
        ]
    }

    fn cell_name(&self, cell: usize) -> String {
        let mut text = Text::new();
        push_cell(&mut text, cell);
        text.to_string()
    }

    fn action_text(&self, action: Action) -> Text {
        let (plane, cell) = Self::SPEC.plane_and_cell(action);
        let mut text = Text::new();
        if action == Self::SPEC.pass_action() {
            return text;
        }
        if self.capturing() {
            text.push('x');
        }
        push_cell(&mut text, cell);
        if plane > 0 {
            text.push('-');
            let to = Board::step(1 << cell, (plane - 1) % DIRECTIONS.len());
            bits(to).for_each(|cell| push_cell(&mut text, cell));
        }
        text
    }

    /// Includes the steps since the last capture, because enough of them are a draw.
    fn full_key(&self) -> u64 {
        let counters = u64::from(self.ply()) << 16 | u64::from(self.quiet());
        mix(self.position_key() ^ mix(counters))
    }

    fn heuristic(&self) -> i32 {
        self.static_evaluation()
    }

    fn setup(&self) -> Setup {
        let quiet = u32::from(self.quiet);
        let least = if self.placing() { self.ply } else { PLACEMENTS + quiet };
        let hand = [Side::P1, Side::P2].map(|side| self.in_hand(side));
        Setup::of(self, (0..SIZE * SIZE).map(|cell| self.symbol(cell)))
            .with("ply", &[self.ply], &[fitting_ply(least, self.to_move())])
            .with("hand", &hand, &[0, 0])
            .with("quiet", &[quiet], &[0])
    }

    fn from_setup(rules: &Self::Rules, setup: &Setup) -> Result<Self, PositionError> {
        let most = if rules.no_capture_limit == 0 { u16::MAX } else { rules.no_capture_limit };
        let quiet = setup.counter("quiet", most.into())?;
        let ply = Self::written_ply(rules, setup, quiet)?;
        Self::arranged(rules, setup.pieces(), ply, quiet as u16).checked()
    }

    fn position_key(&self) -> u64 {
        // The counters of the two limits are left out, or no position would ever repeat.
        let placed = u64::from(self.ply.min(PLACEMENTS));
        let phase = placed << 16 | u64::from(self.due) << 8 | self.to_move().index() as u64;
        [self.other, self.arrived, self.capturable, phase]
            .into_iter()
            .fold(mix(self.own), |key, word| mix(key ^ word))
    }
}

fn push_cell(text: &mut Text, cell: usize) {
    text.push(letter(cell % SIZE));
    text.push(char::from(b'8' - (cell / SIZE) as u8));
}

impl Picture for CheckersGomoku {
    fn labels(_: &Self::Rules) -> Labels {
        Labels::square((0..SIZE).map(letter), (1..=SIZE).rev(), SIZE as f32)
    }

    fn symbol(&self, cell: usize) -> char {
        piece(self, [self.own, self.other].map(|pieces| pieces >> cell & 1 != 0))
    }

    fn hand(&self) -> Option<[u32; 2]> {
        Some([Side::P1, Side::P2].map(|side| self.in_hand(side)))
    }
}

impl fmt::Display for CheckersGomoku {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        draw_rows(f, [SIZE, SIZE], |row| SIZE - row, |cell| self.symbol(cell))?;
        writeln!(f)?;
        draw_letters(f, [SIZE, SIZE], letter)?;
        write!(f, "\nhand x={} o={}", self.in_hand(Side::P1), self.in_hand(Side::P2))
    }
}
