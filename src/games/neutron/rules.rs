//! The options of Neutron, which make up its variants.

use serde::{Deserialize, Serialize};

use crate::games::{Rules, RulesError};

/// Where a player wants the neutron.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Goal {
    /// On his own home row.
    Own,
    /// On the opponent's home row.
    Opponent,
}

/// What the first turn of the game consists of.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum FirstTurn {
    /// A slide of a piece.
    Piece,
    /// The same as every other turn.
    Full,
}

/// The home rows on which a player's pieces may not come to rest.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Forbid {
    /// No row.
    None,
    /// His own.
    Own,
    /// The opponent's.
    Opponent,
    /// Either.
    Both,
}

/// What a forbidden row does to a slide that would end there.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Restriction {
    /// The slide is not a legal one.
    Illegal,
    /// The row is like an edge: the slide ends before it.
    Wall,
}

/// The options of Neutron; `Default` gives the plain game on five by five cells.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct NeutronRules {
    /// Where a player wants the neutron.
    pub goal: Goal,
    /// What the first turn of the game consists of.
    pub first_turn: FirstTurn,
    /// The home rows on which pieces may not come to rest.
    pub forbid: Forbid,
    /// What a forbidden row does to a slide that would end there.
    pub restriction: Restriction,
    /// Holes of each player, at most 2.
    pub holes: u8,
    /// After so many turns the game is a draw; 0 for no bound.
    pub max_plies: u16,
}

impl NeutronRules {
    /// The plain game on five by five cells.
    pub const FIVE: Self = Self {
        goal: Goal::Own,
        first_turn: FirstTurn::Piece,
        forbid: Forbid::None,
        restriction: Restriction::Illegal,
        holes: 0,
        max_plies: 200,
    };

    /// The plain game on seven by seven cells, which lasts longer.
    pub const SEVEN: Self = Self { max_plies: 300, ..Self::FIVE };

    /// These rules with some home rows forbidden to pieces.
    pub const fn restricted(self, forbid: Forbid) -> Self {
        Self { forbid, ..self }
    }

    /// These rules with so many holes of each player.
    pub const fn with_holes(self, holes: u8) -> Self {
        Self { holes, ..self }
    }

    /// CoNeutron on the board of these rules.
    pub const fn coneutron(self) -> Self {
        Self { goal: Goal::Opponent, first_turn: FirstTurn::Full, ..self }
    }

    /// The turns in which holes are placed, before anything moves.
    pub(super) const fn placements(&self) -> u32 {
        2 * self.holes as u32
    }
}

impl Default for NeutronRules {
    fn default() -> Self {
        Self::FIVE
    }
}

impl Rules for NeutronRules {
    fn check(&self) -> Result<(), RulesError> {
        if self.holes > 2 {
            return Err(RulesError::value("holes", "a player has at most 2 holes"));
        }
        Ok(())
    }

    fn longest_game(&self) -> u32 {
        u32::from(self.max_plies)
    }

    fn uncapped(self) -> Self {
        Self { max_plies: 0, ..self }
    }
}
