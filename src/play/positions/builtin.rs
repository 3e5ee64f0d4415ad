//! The test suites that are part of the program.

/// The games, each with the names and texts of its files in `sets/`.
macro_rules! sets {
    ($( $game:literal: $( $file:literal ),+; )*) => {
        &[$( ($game, &[$( ($file, include_str!(concat!("sets/", $file))) ),+]) ),*]
    };
}

/// The name and the text of a file.
type Named = (&'static str, &'static str);

const SETS: &[(&str, &[Named])] = sets! {
    "tic_tac_toe": "tic_tac_toe.jsonl", "tic_tac_toe_values.jsonl";
    "connect_four": "connect_four.jsonl", "connect_four_early.jsonl", "connect_four_values.jsonl";
    "susan": "susan.jsonl";
    "neutron5": "neutron5.jsonl";
    "neutron5_single": "neutron5_single.jsonl";
    "neutron5_double": "neutron5_double.jsonl";
    "neutron5_kraus": "neutron5_kraus.jsonl";
    "neutron5_hole1": "neutron5_hole1.jsonl";
    "neutron5_hole2": "neutron5_hole2.jsonl";
    "coneutron5": "coneutron5.jsonl";
    "neutron7": "neutron7.jsonl";
    "neutron7_single": "neutron7_single.jsonl";
    "neutron7_double": "neutron7_double.jsonl";
    "neutron7_kraus": "neutron7_kraus.jsonl";
    "neutron7_hole1": "neutron7_hole1.jsonl";
    "neutron7_hole2": "neutron7_hole2.jsonl";
    "coneutron7": "coneutron7.jsonl";
    "entropy": "entropy.jsonl";
    "checkers_gomoku": "checkers_gomoku.jsonl";
    "breakthrough6": "breakthrough6.jsonl";
    "breakthrough8": "breakthrough8.jsonl";
};

/// The games that have test suites.
#[cfg(test)]
pub(crate) fn games() -> impl Iterator<Item = &'static str> {
    SETS.iter().map(|(game, _)| *game)
}

/// The test suites of a game, as names and texts of files.
pub(crate) fn sets_of(game: &str) -> impl Iterator<Item = Named> {
    let sets = SETS.iter().find(|(name, _)| *name == game);
    sets.into_iter().flat_map(|(_, files)| files.iter().copied())
}
