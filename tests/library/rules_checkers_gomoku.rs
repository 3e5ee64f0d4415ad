//! The rules of Checkers Gomoku, checked on drawn positions.

use std::collections::BTreeMap;

use rand::RngExt;
use serde_json::{Value, json};

use crate::base::rng::{Purpose, stream};
use crate::games::{
    CheckersGomoku, CheckersGomokuRules, Game, Outcome, Side, legal_turns, overridden, parse_turn,
};
use crate::registry;

const BLACK: Option<Outcome> = Some(Outcome::Win(Side::P1));
const WHITE: Option<Outcome> = Some(Outcome::Win(Side::P2));
const DRAW: Option<Outcome> = Some(Outcome::Draw);

fn rules(options: Value) -> CheckersGomokuRules {
    overridden(&CheckersGomokuRules::default(), options.as_object().unwrap()).unwrap()
}

/// A picture without the indentation of this file.
fn trimmed(picture: &str) -> String {
    picture.trim().lines().map(|line| line.trim().to_owned() + "\n").collect()
}

fn assert_drawn(game: &impl Game, picture: &str) {
    assert_eq!(trimmed(&game.to_string()), trimmed(picture));
}

fn play(game: &mut impl Game, turns: &str) {
    for text in turns.split_whitespace() {
        let turn = parse_turn(game, text).unwrap_or_else(|error| panic!("{error}\n{game}"));
        turn.play_on(game);
    }
}

/// A game whose placements lead to the picture, which has no line of five, without a capture.
fn drawn<G: Game<Rules = CheckersGomokuRules>>(options: Value, picture: &str) -> G {
    let cells_of = |colour: char| {
        let mut cells = Vec::new();
        for (row, line) in picture.trim().lines().take(8).enumerate() {
            let symbols = line.trim().chars().skip(2).step_by(2);
            let columns = ('a'..).zip(symbols).filter(|&(_, symbol)| symbol == colour);
            cells.extend(columns.map(|(column, _)| format!("{column}{}", 8 - row)));
        }
        cells
    };
    let (black, white) = (cells_of('x'), cells_of('o'));
    let mut game = G::initial(&rules(options));
    for turn in 0..black.len() + white.len() {
        play(&mut game, &[&black, &white][turn % 2][turn / 2]);
    }
    assert_drawn(&game, picture);
    game
}

fn position(options: Value, picture: &str) -> CheckersGomoku {
    drawn(options, picture)
}

/// The legal turns that begin with `head`, with `head` removed.
fn turns(game: &CheckersGomoku, head: &str) -> Vec<String> {
    let turns = legal_turns(game);
    turns.iter().filter_map(|turn| turn.text.strip_prefix(head)).map(str::to_owned).collect()
}

const FOUR_PLACED: &str = "
    8 . . . . . . . .
    7 . . . o . o o .
    6 . . . . . . . .
    5 . . . . . . . .
    4 . . . . . . . .
    3 . . . . . . . .
    2 . . . . . . . o
    1 x x x . x . . .
      a b c d e f g h
    hand x=8 o=8";

#[test]
fn a_placed_five_captures_one_piece_of_choice() {
    let mut game = position(json!({}), FOUR_PLACED);
    assert_eq!(turns(&game, "d1"), ["xd7", "xf7", "xg7", "xh2"]);
    assert_eq!(turns(&game, "d2"), [""], "no line, no capture");
    play(&mut game, "d1xf7");
    let after = "
        8 . . . . . . . .
        7 . . . o . . o .
        6 . . . . . . . .
        5 . . . . . . . .
        4 . . . . . . . .
        3 . . . . . . . .
        2 . . . . . . . o
        1 x x x x x . . .
          a b c d e f g h
        hand x=7 o=8";
    assert_drawn(&game, after);
    assert!(game.to_move() == Side::P2 && game.ply() == 9);
}

#[test]
fn between_the_halves_of_a_turn_the_same_side_chooses() {
    let mut game = position(json!({}), FOUR_PLACED);
    game.play(parse_turn(&game, "d1xf7").unwrap().actions[0]);
    assert!(game.to_move() == Side::P1 && game.ply() == 8);
    assert!(game.to_string().ends_with("hand x=7 o=8"));
    let mut planes = vec![0.0; CheckersGomoku::SPEC.observation()];
    game.observe(&mut planes);
    let plane = |shows: &str| {
        let index = CheckersGomoku::planes().iter().position(|plane| plane.starts_with(shows));
        &planes[index.unwrap() * 64..][..64]
    };
    let arrived = plane("the piece that has just completed a line");
    let arrived: Vec<usize> = (0..64).filter(|&cell| arrived[cell] == 1.0).collect();
    assert_eq!(arrived, [59], "d1");
    assert!(plane("captures due")[0] > 0.0, "the capture is announced");
}

#[test]
fn captured_pieces_never_return() {
    let mut game = position(json!({}), FOUR_PLACED);
    play(&mut game, "d1xf7 a3 b5 a8 b7 c4 e5 c6 d3 e8 f3 f6 g4 g2 h5 h6");
    let after = "
        8 o . . . o . . .
        7 . x . o . . o .
        6 . . o . . o . o
        5 . x . . x . . x
        4 . . o . . . x .
        3 o . . x . x . .
        2 . . . . . . o o
        1 x x x x x . . .
          a b c d e f g h
        hand x=0 o=0";
    assert_drawn(&game, after);
    assert!(turns(&game, "d1").contains(&"-e2".into()), "{game}");
}

#[test]
fn capturing_may_be_optional() {
    let mut game = position(json!({ "capture": "optional" }), FOUR_PLACED);
    assert_eq!(turns(&game, "d1"), ["", "xd7", "xf7", "xg7", "xh2"]);
    play(&mut game, "D1");
    assert!(game.ply() == 9 && game.to_string().contains("o . o o"));
    assert_eq!(turns(&game, "h8"), [""]);
}

#[test]
fn an_overline_captures_unless_a_line_has_to_be_exactly_five() {
    let picture = "
        8 . . . . . . . .
        7 . . o . o . o .
        6 x . . . . . . .
        5 x . . . . . . .
        4 . . . . . . . .
        3 x . . . . . . .
        2 x . . . . . o .
        1 x . . . . . . o
          a b c d e f g h
        hand x=7 o=7";
    let allowed = position(json!({}), picture);
    assert_eq!(turns(&allowed, "a4"), ["xc7", "xe7", "xg2", "xg7", "xh1"]);
    let exact = position(json!({ "overline": "exact" }), picture);
    assert_eq!(turns(&exact, "a4"), [""]);
}

/// A piece on a4 completes five in its row and six in its column.
const FIVE_AND_SIX: &str = "
    8 . . . . . . . .
    7 . . o . o . o .
    6 x . . . . . . .
    5 x . . . . . . .
    4 . x x x x . . .
    3 x . . . . . . .
    2 x . . o o o . o
    1 x . . o o . . .
      a b c d e f g h
    hand x=3 o=3";

#[test]
fn two_lines_at_once_capture_one_piece_or_one_each() {
    let count = |options| turns(&position(options, FIVE_AND_SIX), "a4").len();
    assert_eq!(count(json!({})), 9);
    assert_eq!(count(json!({ "per_move": "per_line" })), 9 * 8 / 2);
    assert_eq!(count(json!({ "per_move": "per_line", "overline": "exact" })), 9);
    assert_eq!(count(json!({ "per_move": "per_line", "capture": "optional" })), 36 + 9 + 1);
}

#[test]
fn two_captures_are_written_from_the_top_of_the_board() {
    let mut game = position(json!({ "per_move": "per_line" }), FIVE_AND_SIX);
    assert!(parse_turn(&game, "a4xe1xd1").is_err());
    assert!(parse_turn(&game, "a4xe1").is_err(), "both are compulsory");
    play(&mut game, "a4xd1xe1");
    assert!(game.ply() == 19 && game.to_move() == Side::P2);
    assert_eq!(game.to_string().matches('o').count(), 7 + "o=3".matches('o').count());
}

#[test]
fn an_optional_second_capture_may_be_declined() {
    let options = json!({ "per_move": "per_line", "capture": "optional" });
    let mut game = position(options, FIVE_AND_SIX);
    for text in ["a4", "a4xc7", "a4xe1", "a4xc7xe1"] {
        let mut copy = game;
        play(&mut copy, text);
        assert!(copy.ply() == 19, "{text}");
    }
    let turn = parse_turn(&game, "a4xe1").unwrap();
    assert_eq!(turn.actions.len(), 2, "nothing is left to decline after the last piece");
    let turn = parse_turn(&game, "a4xc7").unwrap();
    assert_eq!(turn.actions.last(), Some(&CheckersGomoku::SPEC.pass_action()));
    game.play(turn.actions[0]);
    assert!(!game.try_play(0), "not a piece");
}

/// All pieces placed, Black to move; a step of e2 to e1 makes five.
const ALL_PLACED: &str = "
    8 o o . o . o . o
    7 . . . . . . . .
    6 o . o . o . o o
    5 . . . . . . . .
    4 x . x . x . x x
    3 . . . . . . . .
    2 . . . . x . o o
    1 x x x x . . x x
      a b c d e f g h
    hand x=0 o=0";

fn enemies(game: &CheckersGomoku) -> usize {
    game.to_string().matches('o').count() - 1
}

#[test]
fn after_the_placements_pieces_step_in_eight_directions() {
    let game = position(json!({}), ALL_PLACED);
    assert!(legal_turns(&game).iter().all(|turn| turn.text.contains('-')));
    assert_eq!(turns(&game, "c4"), ["-b3", "-b4", "-b5", "-c3", "-c5", "-d3", "-d4", "-d5"]);
    assert_eq!(turns(&game, "d1"), ["-c2", "-d2", "-e1"]);
    assert_eq!(turns(&game, "a8"), [""; 0], "not Black's");
}

#[test]
fn a_standing_five_does_not_capture_again_but_one_entered_again_does() {
    let mut game = position(json!({}), ALL_PLACED);
    assert_eq!(turns(&game, "e2-e1").len(), 12);
    play(&mut game, "e2-e1xa8 h6-h7");
    assert_eq!(enemies(&game), 11);
    let captures = |text: &&str| text.contains('x');
    let standing = legal_turns(&game);
    let mut capturing = standing.iter().map(|turn| turn.text.as_str()).filter(captures);
    assert!(capturing.all(|text| text.starts_with("g1-f1x")), "only a sixth piece captures");
    play(&mut game, "e1-e2 h7-h6 e2-e1xb8");
    assert_eq!(enemies(&game), 10);
}

#[test]
fn leaving_a_line_captures_nothing_even_if_five_remain() {
    let mut game = position(json!({ "overline": "exact" }), ALL_PLACED);
    play(&mut game, "e2-e1xa8 h6-h7 g1-f2 h7-h6");
    assert_eq!(turns(&game, "f2-f1"), [""], "six");
    play(&mut game, "f2-f1 h6-h7");
    assert_eq!(turns(&game, "f1-f2"), [""], "a1 to e1 are five again, but f2 is not among them");
    assert_eq!(turns(&game, "a1-a2"), [""], "and so are b1 to f1");
}

#[test]
fn four_pieces_left_lose() {
    let mut game = position(json!({}), ALL_PLACED);
    let prey = ["a8", "b8", "d8", "f8", "h8", "a6", "c6", "e6"];
    for (count, cell) in (1..).zip(prey) {
        assert_eq!(game.outcome(), None);
        play(&mut game, &format!("e2-e1x{cell}"));
        assert_eq!(enemies(&game), 12 - count);
        if game.outcome().is_none() {
            play(&mut game, ["h6-h7", "h7-h6"][(count + 1) % 2]);
            play(&mut game, "e1-e2");
            play(&mut game, ["g6-g7", "g7-g6"][(count + 1) % 2]);
        }
    }
    assert_eq!((game.outcome(), enemies(&game)), (BLACK, 4));
    assert!(legal_turns(&game).is_empty());
}

/// World of Abstract Games: Black wins by the step to the cell marked there.
#[test]
fn a_diagonal_five_takes_the_fifth_last_piece_and_wins() {
    let board = "
        8 . x . . . . . .
        7 . x . . . . . .
        6 . . o x . . . .
        5 . . o . x . . .
        4 . . . o . x . .
        3 . . . . o o . .
        2 . . . . . . . .
        1 . . . . . . . .
          a b c d e f g h";
    let game = from_board(board, Side::P1).unwrap();
    assert_eq!((game.outcome(), game.to_move()), (None, Side::P1));
    let captures = turns(&game, "b7-c7");
    assert_eq!(captures, ["xc5", "xc6", "xd4", "xe3", "xf3"]);
    for capture in captures {
        let mut game = game;
        play(&mut game, &format!("b7-c7{capture}"));
        assert_eq!(game.outcome(), BLACK);
    }
}

fn from_board(board: &str, to_move: Side) -> Option<CheckersGomoku> {
    CheckersGomoku::from_board(&rules(json!({})), board, to_move)
}

#[test]
fn a_drawn_board_is_read_if_all_pieces_are_placed() {
    assert_eq!(from_board(ALL_PLACED, Side::P1), Some(position(json!({}), ALL_PLACED)));
    let white = from_board(ALL_PLACED, Side::P2).unwrap();
    assert!(white.to_move() == Side::P2 && white.ply() == 25);
    assert_drawn(&white, ALL_PLACED);

    assert_eq!(from_board(FOUR_PLACED, Side::P1), None, "pieces in hand");
    assert_eq!(from_board(&ALL_PLACED.replace(". . x x", ". x x x"), Side::P1), None, "13 pieces");
    let four = ALL_PLACED.replace("8 o o . o . o . o", "8 . . . . . . . .");
    let four = four.replace("6 o . o . o . o o", "6 . . . . . . o o");
    assert_eq!(from_board(&four, Side::P1), None, "White has lost before");
    assert_eq!(from_board(&four, Side::P2).unwrap().outcome(), BLACK);
    assert!(["", "x o .", "hand"].iter().all(|text| from_board(text, Side::P1).is_none()));
}

#[test]
fn a_side_that_cannot_step_loses() {
    let blocked = "
        8 . . . . o x x x
        7 . . . . o x x x
        6 . . . . o o o o
        5 . . . . . . . .
        4 . . . . . . . .
        3 o o o o . . . .
        2 x x x o . . . .
        1 x x x o . . . .
          a b c d e f g h
        hand x=0 o=0";
    assert_eq!(position(json!({}), blocked).outcome(), WHITE);
    let capped = json!({ "max_plies": 24 });
    assert_eq!(position(capped, blocked).outcome(), WHITE, "that comes before the limits");
}

#[test]
fn a_side_that_has_pieces_to_place_is_not_blocked() {
    let walled_in = "
        8 . . . . . . . .
        7 . . . . . . . .
        6 . . . . . . . .
        5 . . . . . . . .
        4 . . . . . . . .
        3 o o o o . . . .
        2 x x x o . . . .
        1 x x x o . . . .
          a b c d e f g h
        hand x=6 o=6";
    let game = position(json!({}), walled_in);
    assert_eq!((game.outcome(), legal_turns(&game).len()), (None, 52));
}

#[test]
fn at_the_limit_of_plies_the_game_is_drawn_or_goes_to_the_side_with_more_pieces() {
    let end = |result: &str, turns: &str| {
        let options = json!({ "max_plies": 10, "cap_result": result });
        let mut game = position(options, FOUR_PLACED);
        play(&mut game, turns);
        (game.ply(), game.outcome())
    };
    assert_eq!(end("draw", "d1xd7"), (9, None));
    assert_eq!(end("draw", "d1xd7 a8"), (10, DRAW));
    assert_eq!(end("material", "d1xd7 a8"), (10, BLACK));
    assert_eq!(end("material", "d2 a8"), (10, DRAW));
}

#[test]
fn steps_without_a_capture_make_a_draw() {
    let mut game = position(json!({ "no_capture_limit": 3 }), ALL_PLACED);
    play(&mut game, "e2-f2 h6-h7 f2-e2");
    assert_eq!(game.outcome(), DRAW);

    let mut game = position(json!({ "no_capture_limit": 3 }), ALL_PLACED);
    play(&mut game, "c4-c5 h6-h7 e2-e1xa8 h7-h6 e1-e2");
    assert_eq!(
        game.outcome(),
        None,
        "a capture, if only in the last moment, begins the count anew"
    );
    play(&mut game, "h6-h7");
    assert_eq!(game.outcome(), DRAW);

    let options = json!({ "no_capture_limit": 3, "capture": "optional" });
    let mut game = position(options, ALL_PLACED);
    play(&mut game, "c4-c5 h6-h7 e2-e1");
    assert_eq!(game.outcome(), DRAW, "a capture declined is none");
}

#[test]
fn a_limit_of_zero_is_no_limit() {
    let options = json!({ "no_capture_limit": 0, "max_plies": 0 });
    let mut game = position(options, ALL_PLACED);
    for _ in 0..200 {
        play(&mut game, "e2-f2 h6-h7 f2-e2 h7-h6");
    }
    assert!(game.ply() == 824 && game.outcome().is_none());
    let mut planes = vec![0.0; CheckersGomoku::SPEC.observation()];
    game.observe(&mut planes);
    assert!(planes.iter().all(|value| (0.0..=1.0).contains(value)));
}

#[test]
fn impossible_options_are_refused() {
    let refused = |options: Value| {
        let changes = options.as_object().unwrap().clone();
        registry::find("checkers_gomoku", &changes).unwrap_err().to_string()
    };
    assert!(refused(json!({ "repetition": "off" })).contains("unknown option `repetition`"));
    assert!(refused(json!({ "capture": "always" })).contains("`capture`"));
    assert!(refused(json!({ "per_mov": 1 })).contains("did you mean `per_move`?"));
}

/// A second, slow implementation of the rules, on a map of cells `(file, rank)`.
#[derive(Clone, Default)]
struct Slow {
    pieces: BTreeMap<(i32, i32), char>,
    ply: usize,
    quiet: usize,
}

impl Slow {
    fn colours(&self) -> [char; 2] {
        if self.ply.is_multiple_of(2) { ['x', 'o'] } else { ['o', 'x'] }
    }

    fn count(&self, colour: char) -> usize {
        let placed = if colour == 'x' { self.ply.div_ceil(2) } else { self.ply / 2 };
        self.pieces.values().filter(|&&piece| piece == colour).count() + 12 - placed.min(12)
    }

    /// The number of lines of five through a piece, counted on both sides of it.
    fn lines(&self, (file, rank): (i32, i32), exact: bool) -> usize {
        let colour = self.pieces[&(file, rank)];
        let along = |dx: i32, dy: i32| {
            let cells = (1..).map(|n| (file + n * dx, rank + n * dy));
            cells.take_while(|cell| self.pieces.get(cell) == Some(&colour)).count()
        };
        let lengths =
            [(1, 0), (0, 1), (1, 1), (1, -1)].map(|(dx, dy)| 1 + along(dx, dy) + along(-dx, -dy));
        lengths.into_iter().filter(|&length| length == 5 || length > 5 && !exact).count()
    }

    fn name((file, rank): (i32, i32)) -> String {
        format!("{}{rank}", char::from(b'a' + file as u8 - 1))
    }

    /// All legal turns by text, with the position after each.
    fn turns(&self, options: &Value) -> BTreeMap<String, Slow> {
        let cells = || (1..=8).rev().flat_map(|rank| (1..=8).map(move |file| (file, rank)));
        let empty = |cell: &(i32, i32)| !self.pieces.contains_key(cell);
        let mut turns = BTreeMap::new();
        let [own, other] = self.colours();
        for to in cells().filter(empty) {
            if self.ply < 24 {
                let mut next = self.clone();
                next.pieces.insert(to, own);
                next.capture(to, other, Self::name(to), options, &mut turns);
                continue;
            }
            let near = |from: &(i32, i32)| (from.0 - to.0).abs().max((from.1 - to.1).abs()) == 1;
            for from in cells().filter(|cell| near(cell) && self.pieces.get(cell) == Some(&own)) {
                let mut next = self.clone();
                next.pieces.remove(&from);
                next.pieces.insert(to, own);
                next.quiet += 1;
                let text = format!("{}-{}", Self::name(from), Self::name(to));
                next.capture(to, other, text, options, &mut turns);
            }
        }
        turns
    }

    /// Adds the turns in which a piece arrives on `to`, one for each choice of captures.
    fn capture(
        mut self,
        to: (i32, i32),
        other: char,
        text: String,
        options: &Value,
        turns: &mut BTreeMap<String, Slow>,
    ) {
        let lines = self.lines(to, options["overline"] == "exact");
        let mut enemies: Vec<_> =
            self.pieces.iter().filter(|&(_, &c)| c == other).map(|(&cell, _)| cell).collect();
        enemies.sort_unstable_by_key(|&(file, rank)| (-rank, file));
        let most = if options["per_move"] == "one" { 1 } else { 4 };
        let due = lines.min(most).min(enemies.len());
        self.ply += 1;
        let mut chosen = vec![vec![]];
        for &cell in &enemies {
            let longer: Vec<_> = chosen.iter().map(|set| [&set[..], &[cell]].concat()).collect();
            chosen.extend(longer.into_iter().filter(|set| set.len() <= due));
        }
        for set in chosen {
            if set.len() == due || options["capture"] == "optional" {
                let mut next = self.clone();
                next.pieces.retain(|cell, _| !set.contains(cell));
                next.quiet = if set.is_empty() { next.quiet } else { 0 };
                let text =
                    set.iter().fold(text.clone(), |text, &cell| text + "x" + &Self::name(cell));
                turns.insert(text, next);
            }
        }
    }

    fn outcome(&self, options: &Value) -> Option<Outcome> {
        let [next, mover] = self.colours();
        let winner = |colour| if colour == 'x' { BLACK } else { WHITE };
        if self.count(next) <= 4 || self.ply >= 24 && self.turns(options).is_empty() {
            winner(mover)
        } else if self.ply == 400 && options["cap_result"] == "material" {
            match self.count(mover).cmp(&self.count(next)) {
                std::cmp::Ordering::Greater => winner(mover),
                std::cmp::Ordering::Less => winner(next),
                std::cmp::Ordering::Equal => DRAW,
            }
        } else {
            (self.ply == 400 || self.quiet >= 100).then_some(Outcome::Draw)
        }
    }
}

/// Plays a random game with both implementations. Captures are preferred, so that there are many.
fn compare(options: &Value, seed: u64) -> Option<Outcome> {
    let mut rng = stream(seed, 0, 0, Purpose::Playout);
    let mut fast = CheckersGomoku::initial(&rules(options.clone()));
    let mut slow = Slow::default();
    loop {
        assert_eq!(fast.outcome(), slow.outcome(options), "{options} {}\n{fast}", slow.ply);
        if fast.outcome().is_some() {
            return fast.outcome();
        }
        let turns = slow.turns(options);
        let texts: Vec<_> = legal_turns(&fast).into_iter().map(|turn| turn.text).collect();
        assert!(texts.iter().map(|text| text.as_str()).eq(turns.keys()), "{options}\n{fast}");
        let captures: Vec<_> = texts.iter().filter(|text| text.contains('x')).collect();
        let text = match captures.len() {
            0 => &texts[rng.random_range(0..texts.len())],
            count => captures[rng.random_range(0..count)],
        };
        play(&mut fast, text);
        slow = turns[text.as_str()].clone();
        let cells: Vec<_> = fast
            .to_string()
            .lines()
            .take(8)
            .flat_map(|line| line.chars().skip(2).step_by(2).collect::<Vec<_>>())
            .collect();
        for (index, symbol) in (0..).zip(cells) {
            let piece = slow.pieces.get(&(index % 8 + 1, 8 - index / 8));
            assert_eq!(symbol, *piece.unwrap_or(&'.'));
        }
    }
}

#[test]
fn random_games_agree_with_a_second_implementation() {
    let mut won = 0;
    for choice in 0..16 {
        let of = |bit: u32, values: [&'static str; 2]| values[(choice >> bit) as usize & 1];
        let options = json!({
            "capture": of(0, ["mandatory", "optional"]),
            "overline": of(1, ["allow", "exact"]),
            "per_move": of(2, ["one", "per_line"]),
            "cap_result": of(3, ["draw", "material"]),
        });
        let outcomes = (0..4).map(|seed| compare(&options, seed));
        won += outcomes.filter(|outcome| *outcome != DRAW).count();
    }
    assert!(won > 8, "only {won} games were won");
}
