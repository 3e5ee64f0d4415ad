//! The text of positions: what is left out, and what is refused with which words.

use serde_json::{Map, Value, json};

use crate::base::rng::{Purpose, stream};
use crate::games::legal_turns;
use crate::play::analysis::answer_rules;
use crate::registry::{self, Variant};
use rand::RngExt;

fn changes(value: Value) -> Map<String, Value> {
    value.as_object().cloned().unwrap()
}

/// The answer of `analyze` to a position.
fn answer(game: &str, rules: Value, position: &str) -> Value {
    let query = json!({ "game": game, "rules": rules, "position": position });
    serde_json::from_str(&answer_rules(query.to_string().as_bytes(), None)).unwrap()
}

#[test]
fn the_start_has_a_short_text() {
    let start = |name: &str| registry::preset(name).unwrap().initial().position_text();
    assert_eq!(start("neutron5"), "xxxxx/...../..*../...../ooooo o");
    assert_eq!(start("neutron5_hole1"), "xxxxx/...../..*../...../ooooo o");
    assert_eq!(start("entropy"), "xxxxx/x...x/...../o...o/ooooo o");
    assert_eq!(start("tic_tac_toe"), ".../.../... x");
    assert_eq!(start("breakthrough6"), "xxxxxx/xxxxxx/....../....../oooooo/oooooo o");
    let gomoku = start("checkers_gomoku");
    assert_eq!(gomoku, format!("{} x hand=12,12", ["........"; 8].join("/")));
    let susan = start("susan");
    assert_eq!(susan, "...../....../......./......../........./......../......./....../..... x");
}

#[test]
fn an_edited_position_of_neutron_has_full_turns() {
    let edited = answer("neutron5", json!({}), " xxxx./....X/..*../...../OOOOO  O ");
    assert!(edited["legal"][0].as_str().unwrap().contains(','), "{edited}");
    assert_eq!(edited["ply"], 2);
    let first = answer("neutron5", json!({}), "xxxx./....x/..*../...../ooooo o PLY=0");
    assert!(!first["legal"][0].as_str().unwrap().contains(','), "{first}");
    assert_eq!(first["position"], "xxxx./....x/..*../...../ooooo o ply=0");
    let hole = answer("neutron5_hole1", json!({}), "xxxxx/#..../..*../...../ooooo x");
    assert!(hole["legal"][0].as_str().unwrap().starts_with('@'), "{hole}");
    let placed = answer("neutron5_hole1", json!({}), "xxxxx/##.../..*../...../ooooo o");
    assert!(!placed["legal"][0].as_str().unwrap().contains(','), "{placed}");
}

#[test]
fn a_decided_position_has_its_outcome() {
    let neutron = answer("neutron5", json!({}), "xx*xx/..x../...../...../ooooo o");
    assert_eq!(neutron["outcome"], "x");
    // Both have a surrounded stone: who has just moved has lost.
    let full = "xoxox/oxoxox/xoxoxox/oxoxoxox/xoxoxoxox/oxoxoxox/xoxoxox/oxoxox/xoxox";
    for (side, winner) in [("x", "x"), ("o", "o")] {
        assert_eq!(answer("susan", json!({}), &format!("{full} {side}"))["outcome"], winner);
    }
    let gomoku = "xxxx..../......../......../......../......../......../......../oooooo.. x";
    assert_eq!(answer("checkers_gomoku", json!({}), gomoku)["outcome"], "o");
    let passed = "xxx../...../...../...../..ooo o passes=2";
    assert_eq!(answer("entropy", json!({}), passed)["outcome"], "draw");
    let four = "......./......./......./......./ooo..../xxxx... o";
    assert_eq!(answer("connect_four", json!({}), four)["outcome"], "x");
}

#[test]
fn moves_start_from_the_position() {
    let query =
        json!({ "game": "tic_tac_toe", "position": "x../.o./... x", "moves": ["a1", "a2"] });
    let ask = |query: &Value| -> Value {
        serde_json::from_str(&answer_rules(query.to_string().as_bytes(), None)).unwrap()
    };
    assert_eq!(ask(&query)["position"], "x../oo./x.. x");
    let illegal = json!({ "game": "tic_tac_toe", "position": "x../.o./... x", "moves": ["a3"] });
    assert_eq!(ask(&illegal)["at"], 0);
}

/// A game, a text, and words that the error must have.
const REFUSED: [(&str, &str, &str); 33] = [
    ("neutron5", "", "the board has 1 rows, it needs 5"),
    ("neutron5", "xxxxx/....x/..*../....../ooooo o", "row 4 has 6 cells, it needs 5"),
    ("neutron5", "xxxxx/..../..*../...../ooooo o", "row 2 has 4 cells, it needs 5"),
    ("neutron5", "xxxxx/.ä.../..*../...../ooooo o", "row 2 has `ä`, the symbols are x o . * #"),
    ("neutron5", "xxxxx/...../..*../...../ooooo", "the colour to move, x or o; it is missing"),
    ("neutron5", "xxxxx/...../..*../...../ooooo w", "it is `w`"),
    ("neutron5", "xxxxx/...../...../...../ooooo o", "there is no neutron"),
    ("neutron5", "xxxxx/*..../..*../...../ooooo o", "there are 2 neutrons"),
    ("neutron5", "xxxxx/#..../..*../...../ooooo o", "there are 1 holes, the rules have 0"),
    ("neutron5", "xxxxx/x..../..*../...../ooooo o", "Black has 6 on the board, at most 5"),
    ("neutron5", "xxxxx/...../..*../...../ooooo o ply=1", "after ply=1 turns Black is to move"),
    ("neutron5", "xxxxx/...../..*../...../ooooo o ply=202", "end a game after 200 turns"),
    ("neutron5", "xxxxx/...../..*../...../ooooo o ply=2 ply=2", "ply is there twice"),
    (
        "neutron5",
        "xxxxx/...../..*../...../ooooo o ply=-2",
        "ply is `-2`, it must be a whole number",
    ),
    ("neutron5", "xxxxx/...../..*../...../ooooo o ply", "ply is ``"),
    ("neutron5", "xxxxx/...../..*../...../ooooo o slides=2", "no `slides` in this game"),
    ("neutron5_hole1", "xxxxx/#..../..*../...../ooooo o", "Black places the next"),
    ("neutron5_hole1", "xxxxx/#..../..*../...../ooooo x ply=3", "with 1 holes placed it is ply=1"),
    ("entropy", "xxxxx/xxx../...../o...o/ooooo o", "Black has 8 on the board, at most 7"),
    ("entropy", "xxxxx/xx.../...../...../..... o", "White has 0 on the board, at least 1"),
    ("entropy", "xxxxx/x...x/...../o...o/ooooo o passes=3", "passes=3 is too many, at most 2"),
    ("entropy", "xxxxx/x...x/...../o...o/ooooo o ply=0 passes=1", "at least 2 turns"),
    ("susan", ".../.../... x", "the board has 3 rows, it needs 9"),
    (
        "susan",
        "...../....../......./......../........./......../......./....../..... x slides=7",
        "at most 6",
    ),
    (
        "susan",
        "...../....../......./......../........./......../......./....../..... x slides=1",
        "has no stone",
    ),
    (
        "susan",
        "x..../....../......./......../........./......../......./....../o.... x ply=0",
        "at least 2 turns",
    ),
    ("tic_tac_toe", "x../.../... x", "does not fit Black to move"),
    ("tic_tac_toe", "xxx/ooo/... x", "Black is to move and has won by a line before"),
    ("tic_tac_toe", "x../.../... o ply=1", "no `ply` in this game, the keys are: none"),
    (
        "connect_four",
        "......./......./......./...x.../......./....... o",
        "column 4 in row 4 from the top has nothing below",
    ),
    (
        "breakthrough6",
        "o...../....../....../....../....../x..... o",
        "won by a piece on the far row before",
    ),
    (
        "breakthrough6",
        "xxxxxx/xxxxxx/....../....../....../...... x",
        "White has no pieces and has moved last",
    ),
    (
        "checkers_gomoku",
        "......../......../......../......../......../......../......../........ x hand=11,12",
        "does not fit Black to move",
    ),
];

#[test]
fn what_does_not_fit_is_refused_with_the_reason() {
    for (game, text, reason) in REFUSED {
        let answer = answer(game, json!({}), text);
        let error = answer["error"].as_str().unwrap_or_else(|| panic!("{text} is read: {answer}"));
        assert!(error.starts_with("position: ") && error.contains(reason), "{text}: {error}");
        assert_eq!(answer["at"], Value::Null);
    }
}

#[test]
fn pieces_in_hand_and_turns_must_agree() {
    let board = "xxxxx.../ooooo.../......../......../......../......../......../........";
    let read = |rest: &str| answer("checkers_gomoku", json!({}), &format!("{board} {rest}"));
    assert_eq!(read("x hand=7,7")["ply"], 10);
    assert_eq!(read("x ply=10")["position"], read("x hand=7,7")["position"]);
    assert_eq!(read("x quiet=3")["ply"], 28);
    for rest in ["x hand=7,7 ply=12", "x hand=7,7 quiet=1", "x hand=8,8", "x quiet=101"] {
        assert!(read(rest)["error"].is_string(), "{rest}");
    }
}

#[test]
fn positions_under_other_rules_are_read_again() {
    for (game, rules) in [
        ("susan", json!({ "pie": "on", "notation": "linhart" })),
        ("susan", json!({ "max_plies": 40 })),
        ("neutron5", json!({ "holes": 2, "max_plies": 0 })),
        ("neutron7", json!({ "first_turn": "full", "restriction": "wall", "forbid": "both" })),
        ("entropy", json!({ "win": "contact", "rescue": "all", "max_plies": 60 })),
        ("entropy", json!({ "win": "no_friend" })),
        ("checkers_gomoku", json!({ "per_move": "per_line", "no_capture_limit": 0 })),
        ("checkers_gomoku", json!({ "max_plies": 30, "cap_result": "material" })),
    ] {
        play_and_read(&registry::find(game, &changes(rules)).unwrap());
    }
}

fn play_and_read(variant: &Variant) {
    for seed in 0..10 {
        let mut rng = stream(seed, 0, 0, Purpose::Playout);
        let mut game = variant.initial();
        for _ in 0..300 {
            let text = game.position_text();
            assert_eq!(variant.position(Some(&text)), Ok(game), "{text}");
            let turns = legal_turns(&game);
            let Some(turn) = turns.get(rng.random_range(0..turns.len().max(1))) else { break };
            turn.play_on(&mut game);
        }
    }
}

#[test]
fn without_pieces_only_the_neutron_can_end_a_game_of_neutron() {
    let answer = answer("neutron5", json!({}), "...../...../..*../...../ooooo x");
    let turns = answer["legal"].as_array().unwrap();
    assert!(!turns.is_empty() && turns.iter().all(|turn| turn.as_str().unwrap().len() == 2));
}
