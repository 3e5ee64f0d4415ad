use std::collections::BTreeSet;

use rand::RngExt;
use rand::seq::SliceRandom;

use super::{plane, planes_from};
use crate::base::rng::{Purpose, stream};
use crate::games::{CheckersGomoku, CheckersGomokuRules, Game, Side, legal_turns};

/// The first of four planes, for lines with two, three, four and five pieces.
const OWN_LINES: usize = 3;
const OTHERS_LINES: usize = 8;

const OWN_FIVES: &str = "cells on which an own piece can complete a line of five or more in a turn";
const OTHERS_FIVES: &str =
    "cells on which an opponent's piece can complete a line of five or more in a turn";

/// The pieces on the board of the side to move and of the other side.
fn pieces(game: &CheckersGomoku) -> [BTreeSet<usize>; 2] {
    [plane(game, "own pieces"), plane(game, "the opponent's pieces")]
}

/// The target cells of the capturing turns of the side to move.
fn captures(game: &CheckersGomoku) -> BTreeSet<usize> {
    let arrival = |text: &str| {
        let arrival = text.split_once('x')?.0.rsplit('-').next()?;
        (0..64).find(|&cell| game.cell_name(cell) == arrival)
    };
    legal_turns(game).iter().filter_map(|turn| arrival(&turn.text)).collect()
}

/// The cells of lines of five with `wanted` pieces of `own` and none of `other`.
fn lines(own: &BTreeSet<usize>, other: &BTreeSet<usize>, wanted: usize) -> BTreeSet<usize> {
    let mut cells = BTreeSet::new();
    for start in 0..64_i32 {
        for (dx, dy) in [(1, 0), (0, 1), (1, 1), (1, -1)] {
            let line = (0..5).map(|place| (start % 8 + place * dx, start / 8 + place * dy));
            let on_board = |&(x, y): &(i32, i32)| (0..8).contains(&x) && (0..8).contains(&y);
            let line: BTreeSet<_> =
                line.filter(on_board).map(|(x, y)| (y * 8 + x) as usize).collect();
            if line.len() == 5
                && line.is_disjoint(other)
                && line.intersection(own).count() == wanted
            {
                cells.extend(line);
            }
        }
    }
    cells
}

fn check_lines(game: &CheckersGomoku) {
    let [own, other] = pieces(game);
    let counted = |own, other| (2..=5).map(|wanted| lines(own, other, wanted)).collect::<Vec<_>>();
    assert_eq!(planes_from(game, OWN_LINES, 4), counted(&own, &other), "{game}");
    assert_eq!(planes_from(game, OTHERS_LINES, 4), counted(&other, &own), "{game}");
}

/// A drawn board with all twelve pieces of each side at random cells.
fn scattered(seed: u64) -> String {
    let mut cells = ["x"; 12].into_iter().chain(["o"; 12]).collect::<Vec<_>>();
    cells.resize(64, ".");
    cells.shuffle(&mut stream(seed, 0, 0, Purpose::Playout));
    cells.chunks(8).map(|row| row.join(" ") + "\n").collect()
}

#[test]
fn planes_show_capturing_steps_of_both_sides() {
    let (mut found, rules) = (0, CheckersGomokuRules::default());
    for seed in 0..2000 {
        let [black, white] = [Side::P1, Side::P2]
            .map(|side| CheckersGomoku::from_board(&rules, &scattered(seed), side).unwrap());
        for (game, seen) in [(&black, &white), (&white, &black)] {
            let expected = captures(game);
            assert_eq!(plane(game, OWN_FIVES), expected, "{game}");
            assert_eq!(plane(seen, OTHERS_FIVES), expected, "{game}");
            found += expected.len();
        }
        check_lines(&black);
    }
    assert!(found > 100, "{found} captures tell little");
}

#[test]
fn planes_show_capturing_placements() {
    let mut found = 0;
    for seed in 0..300 {
        let mut rng = stream(seed, 0, 0, Purpose::Playout);
        let mut game = CheckersGomoku::initial(&CheckersGomokuRules::default());
        while game.ply() < 22 {
            let expected = captures(&game);
            assert_eq!(plane(&game, OWN_FIVES), expected, "{game}");
            check_lines(&game);
            found += expected.len();
            // Capturing turns are avoided and only half of the board is used: lines are then
            // frequent.
            let crowded = |cell: usize| !expected.contains(&cell) && cell < 40;
            let turns: Vec<_> = legal_turns(&game)
                .into_iter()
                .filter(|turn| crowded(usize::from(turn.actions[0])))
                .collect();
            turns[rng.random_range(0..turns.len())].play_on(&mut game);
        }
    }
    assert!(found > 30, "{found} captures tell little");
}
