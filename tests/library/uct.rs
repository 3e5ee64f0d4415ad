//! Plain UCT finds short wins, is deterministic for a seed, and improves with more simulations.

use std::time::{Duration, Instant};

use crate::base::rng::{Purpose, Rng, stream};
use crate::classic::uct::{Candidate, Limits, Uct, UctSettings};
use crate::games::{Action, Game, Neutron, NeutronRules, Outcome, Side};
use crate::registry::{self, Position, Variant, preset};
use crate::tests::common::duel::{self, match_of, score};

fn rng(seed: u64) -> Rng {
    stream(seed, 0, 0, Purpose::Playout)
}

fn after(game: &str, moves: &str) -> Position {
    let moves: Vec<&str> = moves.split_whitespace().collect();
    preset(game).unwrap().replay(&moves, |_| ()).unwrap()
}

fn best(game: &Position, simulations: u32, seed: u64) -> Action {
    let limits = Limits::simulations(simulations);
    game.uct(&mut Uct::default(), &limits, &mut rng(seed)).unwrap()
}

fn text_of_best(game: &Position, simulations: u32, seed: u64) -> String {
    game.action_text(best(game, simulations, seed)).to_string()
}

#[test]
fn it_wins_in_one_and_does_not_lose_in_one() {
    for seed in 0..20 {
        let winning = after("connect_four", "4 1 4 1 4 2");
        assert_eq!(text_of_best(&winning, 300, seed), "4");
        let threatened = after("connect_four", "4 1 4 1 4");
        assert_eq!(text_of_best(&threatened, 300, seed), "4");
        let three = after("tic_tac_toe", "a1 c3 a2");
        assert_eq!(text_of_best(&three, 300, seed), "a3");
    }
}

/// A turn has two actions by the same side: the neutron must go home at once, or the other side
/// wins. A search that assumed alternating sides would prefer the worst action.
#[test]
fn values_keep_their_sign_within_a_turn_of_two_actions() {
    let board = "x x . x x
                 . . . . x
                 . . * . .
                 . . . . .
                 o o . o o";
    let side = Side::P1;
    let game = Neutron::<5, 5>::from_board(&NeutronRules::FIVE, board, side).unwrap();
    for seed in 0..10 {
        let mut search = Uct::default();
        let action = search.search(&game, &Limits::simulations(2000), &mut rng(seed)).unwrap();
        let mut next = game;
        next.play(action);
        assert_eq!(next.outcome(), Some(Outcome::Win(side)), "{}", game.action_text(action));
        assert!(search.value() > 0.8, "{}", search.value());
        let losing = search.candidates().into_iter().filter(|found| {
            let mut next = game;
            next.play(found.action);
            next.outcome() == Some(Outcome::Win(side.other()))
        });
        assert!(losing.map(|found| found.value).all(|value| value == -1.0));
    }
}

/// The value of a position for the side to move, by exhaustive search.
fn exhaustive(game: &Position) -> i32 {
    values(game).into_iter().map(|(_, value)| value).max().unwrap()
}

fn values(game: &Position) -> Vec<(Action, i32)> {
    let mut legal = Vec::new();
    game.legal_actions(&mut legal);
    let value = |&action: &Action| {
        let mut next = *game;
        next.play(action);
        let over = next.outcome().map(|outcome| outcome.value_for(game.to_move()) as i32);
        (action, over.unwrap_or_else(|| -exhaustive(&next)))
    };
    legal.iter().map(value).collect()
}

#[test]
fn it_plays_solved_positions_perfectly() {
    let initial = preset("tic_tac_toe").unwrap().initial();
    let mut positions = 0;
    for seed in 0..120 {
        let turns = 2 + seed as u32 % 5;
        let game = duel::opening(initial, turns, seed);
        let values = values(&game);
        let highest = values.iter().map(|(_, value)| *value).max().unwrap();
        positions += usize::from(values.iter().any(|(_, value)| *value < highest));
        let action = best(&game, 4000, seed);
        assert!(values.contains(&(action, highest)), "{game}\n{values:?}, chosen {action}");
    }
    assert!(positions > 60, "there was something to choose in {positions}");
}

#[test]
fn a_search_is_a_function_of_its_seed() {
    let game = after("connect_four", "4 4 3");
    let found = |search: &mut Uct, seed| -> Vec<Candidate> {
        game.uct(search, &Limits::simulations(1000), &mut rng(seed)).unwrap();
        assert_eq!(search.simulations(), 1000);
        search.candidates()
    };
    let mut used = Uct::default();
    let first = found(&mut used, 1);
    assert_ne!(found(&mut used, 2), first);
    assert_eq!(found(&mut used, 1), first, "memory is reused, knowledge is not");
    assert_eq!(found(&mut Uct::default(), 1), first);
    assert_eq!(first.iter().map(|found| found.visits).sum::<u32>(), 1000);
    assert!(first.is_sorted_by(|a, b| a.action < b.action) && first.len() == 7);
}

#[test]
fn a_full_tree_keeps_counting_visits() {
    let game = after("connect_four", "");
    let mut small = Uct::new(UctSettings { capacity: 50, ..UctSettings::default() });
    game.uct(&mut small, &Limits::simulations(5000), &mut rng(1)).unwrap();
    assert_eq!(small.candidates().iter().map(|found| found.visits).sum::<u32>(), 5000);
}

#[test]
fn a_deadline_is_kept_and_a_finished_game_has_no_best_action() {
    let game = after("connect_four", "");
    let (begun, time) = (Instant::now(), Duration::from_millis(50));
    let mut search = Uct::default();
    assert!(game.uct(&mut search, &Limits::until(begun + time), &mut rng(1)).is_some());
    let taken = begun.elapsed();
    assert!(taken >= time && taken < 20 * time, "{taken:?}");
    let past = Limits::until(begun);
    assert!(game.uct(&mut search, &past, &mut rng(1)).is_some(), "an answer even if it is late");

    let over = after("connect_four", "1 2 1 2 1 2 1");
    assert_eq!(over.uct(&mut search, &Limits::simulations(10), &mut rng(1)), None);
    assert!(search.candidates().is_empty());
}

#[test]
fn every_game_can_be_searched() {
    for listing in registry::all() {
        let mut game = listing.variant.initial();
        let mut search = Uct::default();
        for seed in 0..6 {
            let action = game.uct(&mut search, &Limits::simulations(50), &mut rng(seed)).unwrap();
            assert!(game.try_play(action), "{}", listing.name);
        }
    }
}

/// More simulations win significantly more games.
#[test]
fn more_simulations_beat_fewer() {
    let player = |simulations, seed| {
        let (mut search, mut rng) = (Uct::default(), rng(seed));
        move |game: &Position| {
            game.uct(&mut search, &Limits::simulations(simulations), &mut rng).unwrap()
        }
    };
    let start = preset("connect_four").unwrap().initial();
    for [many, few] in [[400, 50], [3000, 400]] {
        let pairs = match_of(start, [60, 4], &mut player(many, 1), &mut player(few, 2));
        let [score, margin] = score(pairs);
        assert!(score - margin > 0.55, "{many} against {few}: {score} +- {margin}, {pairs:?}");
    }
}

/// Compares exploration constants:
/// `cargo test --release --lib uct:: -- --ignored --nocapture`.
#[test]
#[ignore = "a measurement"]
fn exploration_constants_compared() {
    fn compare(variant: &Variant, simulations: u32, pairs: u64) {
        for exploration in [0.4, 0.7, 1.0, 2.0, 2.8] {
            let player = |exploration, seed| {
                let settings = UctSettings { exploration, ..UctSettings::default() };
                let (mut search, mut rng) = (Uct::new(settings), rng(seed));
                move |game: &Position| {
                    game.uct(&mut search, &Limits::simulations(simulations), &mut rng).unwrap()
                }
            };
            let standard = UctSettings::default().exploration;
            let counts = match_of(
                variant.initial(),
                [pairs, 4],
                &mut player(exploration, 1),
                &mut player(standard, 2),
            );
            let [score, margin] = score(counts);
            println!(
                "{} {exploration} against {standard}: {score:.3} +- {margin:.3}",
                variant.name
            );
        }
    }
    for (name, pairs) in [("connect_four", 200), ("neutron5", 200), ("susan", 20), ("entropy", 10)]
    {
        compare(&preset(name).unwrap(), 1000, pairs);
    }
}
