use std::collections::BTreeSet;

use serde_json::json;

use super::{destinations, for_random_games, plane};
use crate::games::{Game, Neutron, NeutronRules, overridden};

const NEUTRON: &str = "cells on which the neutron can end a slide";
const OWN: &str = "cells on which own pieces can end a slide";
const OTHERS: &str = "cells on which the opponent's pieces can end a slide";

/// The same cells as the other side sees them.
fn turned(cells: &BTreeSet<usize>, size: usize) -> BTreeSet<usize> {
    cells.iter().map(|cell| (size - 1 - cell / size) * size + cell % size).collect()
}

/// Compares the planes with the legal actions, and the planes of both sides with each other.
fn check<const N: usize>(rules: &NeutronRules) {
    let (mut neutrons, mut pieces) = (0, 0);
    for_random_games::<Neutron<N>>(rules, 100, |game, actions| {
        let text = game.action_text(actions[0]);
        if text.contains('@') {
        } else if text.contains('-') {
            assert_eq!(plane(game, OWN), destinations(game, actions), "{rules:?}\n{game}");
            pieces += 1;
        } else {
            // The plane includes slides that are illegal because no piece could move afterwards.
            // They do not occur in these random games.
            assert_eq!(plane(game, NEUTRON), destinations(game, actions), "{rules:?}\n{game}");
            let other = game.to_move().other();
            let seen = Neutron::<N, N>::from_board(rules, &game.to_string(), other).unwrap();
            for (mine, theirs) in [(OWN, OTHERS), (OTHERS, OWN), (NEUTRON, NEUTRON)] {
                assert_eq!(
                    plane(&seen, theirs),
                    turned(&plane(game, mine), N),
                    "{rules:?}\n{game}"
                );
            }
            neutrons += 1;
        }
    });
    assert!(neutrons > 300 && pieces > 300, "{neutrons} and {pieces} positions tell little");
}

#[test]
fn planes_show_the_targets_of_slides_of_both_sides() {
    check::<5>(&NeutronRules::FIVE);
    check::<7>(&NeutronRules::SEVEN);
}

#[test]
fn targets_of_slides_respect_forbidden_cells_and_holes() {
    for forbid in ["own", "opponent", "both"] {
        for restriction in ["illegal", "wall"] {
            let options = json!({ "forbid": forbid, "restriction": restriction, "holes": 1 });
            check::<5>(&overridden(&NeutronRules::FIVE, options.as_object().unwrap()).unwrap());
        }
    }
}
