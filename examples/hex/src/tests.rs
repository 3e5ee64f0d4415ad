//! Tests of the rules: the laws of the library, counts of another program, and drawn positions.

use tavoliere::games::picture::Picture;
use tavoliere::games::{Colour, Game, Outcome, Side, mix, perft, replay};
use tavoliere::testing::contract;

use crate::hex::{Hex, HexRules};

fn played<const N: usize>(turns: &str) -> Hex<N> {
    let turns: Vec<&str> = turns.split_whitespace().collect();
    replay(&HexRules::default(), &turns).expect("the turns are legal")
}

fn read(text: &str) -> Result<Hex<5>, String> {
    Hex::from_position(&HexRules::default(), text).map_err(|error| error.to_string())
}

/// The cells that decided the game, by their names.
fn decisive<const N: usize>(game: &Hex<N>) -> Vec<String> {
    let start = Hex::<N>::initial(&HexRules::default());
    let cells = game.ending().expect("the game is over").cells;
    cells.into_iter().map(|cell| start.cell_name(cell)).collect()
}

#[test]
fn all_sizes_obey_the_laws_of_games() {
    contract::<Hex<3>>();
    contract::<Hex<5>>();
    contract::<Hex<7>>();
    contract::<Hex<9>>();
    contract::<Hex<11>>();
}

fn counts<const N: usize>(rows: &[[u64; 5]]) {
    let start = Hex::<N>::initial(&HexRules::default());
    for (depth, row) in (1..).zip(rows) {
        let count = perft(&start, depth);
        let found = [count.sequences, count.finished, count.p1, count.p2, count.draws];
        assert_eq!(found, *row, "{N}x{N}, {depth} turns");
    }
}

/// The numbers are those that `python3 perft.py 3 9` and `python3 perft.py 4 7` print.
#[test]
fn sequences_of_turns_are_as_many_as_another_program_counts() {
    counts::<3>(&[
        [9, 0, 0, 0, 0],
        [72, 0, 0, 0, 0],
        [504, 0, 0, 0, 0],
        [3024, 0, 0, 0, 0],
        [15120, 1440, 1440, 0, 0],
        [54720, 5760, 0, 5760, 0],
        [146880, 43200, 43200, 0, 0],
        [207360, 86400, 0, 86400, 0],
        [120960, 120960, 120960, 0, 0],
    ]);
    counts::<4>(&[
        [16, 0, 0, 0, 0],
        [240, 0, 0, 0, 0],
        [3360, 0, 0, 0, 0],
        [43680, 0, 0, 0, 0],
        [524160, 0, 0, 0, 0],
        [5765760, 0, 0, 0, 0],
        [57657600, 633600, 633600, 0, 0],
    ]);
}

/// The winner by the printed board, found cell by cell.
fn winner_cell_by_cell<const N: usize>(game: &Hex<N>) -> Option<Outcome> {
    let at = |column: i32, row: i32| {
        let inside = (0..N as i32).contains(&column) && (0..N as i32).contains(&row);
        inside.then(|| game.symbol(row as usize * N + column as usize))
    };
    let wins = |colour: char| {
        let start = |i: i32| if colour == 'x' { (i, 0) } else { (0, i) };
        let mut chain: Vec<(i32, i32)> = (0..N as i32).map(start).collect();
        chain.retain(|&(column, row)| at(column, row) == Some(colour));
        let mut next = 0;
        while let Some(&(column, row)) = chain.get(next) {
            next += 1;
            for (x, y) in [(1, 0), (-1, 0), (0, 1), (0, -1), (1, -1), (-1, 1)] {
                let cell = (column + x, row + y);
                if at(cell.0, cell.1) == Some(colour) && !chain.contains(&cell) {
                    chain.push(cell);
                }
            }
        }
        let last = N as i32 - 1;
        chain.iter().any(|&(column, row)| last == if colour == 'x' { row } else { column })
    };
    let black = wins('x').then_some(Outcome::Win(Side::P1));
    black.or_else(|| wins('o').then_some(Outcome::Win(Side::P2)))
}

fn random_games<const N: usize>(games: u64) -> [u32; 2] {
    let mut wins = [0; 2];
    let mut actions = Vec::new();
    for number in 0..games {
        let mut game = Hex::<N>::initial(&HexRules::default());
        while game.outcome().is_none() {
            let draw = |count: u32| (mix(number << 8 | u64::from(game.ply())) >> 33) as u32 % count;
            let action = game.choose_action(&mut actions, draw).expect("it is not over");
            game.play(action);
            assert_eq!(game.outcome(), winner_cell_by_cell(&game), "{game}");
        }
        wins[game.to_move().other().index()] += 1;
    }
    wins
}

#[test]
fn winners_are_those_found_cell_by_cell() {
    for wins in [random_games::<4>(300), random_games::<7>(100), random_games::<11>(40)] {
        assert!(wins.into_iter().all(|count| count > 0), "{wins:?}");
    }
}

#[test]
fn each_row_is_drawn_half_a_cell_further_to_the_right() {
    let game = played::<5>("c3 b4 a5 e1");
    let board = [
        " a b c d e",
        "1 . . . . o",
        " 2 . . . . .",
        "  3 . . x . .",
        "   4 . o . . .",
        "    5 x . . . .",
    ];
    assert_eq!(game.to_string(), board.join("\n"));
    let eleven = Hex::<11>::initial(&HexRules::default()).to_string();
    assert!(eleven.lines().nth(10).is_some_and(|row| row.starts_with("        10 . .")));
}

#[test]
fn black_connects_top_and_bottom() {
    // Black goes down to the left: b1-a2 touch, a straight column goes on.
    let game = played::<5>("b1 e1 a2 e2 a3 e3 a4 e4 c3 d4 a5");
    assert_eq!(game.outcome(), Some(Outcome::Win(Side::P1)));
    assert_eq!(decisive(&game), ["b1", "a2", "a3", "a4", "a5"]);
}

#[test]
fn white_connects_left_and_right() {
    let game = played::<5>("a1 a3 b1 b3 c1 c2 d1 d2 e3 e1");
    assert_eq!(game.outcome(), Some(Outcome::Win(Side::P2)));
    assert_eq!(decisive(&game), ["e1", "c2", "d2", "a3", "b3"]);
}

#[test]
fn cells_on_a_falling_diagonal_do_not_touch() {
    assert_eq!(played::<3>("a1 a3 b2 a2 c3").outcome(), None);
    assert!(played::<3>("c1 a1 b2 a2 a3").outcome().is_some());
}

#[test]
fn the_ends_of_adjacent_rows_do_not_touch() {
    // In the numbering of the cells, c1 comes before a2, and c2 before a3.
    assert_eq!(played::<3>("c1 b1 a2 b2 a3").outcome(), None);
}

#[test]
fn both_sides_see_their_sides_at_top_and_bottom() {
    let black = played::<5>("");
    let white = played::<5>("c3");
    // The second cell of the top row.
    assert_eq!([black.cell_name(1), white.cell_name(1)], ["b1", "a2"]);
    let mut planes = [0.0; 50];
    played::<5>("b1").observe(&mut planes);
    let seen = planes.iter().position(|value| *value == 1.0);
    assert_eq!(seen, Some(25 + 5), "an enemy stone, the first of the second row");
}

#[test]
fn texts_of_positions_are_checked() {
    let game = read("...../...../..x../...../..... o").expect("a position");
    assert_eq!((game.ply(), game.position_text()), (1, "...../...../..x../...../..... o".into()));
    let column = "x..../x..../x..../x..../x....";
    let won = read("x...o/x...o/x...o/x...o/x.... o").expect("a finished game");
    assert_eq!(won.outcome(), Some(Outcome::Win(Side::P1)));
    assert!(read(&format!("{column} x")).is_err_and(|error| error.contains("does not fit")));
    let early = read("x..oo/x...o/x...o/x...o/x.... x");
    assert!(early.is_err_and(|error| error.contains("has won by a chain before")));
}

#[test]
fn a_side_that_needs_fewer_stones_is_better() {
    assert_eq!(played::<5>("").heuristic(), 0);
    assert_eq!(played::<5>("c3").heuristic(), -100, "White needs five stones, Black four");
    assert_eq!(played::<5>("c3 e5 c2").heuristic(), -100, "now four and three");
}

#[test]
fn the_program_can_start() {
    assert_eq!(tavoliere::check(crate::games()), Ok(()));
}

/// Black has top and bottom, White the two others.
#[test]
fn the_sides_of_the_board_belong_to_the_players() {
    let owners: Vec<_> = Hex::<5>::edges().into_iter().map(|edge| edge.colour).collect();
    assert_eq!(owners, [Colour::Black, Colour::Black, Colour::White, Colour::White]);
    assert!(Hex::<5>::edges().iter().all(|edge| edge.cells.len() == 5));
}
