//! Why a game ended, for every way in which each game can end.

use serde_json::{Value, json};

use crate::games::{
    Breakthrough, CheckersGomoku, CheckersGomokuRules, Entropy, Side, Susan, SusanRules, parse_turn,
};
use crate::registry::{self, Position, Variant, preset};

/// The reason, and the names of the cells that decided the game.
fn told(game: &Position, variant: &Variant) -> (String, String) {
    let ending = game.ending_on_board().expect("the game is over");
    let names = variant.cell_names();
    let cells: Vec<&str> = ending.cells.iter().map(|&cell| names[cell].as_str()).collect();
    (ending.reason, cells.join(" "))
}

#[track_caller]
fn check(name: &str, options: Value, turns: &str, reason: &str, cells: &str) {
    let variant = registry::find(name, options.as_object().unwrap()).unwrap();
    let turns: Vec<&str> = turns.split_whitespace().collect();
    let play = |turns: &[&str]| variant.replay(turns, |_| ()).unwrap();
    assert_eq!(play(&turns[..turns.len() - 1]).ending(), None, "one turn before the end");
    let found = told(&play(&turns), &variant);
    assert_eq!((found.0.as_str(), found.1.as_str()), (reason, cells));
}

#[test]
fn susan() {
    let win = "c2 c4 d2 i6 h8 d7 d4 d5 e1 f4 a4 f7 e6 c5 d6 e7 e5";
    check("susan", json!({}), win, "Black surrounded a stone of White's", "d5");
    let both = "a2 a1 b1 a3 e5 b3 b2";
    check("susan", json!({}), both, "Black surrounded a stone of Black's own", "a2");
    let slides = "e5 e6 e5-e4 e6-e7 e4-e3 e7-e8 e3-e2 e8-e7";
    check("susan", json!({}), slides, "The last six turns were all slides", "");
    let limit = json!({ "max_plies": 3 });
    check("susan", limit, "e5 e6 e7", "The limit of 3 turns was reached", "");
}

#[test]
fn susan_with_several_stones_and_in_either_notation() {
    let two = "a2 a1 c1 b1 c2 e9 b2";
    check("susan", json!({}), two, "Black surrounded 2 stones of White's", "a1 b1");
    let corner = json!({ "notation": "linhart" });
    check("susan", corner, "h1 i1 h2 e5 i2", "Black surrounded a stone of White's", "i1");
}

#[test]
fn neutron() {
    let home = "A5-A2 E3,A1-D4 A3,E5-E2 B2,D1-D3 A3,B5-B2 B4,D3-B5 A5";
    let reason = "White brought the neutron to White's home row";
    check("neutron5", json!({}), home, reason, "A5");
    let gift = "Black brought the neutron to White's home row";
    check("neutron5", json!({}), "C5-A3 C5", gift, "C5");
    let row = "B5-B2 B4,D1-D4 C4,C5-A3 C2,E1-B4 D1";
    check("neutron5", json!({}), row, "White brought the neutron to Black's home row", "D1");
    let limit = json!({ "max_plies": 1 });
    check("neutron5", limit, "A5-A2", "The limit of 1 turns was reached", "");
}

#[test]
fn neutron_without_a_turn() {
    let walled = "C5-E3 D3,C1-D2 E2,D5-D3";
    check("neutron5", json!({}), walled, "Black cannot move the neutron", "E2");
    let shut_in = "@A2 @C2 @B2 @D2 B5-E2";
    let reason = "Black has no complete turn: no piece can move after the neutron has";
    check("neutron5_hole2", json!({}), shut_in, reason, "A1 B1 C1 D1 E1");
}

#[test]
fn coneutron() {
    let forced = "B2,C5-C2 A3,A1-A2 A4,C2-B3 A3,A2-A1 A4,E5-B2 E4,A1-A4 E2,B3-E3 C4,D1-E2 A2,B2-A3 \
                  C4,B1-A2 B4,E3-C5 D2,E2-D1 B4,D5-E5 D2,A2-B1 E2,C5-E3 C4,E1-E2 A2,E3-B3 D2,E2-E1 \
                  A2,A5-D2 C2,A4-E4 A2,D2-B2 A1";
    let reason = "Black brought the neutron to Black's home row";
    check("coneutron5", json!({}), forced, reason, "A1");
}

#[test]
fn entropy() {
    let win = "A4-A3 D1-C2 D5-D2 A1-C3 B5-A4 A2-D5 A3-B3 C3-A1 A4-A3 E1-D1 A3-A4 C2-C3 B3-A2 B1-B5 \
               E4-D4 E2-E3 D4-B4 C1-A3";
    check("entropy", json!({}), win, "None of Black's pieces can move", "A1 D1 A3 C3 E3 B5 D5");
    let no_friend = json!({ "win": "no_friend" });
    let reason = "No piece of Black's is beside another one";
    check("entropy", no_friend, win, reason, "A1 D1 A3 C3 E3 B5 D5");
    let contact = json!({ "win": "contact" });
    let reason = "Every piece of Black's is beside one of White's and none of Black's";
    check("entropy", contact, win, reason, "A1 D1 A3 C3 E3 B5 D5");
    check("entropy", json!({ "max_plies": 1 }), "A4-B4", "The limit of 1 turns was reached", "");
}

#[test]
fn entropy_decided_by_the_opponent_or_by_passes() {
    let rules = Default::default();
    let after = |board: &str, to_move, turns: &[&str]| {
        let mut game = Position::new(Entropy::from_board(&rules, board, to_move).unwrap());
        turns.iter().for_each(|text| parse_turn(&game, text).unwrap().play_on(&mut game));
        told(&game, &preset("entropy").unwrap())
    };
    let walled_in = "1 o o . . x\n2 x x x . x\n3 . . . . .\n4 . . . . .\n5 . . . . .";
    let reason = "Black left White without a piece that can move".to_owned();
    assert_eq!(after(walled_in, Side::P2, &["E1-C1"]), (reason, "A1 B1".to_owned()));
    let stuck = "1 x . . . .\n2 . . o . .\n3 o o . x x\n4 . . x . .\n5 . . . . o";
    let reason = "Both players passed: nobody can ever move again".to_owned();
    assert_eq!(after(stuck, Side::P1, &["pass", "pass"]), (reason, String::new()));
}

#[test]
fn checkers_gomoku() {
    let blocked = "f8 e8 g8 e7 h8 e6 f7 f6 g7 g6 h7 h6 a2 a3 b2 b3 c2 c3 a1 d3 b1 d2 c1 d1";
    let cells = "f8 g8 h8 f7 g7 h7 a2 b2 c2 a1 b1 c1";
    check("checkers_gomoku", json!({}), blocked, "Black has no piece that can step", cells);
    let placed = "a4 a8 c4 b8 e4 d8 g4 f8 h4 h8 e2 a6 a1 c6 b1 e6 c1 g6 d1 h6 g1 g2 h1 h2";
    let quiet = format!("{placed} e2-f2 h6-h7 f2-e2");
    let limit = json!({ "no_capture_limit": 3 });
    check("checkers_gomoku", limit, &quiet, "The last 3 steps captured nothing", "");

    let five = "a1 d7 b1 f7 c1 g7 e1 h2 d1xd7 a8";
    let drawn = json!({ "max_plies": 10 });
    let reason = "The limit of 10 turns was reached";
    check("checkers_gomoku", drawn, five, reason, "");
    let counted = json!({ "max_plies": 10, "cap_result": "material" });
    let reason = "The limit of 10 turns was reached, and Black has 12 pieces against 11";
    check("checkers_gomoku", counted, five, reason, "");
}

#[test]
fn checkers_gomoku_with_four_pieces_left() {
    let board = "8 x . . . . . . o\n7 . . . . . . . .\n6 . . . . . . . .\n5 . . . . . . . o\n\
                 4 . . . . . . . .\n3 . . . . . . . .\n2 x . . . . . . o\n1 x x x x . . . o";
    let rules = CheckersGomokuRules::default();
    let game = CheckersGomoku::from_board(&rules, board, Side::P2).unwrap();
    let expected = ("White has only 4 pieces left".to_owned(), "h8 h5 h2 h1".to_owned());
    let variant = preset("checkers_gomoku").unwrap();
    assert_eq!(told(&Position::new(game), &variant), expected);
}

#[test]
fn breakthrough() {
    let home = "b2-b3 f5-f4 b3-b4 f4-f3 b4xa5 f3xe2 a5xb6";
    let reason = "White brought a piece to Black's home row";
    check("breakthrough6", json!({}), home, reason, "b6");
    let last =
        "6 . . . . . .\n5 . . . . . .\n4 . . . . o .\n3 . . . . . .\n2 . . . . . .\n1 . . . . . .";
    let game = Breakthrough::<6>::from_board(last, Side::P2).unwrap();
    let reason = "White captured Black's last piece".to_owned();
    let variant = preset("breakthrough6").unwrap();
    assert_eq!(told(&Position::new(game), &variant), (reason, String::new()));
}

#[test]
fn lines() {
    let four = "5 3 5 4 5 5 1 3 3 2 2 1 7 2 2 4 4 4 3 2 6";
    let reason = "Black has four in a line";
    check("connect_four", json!({}), four, reason, "3/4 4/3 5/2 6/1");
    let full =
        "1 2 1 2 1 2 2 1 2 1 2 1 3 4 3 4 3 4 4 3 4 3 4 3 5 6 5 6 5 6 6 5 6 5 6 5 7 7 7 7 7 7";
    let reason = "The board is full and nobody has four in a line";
    check("connect_four", json!({}), full, reason, "");

    let three = "Black has three in a line";
    check("tic_tac_toe", json!({}), "a1 b1 a2 b2 a3", three, "a3 a2 a1");
    check("tic_tac_toe", json!({}), "a1 b1 a2 c1 b3 a3 c3 c2 b2", three, "c3 b2 a1");
    let full = "b2 a1 c1 a3 a2 c2 b3 b1 c3";
    let reason = "The board is full and nobody has three in a line";
    check("tic_tac_toe", json!({}), full, reason, "");
}

#[test]
fn positions_of_either_side_tell_their_cells_as_they_are_printed() {
    let rules = SusanRules::default();
    let board = "
          9 . . . . .
         8 . . . . . .
        7 . . . . . . .
       6 . . . . . . . .
      5 . . . . . . . . .
       4 . . . . . . . . i
        3 . . . . . . . h
         2 x x . . . . g
          1 o x . . . f
             a b c d e";
    for (to_move, reason) in [
        (Side::P2, "Black surrounded a stone of White's"),
        (Side::P1, "White surrounded a stone of White's own"),
    ] {
        let game = Position::new(Susan::from_board(&rules, board, to_move).unwrap());
        let told = told(&game, &preset("susan").unwrap());
        assert_eq!(told, (reason.to_owned(), "a1".to_owned()));
    }
}
