//! The rules of Breakthrough, checked on drawn positions.

use rand::RngExt;

use crate::base::rng::{Purpose, stream};
use crate::games::symmetry::Permutation;
use crate::games::{
    Breakthrough, BreakthroughRules, Game, Outcome, Rules, Side, legal_turns, parse_turn,
};

type Small = Breakthrough<6>;

const WHITE: Option<Outcome> = Some(Outcome::Win(Side::P1));
const BLACK: Option<Outcome> = Some(Outcome::Win(Side::P2));

fn start<const N: usize>() -> Breakthrough<N> {
    Game::initial(&BreakthroughRules {})
}

/// A picture without the indentation of this file.
fn trimmed(picture: &str) -> String {
    let lines: Vec<_> = picture.trim().lines().map(str::trim).collect();
    lines.join("\n")
}

fn position(picture: &str, to_move: Side) -> Small {
    let game = Small::from_board(picture, to_move).unwrap();
    assert_drawn(&game, picture);
    assert_eq!(game.to_move(), to_move);
    game
}

#[track_caller]
fn assert_drawn(game: &impl Game, picture: &str) {
    assert_eq!(trimmed(&game.to_string()), trimmed(picture));
}

fn turns(game: &impl Game) -> Vec<String> {
    legal_turns(game).iter().map(|turn| turn.text.to_string()).collect()
}

fn play(game: &mut impl Game, turns: &str) {
    for text in turns.split_whitespace() {
        parse_turn(game, text).unwrap_or_else(|error| panic!("{error}\n{game}")).play_on(game);
    }
}

#[test]
fn the_start() {
    assert_eq!(start::<6>().to_move(), Side::P1, "White");
    assert_drawn(
        &start::<6>(),
        "6 x x x x x x
         5 x x x x x x
         4 . . . . . .
         3 . . . . . .
         2 o o o o o o
         1 o o o o o o
           a b c d e f",
    );
    assert_drawn(
        &start::<8>(),
        "8 x x x x x x x x
         7 x x x x x x x x
         6 . . . . . . . .
         5 . . . . . . . .
         4 . . . . . . . .
         3 . . . . . . . .
         2 o o o o o o o o
         1 o o o o o o o o
           a b c d e f g h",
    );
}

#[test]
fn the_first_turns_of_both_sides() {
    let mut game = start::<6>();
    let white = [
        "a2-a3", "a2-b3", "b2-a3", "b2-b3", "b2-c3", "c2-b3", "c2-c3", "c2-d3", "d2-c3", "d2-d3",
        "d2-e3", "e2-d3", "e2-e3", "e2-f3", "f2-e3", "f2-f3",
    ];
    assert_eq!(turns(&game), white);
    play(&mut game, "b2-c3");
    assert_eq!(turns(&game), white.map(|turn| turn.replace('2', "5").replace('3', "4")));
    play(&mut game, "F5-e4");
    assert_drawn(
        &game,
        "6 x x x x x x
         5 x x x x x .
         4 . . . . x .
         3 . . o . . .
         2 o . o o o o
         1 o o o o o o
           a b c d e f",
    );
}

#[test]
fn straight_ahead_a_piece_of_either_side_blocks_and_diagonally_an_own_one() {
    let picture = "6 . . . . . .
                   5 . . . . . .
                   4 . . x . . .
                   3 . o o . . .
                   2 . o . . . .
                   1 . . . . . .
                     a b c d e f";
    let white = position(picture, Side::P1);
    assert_eq!(turns(&white), ["b2-a3", "b3-a4", "b3-b4", "b3xc4", "c3-b4", "c3-d4"]);
    let black = position(picture, Side::P2);
    assert_eq!(turns(&black), ["c4-d3", "c4xb3"]);
}

#[test]
fn moves_do_not_wrap_around_the_edges() {
    let white = position(
        "6 . . . . . .
         5 . . . . . .
         4 x . . . . x
         3 o . . . . o
         2 . . . . . .
         1 . . . . . .
           a b c d e f",
        Side::P1,
    );
    assert_eq!(turns(&white), ["a3-b4", "f3-e4"]);
}

#[test]
fn a_capture_takes_the_place_of_the_enemy_and_is_not_forced() {
    let mut game = position(
        "6 . . . . . .
         5 . . x . x .
         4 . . . o . .
         3 . . . . . .
         2 . . . . . .
         1 . . . . . .
           a b c d e f",
        Side::P1,
    );
    assert_eq!(turns(&game), ["d4-d5", "d4xc5", "d4xe5"]);
    play(&mut game, "d4xe5");
    assert_eq!((game.outcome(), game.ply()), (None, 1));
    assert_drawn(
        &game,
        "6 . . . . . .
         5 . . x . o .
         4 . . . . . .
         3 . . . . . .
         2 . . . . . .
         1 . . . . . .
           a b c d e f",
    );
}

#[test]
fn nothing_moves_backwards_or_sideways_or_far() {
    let game = position(
        "6 . . . . . .
         5 . . . . . .
         4 . x . x . .
         3 . . o . . .
         2 . x . x . .
         1 . . . . . .
           a b c d e f",
        Side::P1,
    );
    assert_eq!(turns(&game), ["c3-c4", "c3xb4", "c3xd4"]);
    for text in ["c3xb2", "c3xd2", "c3-c2", "c3-b3", "c3-d3", "c3-c5", "c3-b4", "c3xc4", "c3"] {
        assert!(parse_turn(&game, text).is_err(), "{text}");
    }
}

#[test]
fn reaching_the_last_row_wins() {
    let picture = "6 . . . x x .
                   5 . . o . . .
                   4 . . . . . .
                   3 . . . . . .
                   2 . . . . x .
                   1 . o . . . o
                     a b c d e f";
    for turn in ["c5-c6", "c5-b6", "c5xd6"] {
        let mut game = position(picture, Side::P1);
        play(&mut game, turn);
        assert_eq!((game.outcome(), game.ply()), (WHITE, 1));
        assert!(turns(&game).is_empty());
    }
    for turn in ["e2-e1", "e2-d1", "e2xf1"] {
        let mut game = position(picture, Side::P2);
        play(&mut game, turn);
        assert_eq!((game.outcome(), game.ply()), (BLACK, 2));
        assert!(turns(&game).is_empty());
    }
}

#[test]
fn capturing_the_last_piece_wins() {
    let picture = "6 . . . . . .
                   5 . . . . . .
                   4 . . . . x .
                   3 . . . o . .
                   2 . . . . . .
                   1 . . . . . .
                     a b c d e f";
    let mut game = position(picture, Side::P1);
    play(&mut game, "d3xe4");
    assert_eq!(game.outcome(), WHITE);
    let mut game = position(picture, Side::P2);
    play(&mut game, "e4xd3");
    assert_eq!(game.outcome(), BLACK);
}

/// Four turns of one piece reach the last row of 6x6. No game is shorter.
#[test]
fn a_whole_game() {
    let mut game = start::<6>();
    play(&mut game, "b2-b3 f5-f4 b3-b4 f4-f3 b4xa5 f3xe2 a5xb6");
    assert_eq!((game.outcome(), game.ply()), (WHITE, 7));
    assert_drawn(
        &game,
        "6 x o x x x x
         5 . x x x x .
         4 . . . . . .
         3 . . . . . .
         2 o . o o x o
         1 o o o o o o
           a b c d e f",
    );
}

/// The legal turns of a position, generated from its picture cell by cell, without bitboards.
fn turns_cell_by_cell(game: &impl Game, size: i32) -> Vec<String> {
    let board: Vec<Vec<char>> = game.to_string().lines().map(|it| it.chars().collect()).collect();
    let at = |file: i32, rank: i32| -> Option<char> {
        let is_cell = (0..size).contains(&file) && (1..=size).contains(&rank);
        is_cell.then(|| board[(size - rank) as usize][2 * file as usize + 2])
    };
    let (own, enemy, ahead) =
        if game.ply().is_multiple_of(2) { ('o', 'x', 1) } else { ('x', 'o', -1) };
    let name = |file: i32, rank: i32| format!("{}{rank}", char::from(b'a' + file as u8));
    let mut turns = Vec::new();
    for (file, rank) in (0..size).flat_map(|file| (1..=size).map(move |rank| (file, rank))) {
        if at(file, rank) != Some(own) {
            continue;
        }
        for side in -1..=1 {
            let (to, target) = (name(file + side, rank + ahead), at(file + side, rank + ahead));
            if target == Some('.') {
                turns.push(format!("{}-{to}", name(file, rank)));
            } else if target == Some(enemy) && side != 0 {
                turns.push(format!("{}x{to}", name(file, rank)));
            }
        }
    }
    turns.sort_unstable();
    turns
}

fn random_games_match_the_turns_cell_by_cell<const N: usize>() {
    let (mut captures, mut longest) = (0, 0);
    for seed in 0..200 {
        let mut rng = stream(seed, 0, 0, Purpose::Playout);
        let mut game = start::<N>();
        while game.outcome().is_none() {
            assert_eq!(turns(&game), turns_cell_by_cell(&game, N as i32), "{game}");
            let turns = legal_turns(&game);
            let turn = &turns[rng.random_range(0..turns.len())];
            captures += u32::from(turn.text.contains('x'));
            turn.play_on(&mut game);
        }
        // The winner, who moved last, has a piece on the last row, or the other side has no pieces.
        let (board, by_white) = (game.to_string(), game.ply() % 2 == 1);
        let (mark, enemy) = if by_white { ('o', 'x') } else { ('x', 'o') };
        let last = board.lines().nth(if by_white { 0 } else { N - 1 }).unwrap();
        assert!(last.contains(mark) || !board.contains(enemy), "{board}");
        assert_eq!(game.outcome(), if by_white { WHITE } else { BLACK });
        longest = longest.max(game.ply());
    }
    assert!(captures > 1000, "{captures} captures tell little");
    assert!(longest < BreakthroughRules::<N> {}.longest_game());
}

#[test]
fn random_games_have_the_turns_of_a_second_implementation() {
    random_games_match_the_turns_cell_by_cell::<6>();
    random_games_match_the_turns_cell_by_cell::<8>();
}

#[test]
fn a_mirrored_position_has_the_mirrored_turns() {
    let picture = "6 x . . . x .
                   5 . x . . . .
                   4 . . o . . x
                   3 . . . . o .
                   2 o . . . . .
                   1 . o . . . .
                     a b c d e f";
    let mirror = &Permutation::all(&Small::SPEC, Small::SYMMETRIES)[1];
    for side in [Side::P1, Side::P2] {
        let game = position(picture, side);
        let cells = picture.lines().take(6).map(|line| line.trim()[2..].chars().rev().collect());
        let rows: Vec<String> = cells.collect();
        let mirrored = Small::from_board(&rows.join("\n"), side).unwrap();
        let files = |turn: &str| -> String {
            let other = |sign: char| match sign {
                'a'..='f' => char::from(b'a' + b'f' - sign as u8),
                _ => sign,
            };
            turn.chars().map(other).collect()
        };
        let mut expected: Vec<_> = turns(&game).iter().map(|turn| files(turn)).collect();
        expected.sort_unstable();
        assert_eq!(turns(&mirrored), expected);
        for turn in legal_turns(&game) {
            let image = mirror.action(turn.actions[0]);
            assert_eq!(mirrored.action_text(image).as_str(), files(&turn.text));
        }
    }
}

#[test]
fn both_sides_see_the_same_from_their_own_end() {
    let picture = "6 . x . . . .
                   5 . . . x . .
                   4 . . . . . .
                   3 . . . . . .
                   2 . . . o . .
                   1 . o . . . .
                     a b c d e f";
    let (white, black) = (position(picture, Side::P1), position(picture, Side::P2));
    let mut seen = [[0.0; 72]; 2];
    white.observe(&mut seen[0]);
    black.observe(&mut seen[1]);
    assert_eq!(seen[0], seen[1]);
    assert_ne!(white.position_key(), black.position_key(), "another side is to move");
}

#[test]
fn a_board_of_another_size_is_rejected() {
    assert_eq!(Small::from_board(&start::<8>().to_string(), Side::P1), None);
    assert_eq!(Small::from_board("", Side::P1), None);
    assert_eq!(Small::from_board(&start::<6>().to_string(), Side::P1), Some(start()));
}
