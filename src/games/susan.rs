//! The rules of Susan (Stephen Linhart, 1991): surround an enemy stone before one of your own is
//! surrounded.
//!
//! The board is a hexagon of 61 hexagonal cells, five to a side, and starts empty. Black moves
//! first. In a turn a player either places a new own stone on any empty cell, or slides an own
//! stone to an adjacent empty cell. Passing is not allowed.
//!
//! A stone is surrounded if it has no adjacent empty cell, where stones of either colour and the
//! edge count as filled. A turn after which an own stone of the mover is surrounded loses, even if
//! it surrounds enemy stones as well. Otherwise a turn after which an enemy stone is surrounded
//! wins. Six slides in a row, three by each player, are a draw unless the last one decides the
//! game. No stone is ever removed.
//!
//! Cells are named by file and rank: files are `a` to `i`, ranks 1 to 9 with rank 9 at the top, and
//! they differ by at most 4 when `a` counts as 1. A turn is written as its cell (`d3`), or as the
//! cells left and reached (`d3-d2`). The author's own notation, which other collections use, names
//! the same cells by row, `a` at the top, and number from the left; see [`Notation`].

use std::fmt;

use serde::{Deserialize, Serialize};

use crate::base::rng::mix;
use crate::games::board::{bits, letter, read_cells};
use crate::games::picture::{Label, Labels, Picture, Shape, piece};
use crate::games::position::fitting_ply;
use crate::games::symmetry::{self, Matrix};
use crate::games::{
    Action, Choice, Colour, Ending, Game, Outcome, PositionError, RuleOption, Rules, RulesError,
    Setup, Side, Spec, Text, is_over_long, max_plies, plies_left,
};

/// The number of rows and columns of the frame, the square array that contains the hexagon.
const SIZE: usize = 9;
const CELLS: usize = SIZE * SIZE;

/// The number of consecutive slides that are a draw.
const SLIDES: u8 = 6;

/// An upper bound on the turns of a game: each of at most 61 stones but the first is placed after
/// at most 5 slides, a sixth slide ends the game, and the pie rule adds one turn.
const LONGEST: u32 = 366;

/// Whether the second player may take over the first stone.
#[derive(Clone, Copy, Default, PartialEq, Eq, Hash, Debug, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Pie {
    /// No.
    #[default]
    Off,
    /// Yes: the second player's first turn may be `swap`. The only stone on the board then changes
    /// its colour to the second player's, and the first player moves again.
    On,
}

/// How cells are named, in turns and around the board.
#[derive(Clone, Copy, Default, PartialEq, Eq, Hash, Debug, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Notation {
    /// By file and rank of the skewed board: the middle row is `a5` to `i5`.
    #[default]
    Skewed,
    /// By row and number from the left, as the author does: the middle row is `e1` to `e9`.
    Linhart,
}

/// The options of Susan.
#[derive(Clone, Copy, Default, PartialEq, Eq, Hash, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct SusanRules {
    /// Whether the second player may take over the first stone.
    pub pie: Pie,
    /// How cells are named.
    pub notation: Notation,
    /// The game is a draw after this number of turns, unless the last one decides it. 0 is no
    /// limit.
    pub max_plies: u16,
}

impl Rules for SusanRules {
    const OPTIONS: &'static [RuleOption] = &[
        RuleOption::new(
            "pie",
            "Whether White may take over Black's first stone, which makes the first turn fair.",
            &[
                Choice::new("off", "No."),
                Choice::new(
                    "on",
                    "Yes. White's first turn may be `swap`: Black's stone becomes a white one where \
                     it stands, and Black is to move. It is offered only then.",
                ),
            ],
        ),
        RuleOption::new(
            "notation",
            "How cells are named. The game is the same.",
            &[
                Choice::new("skewed", "By file and rank: the middle row is `a5` to `i5`."),
                Choice::new(
                    "linhart",
                    "As the author does, by row from the top and number from the left: the middle \
                     row is `e1` to `e9`.",
                ),
            ],
        ),
        max_plies(),
    ];

    fn check(&self) -> Result<(), RulesError> {
        Ok(())
    }

    fn longest_game(&self) -> u32 {
        if self.max_plies == 0 { LONGEST } else { LONGEST.min(self.max_plies.into()) }
    }

    fn uncapped(self) -> Self {
        Self { max_plies: 0, ..self }
    }
}

/// `(0, 0)` for a placement, then the six steps in the order of the rotation by 60 degrees, as
/// `(dx, dy)` in the frame with `dy` down. A step changes the file, the rank, or both by the same
/// sign. Higher ranks are up.
const DISPLACEMENTS: [(i8, i8); 7] = [(0, 0), (1, 0), (1, -1), (0, -1), (-1, 0), (-1, 1), (0, 1)];

/// Whether a column and a row of the frame meet in a cell of the hexagon.
const fn on_board(column: i32, row: i32) -> bool {
    // File and rank count from 1, ranks from below: |column + 1 - (9 - row)| <= 4.
    (column + row - 8).abs() <= 4 && 0 <= column && column < 9 && 0 <= row && row < 9
}

/// For every displacement, the cells from which it leads to a cell of the hexagon. Bits must be
/// masked with these before a shift. Masking after the shift would not prevent wrapping around the
/// edges: `a5` follows `i6`.
const STARTS: [u128; 7] = {
    let mut starts = [0; 7];
    let mut index = 0;
    while index < 7 * CELLS {
        let (plane, cell) = (index / CELLS, index % CELLS);
        let (dx, dy) = DISPLACEMENTS[plane];
        let (column, row) = ((cell % SIZE) as i32, (cell / SIZE) as i32);
        if on_board(column, row) && on_board(column + dx as i32, row + dy as i32) {
            starts[plane] |= 1 << cell;
        }
        index += 1;
    }
    starts
};

/// The number of bits by which each displacement moves a bit to the left.
const OFFSETS: [i32; 7] = {
    let mut offsets = [0; 7];
    let mut plane = 0;
    while plane < 7 {
        let (dx, dy) = DISPLACEMENTS[plane];
        offsets[plane] = dy as i32 * SIZE as i32 + dx as i32;
        plane += 1;
    }
    offsets
};

/// The 61 cells of the hexagon.
const BOARD: u128 = STARTS[0];

/// Moves all `cells` by the displacement of `PLANE`, and drops those that leave the board.
#[inline(always)]
const fn step<const PLANE: usize>(cells: u128) -> u128 {
    let (cells, offset) = (cells & STARTS[PLANE], OFFSETS[PLANE]);
    if offset >= 0 { cells << offset } else { cells >> -offset }
}

/// The cells adjacent to any of `cells`.
#[inline(always)]
const fn neighbours(cells: u128) -> u128 {
    let horizontal = step::<1>(cells) | step::<4>(cells);
    let rising = step::<2>(cells) | step::<5>(cells);
    let vertical = step::<3>(cells) | step::<6>(cells);
    horizontal | rising | vertical
}

/// Appends the actions of `plane` on `cells`, ascending.
#[inline(always)]
fn push_actions(actions: &mut Vec<Action>, plane: usize, cells: u128) {
    let action = |cell| Susan::SPEC.action(plane, cell);
    actions.extend(bits(cells as u64).map(action));
    actions.extend(bits((cells >> 64) as u64).map(|cell| action(cell + 64)));
}

/// A game of Susan.
///
/// Bits are the cells of the frame, row by row from the top. Only those between the lines are in
/// the hexagon.
///
/// ```text
///  0  1  2  3 / 4  5  6  7  8      rank 9
///  9 10 11 /12 13 14 15 16 17
/// 18 19 /20 21 22 23 24 25 26
/// 27 /28 29 30 31 32 33 34 35
///  36 37 38 39 40 41 42 43 44      rank 5
/// 45 46 47 48 49 50 51 52/ 53
/// 54 55 56 57 58 59 60/ 61 62
/// 63 64 65 66 67 68/ 69 70 71
/// 72 73 74 75 76/ 77 78 79 80      rank 1
/// ```
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct Susan {
    /// Stones of the side to move.
    own: u128,
    /// Stones of the other side.
    other: u128,
    ply: u32,
    /// Slides since the last placement.
    slides: u8,
    outcome: Option<Outcome>,
    rules: SusanRules,
}

impl Susan {
    /// Parses a drawn board, with a slide counter of 0. The number of turns is 0 if P1 is to move
    /// and 1 otherwise. `None` if the text does not have 61 cells.
    pub fn from_board(rules: &SusanRules, board: &str, to_move: Side) -> Option<Self> {
        let [x, o] = read_cells(board, ['x', 'o'], cells_of_board())?;
        let (own, other) = if to_move == Side::P1 { (x, o) } else { (o, x) };
        Some(Self::arranged(rules, [own, other], to_move.index() as u32, 0))
    }

    /// The position with these stones of the side to move and of the other side, after `ply` turns
    /// of which the last `slides` were slides.
    fn arranged(rules: &SusanRules, [own, other]: [u128; 2], ply: u32, slides: u8) -> Self {
        let mut game = Self { own, other, ply, slides, ..Self::initial(rules) };
        game.outcome = game.outcome_between_turns();
        game
    }

    /// The least number of completed turns: stones are never removed, so each took a turn of its
    /// side.
    fn least_ply([first, second]: [u32; 2], side: Side, slides: u32) -> u32 {
        let by_side = (2 * first).saturating_sub(1).max(2 * second);
        fitting_ply(by_side.max(first + second + slides), side)
    }

    /// The numbers of stones of the side that moves first and of the other.
    fn counts(&self) -> [u32; 2] {
        let [own, other] = [self.own, self.other].map(u128::count_ones);
        if self.to_move() == Side::P1 { [own, other] } else { [other, own] }
    }

    /// Stones of the side to move and of the other side, as bits of the frame.
    #[inline]
    pub(crate) fn stones(&self) -> [u128; 2] {
        [self.own, self.other]
    }

    /// The number of empty cells adjacent to each cell, as a binary number: for each of the digits
    /// 1, 2 and 4, the cells whose number has it.
    #[inline]
    pub(crate) fn liberties(&self) -> [u128; 3] {
        let empty = self.empty();
        let sides = [
            step::<1>(empty),
            step::<2>(empty),
            step::<3>(empty),
            step::<4>(empty),
            step::<5>(empty),
            step::<6>(empty),
        ];
        sides.into_iter().fold([0; 3], |[one, two, four], side| {
            let carry = one & side;
            [one ^ side, two ^ carry, four ^ two & carry]
        })
    }

    #[inline]
    fn empty(&self) -> u128 {
        BOARD & !(self.own | self.other)
    }

    /// Whether the side to move may take over the first stone. The second player has no stone only
    /// before their first turn.
    #[inline]
    fn may_swap(&self) -> bool {
        self.rules.pie == Pie::On && self.own == 0 && self.to_move() == Side::P2
    }

    /// The outcome after a turn of the side that is no longer to move.
    #[inline]
    fn outcome_between_turns(&self) -> Option<Outcome> {
        let surrounded = !neighbours(self.empty());
        let mover = self.to_move().other();
        if self.other & surrounded != 0 {
            Some(Outcome::Win(mover.other()))
        } else if self.own & surrounded != 0 {
            Some(Outcome::Win(mover))
        } else {
            let over = self.slides >= SLIDES || is_over_long(self.ply, self.rules.max_plies);
            over.then_some(Outcome::Draw)
        }
    }
}

/// The number of `stones` in words.
fn count(stones: u128) -> String {
    match stones.count_ones() {
        1 => "a stone".into(),
        many => format!("{many} stones"),
    }
}

/// The indices of the 61 cells, ascending.
fn cells_of_board() -> impl Iterator<Item = usize> + Clone {
    (0..CELLS).filter(|cell| BOARD >> cell & 1 != 0)
}

impl Game for Susan {
    type Rules = SusanRules;

    const RULES_VERSION: u32 = 1;
    const FIRST: Colour = Colour::Black;
    const SPEC: Spec =
        Spec { planes: 6, height: SIZE, width: SIZE, displacements: &DISPLACEMENTS, pass: true };
    const ACTIONS: &'static str = "plane 0 places a stone on the cell, the others slide the own stone there to the neighbour; \
         the last action swaps sides (the pie rule)";
    const SYMMETRIES: &'static [Matrix] = symmetry::HEXAGON;

    const COUNTERS: &'static [&'static str] = &["ply", "slides"];

    fn initial(rules: &Self::Rules) -> Self {
        Self { own: 0, other: 0, ply: 0, slides: 0, outcome: None, rules: *rules }
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
        let mover = self.to_move().other();
        let [own, enemy] = [mover, mover.other()].map(|side| side.name(Self::FIRST));
        let surrounded = !neighbours(self.empty());
        let (reason, stones) = match outcome {
            Outcome::Draw if self.slides < SLIDES => {
                return Some(Ending::over_long(self.rules.max_plies));
            }
            Outcome::Draw => ("The last six turns were all slides".into(), 0),
            Outcome::Win(side) if side == mover => {
                let stones = self.own & surrounded;
                (format!("{own} surrounded {} of {enemy}'s", count(stones)), stones)
            }
            Outcome::Win(_) => {
                let stones = self.other & surrounded;
                (format!("{own} surrounded {} of {own}'s own", count(stones)), stones)
            }
        };
        let cells = cells_of_board().filter(|cell| stones >> cell & 1 != 0).collect();
        Some(Ending { reason, cells })
    }

    #[inline]
    fn legal_actions(&self, actions: &mut Vec<Action>) {
        actions.clear();
        if self.outcome.is_some() {
            return;
        }
        // A stone can slide in a direction if the opposite step from an empty cell reaches it.
        let (own, empty) = (self.own, self.empty());
        push_actions(actions, 0, empty);
        push_actions(actions, 1, own & step::<4>(empty));
        push_actions(actions, 2, own & step::<5>(empty));
        push_actions(actions, 3, own & step::<6>(empty));
        push_actions(actions, 4, own & step::<1>(empty));
        push_actions(actions, 5, own & step::<2>(empty));
        push_actions(actions, 6, own & step::<3>(empty));
        if self.may_swap() {
            actions.push(Self::SPEC.pass_action());
        }
    }

    #[inline]
    fn play(&mut self, action: Action) {
        let (plane, cell) = Self::SPEC.plane_and_cell(action);
        if let Some(&offset) = OFFSETS.get(plane) {
            let from = 1_u128 << cell;
            let moved = self.own & !from | from.rotate_left(offset as u32);
            (self.own, self.other) = (self.other, moved);
            self.slides = if plane == 0 { 0 } else { self.slides.saturating_add(1) };
        }
        // A swap changes the owner of the stone and the side to move. For the new side to move it
        // is still the only stone and an enemy's.
        self.ply += 1;
        self.outcome = self.outcome_between_turns();
    }

    /// Own and enemy stones, the cells of the hexagon, and three constant planes: the consecutive
    /// slides as a share of the six that draw, the turns left, and whether a swap is legal.
    fn observe(&self, planes: &mut [f32]) {
        let constants = [
            f32::from(self.slides) / f32::from(SLIDES),
            plies_left(self.ply, self.rules.max_plies),
            f32::from(u8::from(self.may_swap())),
        ];
        let (boards, rest) = planes.split_at_mut(3 * CELLS);
        for (plane, cells) in boards.chunks_exact_mut(CELLS).zip([self.own, self.other, BOARD]) {
            for (cell, value) in plane.iter_mut().enumerate() {
                *value = f32::from((cells >> cell) as u8 & 1);
            }
        }
        for (plane, constant) in rest.chunks_exact_mut(CELLS).zip(constants) {
            plane.fill(constant);
        }
    }

    fn planes() -> Vec<&'static str> {
        vec![
            "own stones",
            "the opponent's stones",
            "cells of the board",
            "consecutive slides, divided by the six that are a draw",
            "turns left, divided by the limit; 1 without a limit",
            "1 if the side to move may swap sides",
        ]
    }

    fn cell_name(&self, cell: usize) -> String {
        let mut text = Text::new();
        if BOARD >> cell & 1 != 0 {
            self.rules.notation.write_cell(&mut text, cell);
        }
        text.to_string()
    }

    fn action_text(&self, action: Action) -> Text {
        let (plane, cell) = Self::SPEC.plane_and_cell(action);
        let mut text = Text::new();
        match OFFSETS.get(plane) {
            None => text.push_str("swap"),
            Some(&offset) => {
                self.rules.notation.write_cell(&mut text, cell);
                if plane > 0 {
                    text.push('-');
                    self.rules.notation.write_cell(&mut text, (cell as i32 + offset) as usize);
                }
            }
        }
        text
    }

    fn heuristic(&self) -> i32 {
        self.static_evaluation()
    }

    fn rows() -> Vec<usize> {
        (0..SIZE).map(|row| SIZE - row.abs_diff(4)).collect()
    }

    fn setup(&self) -> Setup {
        let slides = u32::from(self.slides);
        let least = Self::least_ply(self.counts(), self.to_move(), slides);
        Setup::of(self, cells_of_board().map(|cell| self.symbol(cell)))
            .with("ply", &[self.ply], &[least])
            .with("slides", &[slides], &[0])
    }

    fn from_setup(rules: &Self::Rules, setup: &Setup) -> Result<Self, PositionError> {
        let slides = setup.counter("slides", SLIDES.into())?;
        let [x, o] = ['x', 'o'].map(|symbol| setup.set(symbol, cells_of_board()));
        let side = setup.side::<Self>();
        let [own, other] = if side == Side::P1 { [x, o] } else { [o, x] };
        if slides > 0 && other == 0 || slides > 1 && own == 0 {
            let reason = format!("slides={slides}, but a side that has slid has no stone");
            return Err(PositionError::new(reason));
        }
        let least = Self::least_ply(setup.counts(), side, slides);
        let ply = setup.ply::<Self>(least, rules.longest_game())?;
        Ok(Self::arranged(rules, [own, other], ply, slides as u8))
    }

    fn position_key(&self) -> u64 {
        let halves =
            [self.own, self.other].map(|cells| mix(cells as u64 ^ mix((cells >> 64) as u64)));
        let phase = u64::from(self.slides) << 1 | self.to_move().index() as u64;
        mix(halves[0] ^ mix(halves[1] ^ mix(phase)))
    }
}

impl Notation {
    /// Appends the name of a cell of the frame.
    fn write_cell(self, text: &mut Text, cell: usize) {
        let (column, row) = (cell % SIZE, cell / SIZE);
        let (first, number) = match self {
            Self::Skewed => (column, SIZE - row),
            // In the upper half a row does not begin at file a.
            Self::Linhart => (row, column + 1 - 4_usize.saturating_sub(row)),
        };
        text.push(letter(first));
        text.push(digit(number));
    }

    /// The label at the left of a row.
    fn row(self, row: usize) -> char {
        match self {
            Self::Skewed => digit(SIZE - row),
            Self::Linhart => letter(row),
        }
    }

    /// The label of a line of cells that slopes down to the right, the first at the left.
    fn line(self, line: usize) -> char {
        match self {
            Self::Skewed => letter(line),
            Self::Linhart => digit(line + 1),
        }
    }
}

fn digit(number: usize) -> char {
    char::from(b'0' + number as u8)
}

impl Susan {
    /// Draws a row with its labels. Adjacent rows are shifted by half a cell.
    fn draw_row(&self, f: &mut fmt::Formatter<'_>, row: usize) -> fmt::Result {
        let (notation, slant) = (self.rules.notation, row.abs_diff(4));
        write!(f, "{:slant$}{}", "", notation.row(row))?;
        for cell in cells_of_board().filter(|cell| cell / SIZE == row) {
            write!(f, " {}", self.symbol(cell))?;
        }
        if row > 4 || (row < 4 && notation == Notation::Linhart) {
            write!(f, " {}", notation.line(SIZE - slant))?;
        }
        writeln!(f)
    }

    /// Draws the labels below the board, or above it.
    fn draw_lines(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("      ")?;
        (0..5).try_for_each(|line| write!(f, " {}", self.rules.notation.line(line)))
    }
}

/// The distance between rows, in units of the distance between neighbouring cells: `sqrt(3) / 2`.
const ROW: f32 = 0.866_025_4;

impl Picture for Susan {
    const SHAPE: Shape = Shape::Hexagon;

    fn cells() -> Vec<usize> {
        cells_of_board().collect()
    }

    fn centre(cell: usize) -> [f32; 2] {
        let (column, row) = (cell % SIZE, cell / SIZE);
        let from_left = column - 4_usize.saturating_sub(row);
        [row.abs_diff(4) as f32 / 2.0 + from_left as f32, row as f32 * ROW]
    }

    /// The labels of sloping lines are at the ends of the lines, as [`fmt::Display`] draws them.
    fn labels(rules: &Self::Rules) -> Labels {
        let notation = rules.notation;
        let slant = |row: usize| row.abs_diff(4);
        let side = |row: usize| {
            Label::new(notation.row(row), slant(row) as f32 / 2.0 - 1.0, row as f32 * ROW)
        };
        let end = |row: usize| {
            let (text, x) =
                (notation.line(SIZE - slant(row)), SIZE as f32 - slant(row) as f32 / 2.0);
            Label::new(text, x, row as f32 * ROW)
        };
        let across =
            |y: f32| (0..5).map(move |line| Label::new(notation.line(line), 2.5 + line as f32, y));
        let mut columns: Vec<Label> = across(SIZE as f32 * ROW).collect();
        columns.extend((5..SIZE).rev().map(end));
        if notation == Notation::Linhart {
            columns.extend(across(-ROW).chain((0..4).map(end)));
        }
        Labels { columns, rows: (0..SIZE).map(side).collect() }
    }

    fn symbol(&self, cell: usize) -> char {
        piece(self, [self.own, self.other].map(|pieces| pieces >> cell & 1 != 0))
    }
}

impl fmt::Display for Susan {
    /// Labels of files are at the right of the rows below the middle row, and below the board. The
    /// numbers of the author's notation change their slope at the middle row, so they have labels
    /// above the board as well.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.rules.notation == Notation::Linhart {
            self.draw_lines(f)?;
            writeln!(f)?;
        }
        (0..SIZE).try_for_each(|row| self.draw_row(f, row))?;
        self.draw_lines(f)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// File and rank of a cell.
    fn coordinates(cell: usize) -> (i32, i32) {
        ((cell % SIZE) as i32 + 1, 9 - (cell / SIZE) as i32)
    }

    fn distance_one(one: usize, two: usize) -> bool {
        let ((f, r), (g, s)) = (coordinates(one), coordinates(two));
        [(1, 0), (-1, 0), (0, 1), (0, -1), (1, 1), (-1, -1)].contains(&(g - f, s - r))
    }

    #[test]
    fn the_hexagon_is_where_file_and_rank_differ_by_four_at_most() {
        assert!((0..CELLS).all(|cell| {
            let (file, rank) = coordinates(cell);
            (BOARD >> cell & 1 != 0) == ((file - rank).abs() <= 4)
        }));
        assert_eq!(BOARD.count_ones(), 61);
    }

    #[test]
    fn no_step_wraps_around_or_leaves_the_hexagon() {
        let mut with_neighbours = [0; 7];
        for cell in cells_of_board() {
            let expected = cells_of_board().filter(|&other| distance_one(cell, other));
            let expected: u128 = expected.map(|other| 1 << other).sum();
            assert_eq!(neighbours(1 << cell), expected, "cell {cell}");
            with_neighbours[expected.count_ones() as usize] += 1;
        }
        assert_eq!(with_neighbours, [0, 0, 0, 6, 18, 0, 37], "corners, edges, inner cells");
    }

    #[test]
    fn opposite_steps_undo_each_other() {
        assert_eq!(step::<4>(step::<1>(BOARD)), STARTS[1]);
        assert_eq!(step::<5>(step::<2>(BOARD)), STARTS[2]);
        assert_eq!(step::<6>(step::<3>(BOARD)), STARTS[3]);
    }
}
