//! Proof-number search proves only true results, and all short wins.

use std::collections::HashSet;

use rand::RngExt;

use crate::base::rng::{Purpose, stream};
use crate::classic::prover::{ProofNumbers, Undecided};
use crate::exact::solvers::ConnectFourSolver;
use crate::exact::{EitherSide, Finding};
use crate::games::neutron::Forbid;
use crate::games::picture::Picture;
use crate::games::{Game, Neutron, NeutronRules, Outcome, Side, Susan, SusanRules};
use crate::registry::{AnyProofNumbers, AnyProver, Position, Variant, preset};
use crate::tests::common::duel::opening;
use crate::tests::common::literal::Literal;

const SIDES: [Side; 2] = [Side::P1, Side::P2];

/// A search for wins of one side, without a tight node limit.
fn search_for(side: Side, entries: usize) -> AnyProofNumbers {
    let mut search = AnyProofNumbers::new(side, entries);
    search.allow(u64::MAX);
    search
}

/// Whether each side wins.
fn winners(game: &Position, entries: usize) -> [bool; 2] {
    SIDES.map(|side| search_for(side, entries).wins(game).unwrap())
}

#[test]
fn written_trees_are_proven() {
    for (tree, wins) in [
        ("(x = x)", [true, false]),
        ("(x o =)", [false, false]),
        ("(x o o)", [false, true]),
        ("(x (o x x) =)", [true, false]),
        ("(x (o x =) (o x o))", [false, false]),
        ("(x (o (x x) (x x)) (o x (x x)))", [true, false]),
        ("(x (o x (x (o x x))) =)", [true, false]),
        ("(x (o x (x (o x =))) o)", [false, false]),
        // A turn of several actions by one side.
        ("(x (x o o) (o (o x x) x))", [true, false]),
        ("(x (o (o o x) (o = x)) (x (o o x) o))", [false, true]),
    ] {
        assert_eq!(winners(&Literal::position(tree), 64), wins, "{tree}");
    }
}

#[test]
fn a_win_of_either_side_is_found_in_parts() {
    for (tree, finding) in [
        ("(x (o x =) (o x o))", Finding::NoWin),
        ("(x (o x (x (o x x))) =)", Finding::Win(Side::P1)),
        ("(x (o (o o x) (o = x)) (x (o o x) o))", Finding::Win(Side::P2)),
        ("(o (x = (o o o)) (x (o o =) (o x o)))", Finding::Win(Side::P2)),
    ] {
        let (mut search, mut parts) = (EitherSide::new(Literal::position(tree), 1 << 16), 1);
        // A part has to suffice for the way from the root to a leaf.
        while search.go_on(20) == Finding::Open {
            parts += 1;
            assert!(parts < 100, "{tree}");
        }
        assert_eq!(search.go_on(20), finding, "{tree}");
        assert!((1..=20 * (parts + 1)).contains(&search.visited()), "{tree}");
        let proven = search.numbers().iter().any(|(_, [proof, _])| *proof == 0);
        assert_eq!(proven, finding != Finding::NoWin, "{tree}");
    }
}

#[test]
fn the_winning_action_is_reported() {
    for (tree, wins) in [("(x = (o x x) o)", 1), ("(x (x = o) (x o x))", 1), ("(x x o)", 0)] {
        let mut search = ProofNumbers::new(Side::P1, 64);
        search.allow(u64::MAX);
        assert_eq!(search.wins(&Literal::new(tree)), Ok(true));
        assert_eq!(search.winning_action(), Some(wins), "{tree}");
    }
}

#[test]
fn every_position_of_tic_tac_toe_is_decided_as_by_the_prover() {
    let mut seen = HashSet::new();
    let mut open = vec![preset("tic_tac_toe").unwrap().initial()];
    // The searches are shared by all positions. The narrow ones have tables that overflow.
    let mut roomy = SIDES.map(|side| search_for(side, 1 << 14));
    let mut narrow = SIDES.map(|side| search_for(side, 16));
    let mut prover = AnyProver::new(1 << 14);
    prover.begin(u64::MAX);
    let mut legal = Vec::new();
    while let Some(game) = open.pop() {
        if !seen.insert(game) {
            continue;
        }
        game.legal_actions(&mut legal);
        open.extend(legal.iter().map(|&action| {
            let mut next = game;
            next.play(action);
            next
        }));
        for side in SIDES {
            let wins = prover.wins(&game, side, 9);
            assert_eq!(roomy[side.index()].wins(&game), wins, "{game}");
            assert_eq!(narrow[side.index()].wins(&game), wins, "{game}");
        }
    }
    assert_eq!(seen.len(), 5478, "all positions, finished ones too");
}

#[test]
fn connect_four_is_decided_as_it_is_solved() {
    let start = preset("connect_four").unwrap().initial();
    let mut solver = ConnectFourSolver::new(1 << 18);
    let mut counts = [0; 3];
    for seed in 0..60 {
        let game = opening(start, 22 + seed as u32 % 14, seed);
        let outcome = solver.solve(game.typed().unwrap()).outcome;
        let wins = winners(&game, 1 << 16);
        assert_eq!(wins, SIDES.map(|side| outcome == Outcome::Win(side)), "{game}");
        counts[wins.iter().position(|&wins| wins).unwrap_or(2)] += 1;
    }
    assert!(counts.iter().all(|&count| count > 2), "{counts:?}");
}

/// Plays a position that is proven to be won for `side` against random play. Each action of `side`
/// is proven by a new search.
fn is_won_by_play<G: Game>(mut game: G, side: Side, seed: u64) {
    let mut search = ProofNumbers::new(side, 1 << 14);
    let mut rng = stream(seed, 1, 0, Purpose::Opening);
    let mut legal = Vec::new();
    while game.outcome().is_none() {
        if game.to_move() == side {
            search.begin(side);
            search.allow(u64::MAX);
            assert_eq!(search.wins(&game), Ok(true), "{game}");
            game.play(search.winning_action().unwrap());
        } else {
            game.legal_actions(&mut legal);
            game.play(legal[rng.random_range(0..legal.len())]);
        }
    }
    assert_eq!(game.outcome(), Some(Outcome::Win(side)), "{game}");
}

/// In random positions, proven wins are won in play, and all wins within three turns are proven.
/// Returns the number of proven wins that take longer.
fn check_proofs_at_random<G: Picture>(start: G, turns: u32, positions: u64) -> u32 {
    let mut prover = AnyProver::new(1 << 14);
    let mut later = 0;
    for seed in 0..positions {
        let game = opening(Position::new(start), 1 + seed as u32 % turns, seed);
        for side in SIDES {
            let mut search = AnyProofNumbers::new(side, 1 << 14);
            search.allow(40_000);
            let found = search.wins(&game) == Ok(true);
            prover.begin(u64::MAX);
            let soon = prover.wins(&game, side, 3).unwrap();
            assert!(found || !soon, "{game}");
            later += u32::from(found && !soon);
            if found {
                is_won_by_play(*game.typed::<G>().unwrap(), side, seed);
            }
        }
    }
    later
}

#[test]
fn random_positions_are_won_as_proven() {
    let double = NeutronRules::FIVE.restricted(Forbid::Both);
    let later = [
        check_proofs_at_random(Neutron::<5, 5>::initial(&NeutronRules::FIVE), 14, 200),
        check_proofs_at_random(Neutron::<5, 5>::initial(&double), 8, 90),
    ];
    assert!(later.iter().all(|&count| count > 10), "wins in more than three turns: {later:?}");
    check_proofs_at_random(Neutron::<7, 7>::initial(&NeutronRules::SEVEN.coneutron()), 10, 30);
    check_proofs_at_random(Susan::initial(&SusanRules::default()), 40, 30);
}

#[test]
fn an_undecided_search_resumes() {
    let moves = ["C5-A3", "B3,D1-C2", "B2,D5-A2", "B4,C2-C5", "E4,B5-A4", "C2,B1-B5", "C4,E5-B2"];
    let game = preset("neutron5").unwrap().replay(&moves, |_| ()).unwrap();
    let mut search = AnyProofNumbers::new(game.to_move(), 1 << 12);
    let mut calls = 0;
    let wins = loop {
        search.allow(100);
        calls += 1;
        match search.wins(&game) {
            Ok(wins) => break wins,
            Err(Undecided) => assert!(search.left() == 0 && calls < 10_000),
        }
    };
    assert!(wins && calls > 1, "{calls}");
}

#[test]
fn results_of_one_attacker_are_not_used_for_the_other() {
    let game = Literal::position("(x (o x x) =)");
    let mut search = search_for(Side::P1, 64);
    assert_eq!(search.wins(&game), Ok(true));
    search.begin(Side::P2);
    assert_eq!(search.wins(&game), Ok(false));
}

#[test]
fn a_proof_respects_the_turn_limit() {
    let moves = ["C5-A3", "B3,D1-C2", "B2,D5-A2", "B4,C2-C5", "E4,B5-A4", "C2,B1-B5", "C4,E5-B2"];
    // The eighth turn is the first of three that would win.
    for (max_plies, expected) in [(10, true), (9, false)] {
        let rules = NeutronRules { max_plies, ..NeutronRules::FIVE };
        let variant = Variant::new::<Neutron<5>>("neutron5", rules);
        let game = variant.replay(&moves, |_| ()).unwrap();
        assert_eq!(winners(&game, 1 << 12)[game.to_move().index()], expected, "{max_plies}");
    }
}
