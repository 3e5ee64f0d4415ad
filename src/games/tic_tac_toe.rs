//! The rules of tic-tac-toe, a reference game that is small enough to be solved completely.
//!
//! The board has 3x3 cells. Black moves first. The players alternately put a stone on an empty
//! cell. Three own stones in a line, straight or diagonal, win. A full board without a line is a
//! draw. Cells are named by file and rank, from `a1` at the bottom left to `c3` at the top right.

use std::fmt;

use serde::{Deserialize, Serialize};

use crate::base::rng::mix;
use crate::games::board::{Grid, bits, draw_letters, draw_rows, letter, write_plane};
use crate::games::picture::{Labels, Picture, piece};
use crate::games::symmetry::{self, Matrix};
use crate::games::{
    Action, Colour, Ending, Game, Layout, Outcome, Placement, PositionError, Rules, Setup, Side,
    Spec, Text,
};

type Board = Grid<3, 3>;

/// ```text
/// 0 1 2
/// 3 4 5
/// 6 7 8
/// ```
const LINES: [u64; 8] = [
    0b000_000_111,
    0b000_111_000,
    0b111_000_000,
    0b001_001_001,
    0b010_010_010,
    0b100_100_100,
    0b100_010_001,
    0b001_010_100,
];

/// Tic-tac-toe has no options.
#[derive(Clone, Copy, Default, PartialEq, Eq, Hash, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct TicTacToeRules {}

impl Rules for TicTacToeRules {
    fn longest_game(&self) -> u32 {
        9
    }
}

/// A game of tic-tac-toe.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct TicTacToe {
    /// Stones of the side to move.
    own: u64,
    /// Stones of the other side.
    other: u64,
}

impl TicTacToe {
    /// Stones of the side to move and of the other side, as bits by cell.
    pub(crate) fn stones(&self) -> [u64; 2] {
        [self.own, self.other]
    }

    fn empty(&self) -> u64 {
        Board::ALL & !(self.own | self.other)
    }
}

impl Game for TicTacToe {
    type Rules = TicTacToeRules;

    const RULES_VERSION: u32 = 1;
    const FIRST: Colour = Colour::Black;
    const SPEC: Spec =
        Spec { planes: 2, height: 3, width: 3, displacements: &[(0, 0)], pass: false };
    const ACTIONS: &'static str = "marks the cell";
    const SYMMETRIES: &'static [Matrix] = symmetry::SQUARE;

    const COUNTERS: &'static [&'static str] = &[];

    fn initial(_: &Self::Rules) -> Self {
        Self { own: 0, other: 0 }
    }

    fn ply(&self) -> u32 {
        (self.own | self.other).count_ones()
    }

    fn outcome(&self) -> Option<Outcome> {
        if LINES.iter().any(|line| self.other & line == *line) {
            Some(Outcome::Win(self.to_move().other()))
        } else {
            (self.empty() == 0).then_some(Outcome::Draw)
        }
    }

    fn ending(&self) -> Option<Ending> {
        let winner = self.to_move().other().name(Self::FIRST);
        let lines = LINES.iter().filter(|&line| self.other & line == *line);
        let cells = lines.fold(0, |cells, line| cells | line);
        Some(Ending::of_lines(self.outcome()?, winner, "three", cells))
    }

    fn legal_actions(&self, actions: &mut Vec<Action>) {
        actions.clear();
        if self.outcome().is_none() {
            actions.extend(bits(self.empty()).map(|cell| cell as Action));
        }
    }

    fn play(&mut self, action: Action) {
        *self = Self { own: self.other, other: self.own | 1 << action };
    }

    fn observe(&self, planes: &mut [f32]) {
        let (own, other) = planes.split_at_mut(9);
        write_plane(own, self.own);
        write_plane(other, self.other);
    }

    fn planes() -> Vec<&'static str> {
        vec!["own marks", "the opponent's marks"]
    }

    fn cell_name(&self, cell: usize) -> String {
        self.action_text(cell as Action).to_string()
    }

    fn action_text(&self, action: Action) -> Text {
        let (column, row) = (usize::from(action % 3), action / 3);
        let mut text = Text::new();
        text.push(letter(column));
        text.push(char::from(b'3' - row as u8));
        text
    }

    fn setup(&self) -> Setup {
        Setup::of(self, (0..9).map(|cell| self.symbol(cell)))
    }

    fn from_setup(_: &Self::Rules, setup: &Setup) -> Result<Self, PositionError> {
        setup.check_stones_in_turn::<Self>()?;
        let [own, other] = setup.pieces();
        if LINES.iter().any(|line| own & line == *line) {
            return Err(PositionError::over_before(setup.side::<Self>().name(Self::FIRST), "line"));
        }
        Ok(Self { own, other })
    }

    fn layout(_: &Self::Rules) -> Result<Layout, &'static str> {
        let stones = |count: u32| [count / 2, count.div_ceil(2)];
        Ok(Layout::of::<Self>((0..=9).map(stones).collect()))
    }

    fn placement(&self) -> Option<Placement> {
        Some(Placement { own: self.own, other: self.other, neutral: None })
    }

    /// The stones tell whose turn it is. No stones can have completed a line before the last turn.
    fn from_placement(_: &Self::Rules, placement: &Placement, _: Side) -> Option<Self> {
        let is_over = LINES.iter().any(|line| placement.own & line == *line);
        (!is_over).then_some(Self { own: placement.own, other: placement.other })
    }

    fn position_key(&self) -> u64 {
        mix(self.own | self.other << 16)
    }
}

impl Picture for TicTacToe {
    fn labels(_: &Self::Rules) -> Labels {
        Labels::square((0..3).map(letter), (1..=3).rev(), 3.0)
    }

    fn symbol(&self, cell: usize) -> char {
        piece(self, [self.own, self.other].map(|pieces| pieces >> cell & 1 != 0))
    }
}

impl fmt::Display for TicTacToe {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        draw_rows(f, [3, 3], |row| 3 - row, |cell| self.symbol(cell))?;
        writeln!(f)?;
        draw_letters(f, [3, 3], letter)
    }
}
