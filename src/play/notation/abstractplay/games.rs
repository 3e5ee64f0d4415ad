//! The games that the server AbstractPlay has too, with its names, variants and turns.

use serde_json::{Map, Value};

use super::record::is_notation;
use super::susan;
use crate::games::neutron::{Forbid, Goal, NeutronRules};
use crate::games::{Breakthrough, Neutron, Susan, options};
use crate::registry::{self, Variant};

const SUSAN: &str = "Susan";
const BREAKTHROUGH: &str = "Breakthrough";
const NEUTRON: &str = "Neutron";
const CONEUTRON: &str = "coneutron";

/// A board of Neutron.
struct Board {
    /// The server's variant, empty for the usual board.
    variant: &'static str,
    /// Our game on it.
    game: &'static str,
}

const BOARDS: [Board; 4] = [
    Board { variant: "", game: "neutron5_abstractplay" },
    Board { variant: "7x7", game: "neutron7_abstractplay" },
    Board { variant: "5x7", game: "neutron5x7_abstractplay" },
    Board { variant: "7x5", game: "neutron7x5_abstractplay" },
];

/// The server's restrictions of Neutron, and our value of `forbid`.
const RESTRICTIONS: [(&str, &str); 2] = [("restricted", "opponent"), ("doubleRestricted", "both")];

/// The game that the server calls `game`, in its records or as an identifier, with its variants.
/// `None` if the server has no game of this name that we have.
///
/// # Errors
///
/// A variant that we do not have.
pub(crate) fn variant_of(game: &str, variants: &[&str]) -> Option<Result<Variant, String>> {
    let is = |theirs: &str| game.eq_ignore_ascii_case(theirs);
    if is(SUSAN) {
        Some(susan_of(variants))
    } else if is(NEUTRON) {
        Some(neutron_of(variants))
    } else if is(BREAKTHROUGH) {
        Some(breakthrough_of(variants))
    } else {
        None
    }
}

/// The server's name of a game, and its variants. `None` if the server does not have it.
pub(crate) fn names_of(variant: &Variant) -> Option<(&'static str, Vec<&'static str>)> {
    let (game, variants) = if variant.typed::<Susan>().is_some() {
        (SUSAN, Vec::new())
    } else if variant.typed::<Breakthrough<8>>().is_some() {
        (BREAKTHROUGH, Vec::new())
    } else {
        (NEUTRON, neutron_variants(variant)?)
    };
    // What the names do not say, such as a limit on the length, must be as usual.
    let read = variant_of(game, &variants)?.ok()?;
    (game == SUSAN || read == *variant).then_some((game, variants))
}

/// Converts a turn from the server's notation to ours. A turn that cannot be converted is left to
/// the rules to refuse. The turn of a game that the server does not have is unchanged.
pub(crate) fn own_turn(turn: &str, variant: &Variant) -> String {
    if variant.typed::<Susan>().is_some() {
        susan::imported(turn).unwrap_or_default()
    } else if let Some(height) = neutron_height(variant) {
        with_rows_upside_down(turn, height).to_ascii_uppercase()
    } else {
        turn.to_owned()
    }
}

/// Converts a legal turn from our notation to the server's. The turn of a game that the server does
/// not have is unchanged.
pub(crate) fn their_turn(turn: &str, variant: &Variant) -> String {
    if let Some(rules) = variant.typed::<Susan>() {
        susan::exported(turn, rules.notation)
    } else if let Some(height) = neutron_height(variant) {
        with_rows_upside_down(turn, height).to_ascii_lowercase()
    } else {
        turn.to_owned()
    }
}

/// Records of Susan may have our options as variants. Their turns have the server's notation.
fn susan_of(variants: &[&str]) -> Result<Variant, String> {
    let variants = variants.iter().copied().filter(|option| !is_notation(option));
    let rules = options(variants).map_err(|error| format!("variants: {error}"))?;
    registry::find("susan", &rules).map_err(|error| error.to_string())
}

fn breakthrough_of(variants: &[&str]) -> Result<Variant, String> {
    match variants {
        [] => registry::preset("breakthrough8").map_err(|error| error.to_string()),
        [other, ..] => Err(format!("Breakthrough with the variant `{other}` is another game")),
    }
}

fn neutron_of(variants: &[&str]) -> Result<Variant, String> {
    let (mut board, mut changes, mut is_coneutron) = (&BOARDS[0], Map::new(), false);
    for &variant in variants {
        let of_board = BOARDS.iter().find(|board| board.variant == variant);
        let restriction = RESTRICTIONS.iter().find(|(theirs, _)| *theirs == variant);
        if let Some(of_board) = of_board {
            board = of_board;
        } else if let Some((_, forbid)) = restriction {
            changes.insert("forbid".to_owned(), Value::from(*forbid));
        } else if variant == CONEUTRON {
            is_coneutron = true;
        } else {
            return Err(format!("Neutron has no variant `{variant}` here"));
        }
    }
    let mut game = board.game;
    if is_coneutron && board.variant.is_empty() {
        game = "coneutron5_abstractplay";
    } else if is_coneutron {
        changes.insert("goal".to_owned(), "opponent".into());
        changes.insert("first_turn".to_owned(), "full".into());
    }
    registry::find(game, &changes).map_err(|error| error.to_string())
}

/// The server's variants of a game of Neutron, if it may be the server's.
fn neutron_variants(variant: &Variant) -> Option<Vec<&'static str>> {
    let (_, rules) = neutron(variant)?;
    let has_board = |board: &&Board| {
        registry::preset(board.game).is_ok_and(|game| game.game() == variant.game())
    };
    let board = BOARDS.iter().find(has_board)?;
    let coneutron = (rules.goal == Goal::Opponent).then_some(CONEUTRON);
    let restriction = match rules.forbid {
        Forbid::None | Forbid::Own => None,
        Forbid::Opponent => Some(RESTRICTIONS[0].0),
        Forbid::Both => Some(RESTRICTIONS[1].0),
    };
    let board = Some(board.variant).filter(|name| !name.is_empty());
    Some([coneutron, restriction, board].into_iter().flatten().collect())
}

/// The number of rows and the rules, if it is a game of Neutron.
fn neutron(variant: &Variant) -> Option<(u8, &NeutronRules)> {
    let five = || variant.typed::<Neutron<5>>().or_else(|| variant.typed::<Neutron<7, 5>>());
    let seven = || variant.typed::<Neutron<7>>().or_else(|| variant.typed::<Neutron<5, 7>>());
    five().map(|rules| (5, rules)).or_else(|| seven().map(|rules| (7, rules)))
}

/// The number of rows, if it is the server's Neutron.
fn neutron_height(variant: &Variant) -> Option<u8> {
    let (height, _) = neutron(variant)?;
    names_of(variant).map(|_| height)
}

/// Counts the rows of all cells of a turn from the other end of the board.
fn with_rows_upside_down(turn: &str, height: u8) -> String {
    let turned = |sign: char| match sign.to_digit(10) {
        Some(row @ 1..) if row <= u32::from(height) => {
            char::from_digit(u32::from(height) + 1 - row, 10).unwrap_or(sign)
        }
        _ => sign,
    };
    turn.chars().map(turned).collect()
}
