//! The [`Game`] trait: the interface between the rules of a game and everything built on them.
//!
//! A *turn* (a ply) is everything a player does before the other one moves. Turns are what people
//! read and write. An *action* is a step of a turn and an index into the policy. In Neutron a turn
//! is two actions by the same side, so code must not assume that the side to move alternates.

mod ending;
mod rules;
mod turn;

pub use super::spec::{Action, Spec};
pub use ending::Ending;
pub use rules::{
    Choice, RuleOption, Rules, RulesError, is_over_long, max_plies, options, overridden, plies_left,
};
pub use turn::{
    MAX_ACTIONS, Perft, Playable, Turn, TurnError, legal_turns, parse_turn, perft, replay,
    replay_from, try_play,
};

use std::fmt::{Debug, Display};
use std::hash::Hash;

use serde::{Deserialize, Serialize};

use crate::base::rng::mix;
use crate::games::symmetry::{Matrix, Permutation};
use crate::games::{Layout, Placement, PositionError, Setup};

/// A short text without heap allocation: an action, or a turn of a few actions.
pub type Text = arrayvec::ArrayString<24>;

/// One of the two players.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Serialize, Deserialize)]
pub enum Side {
    /// The side that moves first.
    P1,
    /// The other side.
    P2,
}

impl Side {
    /// The opponent.
    #[inline]
    pub const fn other(self) -> Self {
        match self {
            Self::P1 => Self::P2,
            Self::P2 => Self::P1,
        }
    }

    /// 0 for `P1`, 1 for `P2`.
    #[inline]
    pub const fn index(self) -> usize {
        self as usize
    }

    /// The letter of this side's pieces, `x` or `o`, given the colour of the side that moves first.
    pub const fn colour(self, first: Colour) -> char {
        match (self, first) {
            (Self::P1, Colour::Black) | (Self::P2, Colour::White) => 'x',
            (Self::P1, Colour::White) | (Self::P2, Colour::Black) => 'o',
        }
    }

    /// The name of this side's colour, `Black` or `White`, given that of the side that moves first.
    pub const fn name(self, first: Colour) -> &'static str {
        if self.colour(first) == 'x' { "Black" } else { "White" }
    }
}

/// The colour of a set of pieces: `x` is Black, `o` is White.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Colour {
    /// Drawn `x`.
    Black,
    /// Drawn `o`.
    White,
}

/// How a game ended. It names the winner, which avoids sign errors.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Serialize, Deserialize)]
pub enum Outcome {
    /// This side won.
    Win(Side),
    /// The game was drawn.
    Draw,
}

impl Outcome {
    /// The colour that won, `x` or `o`, or `draw`, given the colour of the side that moves first.
    pub const fn colour(self, first: Colour) -> &'static str {
        match self {
            Self::Win(side) if side.colour(first) == 'x' => "x",
            Self::Win(_) => "o",
            Self::Draw => "draw",
        }
    }

    /// 1 if `side` won, -1 if it lost, 0 for a draw.
    #[inline]
    pub fn value_for(self, side: Side) -> f32 {
        match self {
            Self::Win(winner) if winner == side => 1.0,
            Self::Win(_) => -1.0,
            Self::Draw => 0.0,
        }
    }

    /// `[win, draw, loss]` probabilities for `side`: 1 for the result, 0 for the others.
    #[inline]
    pub fn wdl_for(self, side: Side) -> [f32; 3] {
        match self {
            Self::Win(winner) if winner == side => [1.0, 0.0, 0.0],
            Self::Draw => [0.0, 1.0, 0.0],
            Self::Win(_) => [0.0, 0.0, 1.0],
        }
    }
}

/// A two-player game of perfect information. A value of this type is a position.
///
/// `tavoliere::testing::contract` checks these laws:
///
/// * A position has legal actions if and only if it has no outcome. A turn that has begun can
///   always be completed.
/// * [`ply`](Self::ply) grows by one with each completed turn, including the turn that ends the
///   game, and never within a turn. The side to move changes only when `ply` grows.
/// * Two games with the same actions are equal and have the same hash.
/// * Play the same game twice: once from the start, and once with every action mapped by one of
///   [`SYMMETRIES`](Self::SYMMETRIES), from the mapped [start](Self::initial_image). The symmetry
///   then maps the observation and the legal actions of one position to those of the other, and
///   the outcomes are the same.
/// * The concatenated texts of a turn's actions identify the turn among the legal ones.
///
/// `legal_actions`, `play` and `observe` must not panic, nor allocate except to grow the given
/// buffer.
pub trait Game: Copy + Eq + Hash + Debug + Display + Send + Sync + 'static {
    /// The options of the game; `Default` has the recommended ones.
    type Rules: Rules;

    /// The version of the rules. Raise it whenever legal actions, outcomes, observations or the
    /// order of actions change: it marks networks and game records of older rules.
    const RULES_VERSION: u32;

    /// The colour of the side that moves first.
    const FIRST: Colour;

    /// The sizes of the observation and the action space.
    const SPEC: Spec;

    /// What an action means, written to exported models for programs that read the policy.
    const ACTIONS: &'static str;

    /// The symmetries of the rules, on the board as the side to move sees it. The first is the
    /// identity.
    const SYMMETRIES: &'static [Matrix];

    /// The symbols of the text of a position.
    const SYMBOLS: &'static str = "xo.";

    /// The keys of the counters in the text of a position.
    const COUNTERS: &'static [&'static str] = &["ply"];

    /// The start position.
    fn initial(rules: &Self::Rules) -> Self;

    /// The image of the start position under `symmetry`. Only a game whose rules are more
    /// symmetric than its start position needs to override it. No game starts from it.
    fn initial_image(rules: &Self::Rules, symmetry: &Permutation) -> Self {
        let _ = symmetry;
        Self::initial(rules)
    }

    /// The side to move. After an action it may be the same side again. Unspecified once the game
    /// is over. By default the sides alternate turns, `P1` first.
    #[inline]
    fn to_move(&self) -> Side {
        if self.ply().is_multiple_of(2) { Side::P1 } else { Side::P2 }
    }

    /// The number of completed turns since the start.
    fn ply(&self) -> u32;

    /// The result, or `None` if the game is not over.
    fn outcome(&self) -> Option<Outcome>;

    /// Why the game ended, for people; `None` if it is not over. Search and self-play never ask.
    fn ending(&self) -> Option<Ending> {
        let reason = match self.outcome()? {
            Outcome::Win(side) => format!("{} has won", side.name(Self::FIRST)),
            Outcome::Draw => "The game is a draw".into(),
        };
        Some(Ending::new(reason))
    }

    /// Replaces the contents of `actions` by the legal actions in ascending order. There are none
    /// once the game is over.
    fn legal_actions(&self, actions: &mut Vec<Action>);

    /// Returns the legal action whose index in [`legal_actions`](Self::legal_actions) is what
    /// `choose` returns for their number; `None` once the game is over. Random games need no more,
    /// and some games do it without a list; `actions` is room for one.
    #[inline]
    fn choose_action(
        &self,
        actions: &mut Vec<Action>,
        choose: impl FnOnce(u32) -> u32,
    ) -> Option<Action> {
        self.legal_actions(actions);
        (!actions.is_empty()).then(|| actions[choose(actions.len() as u32) as usize])
    }

    /// Plays a legal action. An illegal one leaves an unspecified position but does not panic.
    /// Check actions from outside with [`parse_turn`] or [`try_play`](Self::try_play).
    fn play(&mut self, action: Action);

    /// Writes the observation of the side to move, `[planes, height, width]`, with values from 0
    /// to 1. Every number of `planes` is overwritten.
    fn observe(&self, planes: &mut [f32]);

    /// What each plane of an observation contains, written to exported models for programs that
    /// build observations.
    fn planes() -> Vec<&'static str>;

    /// The name of a cell. Cells are numbered row by row from the top, as the side to move sees
    /// the board. The name is empty for numbers outside a board that is not a rectangle. Networks
    /// do not compute these: planes have 0 there, or one number everywhere, and no action is there.
    fn cell_name(&self, cell: usize) -> String;

    /// The text of a legal action: its part of the turn's notation.
    fn action_text(&self, action: Action) -> Text;

    /// A hash of what counts for repetition: the board, the side to move and the phase, without
    /// the number of turns played. Equal positions have equal keys.
    fn position_key(&self) -> u64;

    /// A hash of everything that the rest of the game depends on. Unlike
    /// [`position_key`](Self::position_key) it differs between positions that differ only in the
    /// turns left or in counters: a proof of one need not hold for the other.
    fn full_key(&self) -> u64 {
        mix(self.position_key() ^ mix(u64::from(self.ply())))
    }

    /// A hand-written static evaluation of an unfinished position at the beginning of a turn, for
    /// the side to move. Positive is good, a few hundred is a clear advantage. Alpha-beta clamps
    /// it to ±20,000. By default every position is even.
    fn heuristic(&self) -> i32 {
        0
    }

    /// The lengths of the rows of the printed board, from the top.
    fn rows() -> Vec<usize> {
        vec![Self::SPEC.width; Self::SPEC.height]
    }

    /// The position as it is written, at the beginning of a turn or after the end of the game.
    /// Counters that [`from_setup`](Self::from_setup) finds by itself are left out.
    fn setup(&self) -> Setup {
        Setup::of(self, std::iter::repeat_n('.', Self::SPEC.cells()))
    }

    /// Checks a position as it is written. If the game is over by what the board and the counters
    /// show, it has its outcome. The start need not lead to it.
    ///
    /// # Errors
    ///
    /// If the pieces, the side to move and the counters do not fit the rules.
    fn from_setup(rules: &Self::Rules, setup: &Setup) -> Result<Self, PositionError> {
        let _ = (rules, setup);
        Err(PositionError::without_text())
    }

    /// How a solver numbers the positions, whatever the limits on the length of a game.
    ///
    /// # Errors
    ///
    /// Why it cannot, as the end of a sentence about the game with these rules.
    fn layout(rules: &Self::Rules) -> Result<Layout, &'static str> {
        let _ = rules;
        Err("it does not say how to number its positions (`Game::layout`)")
    }

    /// The position as sets of cells. `None` if it is not one of those that
    /// [`layout`](Self::layout) numbers: within a turn, or where the turns depend on more than the
    /// board.
    fn placement(&self) -> Option<Placement> {
        None
    }

    /// The position with these sets and this side to move, early in a game. `None` if the game does
    /// not number its positions.
    fn from_placement(rules: &Self::Rules, placement: &Placement, to_move: Side) -> Option<Self> {
        let _ = (rules, placement, to_move);
        None
    }

    /// The text of the position on one line, at the beginning of a turn.
    fn position_text(&self) -> String {
        self.setup().to_string()
    }

    /// Parses the text of a position.
    ///
    /// # Errors
    ///
    /// If the text is malformed or does not fit the rules.
    fn from_position(rules: &Self::Rules, text: &str) -> Result<Self, PositionError> {
        Self::from_setup(rules, &Setup::read::<Self>(text)?)
    }

    /// Plays an action if it is legal. Returns whether it was.
    fn try_play(&mut self, action: Action) -> bool {
        try_play(self, action)
    }
}
