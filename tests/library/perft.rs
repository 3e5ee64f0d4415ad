//! Perft counts of all games agree with tables that were computed by other programs.
//!
//! A row is `sequences finished P1-wins P2-wins draws`, as `tavoliere perft GAME DEPTH` prints it.

use serde_json::{Map, Value, json};

use crate::games::Perft;
use crate::registry;

type Counts = [u64; 5];

fn count(game: &str, rules: Value, depth: u32) -> Counts {
    let changes: Map<String, Value> = rules.as_object().cloned().unwrap_or_default();
    let variant = registry::find(game, &changes).unwrap();
    let Perft { sequences, finished, p1, p2, draws } = variant.initial().perft(depth);
    [sequences, finished, p1, p2, draws]
}

/// Checks the rows of a game, for depths 1, 2, 3, ...
fn check(game: &str, rules: Value, rows: &[Counts]) {
    for (depth, row) in (1..).zip(rows) {
        assert_eq!(count(game, rules.clone(), depth), *row, "{game} {rules} at depth {depth}");
    }
}

#[test]
fn checkers_gomoku() {
    let rows = [[64, 0, 0, 0, 0], [4032, 0, 0, 0, 0], [249984, 0, 0, 0, 0], [15249024, 0, 0, 0, 0]];
    check("checkers_gomoku", json!({}), &rows);
}

#[test]
fn susan() {
    check("susan", json!({}), &[[61, 0, 0, 0, 0], [3660, 0, 0, 0, 0], [234348, 0, 0, 0, 0]]);
}

#[test]
fn susan_4() {
    assert_eq!(count("susan", json!({}), 4), [14770890, 144, 72, 72, 0]);
}

#[test]
fn entropy() {
    let rows = [[35, 0, 0, 0, 0], [1085, 0, 0, 0, 0], [30659, 0, 0, 0, 0], [791170, 0, 0, 0, 0]];
    check("entropy", json!({}), &rows);
}

#[test]
fn entropy_5() {
    assert_eq!(count("entropy", json!({}), 5), [20053368, 0, 0, 0, 0]);
}

#[test]
fn entropy_all() {
    let rows = [[35, 0, 0, 0, 0], [1085, 0, 0, 0, 0], [30659, 0, 0, 0, 0], [791170, 0, 0, 0, 0]];
    check("entropy", json!({ "rescue": "all" }), &rows);
}

#[test]
fn entropy_all_5() {
    assert_eq!(count("entropy", json!({ "rescue": "all" }), 5), [20050036, 0, 0, 0, 0]);
}

#[test]
fn breakthrough6() {
    // No piece can reach the last row of 6x6 before the seventh turn.
    let rows = [16, 256, 4308, 71478, 1248290, 21470998].map(|count| [count, 0, 0, 0, 0]);
    check("breakthrough6", json!({}), &rows);
}

#[test]
fn breakthrough8() {
    let rows = [22, 484, 11132, 256036, 6182818].map(|count| [count, 0, 0, 0, 0]);
    check("breakthrough8", json!({}), &rows);
}

#[test]
fn tic_tac_toe() {
    // The well-known counts, with 255,168 complete games in total.
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
    // The numbers of sequences are the published ones for 7x6 (7, 49, ... 5673234). The one of
    // depth 8 follows from that of depth 7 only if 13,032 games end there.
    let rows = [
        [7, 0, 0, 0, 0],
        [49, 0, 0, 0, 0],
        [343, 0, 0, 0, 0],
        [2401, 0, 0, 0, 0],
        [16807, 0, 0, 0, 0],
        [117649, 0, 0, 0, 0],
        [823536, 13032, 13032, 0, 0],
        [5673234, 44430, 0, 44430, 0],
    ];
    check("connect_four", json!({}), &rows);
}

#[test]
fn neutron5() {
    let rows = [
        [13, 0, 0, 0, 0],
        [1026, 4, 4, 0, 0],
        [58092, 678, 358, 320, 0],
        [2617450, 43688, 24910, 18778, 0],
    ];
    check("neutron5", json!({}), &rows);
}

#[test]
fn neutron5_single() {
    let rows = [
        [13, 0, 0, 0, 0],
        [1026, 4, 4, 0, 0],
        [47770, 678, 358, 320, 0],
        [1704452, 37646, 22354, 15292, 0],
    ];
    check("neutron5_single", json!({}), &rows);
}

#[test]
fn neutron5_double() {
    let rows = [
        [13, 0, 0, 0, 0],
        [966, 4, 4, 0, 0],
        [41476, 662, 358, 304, 0],
        [1288248, 34048, 20226, 13822, 0],
    ];
    check("neutron5_double", json!({}), &rows);
}

#[test]
fn neutron5_kraus() {
    let rows = [
        [13, 0, 0, 0, 0],
        [966, 4, 4, 0, 0],
        [51798, 662, 358, 304, 0],
        [2149904, 40090, 22782, 17308, 0],
    ];
    check("neutron5_kraus", json!({}), &rows);
}

#[test]
fn neutron5_single_wall() {
    let rows = [
        [13, 0, 0, 0, 0],
        [1026, 4, 4, 0, 0],
        [49584, 678, 358, 320, 0],
        [1872742, 38734, 22820, 15914, 0],
    ];
    check("neutron5_single", json!({ "restriction": "wall" }), &rows);
}

#[test]
fn neutron5_double_wall() {
    let rows = [
        [13, 0, 0, 0, 0],
        [1026, 4, 4, 0, 0],
        [48164, 690, 370, 320, 0],
        [1745272, 38800, 22856, 15944, 0],
    ];
    check("neutron5_double", json!({ "restriction": "wall" }), &rows);
}

#[test]
fn neutron5_hole1() {
    let rows = [[14, 0, 0, 0, 0], [182, 0, 0, 0, 0], [2028, 0, 0, 0, 0], [114148, 528, 528, 0, 0]];
    check("neutron5_hole1", json!({}), &rows);
}

#[test]
fn neutron5_hole1_at_depth_5() {
    assert_eq!(count("neutron5_hole1", json!({}), 5), [4992964, 76888, 44076, 32812, 0]);
}

#[test]
fn neutron5_hole2() {
    let rows = [
        [14, 0, 0, 0, 0],
        [182, 0, 0, 0, 0],
        [2184, 0, 0, 0, 0],
        [24024, 0, 0, 0, 0],
        [223080, 96, 96, 0, 0],
    ];
    check("neutron5_hole2", json!({}), &rows);
}

#[test]
fn coneutron5() {
    let rows = [[95, 0, 0, 0, 0], [4516, 30, 0, 30, 0], [208814, 2600, 1222, 1378, 0]];
    check("coneutron5", json!({}), &rows);
}

#[test]
fn coneutron5_at_depth_4() {
    assert_eq!(count("coneutron5", json!({}), 4), [9284116, 159630, 63980, 95650, 0]);
}

#[test]
fn neutron7() {
    let rows = [[19, 0, 0, 0, 0], [2438, 4, 4, 0, 0], [230872, 1062, 560, 502, 0]];
    check("neutron7", json!({}), &rows);
}

#[test]
fn neutron7_single() {
    let rows = [[19, 0, 0, 0, 0], [2438, 4, 4, 0, 0], [202032, 1062, 560, 502, 0]];
    check("neutron7_single", json!({}), &rows);
}

#[test]
fn neutron7_double() {
    let rows = [[19, 0, 0, 0, 0], [2346, 4, 4, 0, 0], [185554, 1046, 560, 486, 0]];
    check("neutron7_double", json!({}), &rows);
}

#[test]
fn neutron7_kraus() {
    let rows = [[19, 0, 0, 0, 0], [2346, 4, 4, 0, 0], [214394, 1046, 560, 486, 0]];
    check("neutron7_kraus", json!({}), &rows);
}

/// The server AbstractPlay's own rules, by a program that has their functions.
#[test]
fn abstractplay() {
    let restricted = json!({ "forbid": "opponent" });
    let double = json!({ "forbid": "both" });
    let coneutron = json!({ "goal": "opponent", "first_turn": "full", "forbid": "both" });
    let opened = |first, second| [[first, 0, 0, 0, 0], [second, 0, 0, 0, 0]];
    let third = |count, won| [count, won, won, 0, 0];

    let five = opened(13, 1070);
    check("neutron5_abstractplay", json!({}), &[&five[..], &[third(63888, 372)]].concat());
    let five = opened(13, 1010);
    check("neutron5_abstractplay", restricted, &[&five[..], &[third(57316, 372)]].concat());
    check("neutron5_abstractplay", double.clone(), &[&five[..], &[third(53508, 372)]].concat());
    check("coneutron5_abstractplay", json!({}), &[[95, 0, 0, 0, 0], [4516, 30, 0, 30, 0]]);
    check("coneutron5_abstractplay", double.clone(), &[[95, 0, 0, 0, 0], [4238, 30, 0, 30, 0]]);

    check("neutron7_abstractplay", json!({}), &opened(19, 2506));
    check("neutron7_abstractplay", double.clone(), &opened(19, 2414));
    let tall = opened(13, 1172);
    check("neutron5x7_abstractplay", json!({}), &[&tall[..], &[third(67824, 316)]].concat());
    let tall = opened(13, 1120);
    check("neutron5x7_abstractplay", double, &[&tall[..], &[third(58916, 316)]].concat());
    check("neutron7x5_abstractplay", json!({}), &opened(19, 2352));
    check("neutron7x5_abstractplay", coneutron, &[[143, 0, 0, 0, 0], [9888, 36, 0, 36, 0]]);
}

#[test]
fn neutron7_hole1() {
    let rows =
        [[34, 0, 0, 0, 0], [1122, 0, 0, 0, 0], [20064, 0, 0, 0, 0], [2283624, 3720, 3720, 0, 0]];
    check("neutron7_hole1", json!({}), &rows);
}

#[test]
fn neutron7_hole2() {
    let rows = [[34, 0, 0, 0, 0], [1122, 0, 0, 0, 0], [35904, 0, 0, 0, 0], [1113024, 0, 0, 0, 0]];
    check("neutron7_hole2", json!({}), &rows);
}

#[test]
fn coneutron7() {
    let rows = [[143, 0, 0, 0, 0], [11288, 30, 0, 30, 0], [870812, 4294, 2012, 2282, 0]];
    check("coneutron7", json!({}), &rows);
}
