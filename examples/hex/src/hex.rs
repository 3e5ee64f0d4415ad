//! The rules of Hex (Piet Hein, 1942; John Nash, 1948): connect your two sides of a rhombus.
//!
//! The board has n x n hexagonal cells and starts empty. Black moves first. A turn puts a stone on
//! an empty cell, for good. A chain of black stones from the top row to the bottom row wins, and so
//! does one of white stones from the left column to the right one. A full board has exactly one of
//! the two, so there are no draws. The second player may not swap.
//!
//! Columns are letters from the left, rows numbers from the top, and a turn is its cell: `c3`. Each
//! row is drawn half a cell further to the right, so a cell touches those at its sides, two above
//! it (in its column and the next) and two below it (in its column and the one before).

use std::fmt;

use serde::{Deserialize, Serialize};
use tavoliere::games::board::{Cells, bits, letter, write_plane};
use tavoliere::games::picture::{Edge, Label, Labels, Picture, Shape};
use tavoliere::games::symmetry::{HALF_TURN, Matrix};
use tavoliere::games::{
    Action, Colour, Ending, Game, Outcome, PositionError, Rules, Setup, Side, Spec, Text, mix,
};

/// Hex has no options.
#[derive(Clone, Copy, Default, PartialEq, Eq, Hash, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct HexRules<const N: usize> {}

impl<const N: usize> Rules for HexRules<N> {
    fn longest_game(&self) -> u32 {
        (N * N) as u32
    }
}

/// A game of Hex on `N` by `N` cells, for `N` up to 11. Cell `row * N + column` is the bit of this
/// number. White sees the board with rows and columns exchanged, so that both sides connect top and
/// bottom. Both boards are kept: to set a stone twice is much faster than to exchange all of them.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct Hex<const N: usize> {
    /// The stones of Black and of White as Black sees them, which is as they are printed, and the
    /// same as White sees them.
    boards: [[u128; 2]; 2],
    /// Whether the side that moved last has won.
    won: bool,
}

impl<const N: usize> Hex<N> {
    const ALL: u128 = (1 << (N * N)) - 1;
    const TOP: u128 = (1 << N) - 1;
    const BOTTOM: u128 = Self::TOP << (N * (N - 1));
    /// The first cell of each row: full rows are the top row moved by each of them.
    const LEFT: u128 = Self::ALL / Self::TOP;
    const RIGHT: u128 = Self::LEFT << (N - 1);

    /// The number of a cell on the other side's board.
    const fn across(cell: usize) -> usize {
        cell % N * N + cell / N
    }

    /// The cells as the other side numbers them.
    fn exchanged(cells: u128) -> u128 {
        bits(cells).fold(0, |seen, cell| seen | 1 << Self::across(cell))
    }

    /// The cells that touch any of `cells`; some may be below the board.
    const fn beside(cells: u128) -> u128 {
        let (to_left, to_right) = (cells & !Self::LEFT, cells & !Self::RIGHT);
        let sides = to_left >> 1 | to_right << 1;
        sides | cells >> N | cells << N | to_right >> (N - 1) | to_left << (N - 1)
    }

    /// The chains of `stones` that have one of `cells`.
    fn chains(cells: u128, stones: u128) -> u128 {
        let (mut found, mut newest) = (0, cells & stones);
        while newest != 0 {
            found |= newest;
            newest = Self::beside(newest) & stones & !found;
        }
        found
    }

    /// The chains of a side that connect its top and bottom, as it sees them.
    fn connection(&self, side: usize) -> u128 {
        Self::chains(Self::BOTTOM, Self::chains(Self::TOP, self.boards[side][side]))
    }

    /// The least number of stones that a side has to add to win an unfinished game.
    fn distance(&self, side: usize) -> i32 {
        let [own, other] = [side, 1 - side].map(|of| self.boards[side][of]);
        let (mut reached, mut stones) = (Self::chains(Self::TOP, own), 0);
        while reached & Self::BOTTOM == 0 {
            let next = (Self::TOP | Self::beside(reached)) & Self::ALL & !other;
            reached = Self::chains(next, own | next);
            stones += 1;
        }
        stones
    }

    /// The side to move, 0 for Black.
    fn mover(&self) -> usize {
        self.to_move().index()
    }
}

impl<const N: usize> Game for Hex<N> {
    type Rules = HexRules<N>;

    const RULES_VERSION: u32 = 1;
    const FIRST: Colour = Colour::Black;
    const SPEC: Spec =
        Spec { planes: 2, height: N, width: N, displacements: &[(0, 0)], pass: false };
    const ACTIONS: &'static str = "puts a stone on the cell; each side connects top and bottom";
    const SYMMETRIES: &'static [Matrix] = HALF_TURN;
    /// The stones tell how many turns were played.
    const COUNTERS: &'static [&'static str] = &[];

    fn initial(_: &Self::Rules) -> Self {
        Self { boards: [[0; 2]; 2], won: false }
    }

    fn ply(&self) -> u32 {
        (self.boards[0][0] | self.boards[0][1]).count_ones()
    }

    fn outcome(&self) -> Option<Outcome> {
        self.won.then(|| Outcome::Win(self.to_move().other()))
    }

    fn ending(&self) -> Option<Ending> {
        Some(match self.outcome()? {
            Outcome::Win(Side::P1) => {
                Ending::new("Black has connected top and bottom").on(self.connection(0))
            }
            _ => Ending::new("White has connected left and right")
                .on(Self::exchanged(self.connection(1))),
        })
    }

    fn legal_actions(&self, actions: &mut Vec<Action>) {
        actions.clear();
        if !self.won {
            let [black, white] = self.boards[self.mover()];
            actions.extend(bits(Self::ALL & !(black | white)).map(|cell| cell as Action));
        }
    }

    fn play(&mut self, action: Action) {
        let ((_, cell), side) = (Self::SPEC.plane_and_cell(action), self.mover());
        self.boards[side][side] |= 1 << cell;
        self.boards[1 - side][side] |= 1 << Self::across(cell);
        let chain = Self::chains(1 << cell, self.boards[side][side]);
        self.won = chain & Self::TOP != 0 && chain & Self::BOTTOM != 0;
    }

    fn observe(&self, planes: &mut [f32]) {
        let (own, other) = planes.split_at_mut(N * N);
        let side = self.mover();
        write_plane(own, self.boards[side][side]);
        write_plane(other, self.boards[side][1 - side]);
    }

    fn planes() -> Vec<&'static str> {
        vec!["own stones", "the opponent's stones"]
    }

    fn cell_name(&self, cell: usize) -> String {
        let cell = if self.mover() == 0 { cell } else { Self::across(cell) };
        format!("{}{}", letter(cell % N), cell / N + 1)
    }

    fn action_text(&self, action: Action) -> Text {
        Text::from(&self.cell_name(usize::from(action))).expect("a name is short")
    }

    /// Each stone that a side has to add less than the other counts 100.
    fn heuristic(&self) -> i32 {
        100 * (self.distance(1 - self.mover()) - self.distance(self.mover()))
    }

    fn setup(&self) -> Setup {
        Setup::of(self, (0..N * N).map(|cell| self.symbol(cell)))
    }

    fn from_setup(_: &Self::Rules, setup: &Setup) -> Result<Self, PositionError> {
        setup.check_stones_in_turn::<Self>()?;
        let stones = ['x', 'o'].map(|symbol| setup.set(symbol, 0..N * N));
        let game = Self { boards: [stones, stones.map(Self::exchanged)], won: false };
        if game.connection(game.mover()) != 0 {
            let name = game.to_move().name(Self::FIRST);
            return Err(PositionError::over_before(name, "chain"));
        }
        Ok(Self { won: game.connection(1 - game.mover()) != 0, ..game })
    }

    /// The numbers of stones tell who is to move.
    fn position_key(&self) -> u64 {
        let halves = self.boards[0].into_iter().flat_map(|set| [set as u64, (set >> 64) as u64]);
        halves.fold(0, |key, half| mix(key ^ half))
    }
}

/// The distance between rows, in units of the distance between neighbouring cells: `sqrt(3) / 2`.
const ROW: f32 = 0.866_025_4;

impl<const N: usize> Picture for Hex<N> {
    const SHAPE: Shape = Shape::Hexagon;

    fn centre(cell: usize) -> [f32; 2] {
        let (column, row) = ((cell % N) as f32, (cell / N) as f32);
        [column + row / 2.0, row * ROW]
    }

    /// Black connects top and bottom, White the sloping sides.
    fn edges() -> Vec<Edge> {
        let across = 3_f32.sqrt() / 2.0;
        let side = |first: usize, step: usize| (0..N).map(move |cell| first + cell * step);
        vec![
            Edge::new(Colour::Black, side(0, 1), [0.0, -1.0]),
            Edge::new(Colour::Black, side(N * (N - 1), 1), [0.0, 1.0]),
            Edge::new(Colour::White, side(0, N), [-across, 0.5]),
            Edge::new(Colour::White, side(N - 1, N), [across, -0.5]),
        ]
    }

    /// Letters are above the columns, which slope down to the right.
    fn labels(_: &Self::Rules) -> Labels {
        let above = |column| Label::new(letter(column), column as f32 - 0.5, -ROW);
        let beside = |row: usize| Label::new(row + 1, row as f32 / 2.0 - 1.0, row as f32 * ROW);
        Labels { columns: (0..N).map(above).collect(), rows: (0..N).map(beside).collect() }
    }

    fn symbol(&self, cell: usize) -> char {
        let side = self.boards[0].iter().position(|stones| stones.has(cell));
        side.map_or('.', |side| ['x', 'o'][side])
    }
}

impl<const N: usize> fmt::Display for Hex<N> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        (0..N).try_for_each(|column| write!(f, " {}", letter(column)))?;
        (0..N).try_for_each(|row| {
            write!(f, "\n{:>width$}", row + 1, width = row + 1)?;
            (0..N).try_for_each(|column| write!(f, " {}", self.symbol(row * N + column)))
        })
    }
}
