//! Tests with a name for each game.

use crate::registry;

/// Calls a macro with the names of all games that ship, separated by commas.
macro_rules! for_every_game {
    ($callback:ident) => {
        $callback! {
            susan,
            neutron5,
            neutron5_single,
            neutron5_double,
            neutron5_kraus,
            neutron5_hole1,
            neutron5_hole2,
            neutron5_abstractplay,
            coneutron5,
            coneutron5_abstractplay,
            neutron7,
            neutron7_single,
            neutron7_double,
            neutron7_kraus,
            neutron7_hole1,
            neutron7_hole2,
            neutron7_abstractplay,
            neutron5x7_abstractplay,
            neutron7x5_abstractplay,
            coneutron7,
            entropy,
            checkers_gomoku,
            breakthrough6,
            breakthrough8,
            tic_tac_toe,
            connect_four,
        }
    };
}

macro_rules! names {
    ($($name:ident,)*) => { [$(stringify!($name)),*] };
}

#[test]
fn the_games_are_those_of_the_table() {
    assert!(registry::all().iter().map(|game| game.name).eq(for_every_game!(names)));
}
