//! The rules of Breakthrough (Dan Troyka, 2000), the worked example of `docs/new-game.md`.
//!
//! The board has 6x6 or 8x8 cells. Each side begins with its two home rows full, White at the
//! bottom. White moves first. A turn moves one own piece one cell forward: straight onto an empty
//! cell, or diagonally onto an empty cell or an enemy piece, which is captured. Captures are not
//! forced, and no piece moves sideways or backwards. A player who brings a piece to the opponent's
//! home row, or captures the last enemy piece, wins at once. There are no draws: the foremost piece
//! of a side can always move diagonally, because no own piece is ahead of it.
//!
//! Cells are named as in chess, `a1` at the bottom left. A turn is written `b2-b3` or `b2-c3`, a
//! capture `b2xc3`.

use std::fmt;

use serde::{Deserialize, Serialize};

use crate::base::rng::mix;
use crate::games::board::{Grid, bits, draw_letters, draw_rows, letter, read_cells, write_plane};
use crate::games::picture::{Labels, Picture, piece};
use crate::games::position::fitting_ply;
use crate::games::symmetry::{self, Matrix};
use crate::games::{
    Action, Colour, Ending, Game, Outcome, PositionError, Rules, Setup, Side, Spec, Text,
};

/// Breakthrough has no options.
#[derive(Clone, Copy, Default, PartialEq, Eq, Hash, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct BreakthroughRules<const N: usize> {}

impl<const N: usize> Rules for BreakthroughRules<N> {
    /// Every turn moves a piece one row forward. Until all pieces of a side are on the row before
    /// the last, they make `N * (N - 3)` and `N * (N - 2)` moves, for the two home rows. One more
    /// turn wins.
    fn longest_game(&self) -> u32 {
        (2 * N * (2 * N - 5) + 1) as u32
    }
}

/// A game of Breakthrough on `N` by `N` cells, for `N` from 4 to 8.
///
/// The board is stored as the side to move sees it, with its own home rows at the bottom. Each turn
/// exchanges the colours and turns the board upside down.
///
/// ```text
///  0  1  2  3  4  5   the row to reach
///  6  7  8  9 10 11
/// 12 13 14 15 16 17
/// 18 19 20 21 22 23
/// 24 25 26 27 28 29
/// 30 31 32 33 34 35   home row of the side to move
/// ```
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct Breakthrough<const N: usize> {
    /// Pieces of the side to move.
    own: u64,
    /// Pieces of the other side.
    other: u64,
    /// Completed turns.
    ply: u32,
}

impl<const N: usize> Breakthrough<N> {
    const HOME: u64 = Grid::<N, N>::row(N - 1);

    /// Parses a drawn board. The number of turns is 0 if P1 is to move and 1 otherwise. `None` if
    /// the text does not have exactly the cells of the board.
    pub fn from_board(board: &str, to_move: Side) -> Option<Self> {
        let [x, o] = read_cells(board, ['x', 'o'], 0..N * N)?;
        Some(Self::drawn_for(to_move, [x, o]))
    }

    /// The position with these pieces of Black and White, as they are drawn.
    fn drawn_for(to_move: Side, [x, o]: [u64; 2]) -> Self {
        let white = Self { own: o, other: x, ply: 0 };
        if to_move == Side::P1 { white } else { white.turned() }
    }

    /// The least number of turns that the board takes, whoever is to move: each row that a piece
    /// has advanced is a turn of its side, and so is each capture.
    fn least_turns(&self) -> [u32; 2] {
        let advanced = |pieces: u64| {
            let rows = (0..N - 2).map(|row| {
                let count = (pieces & Grid::<N, N>::row(row)).count_ones();
                count * (N - 2 - row) as u32
            });
            rows.sum::<u32>()
        };
        let full = 2 * N as u32;
        let [own, other] = [self.own, Grid::<N, N>::flip(self.other)];
        [advanced(own).max(full - other.count_ones()), advanced(other).max(full - own.count_ones())]
    }

    /// The least number of completed turns.
    fn least_ply(&self) -> u32 {
        let [own, other] = self.least_turns();
        match self.to_move() {
            Side::P1 => fitting_ply((2 * own).max(2 * other), Side::P1),
            // Now the first side, which is not to move, has made one turn more.
            Side::P2 => fitting_ply((2 * own + 1).max((2 * other).saturating_sub(1)), Side::P2),
        }
    }

    /// The board as the other side sees it, one turn later.
    #[inline]
    fn turned(self) -> Self {
        let (own, other) = (Grid::<N, N>::flip(self.other), Grid::<N, N>::flip(self.own));
        Self { own, other, ply: self.ply + 1 }
    }

    /// The target of a move from `cell`: straight ahead (plane 0), to the left (1) or to the right.
    #[inline]
    const fn target(plane: usize, cell: usize) -> u64 {
        match plane {
            0 => Grid::<N, N>::shift(1 << cell, 0, -1),
            1 => Grid::<N, N>::shift(1 << cell, -1, -1),
            _ => Grid::<N, N>::shift(1 << cell, 1, -1),
        }
    }

    /// Whether the last turn reached the home row of the side to move or left it without pieces.
    #[inline]
    fn is_lost(&self) -> bool {
        self.other & Self::HOME != 0 || self.own == 0
    }

    /// The value of the own pieces: 100 each, and 10 for each row that a piece has advanced.
    fn material(&self) -> i32 {
        let rows = 0..N as u32;
        let row = |row: u32| (self.own >> (row * N as u32) & Grid::<N, N>::row(0)).count_ones();
        let counted = rows.map(|from_top| row(from_top) * (100 + 10 * (N as u32 - 1 - from_top)));
        counted.sum::<u32>() as i32
    }

    /// Converts cells from the view of the side to move to that of White, in which boards are
    /// drawn.
    fn drawn(&self, cells: u64) -> u64 {
        if self.to_move() == Side::P1 { cells } else { Grid::<N, N>::flip(cells) }
    }
}

impl<const N: usize> Game for Breakthrough<N> {
    type Rules = BreakthroughRules<N>;

    const RULES_VERSION: u32 = 1;
    const FIRST: Colour = Colour::White;
    const SPEC: Spec = Spec {
        planes: 2,
        height: N,
        width: N,
        displacements: &[(0, -1), (-1, -1), (1, -1)],
        pass: false,
    };
    const ACTIONS: &'static str = "moves the piece on the cell straight ahead, to the left, to the \
         right; each side sees its home row at the bottom";
    const SYMMETRIES: &'static [Matrix] = symmetry::MIRROR;

    fn initial(_: &Self::Rules) -> Self {
        let home = Grid::<N, N>::row(N - 2) | Grid::<N, N>::row(N - 1);
        Self { own: home, other: Grid::<N, N>::flip(home), ply: 0 }
    }

    #[inline]
    fn ply(&self) -> u32 {
        self.ply
    }

    #[inline]
    fn outcome(&self) -> Option<Outcome> {
        self.is_lost().then(|| Outcome::Win(self.to_move().other()))
    }

    fn ending(&self) -> Option<Ending> {
        let Outcome::Win(winner) = self.outcome()? else { return None };
        let [name, enemy] = [winner, winner.other()].map(|side| side.name(Self::FIRST));
        let arrived = self.other & Self::HOME;
        Some(if arrived == 0 {
            Ending::new(format!("{name} captured {enemy}'s last piece"))
        } else {
            Ending::new(format!("{name} brought a piece to {enemy}'s home row"))
                .on(self.drawn(arrived))
        })
    }

    #[inline]
    fn legal_actions(&self, actions: &mut Vec<Action>) {
        actions.clear();
        if self.is_lost() {
            return;
        }
        // The cells from which a piece can reach a free target, found by shifting the targets back.
        let movers = [
            Grid::<N, N>::shift(!(self.own | self.other), 0, 1),
            Grid::<N, N>::shift(!self.own, 1, 1),
            Grid::<N, N>::shift(!self.own, -1, 1),
        ];
        for (plane, movers) in movers.into_iter().enumerate() {
            let cells = bits(self.own & movers);
            actions.extend(cells.map(|cell| Self::SPEC.action(plane, cell)));
        }
    }

    #[inline]
    fn play(&mut self, action: Action) {
        let (plane, cell) = Self::SPEC.plane_and_cell(action);
        let target = Self::target(plane, cell);
        self.own = self.own & !(1 << cell) | target;
        self.other &= !target;
        *self = self.turned();
    }

    fn observe(&self, planes: &mut [f32]) {
        let (own, other) = planes.split_at_mut(N * N);
        write_plane(own, self.own);
        write_plane(other, self.other);
    }

    fn planes() -> Vec<&'static str> {
        vec!["own pieces", "the opponent's pieces"]
    }

    fn cell_name(&self, cell: usize) -> String {
        let cell = self.drawn(1 << cell).trailing_zeros() as usize;
        format!("{}{}", letter(cell % N), N - cell / N)
    }

    fn action_text(&self, action: Action) -> Text {
        let (plane, cell) = Self::SPEC.plane_and_cell(action);
        let target = Self::target(plane, cell);
        let mut text = Text::new();
        text.push_str(&self.cell_name(cell));
        text.push(if self.other & target == 0 { '-' } else { 'x' });
        text.push_str(&self.cell_name(target.trailing_zeros() as usize));
        text
    }

    /// A piece counts 100, and 10 for each row that it has advanced.
    fn heuristic(&self) -> i32 {
        self.material() - self.turned().material()
    }

    fn setup(&self) -> Setup {
        Setup::of(self, (0..N * N).map(|cell| self.symbol(cell))).with(
            "ply",
            &[self.ply],
            &[self.least_ply()],
        )
    }

    fn from_setup(rules: &Self::Rules, setup: &Setup) -> Result<Self, PositionError> {
        setup.check_counts(0, 2 * N as u32)?;
        let [x, o] = ['x', 'o'].map(|symbol| setup.set(symbol, 0..N * N));
        let side = setup.side::<Self>();
        let game = Self::drawn_for(side, [x, o]);
        if game.own & Grid::<N, N>::row(0) != 0 {
            return Err(PositionError::over_before(side.name(Self::FIRST), "piece on the far row"));
        }
        if game.other == 0 {
            let name = side.other().name(Self::FIRST);
            return Err(PositionError::new(format!("{name} has no pieces and has moved last")));
        }
        let ply = setup.ply::<Self>(game.least_ply(), rules.longest_game())?;
        Ok(Self { ply, ..game })
    }

    fn position_key(&self) -> u64 {
        mix(self.own ^ mix(self.other ^ mix(self.to_move().index() as u64)))
    }
}

impl<const N: usize> Picture for Breakthrough<N> {
    fn labels(_: &Self::Rules) -> Labels {
        Labels::square((0..N).map(letter), (1..=N).rev(), N as f32)
    }

    fn symbol(&self, cell: usize) -> char {
        let bit = self.drawn(1 << cell);
        piece(self, [self.own, self.other].map(|pieces| pieces & bit != 0))
    }
}

impl<const N: usize> fmt::Display for Breakthrough<N> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        draw_rows(f, [N, N], |row| N - row, |cell| self.symbol(cell))?;
        writeln!(f)?;
        draw_letters(f, [N, N], letter)
    }
}
