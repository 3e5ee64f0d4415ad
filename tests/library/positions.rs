//! Tests of the built-in test suites, of the generation of others, and of the accuracy of players.

use std::collections::HashMap;
use std::sync::atomic::AtomicBool;

use crate::exact::solvers::ConnectFourSolver;
use crate::games::legal_turns;
use crate::play::players::{Baseline, Player, PlayerSeed, PlayerSpec};
use crate::play::positions::accuracy::{measure, scores};
use crate::play::positions::classify::classify;
use crate::play::positions::file::PositionFile;
use crate::play::positions::gather::{Request, gather};
use crate::play::positions::values::{Draw, values};
use crate::play::positions::{Kind, SuitePosition, builtin};
use crate::registry::{self, AnyProver, Variant};

static NEVER: AtomicBool = AtomicBool::new(false);

fn plain(name: &str) -> Baseline {
    match name.parse() {
        Ok(PlayerSpec::Baseline(baseline)) => baseline,
        other => panic!("{name}: {other:?}"),
    }
}

fn files(game: &str) -> Vec<PositionFile> {
    builtin::sets_of(game).map(|(name, text)| PositionFile::read(name, text).unwrap()).collect()
}

fn request(kinds: &[Kind], each: usize) -> Request {
    Request {
        kinds: kinds.to_vec(),
        each,
        horizon: 5,
        nodes: 200_000,
        games: 48,
        opening: 2,
        players: [plain("alphabeta?nodes=200"), plain("random")],
        seed: 3,
    }
}

const TACTICS: [Kind; 4] = [Kind::Win(3), Kind::Win(5), Kind::Only(2), Kind::Only(4)];

#[test]
fn the_sets_that_come_with_the_program_are_valid_and_of_its_rules() {
    for game in builtin::games() {
        let mut counts: HashMap<Kind, usize> = HashMap::new();
        for file in files(game) {
            // The rules are those of the preset, so that every trained player fits.
            assert_eq!(file.variant, registry::preset(game).unwrap());
            assert_eq!(file.header.game, game);
            assert!(file.header.command.starts_with(&format!("tavoliere positions {game} ")));
            // Reading replays every game and checks that every correct turn is legal.
            let read = |kind| *counts.entry(kind).or_default() += 1;
            let positions = file.positions(&file.variant).unwrap();
            positions.into_iter().map(|it| it.kind).for_each(read);
        }
        assert!(counts.values().sum::<usize>() >= 80, "{game}: {counts:?}");
        assert!(counts.values().all(|&count| count <= 1000), "{game}: {counts:?}");
    }
}

/// Proves some positions of each kind of at most five turns again. Returns their number.
fn proven_again(variant: &Variant, file: &PositionFile) -> usize {
    let Some(horizon) = file.header.horizon else { return 0 };
    let mut prover = AnyProver::new(1 << 18);
    let mut taken: HashMap<Kind, usize> = HashMap::new();
    let mut chosen = file.positions(variant).unwrap();
    chosen.retain(|position| {
        let count = taken.entry(position.kind).or_default();
        *count += 1;
        *count % 10 == 1 && position.kind.turns().is_some_and(|turns| turns <= 5)
    });
    for SuitePosition { kind, game, right, .. } in &chosen {
        prover.begin(20_000_000);
        let found = classify(&mut prover, game, &[*kind], horizon).unwrap();
        assert_eq!(found, Some((*kind, right.clone())), "{} {game}", variant.name);
        // Direct queries of the prover: the win takes exactly this long, or is out of reach.
        let (mover, other) = (game.to_move(), game.to_move().other());
        match kind {
            Kind::Win(turns) => {
                assert_eq!(prover.wins(game, mover, *turns), Ok(true));
                assert_eq!(prover.wins(game, mover, turns - 1), Ok(false));
            }
            _ => assert_eq!(prover.wins(game, other, horizon), Ok(false)),
        }
    }
    chosen.len()
}

#[test]
fn a_sample_of_the_sets_is_proven_again() {
    for game in builtin::games() {
        let mut proven = 0;
        for file in files(game) {
            proven += proven_again(&file.variant, &file);
        }
        assert!(proven >= 5, "{game}: {proven}");
    }
}

#[test]
fn values_of_connect_four_are_those_of_the_solver() {
    let variant = registry::preset("connect_four").unwrap();
    let mut solver = ConnectFourSolver::new(1 << 20);
    let (mut checked, mut early) = (0, 0);
    for file in files("connect_four") {
        for position in file.positions(&variant).unwrap() {
            early += u32::from(position.kind == Kind::Value && position.game.ply() <= 8);
            if position.kind != Kind::Value || position.game.ply() < 14 {
                continue;
            }
            let best = solver.outcome(position.game.typed().unwrap());
            for turn in legal_turns(&position.game) {
                let mut next = position.game;
                next.play(turn.actions[0]);
                let keeps = solver.outcome(next.typed().unwrap()) == best;
                assert_eq!(position.is_solved_by(&turn.text), keeps, "{} {}", turn.text, next);
            }
            checked += 1;
        }
    }
    assert!(checked > 300 && early >= 40, "{checked} {early}");
}

#[test]
fn gathered_positions_do_not_depend_on_the_threads() {
    let gathered = |threads| {
        let variant = registry::preset("neutron5_double").unwrap();
        let found = gather(&variant, &request(&TACTICS, 4), threads, &NEVER, |_| {}).unwrap();
        found.into_iter().map(|it| (it.kind, it.moves, it.right)).collect::<Vec<_>>()
    };
    let alone = gathered(1);
    assert_eq!(alone, gathered(3));
    let count = |kind| alone.iter().filter(|position| position.0 == kind).count();
    assert_eq!(TACTICS.map(count)[..2], [4, 4], "{alone:?}");
    assert!(alone.iter().all(|(_, moves, _)| moves.len() >= 2));
}

#[test]
fn values_are_drawn_by_name_and_solved() {
    let variant = registry::preset("tic_tac_toe").unwrap();
    let drawn = |seed, threads| {
        let draw = Draw { each: 10, plies: [0, 20], seed };
        values(&variant, &draw, threads, &NEVER, |_, _| {}).unwrap()
    };
    let one = drawn(1, 1);
    assert_eq!(one, drawn(1, 3));
    assert_ne!(one, drawn(2, 1));
    let count = |ply: usize| one.iter().filter(|position| position.moves.len() == ply).count();
    assert_eq!([0, 1, 2, 5, 8, 9].map(count), [1, 9, 10, 10, 10, 0]);
    let led = |it: &SuitePosition| it.moves.iter().map(ToString::to_string).collect::<Vec<_>>();
    let at = |moves: &[&str]| one.iter().find(|it| led(it) == moves).unwrap();
    assert!(!at(&[]).matters(), "every first stone leads to a draw");
    assert_eq!(at(&["a1"]).right.len(), 1, "only the centre draws against a corner");
    let neutron = registry::preset("neutron5").unwrap();
    let draw = Draw { each: 1, plies: [0, 3], seed: 1 };
    let refused = values(&neutron, &draw, 1, &NEVER, |_, _| {}).is_err();
    assert!(refused, "Neutron is not solved");
}

#[test]
fn a_search_that_is_stopped_ends() {
    let stop = AtomicBool::new(true);
    let variant = registry::preset("neutron5").unwrap();
    let found = gather(&variant, &request(&TACTICS, 4), 2, &stop, |_| {}).unwrap();
    assert_eq!(found.len(), 0);
}

/// Returns the accuracy of a player for each kind of positions.
fn shares(
    variant: &Variant,
    name: &str,
    wanted: impl Fn(&SuitePosition) -> bool,
    threads: usize,
) -> HashMap<String, f64> {
    let mut positions = Vec::new();
    for file in files(variant.name) {
        positions.extend(file.positions(variant).unwrap().into_iter().filter(&wanted));
    }
    let seed = PlayerSeed { seed: 1, player: 0 };
    let mut players: Vec<Box<dyn Player>> =
        (0..threads).map(|_| plain(name).player(variant.game(), seed).unwrap()).collect();
    let solved = measure(&positions, &mut players, |_| {});
    let share = |score: crate::play::positions::accuracy::Score| {
        score.solved as f64 / score.positions as f64
    };
    scores(&positions, &solved).into_iter().map(|(name, score)| (name, share(score))).collect()
}

#[test]
fn a_deep_search_solves_all_positions_and_random_few() {
    for game in ["neutron5", "neutron5_double", "coneutron5", "connect_four"] {
        let variant = registry::preset(game).unwrap();
        let short = |it: &SuitePosition| it.kind.turns().is_some_and(|turns| turns <= 4);
        let deep = shares(&variant, "alphabeta?depth=5", short, 2);
        assert!(deep.len() >= 3 && deep.values().all(|&share| share == 1.0), "{game} {deep:?}");
        let random = shares(&variant, "random", short, 2);
        assert!(random.values().all(|&share| share < 0.6), "{game} {random:?}");
    }
}

#[test]
fn the_solver_keeps_every_value_and_random_does_not() {
    let variant = registry::preset("connect_four").unwrap();
    let late = |it: &SuitePosition| it.kind == Kind::Value && it.game.ply() >= 14;
    let perfect = shares(&variant, "perfect", late, 2);
    assert_eq!(perfect, HashMap::from([("value".into(), 1.0), ("value_matters".into(), 1.0)]));
    let random = shares(&variant, "random", late, 2);
    assert!(random["value_matters"] < random["value"] && random["value"] < 0.8, "{random:?}");
}

#[test]
fn accuracy_does_not_depend_on_the_threads() {
    let variant = registry::preset("neutron5").unwrap();
    let of = |threads| shares(&variant, "uct?rollouts=20", |_| true, threads);
    assert_eq!(of(1), of(3));
}

#[test]
fn errors_of_a_file_name_the_line() {
    let (_, good) = builtin::sets_of("tic_tac_toe").next().unwrap();
    let header = good.lines().next().unwrap();
    let said = |text: &str| {
        let positions =
            PositionFile::read("set", text).and_then(|file| file.positions(&file.variant));
        positions.map(|it| it.len()).expect_err(text).to_string()
    };
    let line = |kind: &str, moves: &str, right: &str| {
        format!("{header}\n{{\"kind\":\"{kind}\",\"moves\":[{moves}],\"right\":[{right}]}}\n")
    };
    let twice = line("win5", "", r#""a1""#);
    let twice = format!("{twice}{}", twice.lines().nth(1).unwrap());
    for (text, words) in [
        (String::new(), "set, line 1: the file is empty"),
        ("x".into(), "line 1: not the header of a file of positions"),
        (header.to_owned(), "no positions follow"),
        (header.replace("positions 1", "positions 2"), "this program reads"),
        (header.replace("\"tic_tac_toe\"", "\"tic_tac_to\""), "did you mean `tic_tac_toe`?"),
        (header.replace("\"rules_version\":1", "\"rules_version\":9"), "version 9 of the rules"),
        (header.replace("\"rules\":{}", "\"rules\":{\"holes\":1}"), "unknown option `holes`"),
        (format!("{header}\n[]\n"), "line 2: "),
        (line("mate3", "", r#""a1""#), "line 2: `mate3` is not a kind of position"),
        (line("win3", r#""a1","a1""#, r#""b1""#), "move 2, `a1` is not a legal turn here"),
        (line("win3", "", r#""a1","A1""#), "`right` has a turn twice"),
        (line("win3", "", r#""d9""#), "`right`: `d9` is not a legal turn here"),
        (line("win3", "", ""), "`right` has no turns"),
        (line("win40", "", r#""a1""#), "win40 is beyond the horizon of 9 turns"),
        (line("only2", "", r#""a1","b1""#), "an only move has one correct turn"),
        (line("win3", r#""a1","b1","a2","b2","a3""#, r#""b3""#), "the game is over"),
        (twice, "line 3: this position is a duplicate"),
    ] {
        let found = said(&text);
        assert!(found.contains(words), "no `{words}` in: {found}");
    }
    let without = line("win3", "", r#""a1""#).replace("\"horizon\":9", "\"horizon\":null");
    assert!(said(&without).contains("win3 needs a `horizon`"));
}
