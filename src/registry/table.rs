//! The table of games: names, presets of options and one-line summaries.
//!
//! To add a game, write its file, add its lines to the table below, and write a config.
//! `docs/new-game.md` is a step-by-step guide. The command line, the contract tests and the
//! benchmarks find games in this table.

use serde_json::{Map, Value};
use thiserror::Error;

use crate::base::spelling::nearest;
use crate::games::neutron::Forbid;
use crate::games::*;

/// A game with its name and its options.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Variant<G: Game> {
    /// The name of the game in the table.
    pub name: &'static str,
    /// The options of the preset, with overrides.
    pub rules: G::Rules,
}

impl<G: Game> Variant<G> {
    /// The start position.
    pub fn initial(&self) -> G {
        G::initial(&self.rules)
    }

    /// The position with this text, or the start position without one.
    ///
    /// # Errors
    ///
    /// If the text is malformed or does not fit the rules.
    pub fn position(&self, text: Option<&str>) -> Result<G, PositionError> {
        match text {
            Some(text) => G::from_position(&self.rules, text),
            None => Ok(self.initial()),
        }
    }

    /// The sizes of the observation and the action space.
    pub fn spec(&self) -> Spec {
        G::SPEC
    }

    /// The version of the rules.
    pub fn rules_version(&self) -> u32 {
        G::RULES_VERSION
    }

    /// All options of the rules, by name.
    pub fn options(&self) -> Map<String, Value> {
        table_of(serde_json::to_value(self.rules))
    }

    /// The options that differ from those of the game's preset.
    pub fn changed_options(&self) -> Map<String, Value> {
        changed_options(self.name, self.options())
    }
}

/// A line of the table of games.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Listing {
    /// The name of the game in configs, queries and on the command line.
    pub name: &'static str,
    /// The name for people.
    pub title: &'static str,
    /// The rules in a line.
    pub summary: &'static str,
}

impl Listing {
    /// The name of the family, which has its rules in common: the name up to the size of the board.
    pub fn family(&self) -> &'static str {
        let end = self.name.find(|sign: char| sign.is_ascii_digit());
        &self.name[..end.unwrap_or(self.name.len())]
    }
}

/// Why a game could not be set up.
#[derive(Clone, PartialEq, Eq, Debug, Error)]
pub enum GameError {
    /// There is no game of this name.
    #[error("there is no game `{name}`{}; `tavoliere games` lists them", hint.as_ref().map(|near| format!(", did you mean `{near}`?")).unwrap_or_default())]
    Unknown {
        /// The name that was given.
        name: String,
        /// The most similar name of a game, if one is similar enough.
        hint: Option<&'static str>,
    },
    /// An option of the game is unknown or has an impossible value.
    #[error("game `{name}`: {error}")]
    Rules {
        /// The name of the game.
        name: &'static str,
        /// What is wrong with the options.
        error: RulesError,
    },
}

/// Expands the table of games. Games of the same type share an entry.
macro_rules! games {
    (($d:tt) $( $kind:ident = $type:ty {
        $( $name:ident: $rules:expr, $title:literal, $summary:literal; )*
    } )*) => {
        /// A [`Variant`] of any game. Use [`with_variant!`](crate::with_variant) to access it.
        #[derive(Clone, Copy, PartialEq, Debug)]
        #[allow(missing_docs)]
        pub enum AnyVariant {
            $( $kind(Variant<$type>), )*
        }

        $( impl From<Variant<$type>> for AnyVariant {
            fn from(variant: Variant<$type>) -> Self {
                Self::$kind(variant)
            }
        } )*

        /// All games, in the order of the table.
        pub const GAMES: &[Listing] = &[
            $( $( Listing { name: stringify!($name), title: $title, summary: $summary }, )* )*
        ];

        /// The game called `name`, with the options of its preset overridden by `changes`.
        ///
        /// # Errors
        ///
        /// If there is no such game or option, or the value of an option is out of range.
        pub fn find(name: &str, changes: &Map<String, Value>) -> Result<AnyVariant, GameError> {
            match name {
                $( $( stringify!($name) => {
                    let preset = Variant::<$type> { name: stringify!($name), rules: $rules };
                    let rules = overridden(&preset.rules, changes)
                        .map_err(|error| GameError::Rules { name: preset.name, error })?;
                    Ok(Variant { rules, ..preset }.into())
                } )* )*
                _ => Err(GameError::Unknown {
                    name: name.chars().take(40).collect(),
                    hint: nearest(name, GAMES.iter().map(|game| game.name)),
                }),
            }
        }

        /// Evaluates an expression for the [`Variant`](crate::registry::Variant) inside an
        /// [`AnyVariant`](crate::registry::AnyVariant), whatever its game:
        /// `with_variant!(any, variant => run(variant))`.
        #[macro_export]
        macro_rules! with_variant {
            ($d any:expr, $d variant:ident => $d body:expr) => {
                match $d any {
                    $( $crate::registry::AnyVariant::$kind($d variant) => $d body, )*
                }
            };
        }

        /// Calls a macro with the names of all games, separated by commas.
        #[macro_export]
        macro_rules! for_every_game {
            ($d callback:ident) => { $d callback! { $( $( $name, )* )* } };
        }
    };
}

games! { ($)
    Susan = Susan {
        susan: SusanRules::default(), "Susan",
            "place or slide on a hexagon, surround an enemy stone to win";
    }
    Neutron5 = Neutron<5> {
        neutron5: NeutronRules::FIVE, "Neutron 5x5",
            "slide the neutron, then a piece; bring it home to win, 5x5";
        neutron5_single: NeutronRules::FIVE.restricted(Forbid::Own), "Neutron 5x5 Single",
            "as Neutron, but no piece may stop on its own home row";
        neutron5_double: NeutronRules::FIVE.restricted(Forbid::Both), "Neutron 5x5 Double",
            "as Neutron, but no piece may stop on either home row";
        neutron5_kraus: NeutronRules::FIVE.restricted(Forbid::Opponent), "Neutron 5x5 Kraus",
            "as Neutron, but no piece may stop on the opponent's home row";
        neutron5_hole1: NeutronRules::FIVE.with_holes(1), "Neutron 5x5, one hole each",
            "as Neutron, but each player first places a hole";
        neutron5_hole2: NeutronRules::FIVE.with_holes(2), "Neutron 5x5, two holes each",
            "as Neutron, but each player first places two holes";
        coneutron5: NeutronRules::FIVE.coneutron(), "CoNeutron 5x5",
            "as Neutron, but bring it to the opponent's home row, 5x5";
    }
    Neutron7 = Neutron<7> {
        neutron7: NeutronRules::SEVEN, "Neutron 7x7",
            "slide the neutron, then a piece; bring it home to win, 7x7";
        neutron7_single: NeutronRules::SEVEN.restricted(Forbid::Own), "Neutron 7x7 Single",
            "as Neutron, but no piece may stop on its own home row";
        neutron7_double: NeutronRules::SEVEN.restricted(Forbid::Both), "Neutron 7x7 Double",
            "as Neutron, but no piece may stop on either home row";
        neutron7_kraus: NeutronRules::SEVEN.restricted(Forbid::Opponent), "Neutron 7x7 Kraus",
            "as Neutron, but no piece may stop on the opponent's home row";
        neutron7_hole1: NeutronRules::SEVEN.with_holes(1), "Neutron 7x7, one hole each",
            "as Neutron, but each player first places a hole";
        neutron7_hole2: NeutronRules::SEVEN.with_holes(2), "Neutron 7x7, two holes each",
            "as Neutron, but each player first places two holes";
        coneutron7: NeutronRules::SEVEN.coneutron(), "CoNeutron 7x7",
            "as Neutron, but bring it to the opponent's home row, 7x7";
    }
    Entropy = Entropy {
        entropy: EntropyRules::default(), "Entropy",
            "queen moves on 5x5, break up your own pieces to win";
    }
    CheckersGomoku = CheckersGomoku {
        checkers_gomoku: CheckersGomokuRules::default(), "Checkers Gomoku",
            "place, then step pieces on 8x8; five in a line capture one, four left lose";
    }
    Breakthrough6 = Breakthrough<6> {
        breakthrough6: BreakthroughRules {}, "Breakthrough 6x6",
            "step forward, capture diagonally; reach the far row, 6x6";
    }
    Breakthrough8 = Breakthrough<8> {
        breakthrough8: BreakthroughRules {}, "Breakthrough 8x8",
            "step forward, capture diagonally; reach the far row, 8x8";
    }
    TicTacToe = TicTacToe {
        tic_tac_toe: TicTacToeRules {}, "Tic-tac-toe",
            "three in a line on 3x3";
    }
    ConnectFour = ConnectFour {
        connect_four: ConnectFourRules {}, "Connect Four",
            "drop stones into 7 columns, four in a line wins";
    }
}

/// The options of rules, which are structs of plain values.
fn table_of(rules: serde_json::Result<Value>) -> Map<String, Value> {
    match rules {
        Ok(Value::Object(table)) => table,
        other => unreachable!("options are written as a table, not as {other:?}"),
    }
}

/// The options that differ from the preset's; all of them if the table has no such game.
fn changed_options(game: &str, mut options: Map<String, Value>) -> Map<String, Value> {
    let preset = preset(game).map(|preset| preset.options()).unwrap_or_default();
    options.retain(|option, value| preset.get(option) != Some(value));
    options
}

impl AnyVariant {
    /// The name in the table.
    pub fn name(&self) -> &'static str {
        with_variant!(self, variant => variant.name)
    }

    /// Sizes of the observations and actions.
    pub fn spec(&self) -> Spec {
        with_variant!(self, variant => variant.spec())
    }

    /// The version of the rules.
    pub fn rules_version(&self) -> u32 {
        with_variant!(self, variant => variant.rules_version())
    }

    /// All options of the rules, by name.
    pub fn options(&self) -> Map<String, Value> {
        with_variant!(self, variant => variant.options())
    }

    /// The options that differ from those of the game's preset.
    pub fn changed_options(&self) -> Map<String, Value> {
        changed_options(self.name(), self.options())
    }
}

/// The game called `name`, with the options of its preset.
///
/// # Errors
///
/// If there is no such game.
pub fn preset(name: &str) -> Result<AnyVariant, GameError> {
    find(name, &Map::new())
}
