//! Every game of the table obeys the laws of its traits.

use serde_json::json;

use crate::registry::{self, Variant};
use crate::testing::{laws, pictures};

macro_rules! contract {
    ($($name:ident,)*) => { $(
        mod $name {
            use super::*;

            fn variant() -> Variant {
                registry::preset(stringify!($name)).unwrap()
            }

            #[test]
            fn laws_of_play() {
                laws::laws_of_play(&variant());
            }

            #[test]
            fn endings_are_told() {
                laws::endings(&variant());
            }

            #[test]
            fn texts_of_positions_are_read_again() {
                laws::texts_of_positions(&variant());
            }

            #[test]
            fn replays_are_equal() {
                laws::replays_are_equal(&variant());
            }

            #[test]
            fn observations_are_finite_and_modest() {
                laws::observations_are_finite_and_modest(&variant());
            }

            #[test]
            fn nothing_is_on_cells_without_a_name() {
                laws::nothing_is_on_cells_without_a_name(&variant());
            }

            #[test]
            fn notation_round_trips() {
                laws::notation_round_trips(&variant());
            }

            #[test]
            fn symmetries_map_observations_and_legality() {
                laws::symmetries(&variant());
            }

            #[test]
            fn illegal_turns_are_refused() {
                laws::illegal_turns_are_refused(&variant());
            }

            #[test]
            fn pictures_agree_with_boards_and_turns() {
                pictures::of_games(&variant());
            }
        }
    )* };
}

for_every_game!(contract);

#[test]
fn an_unknown_game_or_option_names_the_nearest() {
    let error = registry::preset("conect_four").unwrap_err().to_string();
    assert!(error.contains("did you mean `connect_four`?"), "{error}");
    let changes = json!({ "size": 4 });
    let error =
        registry::find("tic_tac_toe", changes.as_object().unwrap()).unwrap_err().to_string();
    assert!(error.contains("unknown option `size`"), "{error}");
}

#[test]
fn options_change_names_labels_and_turns() {
    for (game, rules) in [
        ("susan", json!({ "notation": "linhart", "pie": "on" })),
        ("checkers_gomoku", json!({ "capture": "optional", "per_move": "per_line" })),
        ("neutron5", json!({ "holes": 1 })),
    ] {
        let variant = registry::find(game, rules.as_object().unwrap()).unwrap();
        pictures::of_games(&variant);
    }
}

#[test]
fn neighbours_lie_at_distance_one() {
    for listing in registry::all() {
        pictures::distances(registry::preset(listing.name).unwrap().game());
    }
}
