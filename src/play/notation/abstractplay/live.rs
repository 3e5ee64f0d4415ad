//! Games that are being played on AbstractPlay: its names and its turns.

use super::susan;
use crate::games::Susan;
use crate::registry::{Variant, preset};

/// The game of this name there.
///
/// # Errors
///
/// If this program does not have the game, or not in this variant.
pub(crate) fn variant_of(game: &str, variants: &[&str]) -> Result<Variant, String> {
    let name = match game {
        "susan" => "susan",
        "breakthrough" => "breakthrough8",
        _ => return Err(format!("`{game}` is not a game of this program")),
    };
    match variants {
        [] => preset(name).map_err(|error| error.to_string()),
        _ => Err(format!("`{game}` is not played in the variant {}", variants.join(", "))),
    }
}

/// A turn in our notation. A turn that cannot be converted is left to the rules to refuse.
pub(crate) fn own_turn(turn: &str, variant: &Variant) -> String {
    match variant.typed::<Susan>() {
        Some(_) => susan::imported(turn).unwrap_or_default(),
        None => turn.to_owned(),
    }
}

/// A legal turn in AbstractPlay's notation.
pub(crate) fn their_turn(turn: &str, variant: &Variant) -> String {
    match variant.typed::<Susan>() {
        Some(rules) => susan::exported(turn, rules.notation),
        None => turn.to_owned(),
    }
}
