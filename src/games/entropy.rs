//! The rules of Entropy (Alberto Carreno, 1992/94): break up your own pieces until none can move.
//!
//! The board has five columns `A` to `E` and five rows, row 1 at the top. Each player has seven
//! pieces. Black has the whole of row 1 and the cells below its ends, `A2` and `E2`. White has the
//! whole of row 5 and the cells above its ends, `A4` and `E4`. White moves first.
//!
//! Two pieces are in contact if they are orthogonally or diagonally adjacent. A piece in contact
//! with a piece of its own colour moves like a queen in chess: any number of empty cells in one of
//! eight directions. There is neither jumping nor capturing. A piece in contact with enemies only
//! cannot move. A piece in contact with no piece at all is *isolated*, and cannot move either.
//!
//! A player who begins a turn with an isolated piece must rescue it: only moves after which it is
//! in contact with another piece are legal. A player without such a move must pass. Passing is
//! illegal in all other cases. Of several isolated pieces it is enough to rescue one; see
//! [`Rescue`].
//!
//! A player wins as soon as none of the player's pieces could move, ignoring the duty to rescue:
//! each piece has no adjacent friend or no adjacent empty cell. See [`EntropyGoal`] for other
//! readings. If a turn brings both players to this goal, the player who made the turn wins. If it
//! brings only the opponent there, the opponent wins. After two passes in a row neither player can
//! ever move again, and the game is a draw.
//!
//! A turn is written as the cells left and reached, `E2-E4`, or as `pass`. The rules are those of
//! the help pages of Richard's play-by-mail server.

use std::fmt;

use serde::{Deserialize, Serialize};

use crate::base::rng::mix;
use crate::games::board::{
    Counted, DIRECTIONS, Grid, bits, draw_letters, draw_rows, read_cells, write_plane,
};
use crate::games::picture::{Labels, Picture, piece};
use crate::games::position::fitting_ply;
use crate::games::symmetry::{self, Matrix, Permutation};
use crate::games::{
    Action, Choice, Colour, Ending, Game, Layout, Outcome, Placement, PositionError, RuleOption,
    Rules, RulesError, Setup, Side, Spec, Text, is_over_long, max_plies, plies_left,
};

const SIZE: usize = 5;
const CELLS: usize = SIZE * SIZE;

type Board = Grid<SIZE, SIZE>;

/// The pieces of each side.
const PIECES: u32 = SIZE as u32 + 2;

/// The maximum distance of a move.
const REACH: usize = SIZE - 1;

/// Which of several isolated pieces a move must bring into contact.
#[derive(Clone, Copy, Default, PartialEq, Eq, Hash, Debug, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Rescue {
    /// At least one of them.
    #[default]
    Any,
    /// Every one of them.
    All,
}

/// The condition on a player's own pieces that wins.
#[derive(Clone, Copy, Default, PartialEq, Eq, Hash, Debug, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum EntropyGoal {
    /// No piece could move: each has no adjacent friend or no adjacent empty cell.
    #[default]
    Immobile,
    /// No piece has an adjacent friend. A player whose pieces are all walled in must pass.
    NoFriend,
    /// No piece has an adjacent friend, and each has an adjacent enemy.
    Contact,
}

/// The options of Entropy.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct EntropyRules {
    /// Which isolated pieces a move must rescue.
    pub rescue: Rescue,
    /// The condition that wins.
    pub win: EntropyGoal,
    /// The game is a draw after this number of turns, unless the last one decides it. 0 is no
    /// limit.
    pub max_plies: u16,
}

impl Default for EntropyRules {
    fn default() -> Self {
        Self { rescue: Rescue::default(), win: EntropyGoal::default(), max_plies: 300 }
    }
}

impl Rules for EntropyRules {
    const OPTIONS: &'static [RuleOption] = &[
        RuleOption::new(
            "rescue",
            "Which isolated pieces a turn must rescue, if there are several.",
            &[
                Choice::new("any", "At least one."),
                Choice::new("all", "Every one, in the same turn."),
            ],
        ),
        RuleOption::new(
            "win",
            "What a player's own pieces must be like to win.",
            &[
                Choice::new(
                    "immobile",
                    "None can move: each has no neighbour of its own colour, or no empty cell \
                     beside it.",
                ),
                Choice::new(
                    "no_friend",
                    "None has a neighbour of its own colour. A player whose pieces are all walled \
                     in must pass.",
                ),
                Choice::new(
                    "contact",
                    "None has a neighbour of its own colour, and each has an enemy neighbour.",
                ),
            ],
        ),
        max_plies(),
    ];

    fn check(&self) -> Result<(), RulesError> {
        Ok(())
    }

    fn longest_game(&self) -> u32 {
        self.max_plies.into()
    }

    fn uncapped(self) -> Self {
        Self { max_plies: 0, ..self }
    }
}

/// `(dx, dy)` of every direction at the distances 1 to 4: all distances of the first direction,
/// then those of the second, and so on.
const DISPLACEMENTS: [(i8, i8); 8 * REACH] = {
    let mut displacements = [(0, 0); 8 * REACH];
    let mut plane = 0;
    while plane < displacements.len() {
        let ((dx, dy), distance) = (DIRECTIONS[plane / REACH], (plane % REACH + 1) as i8);
        displacements[plane] = (dx * distance, dy * distance);
        plane += 1;
    }
    displacements
};

/// Number of words with the moves of two planes each.
const WORDS: usize = DISPLACEMENTS.len() / 2;

/// The action of a bit of [`Entropy::moves`].
#[inline]
fn action_of((word, bit): (usize, usize)) -> Action {
    (word * 2 * CELLS + bit) as Action
}

/// A game of Entropy.
///
/// ```text
///    A  B  C  D  E
/// 1  0  1  2  3  4
/// 2  5  6  7  8  9
/// 3 10 11 12 13 14
/// 4 15 16 17 18 19
/// 5 20 21 22 23 24
/// ```
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct Entropy {
    /// Pieces of the side to move.
    own: u64,
    /// Pieces of the other side.
    other: u64,
    ply: u32,
    /// Whether the last turn was a pass.
    passed: bool,
    outcome: Option<Outcome>,
    rules: EntropyRules,
}

impl Entropy {
    /// Parses a drawn board. The last turn was not a pass, and the number of turns is 0 if P1 is to
    /// move and 1 otherwise. `None` if the text does not have 25 cells.
    pub fn from_board(rules: &EntropyRules, board: &str, to_move: Side) -> Option<Self> {
        let [x, o] = read_cells(board, ['x', 'o'], 0..CELLS)?;
        let (own, other) = if to_move == Side::P1 { (o, x) } else { (x, o) };
        Some(Self::arranged(rules, [own, other], to_move.index() as u32, 0))
    }

    /// The position with these pieces of the side to move and of the other side, after `ply` turns
    /// of which the last `passes` were passes.
    fn arranged(rules: &EntropyRules, [own, other]: [u64; 2], ply: u32, passes: u32) -> Self {
        let passed = passes > 0;
        let mut game = Self { own, other, ply, passed, ..Self::initial(rules) };
        game.outcome = game.outcome_between_turns().or((passes > 1).then_some(Outcome::Draw));
        game
    }

    /// The least number of completed turns, given the passes.
    fn least_ply([own, other]: [u64; 2], side: Side, passes: u32) -> u32 {
        let start = Self::initial(&EntropyRules::default());
        let is_start = side == Side::P1 && [own, other] == [start.own, start.other];
        fitting_ply(passes.max(u32::from(!is_start)), side)
    }

    /// Passes in a row, as far as they count.
    fn passes(&self) -> u32 {
        let is_dead = self.passed
            && self.outcome == Some(Outcome::Draw)
            && !is_over_long(self.ply, self.rules.max_plies);
        u32::from(self.passed) + u32::from(is_dead)
    }

    /// Pieces of the side to move and of the other side, as bits by cell.
    #[inline]
    pub(crate) fn pieces(&self) -> [u64; 2] {
        [self.own, self.other]
    }

    #[inline]
    fn empty(&self) -> u64 {
        Board::ALL & !(self.own | self.other)
    }

    /// The isolated pieces of the side to move.
    #[inline]
    fn isolated(&self) -> u64 {
        self.own & !Board::neighbours(self.own | self.other)
    }

    /// The legal targets of moves: all cells, or those where a move rescues the isolated pieces.
    /// Only the moved piece can give an isolated piece a new contact.
    #[inline]
    fn allowed(&self) -> u64 {
        match (self.isolated(), self.rules.rescue) {
            (0, _) => Board::ALL,
            (isolated, Rescue::Any) => Board::neighbours(isolated),
            (isolated, Rescue::All) => bits(isolated)
                .map(|cell| Board::neighbours(1 << cell))
                .fold(Board::ALL, |allowed, around| allowed & around),
        }
    }

    /// The legal moves, without a pass: those of two planes in each word, by cell.
    ///
    /// All pieces move at once, step by step: those that are still on an empty cell after `n` steps
    /// can move `n` cells.
    #[inline]
    fn moves(&self) -> [u64; WORDS] {
        let (empty, allowed) = (self.empty(), self.allowed());
        let enabled = self.own & Board::neighbours(self.own);
        let mut moves = [0; WORDS];
        for (direction, (_, rotation)) in Board::STEPS.into_iter().enumerate() {
            let mut running = enabled;
            for distance in 1..=REACH {
                running = Board::step(running, direction) & empty;
                let moved = (running & allowed).rotate_right(distance as u32 * rotation);
                let plane = direction * REACH + distance - 1;
                moves[plane / 2] |= moved << (plane % 2 * CELLS);
            }
        }
        moves
    }

    /// Whether the player with the pieces `own` has reached the goal.
    #[inline]
    fn reached(&self, own: u64, other: u64) -> bool {
        let enabled = own & Board::neighbours(own);
        match self.rules.win {
            EntropyGoal::Immobile => enabled & Board::neighbours(self.empty()) == 0,
            EntropyGoal::NoFriend => enabled == 0,
            EntropyGoal::Contact => enabled == 0 && own & !Board::neighbours(other) == 0,
        }
    }

    /// The outcome after a turn of the side that is no longer to move, by the goals and the turn
    /// limit. The draw by two passes is not included.
    #[inline]
    fn outcome_between_turns(&self) -> Option<Outcome> {
        let mover = self.to_move().other();
        if self.reached(self.other, self.own) {
            Some(Outcome::Win(mover))
        } else if self.reached(self.own, self.other) {
            Some(Outcome::Win(mover.other()))
        } else {
            is_over_long(self.ply, self.rules.max_plies).then_some(Outcome::Draw)
        }
    }
}

impl Game for Entropy {
    type Rules = EntropyRules;

    const RULES_VERSION: u32 = 1;
    const FIRST: Colour = Colour::White;
    const SPEC: Spec =
        Spec { planes: 5, height: SIZE, width: SIZE, displacements: &DISPLACEMENTS, pass: true };
    const ACTIONS: &'static str =
        "moves the own piece on the cell by the displacement; the last action passes";
    const SYMMETRIES: &'static [Matrix] = symmetry::SQUARE;

    const COUNTERS: &'static [&'static str] = &["ply", "passes"];

    fn initial(rules: &Self::Rules) -> Self {
        let black = Board::row(0) | 1 << 5 | 1 << 9;
        let white = Board::flip(black);
        Self { own: white, other: black, ply: 0, passed: false, outcome: None, rules: *rules }
    }

    fn initial_image(rules: &Self::Rules, symmetry: &Permutation) -> Self {
        let start = Self::initial(rules);
        let image = |cells| bits(cells).fold(0, |image, cell| image | 1 << symmetry.cell(cell));
        Self { own: image(start.own), other: image(start.other), ..start }
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
        let Outcome::Win(winner) = self.outcome? else {
            let is_over_long = is_over_long(self.ply, self.rules.max_plies);
            let passes = || Ending::new("Both players passed: nobody can ever move again");
            return Some(if is_over_long {
                Ending::over_long(self.rules.max_plies)
            } else {
                passes()
            });
        };
        let mover = self.to_move().other();
        let [name, enemy] = [winner, winner.other()].map(|side| side.name(Self::FIRST));
        let reason = match self.rules.win {
            EntropyGoal::Immobile if winner == mover => format!("None of {name}'s pieces can move"),
            EntropyGoal::Immobile => format!("{enemy} left {name} without a piece that can move"),
            EntropyGoal::NoFriend => format!("No piece of {name}'s is beside another one"),
            EntropyGoal::Contact => {
                format!("Every piece of {name}'s is beside one of {enemy}'s and none of {name}'s")
            }
        };
        Some(Ending::new(reason).on(if winner == mover { self.other } else { self.own }))
    }

    #[inline]
    fn legal_actions(&self, actions: &mut Vec<Action>) {
        actions.clear();
        if self.outcome.is_some() {
            return;
        }
        for (word, moves) in self.moves().into_iter().enumerate() {
            actions.extend(bits(moves).map(|bit| action_of((word, bit))));
        }
        if actions.is_empty() {
            actions.push(Self::SPEC.pass_action());
        }
    }

    #[inline]
    fn choose_action(
        &self,
        _: &mut Vec<Action>,
        choose: impl FnOnce(u32) -> u32,
    ) -> Option<Action> {
        if self.outcome.is_some() {
            return None;
        }
        let moves = Counted::new(self.moves());
        let index = choose(moves.total().max(1));
        Some(match moves.total() {
            0 => Self::SPEC.pass_action(),
            _ => action_of(moves.nth(index)),
        })
    }

    #[inline]
    fn play(&mut self, action: Action) {
        let (plane, cell) = Self::SPEC.plane_and_cell(action);
        let passed_before = self.passed;
        self.passed = plane >= DISPLACEMENTS.len();
        self.ply += 1;
        if self.passed {
            (self.own, self.other) = (self.other, self.own);
        } else {
            let (_, rotation) = Board::STEPS[plane / REACH];
            let from = 1_u64 << cell;
            let to = from.rotate_left(rotation * (plane % REACH + 1) as u32);
            let moved = self.own & !from | to;
            (self.own, self.other) = (self.other, moved);
        }
        let dead = self.passed && passed_before;
        self.outcome = self.outcome_between_turns().or(dead.then_some(Outcome::Draw));
    }

    /// Own and enemy pieces, own isolated pieces, and two constant planes: whether the last turn
    /// was a pass, and the turns left.
    fn observe(&self, planes: &mut [f32]) {
        let (boards, rest) = planes.split_at_mut(3 * CELLS);
        let cells = [self.own, self.other, self.isolated()];
        for (plane, cells) in boards.chunks_exact_mut(CELLS).zip(cells) {
            write_plane(plane, cells);
        }
        let (passed, left) = rest.split_at_mut(CELLS);
        passed.fill(f32::from(u8::from(self.passed)));
        left.fill(plies_left(self.ply, self.rules.max_plies));
    }

    fn planes() -> Vec<&'static str> {
        vec![
            "own pieces",
            "the opponent's pieces",
            "own isolated pieces",
            "1 if the opponent passed",
            "turns left, divided by the limit; 1 without a limit",
        ]
    }

    fn cell_name(&self, cell: usize) -> String {
        let mut text = Text::new();
        write_cell(&mut text, cell);
        text.to_string()
    }

    fn action_text(&self, action: Action) -> Text {
        let (plane, cell) = Self::SPEC.plane_and_cell(action);
        let mut text = Text::new();
        match DISPLACEMENTS.get(plane) {
            None => text.push_str("pass"),
            Some(&(dx, dy)) => {
                write_cell(&mut text, cell);
                text.push('-');
                let offset = isize::from(dy) * SIZE as isize + isize::from(dx);
                write_cell(&mut text, cell.wrapping_add_signed(offset));
            }
        }
        text
    }

    fn heuristic(&self) -> i32 {
        self.static_evaluation()
    }

    fn setup(&self) -> Setup {
        let passes = self.passes();
        let least = Self::least_ply([self.own, self.other], self.to_move(), passes);
        Setup::of(self, (0..CELLS).map(|cell| self.symbol(cell)))
            .with("ply", &[self.ply], &[least])
            .with("passes", &[passes], &[0])
    }

    fn from_setup(rules: &Self::Rules, setup: &Setup) -> Result<Self, PositionError> {
        setup.check_counts(1, PIECES)?;
        let passes = setup.counter("passes", 2)?;
        let least = Self::least_ply(setup.pieces(), setup.side::<Self>(), passes);
        let ply = setup.ply::<Self>(least, rules.longest_game())?;
        Ok(Self::arranged(rules, setup.pieces(), ply, passes))
    }

    fn layout(_: &Self::Rules) -> Result<Layout, &'static str> {
        Ok(Layout::of::<Self>(vec![[PIECES; 2]]))
    }

    /// After a pass a further one draws. That side's turns are otherwise the same.
    fn placement(&self) -> Option<Placement> {
        let must_pass = || {
            let mut legal = Vec::new();
            self.legal_actions(&mut legal);
            legal == [Self::SPEC.pass_action()]
        };
        let is_numbered = [self.own, self.other].map(u64::count_ones) == [PIECES; 2]
            && !(self.passed && self.outcome.is_none() && must_pass());
        is_numbered.then_some(Placement { own: self.own, other: self.other, neutral: None })
    }

    fn from_placement(rules: &Self::Rules, placement: &Placement, to_move: Side) -> Option<Self> {
        let ply = fitting_ply(2, to_move);
        Some(Self::arranged(rules, [placement.own, placement.other], ply, 0))
    }

    fn position_key(&self) -> u64 {
        let phase = u64::from(self.passed) << 1 | self.to_move().index() as u64;
        mix(self.own | self.other << 25 | phase << 50)
    }
}

fn column(column: usize) -> char {
    char::from(b'A' + column as u8)
}

fn write_cell(text: &mut Text, cell: usize) {
    text.push(column(cell % SIZE));
    text.push(char::from(b'1' + (cell / SIZE) as u8));
}

impl Picture for Entropy {
    fn labels(_: &Self::Rules) -> Labels {
        Labels::square((0..SIZE).map(column), 1..=SIZE, -1.0)
    }

    fn symbol(&self, cell: usize) -> char {
        piece(self, [self.own, self.other].map(|pieces| pieces >> cell & 1 != 0))
    }
}

impl fmt::Display for Entropy {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        draw_letters(f, [SIZE, SIZE], column)?;
        writeln!(f)?;
        draw_rows(f, [SIZE, SIZE], |row| row + 1, |cell| self.symbol(cell))
    }
}
