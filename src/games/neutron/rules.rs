//! The options of Neutron and its variants.

use serde::{Deserialize, Serialize};

use crate::games::{Choice, RuleOption, Rules, RulesError};

/// The row on which the neutron wins for a player.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Goal {
    /// The player's own home row.
    Own,
    /// The opponent's home row.
    Opponent,
}

/// The parts of the first turn of the game.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum FirstTurn {
    /// A slide of a piece only.
    Piece,
    /// A full turn, like all others.
    Full,
}

/// The home rows on which a player's pieces may not end a slide.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Forbid {
    /// No row.
    None,
    /// The player's own.
    Own,
    /// The opponent's.
    Opponent,
    /// Both.
    Both,
}

/// What happens to a slide that would end on a forbidden row.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Restriction {
    /// The slide is illegal.
    Illegal,
    /// The row acts like an edge: the slide stops before it.
    Wall,
}

/// The home rows on which the neutron ends the game.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum EndsOn {
    /// Both, whoever moved the neutron.
    Either,
    /// The one on which the player who moved the neutron wins.
    Winning,
}

/// Whether a piece on its own home row may slide along it where a slide onto that row is forbidden.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum AlongHome {
    /// It may not.
    Forbidden,
    /// It may.
    Allowed,
}

/// The options of Neutron. `Default` is plain Neutron on 5x5 cells.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct NeutronRules {
    /// The row on which the neutron wins for a player.
    pub goal: Goal,
    /// The parts of the first turn of the game.
    pub first_turn: FirstTurn,
    /// The home rows on which pieces may not end a slide.
    pub forbid: Forbid,
    /// What happens to a slide that would end on a forbidden row.
    pub restriction: Restriction,
    /// The home rows on which the neutron ends the game.
    pub ends_on: EndsOn,
    /// Whether a piece on its own home row may slide along it, although the row is forbidden.
    pub along_home: AlongHome,
    /// The number of holes of each player, at most 2.
    pub holes: u8,
    /// The game is a draw after this number of turns, unless the last one decides it. 0 is no
    /// limit.
    pub max_plies: u16,
}

impl NeutronRules {
    /// Plain Neutron on 5x5 cells.
    pub const FIVE: Self = Self {
        goal: Goal::Own,
        first_turn: FirstTurn::Piece,
        forbid: Forbid::None,
        restriction: Restriction::Illegal,
        ends_on: EndsOn::Either,
        along_home: AlongHome::Forbidden,
        holes: 0,
        max_plies: 200,
    };

    /// Plain Neutron on 7x7 cells, whose games are longer.
    pub const SEVEN: Self = Self { max_plies: 300, ..Self::FIVE };

    /// The same rules, with home rows that are forbidden to pieces.
    pub const fn restricted(self, forbid: Forbid) -> Self {
        Self { forbid, ..self }
    }

    /// The same rules, with the given number of holes for each player.
    pub const fn with_holes(self, holes: u8) -> Self {
        Self { holes, ..self }
    }

    /// CoNeutron with the other options of these rules.
    pub const fn coneutron(self) -> Self {
        Self { goal: Goal::Opponent, first_turn: FirstTurn::Full, ..self }
    }

    /// As the server AbstractPlay plays it, with the other options of these rules.
    pub const fn abstractplay(self) -> Self {
        Self { ends_on: EndsOn::Winning, along_home: AlongHome::Allowed, ..self }
    }

    /// The number of turns in which holes are placed, before anything moves.
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
    const OPTIONS: &'static [RuleOption] = &[
        RuleOption::new(
            "goal",
            "The row on which the neutron wins for a player.",
            &[
                Choice::new("own", "The player's own home row (Neutron)."),
                Choice::new("opponent", "The opponent's home row (CoNeutron)."),
            ],
        ),
        RuleOption::new(
            "first_turn",
            "What White's first turn is, after the holes if there are any.",
            &[
                Choice::new("piece", "A slide of a piece only (Neutron)."),
                Choice::new("full", "A full turn, like all others (CoNeutron)."),
            ],
        ),
        RuleOption::new(
            "forbid",
            "The home rows on which a piece may not end its slide. The neutron is free.",
            &[
                Choice::new("none", "None."),
                Choice::new("own", "The player's own (the single variant)."),
                Choice::new("opponent", "The opponent's (Kraus's variant)."),
                Choice::new("both", "Both (the double variant)."),
            ],
        ),
        RuleOption::new(
            "restriction",
            "What happens to a slide that would end on a forbidden row.",
            &[
                Choice::new("illegal", "The slide is not allowed."),
                Choice::new("wall", "The row acts like an edge: the slide stops before it."),
            ],
        ),
        RuleOption::new(
            "ends_on",
            "The home rows on which the neutron ends the game.",
            &[
                Choice::new("either", "Both, whoever moved the neutron."),
                Choice::new(
                    "winning",
                    "Only the one on which the player who moved it wins. On the other the turn goes \
                     on with a piece (AbstractPlay).",
                ),
            ],
        ),
        RuleOption::new(
            "along_home",
            "Whether a piece on its own home row may slide along it, although pieces may not end \
             their slides there.",
            &[
                Choice::new("forbidden", "It may not."),
                Choice::new("allowed", "It may (AbstractPlay)."),
            ],
        ),
        RuleOption::new(
            "holes",
            "The number of holes that each player places before the game.",
            &[
                Choice::new("0", "None."),
                Choice::new("1", "One each."),
                Choice::new("2", "Two each."),
            ],
        ),
        RuleOption::new(
            "max_plies",
            "The game is a draw after this number of turns, counting those of both players, unless \
             the last one decides it. The default is 300 with seven rows. 0 means no limit.",
            &[],
        ),
    ];

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
