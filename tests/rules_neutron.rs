//! The rules of Neutron and its variants, by drawn positions.

use serde_json::{Value, json};
use tavoliere::game::{Game, Outcome, Repeating, Side, TurnError, legal_turns, parse_turn, replay};
use tavoliere::games::neutron::{Forbid, Restriction};
use tavoliere::games::{self, AnyVariant, Neutron, NeutronRules};

type Neutron5 = Neutron<5>;

const PLAIN: NeutronRules = NeutronRules::FIVE;

fn after(rules: &NeutronRules, moves: &[&str]) -> Neutron5 {
    replay(rules, moves).unwrap_or_else(|(index, error)| panic!("move {index}: {error}"))
}

/// The winner after `moves`, none if the game goes on.
fn winner(rules: &NeutronRules, moves: &[&str]) -> Option<Side> {
    match after(rules, moves).outcome()? {
        Outcome::Win(side) => Some(side),
        Outcome::Draw => panic!("a draw"),
    }
}

fn turns(game: &Neutron5) -> Vec<String> {
    legal_turns(game).iter().map(|turn| turn.text.to_string()).collect()
}

fn refuses(game: &Neutron5, turn: &str) -> bool {
    matches!(parse_turn(game, turn), Err(TurnError::Illegal { .. }))
}

fn drawn(game: &impl Game, rows: &[&str]) {
    assert_eq!(game.to_string(), rows.join("\n"));
}

fn refusal(changes: Value) -> String {
    let changes = changes.as_object().expect("a table of options");
    games::find("neutron5", changes).expect_err("impossible options").to_string()
}

#[test]
fn the_start() {
    let start = Neutron::<7>::initial(&NeutronRules::SEVEN);
    assert_eq!(start.to_move(), Side::P1, "White");
    drawn(
        &start,
        &[
            "  A B C D E F G",
            "1 x x x x x x x",
            "2 . . . . . . .",
            "3 . . . . . . .",
            "4 . . . * . . .",
            "5 . . . . . . .",
            "6 . . . . . . .",
            "7 o o o o o o o",
        ],
    );
}

#[test]
fn the_first_turn_is_a_slide_of_a_piece_as_far_as_it_goes() {
    let first = [
        "A5-A2", "A5-B4", "B5-A4", "B5-B2", "B5-E2", "C5-A3", "C5-C4", "C5-E3", "D5-A2", "D5-D2",
        "D5-E4", "E5-D4", "E5-E2",
    ];
    assert_eq!(turns(&after(&PLAIN, &[])), first);
}

#[test]
fn nothing_stops_short_or_stays_where_it_is() {
    let start = after(&PLAIN, &[]);
    assert!(refuses(&start, "B5-B3") && refuses(&start, "B5-B5"));
    let black = after(&PLAIN, &["C5-A3"]);
    let stopped = ["D3,C1-C5", "C3,C1-C2", "E3,C1-C2", "E3,E1-E1", "E3", "C1-C2"];
    assert!(stopped.iter().all(|turn| refuses(&black, turn)));
}

#[test]
fn the_neutron_has_moved_when_the_piece_does() {
    let game = after(&PLAIN, &["C5-A3", "E3,C1-C5"]);
    drawn(
        &game,
        &["  A B C D E", "1 x x . x x", "2 . . . . .", "3 o . . . *", "4 . . . . .", "5 o o x o o"],
    );
}

#[test]
fn the_owner_of_the_row_wins_whoever_brings_the_neutron() {
    let white_home = ["B5-E2", "B2,C1-E3", "B5"];
    let white_away = ["D5-A2", "D2,C1-C4", "C1"];
    let black_home = ["B5-A4", "C4,D1-D4", "E2,E5-E3", "D1"];
    let black_away = ["E5-E2", "E5"];
    assert_eq!(winner(&PLAIN, &white_home), Some(Side::P1));
    assert_eq!(winner(&PLAIN, &white_away), Some(Side::P2));
    assert_eq!(winner(&PLAIN, &black_home), Some(Side::P2));
    assert_eq!(winner(&PLAIN, &black_away), Some(Side::P1));
}

#[test]
fn a_home_row_ends_the_game_in_the_middle_of_the_turn() {
    let moves = ["C5-A3", "C5"];
    assert!(refuses(&after(&PLAIN, &moves[..1]), "C5,A1-A2"));
    let game = after(&PLAIN, &moves);
    assert_eq!(game.ply(), 2);
    assert!(turns(&game).is_empty());
    drawn(
        &game,
        &["  A B C D E", "1 x x x x x", "2 . . . . .", "3 o . . . .", "4 . . . . .", "5 o o * o o"],
    );
}

#[test]
fn a_player_who_cannot_move_the_neutron_has_lost() {
    let game = after(&PLAIN, &["C5-E3", "D3,C1-D2", "E2,D5-D3"]);
    assert_eq!(game.outcome(), Some(Outcome::Win(Side::P1)));
    drawn(
        &game,
        &["  A B C D E", "1 x x . x x", "2 . . . x *", "3 . . . o o", "4 . . . . .", "5 o o . . o"],
    );
}

/// The last turn and the blockade are those of a published game of 29 turns; the way to them is
/// not.
#[test]
fn the_blockade_that_ended_a_published_game() {
    let game = after(
        &PLAIN,
        &[
            "C5-C4", "B2,A1-A4", "B4,D5-C5", "A3,A4-C2", "B4,E5-E2", "A4,B1-A1", "A2,E2-E5",
            "B2,C2-A4", "E2,C4-C2", "E4,A4-A2", "E2,C5-A3", "D2,A2-B2", "B4,A3-A2", "E4,D1-E2",
            "D3,B5-A4", "E3,E1-B4", "A3,C2-B3",
        ],
    );
    assert_eq!(game.outcome(), Some(Outcome::Win(Side::P1)));
    drawn(
        &game,
        &["  A B C D E", "1 x . x . .", "2 o x . . x", "3 * o . . .", "4 o x . . .", "5 o . . . o"],
    );
}

#[test]
fn a_player_whose_pieces_cannot_move_has_lost_though_the_neutron_can() {
    let game = after(&PLAIN.with_holes(2), &["@A2", "@C2", "@B2", "@D2", "B5-E2"]);
    assert_eq!(game.outcome(), Some(Outcome::Win(Side::P1)));
    drawn(
        &game,
        &["  A B C D E", "1 x x x x x", "2 # # # # o", "3 . . * . .", "4 . . . . .", "5 o . o o o"],
    );
}

#[test]
fn with_its_pieces_shut_in_a_player_may_still_end_the_game() {
    let game = after(&PLAIN.with_holes(2), &["@C2", "@B2", "@A2", "@D2", "E5-E2"]);
    assert_eq!(turns(&game), ["E5"], "all other slides of the neutron leave no piece to move");
}

#[test]
fn a_slide_of_the_neutron_that_leaves_no_piece_to_move_is_not_legal() {
    let moves = ["E5-E2", "B4,B1-B3", "A3,D5-D2", "B2,B3-B4", "B3,A5-A2", "A4,B4-B1", "A3,C5-C2"];
    let game = after(&PLAIN, &moves);
    drawn(
        &game,
        &["  A B C D E", "1 x x x x x", "2 o . o o o", "3 * . . . .", "4 . . . . .", "5 . o . . ."],
    );
    // On B2 the neutron would shut in Black's pieces; on A5 and C5 it ends the game.
    let turns = turns(&game);
    assert!(turns.iter().all(|turn| !turn.starts_with("B2")), "{turns:?}");
    assert!(["A5", "C5", "E3,B1-B4"].iter().all(|turn| turns.iter().any(|other| other == turn)));
}

/// Which of three slides of White are legal, in full or cut short by a wall, after the neutron
/// has gone to D2: A3 to its home row, B5 along it, and E5 to Black's.
///
/// ```text
///   A B C D E
/// 1 . x x x x
/// 2 x . . . .
/// 3 o . . . *
/// 4 . . . . .
/// 5 o o . o o
/// ```
fn slides_to_home_rows(forbid: Forbid, restriction: Restriction) -> Vec<&'static str> {
    let rules = NeutronRules { restriction, ..PLAIN.restricted(forbid) };
    let game = after(&rules, &["C5-A3", "E3,A1-A2"]);
    let slides = ["A3-B4", "A3-C5", "B5-C5", "E5-A1", "E5-B2"];
    let is_legal = |slide: &&str| parse_turn(&game, &format!("D2,{slide}")).is_ok();
    slides.into_iter().filter(is_legal).collect()
}

#[test]
fn a_forbidden_row_refuses_slides_that_would_end_there() {
    let slides = |forbid| slides_to_home_rows(forbid, Restriction::Illegal);
    assert_eq!(slides(Forbid::None), ["A3-C5", "B5-C5", "E5-A1"]);
    assert_eq!(slides(Forbid::Own), ["E5-A1"]);
    assert_eq!(slides(Forbid::Opponent), ["A3-C5", "B5-C5"]);
    assert!(slides(Forbid::Both).is_empty());
}

#[test]
fn a_wall_stops_slides_before_the_forbidden_row() {
    let slides = |forbid| slides_to_home_rows(forbid, Restriction::Wall);
    assert_eq!(slides(Forbid::None), ["A3-C5", "B5-C5", "E5-A1"]);
    assert_eq!(slides(Forbid::Own), ["A3-B4", "E5-A1"]);
    assert_eq!(slides(Forbid::Opponent), ["A3-C5", "B5-C5", "E5-B2"]);
    assert_eq!(slides(Forbid::Both), ["A3-B4", "E5-B2"]);
}

#[test]
fn rows_are_not_forbidden_to_the_neutron() {
    for restriction in [Restriction::Illegal, Restriction::Wall] {
        let rules = NeutronRules { restriction, ..PLAIN.restricted(Forbid::Both) };
        assert_eq!(winner(&rules, &["C5-A3", "C5"]), Some(Side::P1));
    }
}

#[test]
fn holes_are_placed_in_turn_before_white_moves_a_piece() {
    let (rules, moves) = (PLAIN.with_holes(2), ["@A2", "@D4", "@B4", "@E3"]);
    for placed in 0..4 {
        let game = after(&rules, &moves[..placed]);
        assert_eq!(game.to_move(), [Side::P1, Side::P2][placed % 2]);
        assert_eq!(legal_turns(&game).len(), 14 - placed, "a hole on any empty cell");
    }
    let taken = after(&rules, &moves[..2]);
    assert!(["@A1", "@C3", "@A2", "@D4", "B5-B2"].iter().all(|turn| refuses(&taken, turn)));

    let game = after(&rules, &moves[..4]);
    assert_eq!(game.to_move(), Side::P1);
    drawn(
        &game,
        &["  A B C D E", "1 x x x x x", "2 # . . . .", "3 . . * . #", "4 . # . # .", "5 o o o o o"],
    );
    let first = ["A5-A3", "B5-A4", "B5-E2", "C5-C4", "D5-B3", "D5-E4", "E5-E4"];
    assert_eq!(turns(&game), first, "nothing moves into or across a hole");
}

#[test]
fn coneutron_begins_with_a_full_turn() {
    let start = after(&PLAIN.coneutron(), &[]);
    assert!(turns(&start).iter().all(|turn| turn.contains(',')));
    assert!(refuses(&start, "B5-B2"));
}

#[test]
fn in_coneutron_the_neutron_wins_on_the_opponents_row_whoever_brings_it() {
    let rules = PLAIN.coneutron();
    let white_there = ["E3,D5-D2", "E4,B1-B4", "B1"];
    let white_back = ["B2,E5-C3", "E2,C1-C2", "E5"];
    let black_there = ["D2,D5-A2", "D5"];
    let black_back = ["B2,D5-A2", "A3,B1-E4", "B2,B5-E2", "B1"];
    assert_eq!(winner(&rules, &white_there), Some(Side::P1));
    assert_eq!(winner(&rules, &white_back), Some(Side::P2));
    assert_eq!(winner(&rules, &black_there), Some(Side::P2));
    assert_eq!(winner(&rules, &black_back), Some(Side::P1));
}

#[test]
fn in_coneutron_too_a_blocked_player_has_lost() {
    let moves = ["E3,A5-D2", "E4,B1-D3", "E2,E5-E3"];
    assert_eq!(winner(&PLAIN.coneutron(), &moves), Some(Side::P1));
}

#[test]
fn a_game_is_drawn_when_its_turns_are_used_up() {
    let moves = ["D5-D2", "E3,B1-B4", "A3,D2-D5"];
    let rules = NeutronRules { max_plies: 3, ..PLAIN };
    assert_eq!(after(&rules, &moves[..2]).outcome(), None);
    assert_eq!(after(&rules, &moves).outcome(), Some(Outcome::Draw));
    let unbounded = NeutronRules { max_plies: 0, ..PLAIN };
    assert_eq!(after(&unbounded, &moves).outcome(), None);
}

#[test]
fn a_win_with_the_last_turn_is_a_win() {
    let rules = |max_plies| NeutronRules { max_plies, ..PLAIN };
    assert_eq!(winner(&rules(2), &["C5-A3", "C5"]), Some(Side::P1));
    assert_eq!(winner(&rules(3), &["C5-E3", "D3,C1-D2", "E2,D5-D3"]), Some(Side::P1));
}

/// Both sides move a piece up and down and the neutron to and fro.
const TO_AND_FRO: [&str; 10] = [
    "D5-D2", "E3,B1-B4", "A3,D2-D5", "E3,B4-B1", "A3,D5-D2", "E3,B1-B4", "A3,D2-D5", "E3,B4-B1",
    "A3,D5-D2", "E3,B1-B4",
];

#[test]
fn the_third_occurrence_is_a_draw_if_so_agreed() {
    let changes = json!({ "repetition": "draw3" });
    let variant = games::find("neutron5", changes.as_object().unwrap()).unwrap();
    let AnyVariant::RepeatingNeutron5(variant) = variant else { panic!("another kind of game") };
    let outcome = |plies: usize| {
        replay::<Repeating<Neutron5>, _>(&variant.rules, &TO_AND_FRO[..plies]).unwrap().outcome()
    };
    assert_eq!(outcome(9), None);
    assert_eq!(outcome(10), Some(Outcome::Draw));
    assert_eq!(after(&PLAIN, &TO_AND_FRO).outcome(), None);
}

#[test]
fn positions_are_the_same_whenever_they_come_up() {
    let key = |plies: usize| after(&PLAIN, &TO_AND_FRO[..plies]).position_key();
    assert_eq!(key(2), key(6));
    assert_eq!(key(5), key(9));
    assert!(key(2) != key(4) && key(4) != key(5) && key(0) != key(4));
}

#[test]
fn impossible_options_are_refused() {
    assert!(refusal(json!({ "holes": 3 })).contains("at most 2 holes"));
    assert!(refusal(json!({ "goal": "theirs" })).contains("`goal`"));
    for max_plies in [0, 513] {
        let error = refusal(json!({ "max_plies": max_plies, "repetition": "draw3" }));
        assert!(error.contains("`repetition`") && error.contains("1..=512"), "{error}");
    }
}

/// One number of every plane: the bottom left cell, which is on the home row of the side to move.
fn corner(game: &Neutron5) -> Vec<f32> {
    let mut planes = vec![f32::NAN; Neutron5::SPEC.observation()];
    game.observe(&mut planes);
    planes.chunks(25).map(|plane| plane[20]).collect()
}

#[test]
fn each_side_sees_its_home_row_at_the_bottom() {
    let rules = PLAIN.with_holes(2).restricted(Forbid::Opponent);
    // Own, other, neutron, hole; won, lost; forbidden to either; piece, holes, opening, wall, left.
    let start = [1., 0., 0., 0., 1., 0., 0., 1., 0., 1., 1., 0., 1.];
    let second = [1., 0., 0., 0., 1., 0., 0., 1., 0., 0.75, 1., 0., 199. / 200.];
    let opening = [1., 0., 0., 0., 1., 0., 0., 1., 1., 0., 1., 0., 196. / 200.];
    let later = [1., 0., 0., 0., 1., 0., 0., 1., 0., 0., 0., 0., 195. / 200.];
    let moves = ["@A2", "@D4", "@B4", "@E3", "B5-A4"];
    assert_eq!(corner(&after(&rules, &[])), start);
    assert_eq!(corner(&after(&rules, &moves[..1])), second);
    assert_eq!(corner(&after(&rules, &moves[..4])), opening);
    assert_eq!(corner(&after(&rules, &moves)), later);

    let co = corner(&after(&PLAIN.coneutron(), &[]));
    assert_eq!(co[4..6], [0., 1.], "the own home row loses");
}
