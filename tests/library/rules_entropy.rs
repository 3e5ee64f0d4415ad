//! The rules of Entropy, checked on drawn positions.

use rand::RngExt;
use serde_json::{Value, json};

use crate::base::rng::{Purpose, stream};
use crate::games::{
    Entropy, EntropyRules, Game, Outcome, Rules, Side, legal_turns, overridden, parse_turn, replay,
};
use crate::registry;

fn rules(changes: Value) -> EntropyRules {
    overridden(&EntropyRules::default(), changes.as_object().unwrap()).unwrap()
}

fn position(changes: Value, board: &str, to_move: Side) -> Entropy {
    let game = Entropy::from_board(&rules(changes), board, to_move).unwrap();
    assert_eq!(game.outcome(), None, "the position is to be played on");
    game
}

fn after(mut game: Entropy, turns: &[&str]) -> Entropy {
    for turn in turns {
        let turn = parse_turn(&game, turn).unwrap();
        game.play(turn.actions[0]);
    }
    game
}

fn texts(game: &Entropy) -> Vec<String> {
    legal_turns(game).iter().map(|turn| turn.text.to_string()).collect()
}

/// All settings of `rescue` and `win`.
fn every_setting() -> impl Iterator<Item = Value> {
    ["any", "all"].into_iter().flat_map(|rescue| {
        ["immobile", "no_friend", "contact"].map(|win| json!({ "rescue": rescue, "win": win }))
    })
}

const WHITE: Side = Side::P1;
const BLACK: Side = Side::P2;
const WHITE_WINS: Option<Outcome> = Some(Outcome::Win(WHITE));
const BLACK_WINS: Option<Outcome> = Some(Outcome::Win(BLACK));
const DRAW: Option<Outcome> = Some(Outcome::Draw);

#[test]
fn the_start_position() {
    let start = Entropy::initial(&EntropyRules::default());
    let board = "  A B C D E
1 x x x x x
2 x . . . x
3 . . . . .
4 o . . . o
5 o o o o o";
    assert_eq!(start.to_string(), board);
    assert_eq!(start.to_move(), WHITE);
    assert_eq!(Entropy::from_board(&EntropyRules::default(), board, WHITE), Some(start));
    assert_eq!(Entropy::from_board(&EntropyRules::default(), "x o", WHITE), None);
}

#[test]
fn pieces_with_a_friend_move_like_queens_and_stop_before_others() {
    let board = "
1 x x . . .
2 . . . . .
3 . . o . .
4 . . o . .
5 . x . . .";
    let expected = [
        // C3 moves in seven directions, the eighth is blocked by a friend.
        &["C3-A3", "C3-A5", "C3-B2", "C3-B3", "C3-B4", "C3-C1", "C3-C2", "C3-D2", "C3-D3"][..],
        &["C3-D4", "C3-E1", "C3-E3", "C3-E5"],
        &["C4-A2", "C4-A4", "C4-B3", "C4-B4", "C4-C5", "C4-D3", "C4-D4", "C4-D5", "C4-E2"],
        &["C4-E4"],
    ];
    assert_eq!(texts(&position(json!({}), board, WHITE)), expected.concat());
}

#[test]
fn a_piece_in_contact_with_enemies_only_stays() {
    let board = "
1 o o . . .
2 . . . . .
3 . . . . .
4 . . . x x
5 . . . . o";
    let turns = texts(&position(json!({}), board, WHITE));
    assert!(
        !turns.is_empty() && turns.iter().all(|turn| !turn.starts_with("E5") && turn != "pass")
    );
}

/// White's piece at E5 is isolated: only D4, D5 and E4 are adjacent. PBeM help, figure 2.
const ISOLATED_AT_E5: &str = "
1 o x x . o
2 x o . . o
3 . . x . .
4 o x x . .
5 x o . . o";

#[test]
fn an_isolated_piece_has_to_be_rescued() {
    for setting in every_setting() {
        let game = position(setting.clone(), ISOLATED_AT_E5, WHITE);
        assert_eq!(texts(&game), ["B5-D5", "E2-E4"], "{setting}");
    }
    assert!(texts(&position(json!({}), ISOLATED_AT_E5, BLACK)).len() > 10, "Black is not bound");
}

#[test]
fn rescuing_may_isolate_another_piece() {
    let isolated = |game: &Entropy| {
        let mut planes = vec![0.0; Entropy::SPEC.observation()];
        game.observe(&mut planes);
        let cells = planes[2 * 25..3 * 25].iter().zip(0..).filter(|(value, _)| **value > 0.0);
        cells.map(|(_, cell)| cell).collect::<Vec<usize>>()
    };
    let game = position(json!({}), ISOLATED_AT_E5, WHITE);
    assert_eq!(isolated(&game), [24], "E5");
    assert_eq!(isolated(&after(game, &["E2-E4", "B1-C2"])), [4], "E5 is rescued, E1 alone");
}

/// Black's piece at C1 is isolated. World of Abstract Games, Carreno's first sample, with our row
/// numbers.
#[test]
fn the_legal_turns_are_those_that_end_beside_the_isolated_piece() {
    let board = "
1 o . x . o
2 x . . . x
3 x o o x o
4 o . . . .
5 . . x x o";
    let expected = [
        &["A2-B1", "A2-B2", "A2-C2", "A2-D2", "A3-B2"][..],
        &["D3-B1", "D3-C2", "D3-D1", "D3-D2", "E2-B2", "E2-C2", "E2-D1", "E2-D2"],
    ];
    for setting in every_setting() {
        assert_eq!(texts(&position(setting, board, BLACK)), expected.concat());
    }
}

/// Black's piece at E4 is isolated. PBeM help, figure 3.
#[test]
fn a_player_who_cannot_rescue_has_to_pass() {
    let board = "
1 o . o . o
2 x x . . x
3 x o o . .
4 o . . . x
5 x o x . .";
    for setting in every_setting() {
        let game = position(setting, board, BLACK);
        assert_eq!(texts(&game), ["pass"]);
        let passed = after(game, &["pass"]);
        assert_eq!((passed.to_move(), passed.outcome()), (WHITE, None));
        assert!(!texts(&passed).contains(&"pass".into()), "White has nothing to rescue");
    }
}

#[test]
fn of_two_isolated_pieces_one_or_both_have_to_be_rescued() {
    let board = "
1 x x . o o
2 . . . . .
3 . . . . .
4 . . . . .
5 . . o . o";
    let turns = |rescue, board: &str| texts(&position(json!({ "rescue": rescue }), board, WHITE));
    assert_eq!(turns("any", board), ["D1-D4", "D1-D5", "E1-B4", "E1-E4"]);
    assert_eq!(turns("all", board), ["D1-D4", "D1-D5"]);
    let blocked = board.replace("2 . . . . .", "2 . . . x .");
    assert_eq!(turns("any", &blocked), ["E1-E4"]);
    assert_eq!(turns("all", &blocked), ["pass"]);
}

#[test]
fn a_player_wins_without_friends_even_if_a_piece_is_isolated() {
    let board = "
1 . . . o o
2 . . . . .
3 . . . . .
4 . . . . .
5 x x . . .";
    let outcome =
        |win, board| after(position(json!({ "win": win }), board, WHITE), &["D1-A4"]).outcome();
    assert_eq!(outcome("immobile", board), WHITE_WINS);
    assert_eq!(outcome("no_friend", board), WHITE_WINS);
    assert_eq!(outcome("contact", board), None, "E1 is isolated");

    let in_contact = &board.replace("2 . . . . .", "2 . . . . x");
    for win in ["immobile", "no_friend", "contact"] {
        assert_eq!(outcome(win, in_contact), WHITE_WINS);
    }
}

/// PBeM help, figure 4.
#[test]
fn an_isolated_piece_does_not_matter_in_a_position_that_is_won() {
    let board = "
1 x . o . o
2 o . x . x
3 x o o . .
4 o . . . .
5 x o x . x";
    for setting in every_setting() {
        let outcome = if setting["win"] == "contact" { None } else { BLACK_WINS };
        for to_move in [WHITE, BLACK] {
            let game = Entropy::from_board(&rules(setting.clone()), board, to_move).unwrap();
            assert_eq!(game.outcome(), outcome, "{setting}");
        }
    }
}

/// White threatens to win by D4-E5. With `win = contact`, B4-B2 removes the only enemy adjacent to
/// C4 and parries the threat; the source gives it as Black's best turn. With other goals it is no
/// defence. World of Abstract Games, Carreno's second sample, with our row numbers.
#[test]
fn a_threat_is_parried_by_leaving_only_where_contact_is_needed() {
    let board = "
1 o . x . x
2 x . o x o
3 o . . . .
4 x x o o x
5 o . . . .";
    for setting in every_setting() {
        let threat = after(position(setting.clone(), board, WHITE), &["D4-E5"]);
        assert_eq!(threat.outcome(), WHITE_WINS);
        let parried = after(position(setting.clone(), board, BLACK), &["B4-B2", "D4-E5"]);
        let outcome = if setting["win"] == "contact" { None } else { WHITE_WINS };
        assert_eq!(parried.outcome(), outcome, "{setting}");
    }
}

/// Black fills C1, the last empty cell adjacent to White's pair.
const WALL: &str = "
1 o o . . x
2 x x x . x
3 . . . . .
4 . . . . .
5 . . . . .";

#[test]
fn a_player_whose_last_mobile_pieces_are_walled_in_wins() {
    let game = after(position(json!({}), WALL, BLACK), &["E1-C1"]);
    assert_eq!(game.outcome(), WHITE_WINS, "though Black moved");
    assert!(texts(&game).is_empty());
}

#[test]
fn with_no_friend_rule_a_walled_in_player_passes() {
    for win in ["no_friend", "contact"] {
        let game = after(position(json!({ "win": win }), WALL, BLACK), &["E1-C1"]);
        assert_eq!(game.outcome(), None);
        assert_eq!(texts(&game), ["pass"]);
    }
}

#[test]
fn the_mover_wins_when_both_reach_the_goal() {
    let board = "
1 o . . . .
2 . . . . .
3 . . . . .
4 . . . . x
5 . . . o x";
    let game = position(json!({ "win": "contact" }), board, BLACK);
    assert_eq!(after(game, &["E4-B1"]).outcome(), BLACK_WINS, "every piece has just an enemy");
}

/// Each player has an isolated piece in a corner and cannot reach it.
const DEADLOCK: &str = "
1 x . . . .
2 . . o . .
3 o o . x x
4 . . x . .
5 . . . . o";

#[test]
fn two_passes_in_a_row_are_a_draw() {
    for setting in every_setting() {
        for to_move in [WHITE, BLACK] {
            let game = position(setting.clone(), DEADLOCK, to_move);
            assert_eq!(texts(&game), ["pass"]);
            let game = after(game, &["pass"]);
            assert_eq!((texts(&game), game.outcome()), (vec!["pass".into()], None));
            assert_eq!(after(game, &["pass"]).outcome(), DRAW);
        }
    }
}

#[test]
fn a_pass_is_part_of_the_position() {
    let game = position(json!({}), DEADLOCK, WHITE);
    let passed = after(game, &["pass"]);
    assert_ne!(passed.position_key(), position(json!({}), DEADLOCK, BLACK).position_key());
}

const TO_AND_FRO: [&str; 4] = ["B5-B4", "B1-B2", "B4-B5", "B2-B1"];

#[test]
fn a_limit_of_turns_is_a_draw_unless_the_last_turn_decides() {
    let limited = rules(json!({ "max_plies": 4 }));
    assert_eq!(limited.longest_game(), 4);
    assert_eq!(replay::<Entropy, _>(&limited, &TO_AND_FRO[..3]).unwrap().outcome(), None);
    assert_eq!(replay::<Entropy, _>(&limited, &TO_AND_FRO).unwrap().outcome(), DRAW);
    let wall = position(json!({ "max_plies": 2 }), WALL, BLACK);
    assert_eq!(after(wall, &["E1-C1"]).outcome(), WHITE_WINS);
    assert_eq!(after(wall, &["E1-D1"]).outcome(), DRAW);

    let turns = TO_AND_FRO.repeat(100);
    let endless = replay::<Entropy, _>(&rules(json!({ "max_plies": 0 })), &turns).unwrap();
    assert_eq!((endless.ply(), endless.outcome()), (400, None));
}

#[test]
fn a_position_may_occur_any_number_of_times() {
    let turns = TO_AND_FRO.repeat(3);
    assert_eq!(replay::<Entropy, _>(&EntropyRules::default(), &turns).unwrap().outcome(), None);

    let find = |changes: Value| registry::find("entropy", changes.as_object().unwrap());
    let error = find(json!({ "repetition": "off" })).unwrap_err().to_string();
    assert!(error.contains("unknown option `repetition`"), "{error}");
    assert!(find(json!({ "max_plies": 0 })).is_ok());
}

/// Another program counted 180.6 turns and 1.8 passes per game in 10,000 random games.
#[test]
fn random_games_are_as_long_as_those_of_another_program() {
    const GAMES: u64 = 4000;
    let (mut turns, mut passes, mut actions) = (0.0, 0.0, Vec::new());
    for index in 0..GAMES {
        let mut rng = stream(1, 0, index, Purpose::Playout);
        let mut game = Entropy::initial(&rules(json!({ "max_plies": 0 })));
        while game.outcome().is_none() {
            game.legal_actions(&mut actions);
            let action = actions[rng.random_range(0..actions.len())];
            passes += f64::from(u8::from(action == Entropy::SPEC.pass_action()));
            game.play(action);
        }
        turns += f64::from(game.ply());
    }
    let (turns, passes) = (turns / GAMES as f64, passes / GAMES as f64);
    assert!((turns - 180.6).abs() < 8.0, "{turns} turns");
    assert!((passes - 1.8).abs() < 0.2, "{passes} passes");
}
