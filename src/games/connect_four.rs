//! The rules of Connect Four, a reference game that is solved and known to other systems.
//!
//! The board has seven columns and six rows. Black moves first. The players alternately drop a
//! stone into a column that is not full, where it falls to the lowest empty cell. Four own stones
//! in an unbroken line, straight or diagonal, win. A full board without a line is a draw. A turn is
//! the number of a column, `1` to `7` from the left.

use std::fmt;

use serde::{Deserialize, Serialize};

use crate::base::rng::mix;
use crate::games::board::{Grid, bits, draw_letters, draw_rows, write_plane};
use crate::games::open_lines::open_line_cells;
use crate::games::picture::{Labels, Picture, piece};
use crate::games::symmetry::{self, Matrix};
use crate::games::{
    Action, Colour, Ending, Game, Outcome, PositionError, Rules, Setup, Spec, Text, Turn,
};

const WIDTH: usize = 7;
const HEIGHT: usize = 6;

type Board = Grid<WIDTH, HEIGHT>;

/// Connect Four has no options.
#[derive(Clone, Copy, Default, PartialEq, Eq, Hash, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ConnectFourRules {}

impl Rules for ConnectFourRules {
    fn longest_game(&self) -> u32 {
        (WIDTH * HEIGHT) as u32
    }
}

/// A game of Connect Four.
///
/// ```text
///  0  1  2  3  4  5  6
///  7  8  9 10 11 12 13
/// 14 15 16 17 18 19 20
/// 21 22 23 24 25 26 27
/// 28 29 30 31 32 33 34
/// 35 36 37 38 39 40 41
/// ```
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct ConnectFour {
    /// Stones of the side to move.
    own: u64,
    /// Stones of the other side.
    other: u64,
    /// Whether the last turn completed a line of four.
    won: bool,
}

impl ConnectFour {
    /// Stones of the side to move and of the other side, as bits by cell.
    #[inline]
    pub(crate) fn stones(&self) -> [u64; 2] {
        [self.own, self.other]
    }

    /// The lowest empty cell of every column that is not full.
    #[inline]
    fn landing_cells(&self) -> u64 {
        let occupied = self.own | self.other;
        let supported = occupied >> WIDTH | Board::row(HEIGHT - 1);
        Board::ALL & supported & !occupied
    }

    /// Whether `stones` have four in a line: finds pairs first, then pairs of pairs.
    #[inline]
    fn has_four(stones: u64) -> bool {
        let line = |dx: i32, dy: i32| {
            let pairs = stones & Board::shift(stones, dx, dy);
            pairs & Board::shift(pairs, 2 * dx, 2 * dy)
        };
        line(1, 0) | line(0, 1) | line(1, 1) | line(-1, 1) != 0
    }
}

impl Game for ConnectFour {
    type Rules = ConnectFourRules;

    const RULES_VERSION: u32 = 1;
    const FIRST: Colour = Colour::Black;
    const SPEC: Spec =
        Spec { planes: 2, height: HEIGHT, width: WIDTH, displacements: &[(0, 0)], pass: false };
    const ACTIONS: &'static str = "drops a disc that comes to rest on the cell";
    const SYMMETRIES: &'static [Matrix] = symmetry::MIRROR;

    const COUNTERS: &'static [&'static str] = &[];

    fn initial(_: &Self::Rules) -> Self {
        Self { own: 0, other: 0, won: false }
    }

    #[inline]
    fn ply(&self) -> u32 {
        (self.own | self.other).count_ones()
    }

    #[inline]
    fn outcome(&self) -> Option<Outcome> {
        if self.won {
            Some(Outcome::Win(self.to_move().other()))
        } else {
            (self.own | self.other == Board::ALL).then_some(Outcome::Draw)
        }
    }

    fn ending(&self) -> Option<Ending> {
        let winner = self.to_move().other().name(Self::FIRST);
        let [.., lines, _, _, _] = open_line_cells::<WIDTH, HEIGHT, 4>(self.other, self.own);
        Some(Ending::of_lines(self.outcome()?, winner, "four", lines))
    }

    #[inline]
    fn legal_actions(&self, actions: &mut Vec<Action>) {
        actions.clear();
        if !self.won {
            actions.extend(bits(self.landing_cells()).map(|cell| cell as Action));
        }
    }

    #[inline]
    fn play(&mut self, action: Action) {
        let other = self.own | 1 << action;
        *self = Self { own: self.other, other, won: Self::has_four(other) };
    }

    fn observe(&self, planes: &mut [f32]) {
        let (own, other) = planes.split_at_mut(WIDTH * HEIGHT);
        write_plane(own, self.own);
        write_plane(other, self.other);
    }

    fn planes() -> Vec<&'static str> {
        vec!["own discs", "the opponent's discs"]
    }

    fn cell_name(&self, cell: usize) -> String {
        // Column and row, since a column alone is the name of a turn.
        format!("{}/{}", cell % WIDTH + 1, HEIGHT - cell / WIDTH)
    }

    fn action_text(&self, action: Action) -> Text {
        let mut text = Text::new();
        text.push(number(usize::from(action) % WIDTH));
        text
    }

    fn heuristic(&self) -> i32 {
        self.static_evaluation()
    }

    fn setup(&self) -> Setup {
        Setup::of(self, (0..WIDTH * HEIGHT).map(|cell| self.symbol(cell)))
    }

    fn from_setup(_: &Self::Rules, setup: &Setup) -> Result<Self, PositionError> {
        setup.check_stones_in_turn::<Self>()?;
        let [own, other]: [u64; 2] = setup.pieces();
        let occupied = own | other;
        let floating = occupied & !(occupied >> WIDTH | Board::row(HEIGHT - 1));
        if let Some(cell) = bits(floating).next() {
            let [column, row] = [cell % WIDTH + 1, cell / WIDTH + 1];
            let place = format!("the stone of column {column} in row {row} from the top");
            return Err(PositionError::new(format!("{place} has nothing below it")));
        }
        if Self::has_four(own) {
            return Err(PositionError::over_before(setup.side::<Self>().name(Self::FIRST), "line"));
        }
        Ok(Self { own, other, won: Self::has_four(other) })
    }

    fn position_key(&self) -> u64 {
        mix(self.own ^ mix(self.other))
    }
}

/// The number of a column as it is written.
fn number(column: usize) -> char {
    char::from(b'1' + column as u8)
}

impl Picture for ConnectFour {
    const DROPS: bool = true;

    fn labels(_: &Self::Rules) -> Labels {
        Labels::square(1..=WIDTH, (1..=HEIGHT).rev(), HEIGHT as f32)
    }

    fn symbol(&self, cell: usize) -> char {
        piece(self, [self.own, self.other].map(|pieces| pieces >> cell & 1 != 0))
    }

    /// The path is the cell on which the stone lands.
    fn path(_: &[String], turn: &Turn) -> Vec<usize> {
        turn.actions.iter().copied().map(usize::from).collect()
    }
}

impl fmt::Display for ConnectFour {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        draw_rows(f, [WIDTH, HEIGHT], |row| HEIGHT - row, |cell| self.symbol(cell))?;
        writeln!(f)?;
        draw_letters(f, [WIDTH, HEIGHT], number)
    }
}
