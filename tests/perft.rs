//! The counts of all sequences of turns, against tables made by other programs.
//!
//! `sequences finished P1-wins P2-wins draws`, as `tavoliere perft GAME DEPTH` prints them.

#![allow(clippy::unwrap_used)]

use serde_json::{Map, Value, json};
use tavoliere::game::{Perft, perft};
use tavoliere::games;
use tavoliere::with_variant;

type Counts = [u64; 5];

fn count(game: &str, rules: Value, depth: u32) -> Counts {
    let changes: Map<String, Value> = rules.as_object().cloned().unwrap_or_default();
    let variant = games::find(game, &changes).unwrap();
    let counts = with_variant!(variant, variant => perft(&variant.initial(), depth));
    let Perft { sequences, finished, p1, p2, draws } = counts;
    [sequences, finished, p1, p2, draws]
}

/// Checks the rows of a game, for depths 1, 2, 3, ...
fn check(game: &str, rules: Value, rows: &[Counts]) {
    for (depth, row) in (1..).zip(rows) {
        assert_eq!(count(game, rules.clone(), depth), *row, "{game} {rules} at depth {depth}");
    }
}

#[test]
fn susan() {
    check("susan", json!({}), &[[61, 0, 0, 0, 0], [3660, 0, 0, 0, 0], [234348, 0, 0, 0, 0]]);
}

#[test]
#[ignore = "takes seconds: run by CI with --ignored"]
fn susan_4() {
    assert_eq!(count("susan", json!({}), 4), [14770890, 144, 72, 72, 0]);
}

#[test]
fn entropy() {
    let rows = [[35, 0, 0, 0, 0], [1085, 0, 0, 0, 0], [30659, 0, 0, 0, 0], [791170, 0, 0, 0, 0]];
    check("entropy", json!({}), &rows);
}

#[test]
#[ignore = "takes seconds: run by CI with --ignored"]
fn entropy_5() {
    assert_eq!(count("entropy", json!({}), 5), [20053368, 0, 0, 0, 0]);
}

#[test]
fn entropy_all() {
    let rows = [[35, 0, 0, 0, 0], [1085, 0, 0, 0, 0], [30659, 0, 0, 0, 0], [791170, 0, 0, 0, 0]];
    check("entropy", json!({ "rescue": "all" }), &rows);
}

#[test]
#[ignore = "takes seconds: run by CI with --ignored"]
fn entropy_all_5() {
    assert_eq!(count("entropy", json!({ "rescue": "all" }), 5), [20050036, 0, 0, 0, 0]);
}

#[test]
fn tic_tac_toe() {
    // The well-known counts of move sequences: 255,168 complete games.
    let rows = [
        [9, 0, 0, 0, 0],
        [72, 0, 0, 0, 0],
        [504, 0, 0, 0, 0],
        [3024, 0, 0, 0, 0],
        [15120, 1440, 1440, 0, 0],
        [54720, 5328, 0, 5328, 0],
        [148176, 47952, 47952, 0, 0],
        [200448, 72576, 0, 72576, 0],
        [127872, 127872, 81792, 0, 46080],
    ];
    check("tic_tac_toe", json!({}), &rows);
}

#[test]
fn connect_four() {
    // The sequences are the published ones for 7x6 (OEIS-style counts 7, 49, ... 5673234); that of
    // depth 8 follows from that of depth 7 only if 13,032 games end there.
    let rows = [
        [7, 0, 0, 0, 0],
        [49, 0, 0, 0, 0],
        [343, 0, 0, 0, 0],
        [2401, 0, 0, 0, 0],
        [16807, 0, 0, 0, 0],
        [117649, 0, 0, 0, 0],
        [823536, 13032, 13032, 0, 0],
        [5673234, 82112, 0, 82112, 0],
    ];
    check("connect_four", json!({}), &rows);
}
