//! The laws that every game obeys, as functions for the tests of a game in a crate of its own.
//!
//! ```
//! use tavoliere::games::TicTacToe;
//! use tavoliere::testing;
//!
//! testing::contract::<TicTacToe>();
//! ```

pub(crate) mod laws;
pub(crate) mod pictures;

use crate::games::picture::Picture;
use crate::registry::Variant;

/// Checks the laws of [`Game`](crate::games::Game) and of [`Picture`] in random games by the
/// default options.
///
/// # Panics
///
/// If the game breaks one of them. The message says which.
pub fn contract<G: Picture>() {
    contract_of(&Variant::new::<G>(std::any::type_name::<G>(), G::Rules::default()));
}

/// The same, by other options.
///
/// # Panics
///
/// If the game breaks one of the laws.
pub fn contract_of(variant: &Variant) {
    laws::laws_of_play(variant);
    laws::endings(variant);
    laws::texts_of_positions(variant);
    laws::replays_are_equal(variant);
    laws::observations_are_finite_and_modest(variant);
    laws::nothing_is_on_cells_without_a_name(variant);
    laws::notation_round_trips(variant);
    laws::symmetries(variant);
    laws::illegal_turns_are_refused(variant);
    pictures::of_games(variant);
    pictures::distances(variant.game());
}
