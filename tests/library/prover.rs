//! The prover agrees with exhaustive search, with the solvers, and with game trees written as text.

use std::collections::HashSet;

use crate::classic::prover::Undecided;
use crate::exact::solvers::ConnectFourSolver;
use crate::games::{Neutron, NeutronRules, Outcome, Side};
use crate::registry::{AnyProver, Position, Variant, preset};
use crate::tests::common::duel::opening;
use crate::tests::common::literal::Literal;

const SIDES: [Side; 2] = [Side::P1, Side::P2];

fn children(game: &Position) -> Vec<Position> {
    let mut legal = Vec::new();
    game.legal_actions(&mut legal);
    let after = |action| {
        let mut next = *game;
        next.play(action);
        next
    };
    legal.into_iter().map(after).collect()
}

/// Whether a side wins within `turns` turns, directly by the definition.
fn exhaustive(game: &Position, side: Side, turns: u32) -> bool {
    if let Some(outcome) = game.outcome() {
        return outcome == Outcome::Win(side);
    }
    if turns == 0 {
        return false;
    }
    let mut after = children(game).into_iter();
    let wins = |next: Position| exhaustive(&next, side, turns - (next.ply() - game.ply()));
    if game.to_move() == side { after.any(wins) } else { after.all(wins) }
}

/// The minimum number of turns to win, by a prover with an empty table.
fn soonest(game: &Position, side: Side, most: u32) -> Option<u32> {
    let mut prover = AnyProver::new(1 << 16);
    prover.begin(u64::MAX);
    prover.soonest(game, side, most).unwrap()
}

#[test]
fn written_trees_are_proven() {
    for (tree, wins) in [
        // An immediate win. Draws and losses are not wins.
        ("(x = x)", [Some(1), None]),
        ("(x = =)", [None, None]),
        ("(x o =)", [None, None]),
        // The side to move may be lost.
        ("(x o o)", [None, Some(1)]),
        ("(x (o x x) =)", [Some(2), None]),
        ("(x (o x =) (o x o))", [None, None]),
        // The fastest win counts, against the longest defence.
        ("(x (o (x x) (x x)) (o x (x x)))", [Some(3), None]),
        ("(x (o x (x (o x x))) =)", [Some(4), None]),
        // A turn of several actions by one side is one turn.
        ("(x (x (x x)) =)", [Some(1), None]),
        ("(x (x o o) (o (o x x) x))", [Some(2), None]),
        ("(x (o (o o x) (o = x)) (x (o o x) o))", [None, Some(2)]),
    ] {
        let root = Literal::position(tree);
        assert_eq!(SIDES.map(|side| soonest(&root, side, 9)), wins, "{tree}");
        for side in SIDES {
            let least = wins[side.index()].unwrap_or(10);
            assert!(
                (0..10).all(|turns| exhaustive(&root, side, turns) == (turns >= least)),
                "{tree}"
            );
        }
    }
}

#[test]
fn every_position_of_tic_tac_toe_is_proven_as_by_exhaustive_search() {
    let mut seen = HashSet::new();
    let mut open = vec![preset("tic_tac_toe").unwrap().initial()];
    // Both provers are shared by all positions. The narrow one has a table that overflows.
    let (mut roomy, mut narrow) = (AnyProver::new(1 << 16), AnyProver::new(64));
    roomy.begin(u64::MAX);
    narrow.begin(u64::MAX);
    let mut forced = [0; 10];
    while let Some(game) = open.pop() {
        if !seen.insert(game) {
            continue;
        }
        open.extend(children(&game));
        for side in SIDES {
            let expected = (0..=9).find(|&turns| exhaustive(&game, side, turns));
            assert_eq!(roomy.soonest(&game, side, 9), Ok(expected), "{game}");
            assert_eq!(narrow.soonest(&game, side, 9), Ok(expected), "{game}");
            forced[expected.map_or(9, |turns| turns as usize)] += 1;
        }
    }
    assert_eq!(seen.len(), 5478, "all positions, finished ones too");
    assert!(forced[..6].iter().all(|&count| count > 100), "wins of every length: {forced:?}");
}

#[test]
fn connect_four_is_proven_as_it_is_solved() {
    let start = preset("connect_four").unwrap().initial();
    let mut solver = ConnectFourSolver::new(1 << 18);
    let mut prover = AnyProver::new(1 << 18);
    let (mut longest, mut proven) = (0, 0);
    for seed in 0..120 {
        let game = opening(start, 20 + seed as u32 % 16, seed);
        prover.begin(u64::MAX);
        let solution = solver.solve(game.typed().unwrap());
        for side in SIDES {
            let wins = solution.outcome == Outcome::Win(side) && solution.turns_left <= 7;
            let expected = wins.then_some(solution.turns_left);
            assert_eq!(prover.soonest(&game, side, 7), Ok(expected), "{game}");
            proven += u32::from(wins);
            longest = longest.max(expected.unwrap_or(0));
        }
    }
    assert!(proven > 60 && longest == 7, "{proven} {longest}");
}

/// Compares with exhaustive search, at the beginning and in the middle of a turn.
fn agrees_at_random(game: &str, plies: u32, turns: u32, [positions, wins]: [u64; 2]) {
    let start = preset(game).unwrap().initial();
    let mut found = 0;
    let mut prover = AnyProver::new(1 << 12);
    for seed in 0..positions {
        let game = opening(start, 1 + seed as u32 % plies, seed);
        let begun = children(&game).into_iter().filter(|next| next.outcome().is_none()).nth(1);
        for game in [Some(game), begun].into_iter().flatten() {
            prover.begin(u64::MAX);
            for side in SIDES {
                let expected = (0..=turns).find(|&turns| exhaustive(&game, side, turns));
                assert_eq!(prover.soonest(&game, side, turns), Ok(expected), "{game}");
                found += u64::from(expected.is_some());
            }
        }
    }
    assert!(found > wins, "only {found} wins were seen");
}

#[test]
fn games_with_turns_of_two_actions_are_proven_as_by_exhaustive_search() {
    agrees_at_random("neutron5", 20, 2, [300, 100]);
    agrees_at_random("neutron5_double", 9, 3, [30, 10]);
    agrees_at_random("susan", 40, 2, [60, 5]);
}

#[test]
fn half_a_turn_of_neutron_counts_as_one() {
    // Black to move: only with the neutron on B4 is there a win within three turns.
    let moves = ["C5-A3", "B3,D1-C2", "B2,D5-A2", "B4,C2-C5", "E4,B5-A4", "C2,B1-B5", "C4,E5-B2"];
    let game = preset("neutron5").unwrap().replay(&moves, |_| ()).unwrap();
    let side = game.to_move();
    assert_eq!(SIDES.map(|side| soonest(&game, side, 5)), [None, Some(3)]);
    let mut winning = Vec::new();
    let mut legal = Vec::new();
    game.legal_actions(&mut legal);
    for action in legal {
        let mut begun = game;
        begun.play(action);
        if begun.outcome().is_none() {
            assert_eq!((begun.to_move(), begun.ply()), (side, game.ply()), "the turn goes on");
            if soonest(&begun, side, 3) == Some(3) {
                winning.push(game.action_text(action).to_string());
            }
        }
    }
    winning.sort();
    assert_eq!(winning, ["B4"]);
}

#[test]
fn a_player_who_must_give_the_neutron_away_loses_by_force() {
    // Every slide but that to C5, White's home row, is blocked.
    let board = "
          A B C D E
        1 x . . . .
        2 . . . . .
        3 . x x x .
        4 . x * o .
        5 o o . o o";
    let position = |side| {
        Position::new(Neutron::<5, 5>::from_board(&NeutronRules::FIVE, board, side).unwrap())
    };
    let game = position(Side::P2);
    assert_eq!(children(&game).len(), 1, "{game}");
    assert_eq!(SIDES.map(|side| soonest(&game, side, 7)), [Some(1), None]);
    // The same board with White to move is a win too, and at once.
    let game = position(Side::P1);
    assert_eq!(SIDES.map(|side| soonest(&game, side, 7)), [Some(1), None]);
}

#[test]
fn a_proof_respects_the_turn_limit() {
    let moves = ["C5-A3", "B3,D1-C2", "B2,D5-A2", "B4,C2-C5", "E4,B5-A4", "C2,B1-B5", "C4,E5-B2"];
    // The eighth turn is the first of three that would win.
    for (max_plies, expected) in [(10, Some(3)), (9, None)] {
        let rules = NeutronRules { max_plies, ..NeutronRules::FIVE };
        let variant = Variant::new::<Neutron<5>>("neutron5", rules);
        let game = variant.replay(&moves, |_| ()).unwrap();
        assert_eq!(soonest(&game, game.to_move(), 5), expected, "{max_plies}");
    }
}

#[test]
fn too_few_nodes_leave_the_question_undecided() {
    let game = preset("neutron5").unwrap().initial();
    let mut prover = AnyProver::new(1 << 10);
    prover.begin(100);
    assert_eq!(prover.wins(&game, Side::P1, 5), Err(Undecided));
    prover.begin(1_000_000);
    assert_eq!(prover.wins(&game, Side::P1, 3), Ok(false));
}
