//! The rules of Neutron and its variants.
//!
//! The board has 5x5 or 7x7 cells. Black's pieces fill the top row and White's the bottom row, each
//! the *home row* of its owner. The neutron, which belongs to neither player, starts in the centre.
//! White moves first. A *slide* goes in one of eight directions to the last cell before the edge or
//! an obstacle. It never stops earlier and never captures. A turn is a slide of the neutron
//! followed by a slide of an own piece, both compulsory. In the first turn of the game White slides
//! only a piece. The game ends at once, without the second half of the turn, when the neutron
//! reaches a home row: the owner of the row wins, whoever moved the neutron. A player who cannot
//! complete a turn loses. A slide of the neutron after which the player could not slide any piece
//! is therefore illegal.
//!
//! * *Restricted* variants forbid slides of pieces that end on the player's own home row, the
//!   opponent's, or both. Pieces that start there may leave, and the neutron is not restricted.
//! * *Neutron Hole*: before that first turn the players, White first, alternately place one or two
//!   holes each on empty cells. Nothing moves into or across a hole.
//! * *CoNeutron*: the neutron wins on the opponent's home row, and White's first turn is complete.
//! * *AbstractPlay's*: only the row on which the player who moved the neutron wins ends the game. On
//!   the other row the turn goes on with a piece, and the opponent then has to slide the neutron
//!   away, or along the row to win. In the doubly restricted game a piece may slide along its own
//!   home row.
//!
//! Neutron is by Robert A. Kraus (1978), CoNeutron by Owen and Richardson, Neutron Hole by Cerrato
//! (2004). Where descriptions differ, the rules follow the help of Richard's play-by-e-mail server,
//! and those of the server AbstractPlay (<https://play.abstractplay.com>) are options.
//!
//! A turn is written `E3,A1-D4`: the target of the neutron, then the start and the target of the
//! piece. It is `A5-A2` without the neutron, `C5` if the neutron ends the game, and `@C2` for a
//! hole. Columns have letters from the left, rows numbers from the top.

mod rules;

pub use rules::{AlongHome, EndsOn, FirstTurn, Forbid, Goal, NeutronRules, Restriction};

use std::fmt;

use crate::base::rng::mix;
use crate::games::board::{
    DIRECTIONS, Grid, bits, draw_letters, draw_rows, letter, read_cells, write_plane,
};
use crate::games::picture::{Labels, Picture, piece};
use crate::games::position::fitting_ply;
use crate::games::symmetry::{self, Matrix};
use crate::games::{
    Action, Colour, Ending, Game, Layout, Outcome, Placement, PositionError, Rules, Setup, Side,
    Spec, Text, is_over_long,
};

/// The kind of the next action.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
enum Stage {
    /// Places a hole.
    Hole,
    /// Slides a piece in the first turn, without the neutron.
    Opening,
    /// Slides the neutron.
    Neutron,
    /// Slides a piece, after the neutron.
    Piece,
}

impl Stage {
    /// The stage at the beginning of a turn, after `ply` turns.
    fn of_turn(rules: &NeutronRules, ply: u32) -> Self {
        if ply < rules.placements() {
            Self::Hole
        } else if ply == rules.placements() && rules.first_turn == FirstTurn::Piece {
            Self::Opening
        } else {
            Self::Neutron
        }
    }
}

/// `(0, 0)` for a hole, then the eight directions of a slide.
const DISPLACEMENTS: [(i8, i8); 9] = {
    let [a, b, c, d, e, f, g, h] = DIRECTIONS;
    [(0, 0), a, b, c, d, e, f, g, h]
};

/// A game of Neutron on a board of `W` columns and `H` rows, each 5 or 7.
///
/// The board is stored as the side to move sees it, with its own home row at the bottom. Each turn
/// exchanges the colours and turns the board upside down. Goals and forbidden rows are then the
/// same for both sides.
///
/// ```text
///  0  1  2  3  4   home row of the other side
///  5  6  7  8  9
/// 10 11 12 13 14
/// 15 16 17 18 19
/// 20 21 22 23 24   home row of the side to move
/// ```
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct Neutron<const W: usize, const H: usize = W> {
    /// Pieces of the side to move.
    own: u64,
    /// Pieces of the other side.
    other: u64,
    /// The cell of the neutron.
    neutron: u64,
    holes: u64,
    ply: u32,
    rules: NeutronRules,
    stage: Stage,
    outcome: Option<Outcome>,
}

impl<const W: usize, const H: usize> Neutron<W, H> {
    const OWN_HOME: u64 = Grid::<W, H>::row(H - 1);
    const OTHER_HOME: u64 = Grid::<W, H>::row(0);

    /// The most cells that a slide crosses.
    const LONGEST: usize = if W > H { W - 1 } else { H - 1 };

    /// Parses a drawn board, at the beginning of a full turn or after the end of the game. The
    /// game continues after White's first turn if Black is to move, otherwise after Black's first
    /// turn. `None` if the text does not have exactly the cells of the board, one neutron and the
    /// number of holes that the rules require.
    pub fn from_board(rules: &NeutronRules, board: &str, to_move: Side) -> Option<Self> {
        let sets: [u64; 4] = read_cells(board, ['x', 'o', '*', '#'], 0..W * H)?;
        let [_, _, neutron, holes] = sets;
        if neutron.count_ones() != 1 || holes.count_ones() != rules.placements() {
            return None;
        }
        let ply = fitting_ply(rules.placements() + 1, to_move);
        Some(Self::arranged(rules, sets, ply))
    }

    /// The position with these cells as they are drawn, of Black, White, the neutron and the holes,
    /// at the beginning of a turn after `ply` turns.
    fn arranged(rules: &NeutronRules, drawn: [u64; 4], ply: u32) -> Self {
        let is_white = ply.is_multiple_of(2);
        let view = |cells| if is_white { cells } else { Grid::<W, H>::flip(cells) };
        let [x, o, neutron, holes] = drawn.map(view);
        let (own, other) = if is_white { (o, x) } else { (x, o) };
        let stage = Stage::of_turn(rules, ply);
        let mut game = Self { own, other, neutron, holes, ply, stage, ..Self::initial(rules) };
        game.outcome = game.outcome_by_last_goal().or_else(|| game.outcome_between_turns());
        game
    }

    /// The least number of completed turns. Only the start board can be before the first turn that
    /// moves something.
    fn least_ply(rules: &NeutronRules, [x, o, neutron, holes]: [u64; 4], side: Side) -> u32 {
        let start = Self::initial(rules);
        let placed = holes.count_ones();
        let has_moved = [x, o, neutron] != [start.other, start.own, start.neutron];
        if placed < rules.placements() {
            return placed;
        }
        fitting_ply(placed + u32::from(has_moved), side)
    }

    /// The cells as they are drawn, of Black, White, the neutron and the holes.
    fn drawn_sets(&self) -> [u64; 4] {
        let (x, o) = if self.to_move() == Side::P1 {
            (self.other, self.own)
        } else {
            (self.own, self.other)
        };
        [x, o, self.neutron, self.holes].map(|cells| self.drawn(cells))
    }

    /// Checks that there is one neutron, and the number of holes.
    fn check_things(rules: &NeutronRules, neutrons: u32, holes: u32) -> Result<(), PositionError> {
        let most = rules.placements();
        let reason = match neutrons {
            0 => "there is no neutron; put a * on the board".into(),
            1 if holes > most => format!("there are {holes} holes, the rules have {most}"),
            1 => return Ok(()),
            _ => format!("there are {neutrons} neutrons, there must be one"),
        };
        Err(PositionError::new(reason))
    }

    /// Moves all `cells` one step against a direction.
    #[inline(always)]
    fn step_back(cells: u64, direction: usize) -> u64 {
        Grid::<W, H>::step(cells, (direction + 4) % 8)
    }

    /// The last cell of a slide from the cell `from` over the cells of `room`.
    #[inline]
    fn slide(from: u64, direction: usize, room: u64) -> u64 {
        let mut at = from;
        loop {
            let next = Grid::<W, H>::step(at, direction) & room;
            if next == 0 {
                return at;
            }
            at = next;
        }
    }

    /// The cells of `room` on which a slide over it ends.
    #[inline]
    fn last_cells(direction: usize, room: u64) -> u64 {
        room & !Self::step_back(room, direction)
    }

    /// The cells from which a slide over `room` ends on one of `ends`.
    #[inline]
    fn slides_onto(ends: u64, direction: usize, room: u64) -> u64 {
        let mut path = ends & Self::last_cells(direction, room);
        for _ in 0..Self::LONGEST - 1 {
            path |= Self::step_back(path, direction) & room;
        }
        Self::step_back(path, direction)
    }

    /// Pieces of the side to move and of the other side, as bits by cell, with the home row of the
    /// side to move at the bottom.
    #[inline]
    pub(crate) fn pieces(&self) -> [u64; 2] {
        [self.own, self.other]
    }

    /// The cell of the neutron.
    #[inline]
    pub(crate) fn neutron(&self) -> u64 {
        self.neutron
    }

    /// The cells on which the neutron can end a slide.
    #[inline]
    pub(crate) fn neutron_reach(&self) -> u64 {
        Self::rests(self.neutron, self.empty())
    }

    #[inline]
    pub(crate) fn empty(&self) -> u64 {
        Grid::<W, H>::ALL & !(self.own | self.other | self.neutron | self.holes)
    }

    /// The row on which the neutron wins for the side to move, and the row on which it loses.
    #[inline]
    pub(crate) fn goals(&self) -> [u64; 2] {
        match self.rules.goal {
            Goal::Own => [Self::OWN_HOME, Self::OTHER_HOME],
            Goal::Opponent => [Self::OTHER_HOME, Self::OWN_HOME],
        }
    }

    /// The home rows on which a slide of the neutron by the side to move ends the game.
    #[inline]
    fn ending_rows(&self) -> u64 {
        let [winning, losing] = self.goals();
        match self.rules.ends_on {
            EndsOn::Either => winning | losing,
            EndsOn::Winning => winning,
        }
    }

    /// The cells on which pieces of the side to move may not end a slide, but for
    /// [slides along the home row](Self::keeps_home).
    #[inline]
    fn forbidden(&self) -> u64 {
        match self.rules.forbid {
            Forbid::None => 0,
            Forbid::Own => Self::OWN_HOME,
            Forbid::Opponent => Self::OTHER_HOME,
            Forbid::Both => Self::OWN_HOME | Self::OTHER_HOME,
        }
    }

    /// Whether pieces on their own home row may slide along it, although it is forbidden.
    #[inline]
    fn keeps_home(&self) -> bool {
        self.rules.along_home == AlongHome::Allowed
            && matches!(self.rules.forbid, Forbid::Own | Forbid::Both)
    }

    /// The cells over which the piece on the cell `from` may slide.
    #[inline]
    fn room_of(&self, from: u64) -> u64 {
        match self.rules.restriction {
            Restriction::Illegal => self.empty(),
            Restriction::Wall if self.keeps_home() && from & Self::OWN_HOME != 0 => {
                self.room_but_for(self.forbidden() & !Self::OWN_HOME)
            }
            Restriction::Wall => self.room_but_for(self.forbidden()),
        }
    }

    /// The cells over which a piece may slide if it must not end its slide on `forbidden`.
    #[inline]
    fn room_but_for(&self, forbidden: u64) -> u64 {
        match self.rules.restriction {
            Restriction::Illegal => self.empty(),
            Restriction::Wall => self.empty() & !forbidden,
        }
    }

    /// The cells on which slides of `things` over `room` end, computed for all `things` at once in
    /// each direction.
    fn rests(things: u64, room: u64) -> u64 {
        let mut rests = 0;
        for direction in 0..DIRECTIONS.len() {
            let last = Self::last_cells(direction, room);
            let mut sliding = things;
            for _ in 0..Self::LONGEST {
                sliding = Grid::<W, H>::step(sliding, direction) & room;
                rests |= sliding & last;
            }
        }
        rests
    }

    /// The cells on which slides of `pieces` may end, if they must not end on `forbidden`, but for
    /// slides along their home row `home`.
    fn piece_rests(&self, pieces: u64, forbidden: u64, home: u64) -> u64 {
        let rests =
            |pieces, forbidden| Self::rests(pieces, self.room_but_for(forbidden)) & !forbidden;
        if self.keeps_home() {
            rests(pieces & !home, forbidden) | rests(pieces & home, forbidden & !home)
        } else {
            rests(pieces, forbidden)
        }
    }

    /// The own pieces with a legal slide in a direction.
    #[inline]
    fn sliding_pieces(&self, direction: usize) -> u64 {
        let forbidden = self.forbidden();
        if self.keeps_home() {
            let [away, home] = [self.own & !Self::OWN_HOME, self.own & Self::OWN_HOME];
            self.sliding_among(away, direction, forbidden)
                | self.sliding_among(home, direction, forbidden & !Self::OWN_HOME)
        } else {
            self.sliding_among(self.own, direction, forbidden)
        }
    }

    /// Those of `pieces` with a slide in a direction that does not end on `forbidden`. A piece can
    /// slide if the adjacent cell is free; where the slide ends matters only if rows are forbidden.
    #[inline]
    fn sliding_among(&self, pieces: u64, direction: usize, forbidden: u64) -> u64 {
        let room = self.room_but_for(forbidden);
        let mobile = pieces & Self::step_back(room, direction);
        match forbidden & room {
            0 => mobile,
            forbidden => mobile & !Self::slides_onto(forbidden, direction, room),
        }
    }

    /// The neutron's cell if the neutron has a legal slide in a direction, otherwise 0. A legal
    /// slide ends the game or leaves a legal slide of a piece.
    #[inline]
    fn sliding_neutron(&self, direction: usize) -> u64 {
        let neutron = Self::slide(self.neutron, direction, self.empty());
        let can_finish = || {
            let after = Self { neutron, ..*self };
            neutron & (Self::OWN_HOME | Self::OTHER_HOME) != 0 && neutron & self.ending_rows() != 0
                || (0..8).any(|direction| after.sliding_pieces(direction) != 0)
        };
        if neutron != self.neutron && can_finish() { self.neutron } else { 0 }
    }

    /// The cells of the pieces, or of the neutron, that may slide in a direction in this stage.
    #[inline]
    fn sliding(&self, direction: usize) -> u64 {
        match self.stage {
            Stage::Hole => 0,
            Stage::Neutron => self.sliding_neutron(direction),
            Stage::Opening | Stage::Piece => self.sliding_pieces(direction),
        }
    }

    fn is_blocked(&self) -> bool {
        let holes = if self.stage == Stage::Hole { self.empty() } else { 0 };
        holes == 0 && (0..8).all(|direction| self.sliding(direction) == 0)
    }

    /// Why the positions under these rules have no numbers, as [`Game::layout`] says it.
    fn unnumbered(rules: &NeutronRules) -> Option<&'static str> {
        let keeps_home = rules.along_home == AlongHome::Allowed && rules.forbid != Forbid::None;
        if rules.holes > 0 {
            Some("positions with holes are not numbered")
        } else if rules.ends_on == EndsOn::Winning {
            Some("positions with the neutron on a home row are not numbered")
        } else if keeps_home {
            Some("its solver knows no slides along a forbidden home row")
        } else {
            None
        }
    }

    /// The outcome at the beginning of a turn of the side to move.
    #[inline]
    fn outcome_between_turns(&self) -> Option<Outcome> {
        if self.is_blocked() {
            Some(Outcome::Win(self.to_move().other()))
        } else {
            is_over_long(self.ply, self.rules.max_plies).then_some(Outcome::Draw)
        }
    }

    /// The outcome if the side to move has just slid the neutron onto a row that ends the game.
    #[inline]
    fn outcome_by_goal(&self) -> Option<Outcome> {
        // Most slides end elsewhere.
        if self.neutron & (Self::OWN_HOME | Self::OTHER_HOME) == 0 {
            return None;
        }
        let own_win = self.neutron & self.goals()[0] != 0;
        let winner = if own_win { self.to_move() } else { self.to_move().other() };
        (self.neutron & self.ending_rows() != 0).then_some(Outcome::Win(winner))
    }

    /// The outcome if the last turn, that of the other side, ended the game by the neutron's row.
    fn outcome_by_last_goal(&self) -> Option<Outcome> {
        let [winning, losing] = self.goals();
        let (own, other) = (self.to_move(), self.to_move().other());
        match self.rules.ends_on {
            _ if self.neutron & losing != 0 => Some(Outcome::Win(other)),
            EndsOn::Either if self.neutron & winning != 0 => Some(Outcome::Win(own)),
            EndsOn::Either | EndsOn::Winning => None,
        }
    }

    /// Why the side to move, which is blocked, has no turn.
    fn blockade(&self) -> Ending {
        let side = self.to_move().name(Self::FIRST);
        if self.stage == Stage::Neutron && self.neutron_reach() == 0 {
            Ending::new(format!("{side} cannot move the neutron")).on(self.drawn(self.neutron))
        } else {
            let reason = if self.stage == Stage::Neutron {
                format!("{side} has no complete turn: no piece can move after the neutron has")
            } else {
                format!("{side} has no piece that can move")
            };
            Ending::new(reason).on(self.drawn(self.own))
        }
    }

    fn slide_neutron(&mut self, direction: usize) {
        self.neutron = Self::slide(self.neutron, direction, self.empty());
        self.stage = Stage::Piece;
        let outcome = self.outcome_by_goal();
        if outcome.is_some() {
            self.end_turn();
            self.outcome = outcome;
        }
    }

    /// Completes the turn: turns the board to the view of the other side.
    #[inline]
    fn end_turn(&mut self) {
        let ply = self.ply + 1;
        *self = Self {
            own: Grid::<W, H>::flip(self.other),
            other: Grid::<W, H>::flip(self.own),
            neutron: Grid::<W, H>::flip(self.neutron),
            holes: Grid::<W, H>::flip(self.holes),
            ply,
            stage: Stage::of_turn(&self.rules, ply),
            ..*self
        };
    }

    fn end_turn_with_outcome(&mut self) {
        self.end_turn();
        self.outcome = self.outcome_between_turns();
    }

    /// Converts `cells` from the view of the side to move to that of White, in which boards are
    /// drawn.
    fn drawn(&self, cells: u64) -> u64 {
        if self.to_move() == Side::P1 { cells } else { Grid::<W, H>::flip(cells) }
    }

    fn push_cell(&self, text: &mut Text, cell: u64) {
        let cell = self.drawn(cell).trailing_zeros() as usize;
        text.push(letter(cell % W).to_ascii_uppercase());
        text.push(char::from(b'1' + (cell / W) as u8));
    }
}

/// The cell of an action as a bit, and its direction. The direction is arbitrary for a hole and for
/// numbers that are not actions.
#[inline]
fn cell_and_direction(spec: &Spec, action: Action) -> (u64, usize) {
    let (plane, cell) = spec.plane_and_cell(action);
    (1 << cell, plane.wrapping_sub(1) % 8)
}

impl<const W: usize, const H: usize> Game for Neutron<W, H> {
    type Rules = NeutronRules;

    const RULES_VERSION: u32 = 1;
    const FIRST: Colour = Colour::White;
    const SPEC: Spec =
        Spec { planes: 16, height: H, width: W, displacements: &DISPLACEMENTS, pass: false };
    const ACTIONS: &'static str = "plane 0 places a hole on the cell, the others slide the neutron, then an own piece, from the \
         cell as far as it goes; each side sees its home row at the bottom";
    const SYMMETRIES: &'static [Matrix] = symmetry::MIRROR;

    const SYMBOLS: &'static str = "xo.*#";

    fn initial(rules: &Self::Rules) -> Self {
        Self {
            own: Self::OWN_HOME,
            other: Self::OTHER_HOME,
            neutron: 1 << (W * H / 2),
            holes: 0,
            ply: 0,
            rules: *rules,
            stage: Stage::of_turn(rules, 0),
            outcome: None,
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
        let mover = self.to_move().other();
        let home = match self.neutron {
            _ if self.outcome_by_last_goal().is_none() => None,
            neutron if neutron & Self::OTHER_HOME != 0 => Some(mover),
            _ => Some(mover.other()),
        };
        Some(match (home, outcome) {
            (Some(owner), _) => {
                let [mover, owner] = [mover, owner].map(|side| side.name(Self::FIRST));
                Ending::new(format!("{mover} brought the neutron to {owner}'s home row"))
                    .on(self.drawn(self.neutron))
            }
            (None, Outcome::Win(_)) => self.blockade(),
            (None, Outcome::Draw) => Ending::over_long(self.rules.max_plies),
        })
    }

    #[inline]
    fn legal_actions(&self, actions: &mut Vec<Action>) {
        actions.clear();
        if self.outcome.is_some() {
            return;
        }
        if self.stage == Stage::Hole {
            actions.extend(bits(self.empty()).map(|cell| Self::SPEC.action(0, cell)));
        }
        for direction in 0..8 {
            let sliding = bits(self.sliding(direction));
            actions.extend(sliding.map(|cell| Self::SPEC.action(1 + direction, cell)));
        }
    }

    #[inline]
    fn play(&mut self, action: Action) {
        let (cell, direction) = cell_and_direction(&Self::SPEC, action);
        match self.stage {
            Stage::Neutron => self.slide_neutron(direction),
            Stage::Opening | Stage::Piece => {
                self.own ^= cell | Self::slide(cell, direction, self.room_of(cell));
                self.end_turn_with_outcome();
            }
            Stage::Hole => {
                self.holes |= cell;
                self.end_turn_with_outcome();
            }
        }
    }

    fn observe(&self, planes: &mut [f32]) {
        let (rules, [winning, losing]) = (&self.rules, self.goals());
        let forbidden = self.forbidden();
        let (own, other) = (self.own, self.other);
        // By symmetry, the rows forbidden to the other side are the flipped own ones.
        let theirs = Grid::<W, H>::flip(forbidden);
        let cells = [
            own,
            other,
            self.neutron,
            self.holes,
            winning,
            losing,
            forbidden,
            theirs,
            self.neutron_reach(),
            self.piece_rests(own, forbidden, Self::OWN_HOME),
            self.piece_rests(other, theirs, Self::OTHER_HOME),
        ];

        let flag = |is: bool| f32::from(u8::from(is));
        let opening = rules.first_turn == FirstTurn::Piece && self.ply <= rules.placements();
        let cap = u32::from(rules.max_plies);
        let left = match cap {
            0 => 1.0,
            _ => cap.saturating_sub(self.ply) as f32 / cap as f32,
        };
        let constants = [
            flag(matches!(self.stage, Stage::Opening | Stage::Piece)),
            rules.placements().saturating_sub(self.ply) as f32 / 4.0,
            flag(opening),
            flag(rules.restriction == Restriction::Wall),
            left,
        ];

        let (boards, uniform) = planes.split_at_mut(cells.len() * W * H);
        boards.chunks_exact_mut(W * H).zip(cells).for_each(|(plane, set)| write_plane(plane, set));
        uniform.chunks_exact_mut(W * H).zip(constants).for_each(|(plane, value)| plane.fill(value));
    }

    fn planes() -> Vec<&'static str> {
        vec![
            "own pieces",
            "the opponent's pieces",
            "the neutron",
            "holes",
            "the home row on which the neutron wins for the side to move",
            "the home row on which the neutron wins for the opponent",
            "cells on which own pieces may not end a slide",
            "cells on which the opponent's pieces may not end a slide",
            "cells on which the neutron can end a slide",
            "cells on which own pieces can end a slide",
            "cells on which the opponent's pieces can end a slide",
            "1 if the next action moves a piece, 0 if it moves the neutron or places a hole",
            "holes still to be placed, divided by 4",
            "1 if the first turn moves only a piece and has not been completed",
            "1 if slides stop before forbidden cells, 0 if slides onto them are illegal",
            "turns left, divided by the limit; 1 without a limit",
        ]
    }

    fn cell_name(&self, cell: usize) -> String {
        let mut text = Text::new();
        self.push_cell(&mut text, 1 << cell);
        text.to_string()
    }

    fn action_text(&self, action: Action) -> Text {
        let (cell, direction) = cell_and_direction(&Self::SPEC, action);
        let mut text = Text::new();
        match self.stage {
            Stage::Hole => text.push('@'),
            Stage::Piece => text.push(','),
            Stage::Opening | Stage::Neutron => {}
        }
        match self.stage {
            Stage::Hole => self.push_cell(&mut text, cell),
            Stage::Neutron => {
                self.push_cell(&mut text, Self::slide(cell, direction, self.empty()));
            }
            Stage::Opening | Stage::Piece => {
                self.push_cell(&mut text, cell);
                text.push('-');
                self.push_cell(&mut text, Self::slide(cell, direction, self.room_of(cell)));
            }
        }
        text
    }

    fn heuristic(&self) -> i32 {
        self.static_evaluation()
    }

    fn setup(&self) -> Setup {
        let least = Self::least_ply(&self.rules, self.drawn_sets(), self.to_move());
        Setup::of(self, (0..W * H).map(|cell| self.symbol(cell))).with("ply", &[self.ply], &[least])
    }

    fn from_setup(rules: &Self::Rules, setup: &Setup) -> Result<Self, PositionError> {
        setup.check_counts(0, W as u32)?;
        let sets = ['x', 'o', '*', '#'].map(|symbol| setup.set(symbol, 0..W * H));
        let [neutrons, holes] = [sets[2], sets[3]].map(u64::count_ones);
        Self::check_things(rules, neutrons, holes)?;
        let side = setup.side::<Self>();
        let least = Self::least_ply(rules, sets, side);
        let ply = if holes < rules.placements() {
            setup.fixed_ply::<Self>(holes)?
        } else if setup.has("ply") {
            // The first turn is one of the piece alone wherever the pieces are, if `ply` says so.
            setup.ply::<Self>(rules.placements(), rules.longest_game())?
        } else {
            setup.ply_within(least, rules.longest_game())?
        };
        Ok(Self::arranged(rules, sets, ply))
    }

    fn layout(rules: &Self::Rules) -> Result<Layout, &'static str> {
        if let Some(reason) = Self::unnumbered(rules) {
            return Err(reason);
        }
        let middle = Grid::<W, H>::ALL & !(Self::OWN_HOME | Self::OTHER_HOME);
        Ok(Layout {
            neutral: bits(middle).map(|cell| cell as u8).collect(),
            turned: (0..W * H)
                .map(|cell| Grid::<W, H>::flip(1 << cell).trailing_zeros() as u8)
                .collect(),
            ..Layout::of::<Self>(vec![[W as u32; 2]])
        })
    }

    fn placement(&self) -> Option<Placement> {
        let homes = Self::OWN_HOME | Self::OTHER_HOME;
        let pieces = [self.own, self.other].map(u64::count_ones);
        let is_numbered = self.stage == Stage::Neutron
            && self.neutron & homes == 0
            && Self::unnumbered(&self.rules).is_none()
            && pieces == [W as u32; 2];
        let neutral = Some(self.neutron.trailing_zeros() as u8);
        is_numbered.then_some(Placement { own: self.own, other: self.other, neutral })
    }

    fn from_placement(rules: &Self::Rules, placement: &Placement, to_move: Side) -> Option<Self> {
        let ply = fitting_ply(2, to_move);
        let mut game = Self {
            own: placement.own,
            other: placement.other,
            neutron: 1 << placement.neutral?,
            ply,
            stage: Stage::of_turn(rules, ply),
            ..Self::initial(rules)
        };
        game.outcome = game.outcome_by_last_goal().or_else(|| game.outcome_between_turns());
        Self::unnumbered(rules).is_none().then_some(game)
    }

    fn position_key(&self) -> u64 {
        let rest = self.neutron.trailing_zeros() as usize
            | (self.stage as usize) << 6
            | self.to_move().index() << 8;
        [self.own, self.other, self.holes].into_iter().fold(rest as u64, |key, set| mix(key) ^ set)
    }
}

impl<const W: usize, const H: usize> Picture for Neutron<W, H> {
    fn labels(_: &Self::Rules) -> Labels {
        Labels::square(('A'..).take(W), 1..=H, -1.0)
    }

    fn symbol(&self, cell: usize) -> char {
        match self.drawn(1 << cell) {
            bit if self.neutron & bit != 0 => '*',
            bit if self.holes & bit != 0 => '#',
            bit => piece(self, [self.own, self.other].map(|pieces| pieces & bit != 0)),
        }
    }
}

impl<const W: usize, const H: usize> fmt::Display for Neutron<W, H> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        draw_letters(f, [W, H], |column| letter(column).to_ascii_uppercase())?;
        writeln!(f)?;
        draw_rows(f, [W, H], |row| row + 1, |cell| self.symbol(cell))
    }
}
