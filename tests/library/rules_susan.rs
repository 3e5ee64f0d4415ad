//! The rules of Susan, checked on drawn positions.

use rand::RngExt;
use serde_json::{Value, json};

use crate::base::rng::{Purpose, stream};
use crate::games::{
    Game, Notation, Outcome, Pie, Rules, Side, Susan, SusanRules, legal_turns, overridden,
    parse_turn, replay,
};

fn rules(changes: Value) -> SusanRules {
    overridden(&SusanRules::default(), changes.as_object().unwrap()).unwrap()
}

fn position(board: &str, to_move: Side) -> Susan {
    Susan::from_board(&SusanRules::default(), board, to_move).unwrap()
}

/// A position with the labels of the author's notation, as in the author's manual.
fn figure(board: &str, to_move: Side) -> Susan {
    Susan::from_board(&rules(json!({ "notation": "linhart" })), board, to_move).unwrap()
}

/// The turns that win at once.
fn winning(game: &Susan) -> Vec<String> {
    let win = Some(Outcome::Win(game.to_move()));
    texts(game).into_iter().filter(|turn| after(*game, &[turn]).outcome() == win).collect()
}

/// Plays turns. The game must not end before the last one.
fn after(mut game: Susan, turns: &[&str]) -> Susan {
    for turn in turns {
        let turn = parse_turn(&game, turn).unwrap();
        game.play(turn.actions[0]);
    }
    game
}

fn from_start(changes: Value, turns: &[&str]) -> Susan {
    after(Susan::initial(&rules(changes)), turns)
}

fn texts(game: &Susan) -> Vec<String> {
    legal_turns(game).iter().map(|turn| turn.text.to_string()).collect()
}

const P1_WINS: Option<Outcome> = Some(Outcome::Win(Side::P1));
const P2_WINS: Option<Outcome> = Some(Outcome::Win(Side::P2));
const DRAW: Option<Outcome> = Some(Outcome::Draw);

/// `a1` is the left end of the bottom row; its neighbours are `a2`, `b2` and `b1`.
const CORNER: &str = "
    9 . . . . .
   8 . . . . . .
  7 . . . . . . .
 6 . . . . . . . .
5 . . . . x . . . .
 4 . . . . . o . . i
  3 . . . . . . . h
   2 o . . . . . g
    1 x o . . . f
       a b c d e";

#[test]
fn a_drawn_board_is_read_and_drawn_again() {
    let board = "    9 . . . . .
   8 . . . . . .
  7 . . . . . . .
 6 . . . . o . . .
5 . . . . o . . . .
 4 . . . . x . . . i
  3 . . . . . . x h
   2 . . . . . . g
    1 . . . . . f
       a b c d e";
    let played = from_start(json!({}), &["e4", "f6", "g3", "e5"]);
    assert_eq!(played.to_string(), board);
    for to_move in [Side::P1, Side::P2] {
        assert_eq!(position(board, to_move).to_string(), board);
    }
    assert_eq!(Susan::from_board(&SusanRules::default(), "x o .", Side::P1), None);
}

#[test]
fn the_authors_notation_is_drawn_with_its_own_labels() {
    let played = from_start(json!({ "notation": "linhart" }), &["f5", "d5", "g7", "e5"]);
    let board = "       1 2 3 4 5
    a . . . . . 6
   b . . . . . . 7
  c . . . . . . . 8
 d . . . . o . . . 9
e . . . . o . . . .
 f . . . . x . . . 9
  g . . . . . . x 8
   h . . . . . . 7
    i . . . . . 6
       1 2 3 4 5";
    assert_eq!(played.to_string(), board);
}

#[test]
fn a_turn_places_on_any_empty_cell_or_slides_to_one_beside() {
    let game = from_start(json!({}), &["a1", "i9", "e5"]);
    assert_eq!(game.to_move(), Side::P2);
    let turns = texts(&game);
    assert_eq!(turns.len(), 58 + 3);
    assert!(["i9-h9", "i9-h8", "i9-i8", "a2"].iter().all(|turn| turns.contains(&(*turn).into())));

    let game = after(game, &["b1"]);
    let slides: Vec<_> = texts(&game).into_iter().filter(|turn| turn.contains('-')).collect();
    let around_e5 = ["e5-d4", "e5-d5", "e5-e4", "e5-e6", "e5-f5", "e5-f6"];
    assert_eq!(slides, [&["a1-a2", "a1-b2"][..], &around_e5].concat());
}

#[test]
fn a_turn_that_surrounds_an_own_stone_is_legal_and_loses() {
    let game = position(CORNER, Side::P1);
    assert_eq!(game.outcome(), None);
    assert_eq!(after(game, &["b2"]).outcome(), P2_WINS, "a1 is Black's");
    // A placement in the last empty cell: the new stone is the surrounded one.
    let hole = CORNER.replace("1 x o", "1 . o").replace("2 o .", "2 o x");
    assert_eq!(after(position(&hole, Side::P1), &["a1"]).outcome(), P2_WINS);
}

#[test]
fn surrounding_an_enemy_stone_wins_whatever_the_colours_around_it() {
    assert_eq!(after(position(CORNER, Side::P2), &["b2"]).outcome(), P2_WINS);
    let with_a_slider = CORNER.replace("3 . .", "3 . o");
    assert_eq!(after(position(&with_a_slider, Side::P2), &["b3-b2"]).outcome(), P2_WINS);
}

#[test]
fn the_mover_loses_when_stones_of_both_colours_are_surrounded() {
    // Filling b2 surrounds a1, a black stone, and a2, a white one.
    let both = CORNER.replace("3 . .", "3 x x");
    assert_eq!(after(position(&both, Side::P1), &["b2"]).outcome(), P2_WINS);
    assert_eq!(after(position(&both, Side::P2), &["b2"]).outcome(), P1_WINS);
}

#[test]
fn a_sliding_stone_is_not_surrounded_since_it_leaves_an_empty_cell() {
    let hole = CORNER.replace("1 x o", "1 . o").replace("2 o .", "2 o x");
    assert_eq!(after(position(&hole, Side::P1), &["b2-a1"]).outcome(), None);
}

/// The black stone on e4 has one adjacent empty cell. Linhart's manual, "Threatened".
const THREATENED: &str = "
       1 2 3 4 5
    a . . . . . 6
   b . . . . . . 7
  c . . . . . . . 8
 d . . o o . . . . 9
e . x . x o . . . .
 f . x x o . . . . 9
  g . . . . . . . 8
   h . . . . . . 7
    i . . . . . 6
       1 2 3 4 5";

/// Linhart's manual, "Threatened", "Defended" and "Standoff"; the first also in the World of
/// Abstract Games.
#[test]
fn a_threatened_stone_is_saved_by_making_the_last_cell_deadly() {
    assert_eq!(winning(&figure(THREATENED, Side::P2)), ["e3"]);

    let defended = after(figure(THREATENED, Side::P1), &["d2"]);
    assert!(winning(&defended).is_empty());
    assert_eq!(after(defended, &["e3"]).outcome(), P1_WINS);

    let standoff = after(defended, &["d3-e3"]);
    assert!(standoff.to_string().contains("d . x . o . . . . 9\ne . x o x o . . . ."));
    assert!(winning(&standoff).is_empty());
    assert_eq!(after(standoff, &["d3"]).outcome(), P2_WINS, "e4 and e3 are surrounded");
    assert_eq!(after(standoff, &["a1", "d3"]).outcome(), P1_WINS);
}

/// Linhart's manual, "Safe".
#[test]
fn a_stone_beside_a_corner_cannot_be_surrounded() {
    let board = "
       1 2 3 4 5
    a . . . . . 6
   b . . . . . . 7
  c . . . . . . . 8
 d . . . . . . o o 9
e . . . . . . o x .
 f . . . . . . o o 9
  g . . . . . . . 8
   h . . . . . . 7
    i . . . . . 6
       1 2 3 4 5";
    let game = figure(board, Side::P2);
    assert!(winning(&game).is_empty());
    assert_eq!(after(game, &["e9"]).outcome(), P1_WINS, "the corner would be surrounded too");
}

/// Linhart's manual, on attack: an own neighbour helps, so that five enemy stones are enough.
#[test]
fn an_own_neighbour_helps_to_surround_a_stone() {
    let board = "
       1 2 3 4 5
    a . . . . . 6
   b . . . . . . 7
  c . . . . . . . 8
 d . . . . . . . . 9
e . . . o o . . . .
 f . . o x o . . . 9
  g . . o x . . . 8
   h . . . . . . 7
    i . . . . . 6
       1 2 3 4 5";
    assert_eq!(figure(board, Side::P1).outcome(), P2_WINS);
    let four = board.replace("e . . . o o", "e . . . . o");
    assert_eq!(winning(&figure(&four, Side::P2)), ["e4"]);
}

/// After a slide of the stone in the centre that threatens nothing, every turn of Black loses, at
/// once or to White's next turn. Linhart's manual, on the end of a game.
#[test]
fn every_turn_may_lose() {
    let board = "
       1 2 3 4 5
    a . o . x . 6
   b x x x o x x 7
  c . o . x . x . 8
 d o x o x o o x x 9
e . o . x o . . o .
 f o o x x o o x o 9
  g . o . x . o . 8
   h o o x o x x 7
    i . o . x . 6
       1 2 3 4 5";
    let game = after(figure(board, Side::P2), &["e5-e6"]);
    assert_eq!(game.outcome(), None);
    for turn in texts(&game) {
        let next = after(game, &[&turn]);
        assert!(next.outcome() == P2_WINS || !winning(&next).is_empty(), "{turn}");
    }
}

/// Linhart's manual, example game. Turn 45 is printed as d5-e7, which is not a slide and leaves a
/// white stone. Only d6-e7 leads to the last diagram.
#[test]
fn a_published_game() {
    let turns = "d6 b5 c4 b2 d3 e2 f3 h2 g4 h5 f6 e8 f2 e5 f5 d2 f4 h3 d4 g2 d5 g5 f6-f7 h4 f5-f6 \
                 e6 c4-b3 g5-g6 f3-e4 e6-e7 c6 c4 d3-c2 d3 d5-c5 e7-d7 f6-f5 e5-d5 c5-b4 f3 g4-g5 \
                 h3-g4 f5-e6 f5 d6-e7 d5-d6 h3 g6-f6";
    let turns: Vec<_> = turns.split(' ').collect();
    let played = |count: usize| from_start(json!({ "notation": "linhart" }), &turns[..count]);
    let after_thirty = "       1 2 3 4 5
    a . . . . . 6
   b . o x . o . 7
  c . . . . . . . 8
 d . o x x x x . . 9
e . o . x o . o o .
 f . x . x . x x . 9
  g . o . x . o . 8
   h . o o o o . 7
    i . . . . . 6
       1 2 3 4 5";
    assert_eq!(played(30).to_string(), after_thirty);
    assert!(parse_turn(&played(44), "d5-e7").is_err());
    let end = "       1 2 3 4 5
    a . . . . . 6
   b . o x x o . 7
  c . x . o . x . 8
 d . o o x . o o . 9
e . o . x . x x o .
 f . x o x o o x . 9
  g . o . o x . . 8
   h . o x o o . 7
    i . . . . . 6
       1 2 3 4 5";
    let game = played(48);
    assert_eq!((game.to_string().as_str(), game.outcome()), (end, P2_WINS), "e7 is surrounded");
}

const FIVE_SLIDES: [&str; 5] = ["e5-e6", "g7-g6", "e6-e5", "g6-g7", "e5-e6"];

#[test]
fn six_slides_in_a_row_are_a_draw() {
    let game = from_start(json!({}), &["e5", "g7"]);
    let game = after(game, &FIVE_SLIDES);
    assert_eq!(game.outcome(), None);
    let drawn = after(game, &["g7-g6"]);
    assert_eq!(drawn.outcome(), DRAW);
    assert!(texts(&drawn).is_empty());
}

#[test]
fn a_placement_starts_the_count_of_slides_anew() {
    let game = after(from_start(json!({}), &["e5", "g7"]), &FIVE_SLIDES);
    let game = after(game, &["a1", "e6-e5", "g7-g6", "e5-e6", "g6-g7", "e6-e5"]);
    assert_eq!(game.outcome(), None);
    assert_eq!(after(game, &["g7-g6"]).outcome(), DRAW);
}

#[test]
fn a_sixth_slide_that_surrounds_decides_the_game() {
    let board = CORNER.replace("3 . .", "3 . o");
    let four = ["e5-e6", "f4-f5", "e6-e5", "f5-f4"];
    let white_slides_last = after(after(position(&board, Side::P1), &four), &["e5-e6"]);
    assert_eq!(after(white_slides_last, &["f4-f5"]).outcome(), DRAW);
    assert_eq!(after(white_slides_last, &["b3-b2"]).outcome(), P2_WINS);
    let black_slides = board.replace("1 x o", "1 x .").replace("2 o .", "2 o o");
    let black_slides = black_slides.replace(" . . . f", " x . . f").replace("1 x . .", "1 x . x");
    let reply = ["f4-f5", "e5-e6", "f5-f4", "e6-e5", "f4-f5"];
    let game = after(position(&black_slides, Side::P2), &reply);
    assert_eq!(after(game, &["c1-b1"]).outcome(), P2_WINS, "and so does a suicidal one");
}

#[test]
fn the_notations_name_the_same_cells() {
    let start = |notation| Susan::initial(&SusanRules { notation, ..SusanRules::default() });
    let (skewed, linhart) = (start(Notation::Skewed), start(Notation::Linhart));
    let mut actions = Vec::new();
    skewed.legal_actions(&mut actions);
    assert_eq!(actions.len(), 61);
    for action in actions {
        let [file, rank] = *skewed.action_text(action).as_bytes() else { panic!() };
        let [row, number] = *linhart.action_text(action).as_bytes() else { panic!() };
        let (file, rank) = (i32::from(file - b'a') + 1, i32::from(rank - b'0'));
        let (row, number) = (i32::from(row - b'a') + 1, i32::from(number - b'0'));
        assert!((file - rank).abs() <= 4);
        assert_eq!((rank, file), (10 - row, number + (rank - 5).max(0)));
        assert_eq!((row, number), (10 - rank, file - (rank - 5).max(0)));
    }
}

#[test]
fn each_notation_has_its_own_sixty_one_names() {
    let names = |changes| texts(&from_start(changes, &[]));
    let rows = |lines: [(char, u8, u8); 9]| {
        let cells = lines.into_iter().flat_map(|(letter, first, last)| {
            (first..=last).map(move |number| format!("{letter}{number}"))
        });
        cells.collect::<Vec<_>>()
    };
    let skewed = ('a'..='i')
        .zip(1..)
        .map(|(file, f): (char, u8)| (file, f.saturating_sub(4).max(1), (f + 4).min(9)));
    let linhart =
        ('a'..='i').zip([5, 6, 7, 8, 9, 8, 7, 6, 5]).map(|(row, length)| (row, 1, length));
    let nine = |lines: Vec<_>| <[_; 9]>::try_from(lines).unwrap();
    assert_eq!(names(json!({})), rows(nine(skewed.collect())));
    assert_eq!(names(json!({ "notation": "linhart" })), rows(nine(linhart.collect())));
    for cell in ["i3", "i4"] {
        assert!(parse_turn(&from_start(json!({}), &[]), cell).is_err());
        assert!(parse_turn(&from_start(json!({ "notation": "linhart" }), &[]), cell).is_ok());
    }
}

#[test]
fn slides_are_written_in_either_notation() {
    let skewed = from_start(json!({}), &["e5", "i9", "e5-f6"]);
    let linhart = from_start(json!({ "notation": "linhart" }), &["e5", "a5", "e5-d5"]);
    assert_eq!(skewed.position_key(), linhart.position_key());
}

#[test]
fn with_the_pie_rule_the_second_player_may_take_the_first_stone_over() {
    let pie = json!({ "pie": "on" });
    let first = from_start(pie.clone(), &["e5"]);
    assert_eq!(texts(&first).len(), 60 + 1);
    let swapped = after(first, &["swap"]);
    assert_eq!((swapped.to_move(), swapped.ply(), swapped.outcome()), (Side::P1, 2, None));
    assert!(swapped.to_string().contains("5 . . . . o . . . ."), "{swapped}");
    assert_ne!(swapped.position_key(), first.position_key());
    assert_eq!(texts(&swapped).len(), 60, "there is no swapping back, and no own stone to slide");
    let game = after(swapped, &["a1"]);
    assert_eq!(texts(&game).len(), 59 + 6, "the stone taken over is the second player's");

    for turns in [&[][..], &["e5", "d3"], &["e5", "d3", "a1"]] {
        assert!(!texts(&from_start(pie.clone(), turns)).contains(&"swap".into()));
    }
    assert!(!texts(&from_start(json!({}), &["e5"])).contains(&"swap".into()));
    assert_eq!(rules(pie).pie, Pie::On);
}

#[test]
fn a_limit_of_turns_is_a_draw_unless_the_last_turn_decides() {
    let limited = rules(json!({ "max_plies": 3 }));
    assert_eq!(limited.longest_game(), 3);
    let turns = ["a1", "a2", "i9"];
    assert_eq!(replay::<Susan, _>(&limited, &turns[..2]).unwrap().outcome(), None);
    assert_eq!(replay::<Susan, _>(&limited, &turns).unwrap().outcome(), DRAW);
    let limited = rules(json!({ "max_plies": 5 }));
    let turns = ["b1", "a1", "a2", "i9", "b2"];
    assert_eq!(replay::<Susan, _>(&limited, &turns).unwrap().outcome(), P1_WINS);
    assert_eq!(SusanRules::default().longest_game(), 366);
}

/// Another program counted 41.6 turns per game and 15.8 % draws in 10,000 random games.
#[test]
fn random_games_are_as_long_as_those_of_another_program() {
    const GAMES: u64 = 10_000;
    let (mut turns, mut draws, mut actions) = (0.0, 0.0, Vec::new());
    for index in 0..GAMES {
        let mut rng = stream(1, 0, index, Purpose::Playout);
        let mut game = Susan::initial(&SusanRules::default());
        while game.outcome().is_none() {
            game.legal_actions(&mut actions);
            game.play(actions[rng.random_range(0..actions.len())]);
        }
        turns += f64::from(game.ply());
        draws += f64::from(u8::from(game.outcome() == DRAW));
    }
    let (turns, draws) = (turns / GAMES as f64, draws / GAMES as f64);
    assert!((turns - 41.62).abs() < 0.6, "{turns} turns");
    assert!((draws - 0.158).abs() < 0.015, "{draws} draws");
}
