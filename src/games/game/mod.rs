//! What a game is: the interface between rules and everything built on them.
//!
//! A *turn* (a ply) is everything a player does before the other one moves, and is what a person
//! reads and writes. An *action* is a step of a turn and an index into the policy: a turn of
//! Neutron is two actions by the same side. Nothing here may assume that sides alternate.

mod rules;
mod turn;

pub use super::spec::{Action, Spec};
pub use rules::{Rules, RulesError, options, overridden};
pub(crate) use rules::{is_over_long, plies_left};
pub use turn::{
    MAX_ACTIONS, Perft, Turn, TurnError, legal_turns, parse_turn, perft, replay, replay_with,
};

use std::fmt::{Debug, Display};
use std::hash::Hash;

use serde::{Deserialize, Serialize};

use crate::base::rng::mix;
use crate::games::symmetry::{Matrix, Permutation};

/// A short text kept in place: an action, or a turn of a few actions.
pub type Text = arrayvec::ArrayString<24>;

/// One of the two players; `P1` is the one who moves first.
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

    /// The letter of this side's pieces, given the letter of the side that moves first.
    pub const fn colour(self, first: Colour) -> char {
        match (self, first) {
            (Self::P1, Colour::Black) | (Self::P2, Colour::White) => 'x',
            (Self::P1, Colour::White) | (Self::P2, Colour::Black) => 'o',
        }
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

/// How a game ended. It names the winner, so that no sign can be read the wrong way.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Serialize, Deserialize)]
pub enum Outcome {
    /// This side won.
    Win(Side),
    /// Nobody won.
    Draw,
}

impl Outcome {
    /// 1 if `side` won, -1 if it lost, 0 for a draw.
    #[inline]
    pub fn value_for(self, side: Side) -> f32 {
        match self {
            Self::Win(winner) if winner == side => 1.0,
            Self::Win(_) => -1.0,
            Self::Draw => 0.0,
        }
    }

    /// `[win, draw, loss]` as probabilities, seen by `side`.
    #[inline]
    pub fn wdl_for(self, side: Side) -> [f32; 3] {
        match self {
            Self::Win(winner) if winner == side => [1.0, 0.0, 0.0],
            Self::Draw => [0.0, 1.0, 0.0],
            Self::Win(_) => [0.0, 0.0, 1.0],
        }
    }
}

/// A two-player game of perfect information, as the state of one game in play.
///
/// The laws below are checked for every game of the table by `tests/library/contract.rs`:
///
/// * there is a legal action exactly while there is no outcome, and every legal action played leads
///   on: a turn once begun can be completed;
/// * [`ply`](Self::ply) grows by one with each completed turn, also with one that ends the game,
///   and by nothing in between; the side to move changes only when it grows;
/// * two games given the same actions are equal, and hash alike;
/// * each of [`SYMMETRIES`](Self::SYMMETRIES) maps observations and legal actions of a position
///   onto those of the position that the mapped actions lead to, from the mapped
///   [start](Self::initial_image), and which has the same outcome;
/// * the texts of a turn's actions, one after the other, name that turn and no other.
///
/// `legal_actions`, `play` and `observe` neither allocate (beyond the room given) nor panic.
pub trait Game: Copy + Eq + Hash + Debug + Display + Send + Sync + 'static {
    /// The options of the game; `Default` gives the recommended ones.
    type Rules: Rules;

    /// Raised whenever legal actions, outcomes, observations or the order of actions change, so
    /// that networks and records of the old rules are recognised.
    const RULES_VERSION: u32;

    /// The colour of the side that moves first.
    const FIRST: Colour;

    /// Sizes of observations and actions.
    const SPEC: Spec;

    /// What an action means, for those who read the policy elsewhere.
    const ACTIONS: &'static str;

    /// The symmetries of the rules as the side to move sees the board; the identity is the first.
    const SYMMETRIES: &'static [Matrix];

    /// The start position.
    fn initial(rules: &Self::Rules) -> Self;

    /// The start position as `symmetry` shows it. Only a game whose rules are more symmetric than
    /// its start position has to say what that is; play never begins there.
    fn initial_image(rules: &Self::Rules, symmetry: &Permutation) -> Self {
        let _ = symmetry;
        Self::initial(rules)
    }

    /// The side that chooses next; after an action it may be the same side again. Of no meaning
    /// once the game is over. Turns alternate unless a game says otherwise.
    #[inline]
    fn to_move(&self) -> Side {
        if self.ply().is_multiple_of(2) { Side::P1 } else { Side::P2 }
    }

    /// Completed turns since the start.
    fn ply(&self) -> u32;

    /// The result, once the game is over.
    fn outcome(&self) -> Option<Outcome>;

    /// Replaces the contents of `actions` by the legal actions, in ascending order; by none once
    /// the game is over.
    fn legal_actions(&self, actions: &mut Vec<Action>);

    /// Plays a legal action. What happens with another one is unspecified, but no panic; text and
    /// numbers from outside go through [`parse_turn`] or [`try_play`](Self::try_play).
    fn play(&mut self, action: Action);

    /// Writes the position as the side to move sees it, `[planes, height, width]`; every number of
    /// `planes` is overwritten.
    fn observe(&self, planes: &mut [f32]);

    /// What each plane of an observation shows, for those who write it elsewhere.
    fn planes() -> Vec<&'static str>;

    /// The name of a cell of the frame, row by row from the top; empty where there is no cell.
    fn cell_name(&self, cell: usize) -> String;

    /// The text of a legal action: its part of the turn's notation.
    fn action_text(&self, action: Action) -> Text;

    /// A key of what counts for repetition: the board, the side to move and the phase, without
    /// the number of turns played. Equal positions have equal keys.
    fn position_key(&self) -> u64;

    /// A key of everything that the rest of the game depends on. Unlike
    /// [`position_key`](Self::position_key) it tells apart positions that differ only in the turns
    /// left, or in counters: what was proven of one need not be true of the other.
    fn full_key(&self) -> u64 {
        mix(self.position_key() ^ mix(u64::from(self.ply())))
    }

    /// A static evaluation by hand of an unfinished position at the beginning of a turn, for the
    /// side to move: above 0 good, a few hundred a clear advantage. Alpha-beta cuts it off beyond
    /// 20,000. A game without one counts every position as even.
    fn heuristic(&self) -> i32 {
        0
    }

    /// Plays an action if it is legal, and says whether it was.
    fn try_play(&mut self, action: Action) -> bool {
        let mut legal = Vec::new();
        self.legal_actions(&mut legal);
        let known = legal.binary_search(&action).is_ok();
        if known {
            self.play(action);
        }
        known
    }
}
