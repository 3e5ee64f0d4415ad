//! The rules of Neutron and its variants, checked on drawn positions.

use rand::RngExt;
use serde_json::{Value, json};

use crate::base::rng::{Purpose, stream};
use crate::games::neutron::{Forbid, Restriction};
use crate::games::{
    Game, Neutron, NeutronRules, Outcome, Side, TurnError, legal_turns, parse_turn, replay,
};
use crate::registry;

type Neutron5 = Neutron<5>;

const PLAIN: NeutronRules = NeutronRules::FIVE;

fn after(rules: &NeutronRules, moves: &[&str]) -> Neutron5 {
    replay(rules, moves).unwrap_or_else(|(index, error)| panic!("move {index}: {error}"))
}

fn position(rules: &NeutronRules, board: &str, to_move: Side) -> Neutron5 {
    let game = Neutron5::from_board(rules, board, to_move).expect("a position");
    assert_eq!(game.outcome(), None, "the position is to be played on");
    game
}

fn play<G: Game>(game: G, turn: &str) -> G {
    let turn = parse_turn(&game, turn).unwrap_or_else(|error| panic!("{error}\n{game}"));
    turn.after(&game)
}

/// The legal turns that begin with `head`, with `head` removed.
fn turns_after(game: &Neutron5, head: &str) -> Vec<String> {
    turns(game).iter().filter_map(|turn| turn.strip_prefix(head)).map(str::to_owned).collect()
}

/// The cells to which the neutron can slide.
fn neutron_slides(game: &Neutron5) -> Vec<String> {
    let mut cells: Vec<_> = turns(game).iter().map(|turn| turn[..2].to_owned()).collect();
    cells.dedup();
    cells
}

/// The winner after `moves`, `None` if the game is not over.
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
    registry::find("neutron5", changes).expect_err("impossible options").to_string()
}

#[test]
fn the_start() {
    let start = Neutron::<7, 7>::initial(&NeutronRules::SEVEN);
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

/// The last turn and the blockade are those of a published game of 29 turns. The turns before are
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

/// PBeM help on Neutron, figure 2.
const SAMPLE: &str = "
  A B C D E
1 . . x . o
2 x o . . .
3 . . * . o
4 x x x . .
5 . . o . o";

#[test]
fn slides_in_a_published_position() {
    let [white, black] = [Side::P1, Side::P2].map(|side| position(&PLAIN, SAMPLE, side));
    for game in [white, black] {
        assert_eq!(neutron_slides(&game), ["A3", "C2", "D2", "D3", "D4"]);
    }
    assert_eq!(turns_after(&white, "A3,C5-"), ["A5", "D4", "D5"]);
    // The four slides of the help, and a fifth because the neutron has left C3.
    assert_eq!(turns_after(&black, "D3,B4-"), ["A3", "A5", "B3", "B5", "D2"]);
}

#[test]
fn whoever_moves_wins_the_published_position() {
    let white_blocks = play(position(&PLAIN, SAMPLE, Side::P1), "A3,E3-B3");
    assert_eq!(white_blocks.outcome(), Some(Outcome::Win(Side::P1)));

    let black = position(&PLAIN, SAMPLE, Side::P2);
    assert_eq!(play(black, "A3,C4-B3").outcome(), Some(Outcome::Win(Side::P2)));
    let forced = play(black, "A3,A2-B3");
    assert_eq!(turns(&forced), ["A1"]);
    assert_eq!(play(forced, "A1").outcome(), Some(Outcome::Win(Side::P2)));
}

/// Whether the side to move can win by force within this number of its own turns.
fn can_win(game: &Neutron5, within: u32) -> bool {
    let win = Some(Outcome::Win(game.to_move()));
    let wins = |game: Neutron5, within| match game.outcome() {
        None => can_win(&game, within),
        outcome => outcome == win,
    };
    let answered = |game: Neutron5| match game.outcome() {
        None => legal_turns(&game).iter().all(|reply| wins(reply.after(&game), within - 1)),
        outcome => outcome == win,
    };
    within > 0 && legal_turns(game).iter().any(|turn| answered(turn.after(game)))
}

/// World of Abstract Games, the example of Neutron, with our row numbers. The source says that
/// White loses within two turns, but one defence lasts longer.
#[test]
fn a_published_winning_turn_of_black() {
    let board = "
1 . x x x x
2 o . . . .
3 o . . . *
4 . . . x .
5 o o . . o";
    let game = play(position(&PLAIN, board, Side::P2), "E2,C1-E3");
    assert_eq!(neutron_slides(&game), ["B2", "C4"]);
    let mut replies = turns(&game);
    replies.retain(|reply| !can_win(&play(game, reply), 1));
    assert_eq!(replies, ["C4,A3-C1"]);
    let defended = play(game, "C4,A3-C1");
    assert!(!can_win(&defended, 2) && can_win(&defended, 3));
}

#[test]
fn drawn_boards_are_read() {
    fn check<const N: usize>(rules: NeutronRules) {
        for seed in 0..20 {
            let mut rng = stream(seed, 0, 0, Purpose::Playout);
            let mut game = Neutron::<N, N>::initial(&rules);
            let first_full = 2 * u32::from(rules.holes) + 1;
            while game.outcome().is_none() {
                let turns = legal_turns(&game);
                game = turns[rng.random_range(0..turns.len())].after(&game);
                if game.ply() >= first_full {
                    let board = game.to_string();
                    let read = Neutron::<N, N>::from_board(&rules, &board, game.to_move()).unwrap();
                    assert_eq!((read.to_string(), read.to_move()), (board, game.to_move()));
                    assert_eq!(read.position_key(), game.position_key());
                    assert_eq!(read.outcome(), game.outcome());
                    assert_eq!(legal_turns(&read), legal_turns(&game));
                }
            }
        }
    }
    check::<5>(PLAIN);
    check::<5>(PLAIN.coneutron());
    check::<5>(PLAIN.with_holes(2));
    check::<7>(NeutronRules::SEVEN.with_holes(1));
}

#[test]
fn malformed_boards_are_rejected() {
    let read = |rules: &NeutronRules, board: &str| Neutron5::from_board(rules, board, Side::P1);
    assert!(read(&PLAIN, SAMPLE).is_some());
    assert_eq!(read(&PLAIN.with_holes(1), SAMPLE), None, "no holes");
    let texts = ["", "x o * .", &SAMPLE.replace('*', "."), &SAMPLE.replace("x o", "* o")];
    assert!(texts.iter().all(|text| read(&PLAIN, text).is_none()));
    let two_holes = SAMPLE.replace("o . . .", "o # # .");
    assert!(read(&PLAIN.with_holes(1), &two_holes).is_some());
    assert_eq!(read(&PLAIN, &two_holes), None);
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
    // On B2 the neutron would block all of Black's pieces. On A5 and C5 it ends the game.
    let turns = turns(&game);
    assert!(turns.iter().all(|turn| !turn.starts_with("B2")), "{turns:?}");
    assert!(["A5", "C5", "E3,B1-B4"].iter().all(|turn| turns.iter().any(|other| other == turn)));
}

/// Which of three slides of White are legal, in full or stopped by a wall, after the neutron has
/// moved to D2: A3 to White's home row, B5 along it, and E5 to Black's.
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
    // PBeM help on CoNeutron.
    assert_eq!(neutron_slides(&start), ["A3", "B2", "B4", "C2", "C4", "D2", "D4", "E3"]);
    assert!(parse_turn(&start, "A3,B5-B2").is_ok());
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

/// PBeM help on CoNeutron, example 1. The page names four of the piece's six slides, and a fifth as
/// the turn that is played.
#[test]
fn slides_in_a_published_position_of_coneutron() {
    let board = "
1 . . x . x
2 x x x . .
3 . . * o .
4 . . o . .
5 o . o o .";
    let game = position(&PLAIN.coneutron(), board, Side::P1);
    assert_eq!(neutron_slides(&game), ["A3", "B4", "D2", "E5"]);
    assert!(turns(&game).contains(&"E5".to_owned()));
    assert_eq!(play(game, "E5").outcome(), Some(Outcome::Win(Side::P2)));
    assert_eq!(turns_after(&game, "A3,D3-"), ["B3", "D1", "D4", "E2", "E3", "E4"]);
    drawn(
        &play(game, "A3,D3-E2"),
        &["  A B C D E", "1 . . x . x", "2 x x x . o", "3 * . . . .", "4 . . o . .", "5 o . o o ."],
    );
}

/// PBeM help on CoNeutron, examples 2 to 4.
#[test]
fn published_wins_of_coneutron() {
    let open = "
1 . x x . .
2 . x . . o
3 x . x o .
4 * . o . .
5 o o . . .";
    let rules = PLAIN.coneutron();
    let white_wins = Some(Outcome::Win(Side::P1));
    assert_eq!(play(position(&rules, open, Side::P1), "D1").outcome(), white_wins);

    let beside = open.replace("* .", ". *");
    let forced = play(position(&rules, &beside, Side::P1), "A4,C4-B4");
    assert_eq!(turns(&forced), ["D1"]);
    assert_eq!(play(forced, "D1").outcome(), white_wins);

    let closed = beside.replace(". x . . o", ". . . . o").replace("x . x o", "x x x o");
    assert_eq!(play(position(&rules, &closed, Side::P1), "A4,C4-B4").outcome(), white_wins);
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

/// Both sides move a piece up and down and the neutron back and forth.
const TO_AND_FRO: [&str; 10] = [
    "D5-D2", "E3,B1-B4", "A3,D2-D5", "E3,B4-B1", "A3,D5-D2", "E3,B1-B4", "A3,D2-D5", "E3,B4-B1",
    "A3,D5-D2", "E3,B1-B4",
];

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
    assert!(refusal(json!({ "repetition": "off" })).contains("unknown option `repetition`"));
}

/// The value of every plane at the bottom left cell, on the home row of the side to move.
fn corner(game: &Neutron5) -> Vec<f32> {
    let mut planes = vec![f32::NAN; Neutron5::SPEC.observation()];
    game.observe(&mut planes);
    planes.chunks(25).map(|plane| plane[20]).collect()
}

#[test]
fn each_side_sees_its_home_row_at_the_bottom() {
    let rules = PLAIN.with_holes(2).restricted(Forbid::Opponent);
    // Own, other, neutron, hole; won, lost; forbidden to either; where things come to
    // rest, no piece or neutron on a piece; piece, holes, opening, wall, left.
    let start = [1., 0., 0., 0., 1., 0., 0., 1., 0., 0., 0., 0., 1., 1., 0., 1.];
    let second = [1., 0., 0., 0., 1., 0., 0., 1., 0., 0., 0., 0., 0.75, 1., 0., 199. / 200.];
    let opening = [1., 0., 0., 0., 1., 0., 0., 1., 0., 0., 0., 1., 0., 1., 0., 196. / 200.];
    let later = [1., 0., 0., 0., 1., 0., 0., 1., 0., 0., 0., 0., 0., 0., 0., 195. / 200.];
    let moves = ["@A2", "@D4", "@B4", "@E3", "B5-A4"];
    assert_eq!(corner(&after(&rules, &[])), start);
    assert_eq!(corner(&after(&rules, &moves[..1])), second);
    assert_eq!(corner(&after(&rules, &moves[..4])), opening);
    assert_eq!(corner(&after(&rules, &moves)), later);

    let co = corner(&after(&PLAIN.coneutron(), &[]));
    assert_eq!(co[4..6], [0., 1.], "the own home row loses");
}

/// AbstractPlay's rules, with home rows that are forbidden to pieces.
fn abstractplay(forbid: Forbid) -> NeutronRules {
    PLAIN.restricted(forbid).abstractplay()
}

#[test]
fn on_abstractplay_only_the_movers_row_ends_the_game() {
    let rules = abstractplay(Forbid::None);
    let board = "x x x x .  . . . . .  . . * . .  . . . . .  o o . o o";
    let game = position(&rules, board, Side::P2);
    // White's home row: the turn goes on with a piece, and White has to slide the neutron away.
    assert!(refuses(&game, "C5"));
    let game = play(game, "C5,A1-A4");
    assert_eq!(game.outcome(), None);
    drawn(
        &game,
        &["  A B C D E", "1 . x x x .", "2 . . . . .", "3 . . . . .", "4 x . . . .", "5 o o * o o"],
    );
    let read = Neutron5::from_board(&rules, &game.to_string(), Side::P1).expect("a position");
    assert_eq!(turns(&read), turns(&game));
    // On Black's own home row the game ends without a piece.
    let home = play(position(&rules, board, Side::P2), "E1");
    assert_eq!(home.outcome(), Some(Outcome::Win(Side::P2)));
}

#[test]
fn on_abstractplay_a_neutron_may_slide_along_the_row_and_win() {
    let rules = abstractplay(Forbid::None);
    let board = "x x x x x  . . . . .  . . . . .  o . . . .  . * o o o";
    let game = position(&rules, board, Side::P1);
    assert_eq!(play(game, "A5").outcome(), Some(Outcome::Win(Side::P1)));
    // If it came by a turn of White, White has won.
    let over = Neutron5::from_board(&rules, board, Side::P2).expect("a position");
    assert_eq!(over.outcome(), Some(Outcome::Win(Side::P1)));
}

#[test]
fn on_abstractplay_pieces_may_slide_along_their_own_home_row() {
    let board = "x x x x x  . . . . .  . . * . .  o . . . .  . o o o .";
    let onto_the_row = |rules: &NeutronRules| -> Vec<String> {
        let after = turns_after(&position(rules, board, Side::P1), "C2,");
        after.into_iter().filter(|turn| turn.ends_with('5')).collect()
    };
    assert!(onto_the_row(&PLAIN.restricted(Forbid::Both)).is_empty());
    // Not A4-A5: that piece does not stand on the row.
    assert_eq!(onto_the_row(&abstractplay(Forbid::Both)), ["B5-A5", "D5-E5"]);
    assert_eq!(onto_the_row(&abstractplay(Forbid::Own)), ["B5-A5", "D5-E5"]);
    // The row of the opponent stays forbidden, also to pieces on it.
    let other = board.replace("x x x x x", "x x x x o");
    let rules = abstractplay(Forbid::Opponent);
    assert!(!turns(&position(&rules, &other, Side::P1)).iter().any(|turn| turn.ends_with('1')));
    // With walls a piece that stands on the row sees no wall along it.
    let wall = NeutronRules { restriction: Restriction::Wall, ..abstractplay(Forbid::Both) };
    assert_eq!(onto_the_row(&wall), ["B5-A5", "D5-E5"]);
}
