//! Plain UCT finds short wins, is deterministic for a seed, and improves with more simulations.

use std::time::{Duration, Instant};

use crate::base::rng::{Purpose, Rng, stream};
use crate::classic::uct::{Candidate, Limits, Settings, Uct};
use crate::games::{
    Action, ConnectFour, ConnectFourRules, Game, Neutron, NeutronRules, Outcome, TicTacToe,
    TicTacToeRules, replay,
};
use crate::registry::preset;
use crate::tests::common::duel::{self, match_of, score};

fn rng(seed: u64) -> Rng {
    stream(seed, 0, 0, Purpose::Playout)
}

fn after<G: Game>(rules: &G::Rules, moves: &str) -> G {
    replay(rules, &moves.split_whitespace().collect::<Vec<_>>()).unwrap()
}

fn best<G: Game>(game: &G, simulations: u32, seed: u64) -> Action {
    Uct::default().search(game, &Limits::simulations(simulations), &mut rng(seed)).unwrap()
}

fn text_of_best<G: Game>(game: &G, simulations: u32, seed: u64) -> String {
    game.action_text(best(game, simulations, seed)).to_string()
}

#[test]
fn it_wins_in_one_and_does_not_lose_in_one() {
    for seed in 0..20 {
        let winning: ConnectFour = after(&ConnectFourRules {}, "4 1 4 1 4 2");
        assert_eq!(text_of_best(&winning, 300, seed), "4");
        let threatened: ConnectFour = after(&ConnectFourRules {}, "4 1 4 1 4");
        assert_eq!(text_of_best(&threatened, 300, seed), "4");
        let three = after::<TicTacToe>(&TicTacToeRules {}, "a1 c3 a2");
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
    let side = crate::games::Side::P1;
    let game = Neutron::<5>::from_board(&NeutronRules::FIVE, board, side).unwrap();
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
fn exhaustive(game: &TicTacToe) -> i32 {
    values(game).into_iter().map(|(_, value)| value).max().unwrap()
}

fn values(game: &TicTacToe) -> Vec<(Action, i32)> {
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
    let mut positions = 0;
    for seed in 0..120 {
        let turns = 2 + seed as u32 % 5;
        let initial = TicTacToe::initial(&TicTacToeRules {});
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
    let game: ConnectFour = after(&ConnectFourRules {}, "4 4 3");
    let found = |search: &mut Uct, seed| -> Vec<Candidate> {
        search.search(&game, &Limits::simulations(1000), &mut rng(seed)).unwrap();
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
    let game = after::<ConnectFour>(&ConnectFourRules {}, "");
    let mut small = Uct::new(Settings { capacity: 50, ..Settings::default() });
    small.search(&game, &Limits::simulations(5000), &mut rng(1)).unwrap();
    assert_eq!(small.candidates().iter().map(|found| found.visits).sum::<u32>(), 5000);
}

#[test]
fn a_deadline_is_kept_and_a_finished_game_has_no_best_action() {
    let game = after::<ConnectFour>(&ConnectFourRules {}, "");
    let (begun, time) = (Instant::now(), Duration::from_millis(50));
    let mut search = Uct::default();
    assert!(search.search(&game, &Limits::until(begun + time), &mut rng(1)).is_some());
    let taken = begun.elapsed();
    assert!(taken >= time && taken < 20 * time, "{taken:?}");
    let past = Limits::until(begun);
    assert!(search.search(&game, &past, &mut rng(1)).is_some(), "an answer even if it is late");

    let over = after::<ConnectFour>(&ConnectFourRules {}, "1 2 1 2 1 2 1");
    assert_eq!(search.search(&over, &Limits::simulations(10), &mut rng(1)), None);
    assert!(search.candidates().is_empty());
}

#[test]
fn every_game_can_be_searched() {
    fn check<G: Game>(variant: &crate::registry::Variant<G>) {
        let mut game = variant.initial();
        let mut search = Uct::default();
        for seed in 0..6 {
            let action = search.search(&game, &Limits::simulations(50), &mut rng(seed)).unwrap();
            assert!(game.try_play(action), "{}", variant.name);
        }
    }
    macro_rules! check_all {
        ($($name:ident,)*) => {
            $( with_variant!(preset(stringify!($name)).unwrap(), game => check(&game)); )*
        };
    }
    for_every_game!(check_all);
}

/// More simulations win significantly more games.
#[test]
fn more_simulations_beat_fewer() {
    let player = |simulations, seed| {
        let (mut search, mut rng) = (Uct::default(), rng(seed));
        move |game: &ConnectFour| {
            search.search(game, &Limits::simulations(simulations), &mut rng).unwrap()
        }
    };
    let start = ConnectFour::initial(&ConnectFourRules {});
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
    fn compare<G: Game>(variant: &crate::registry::Variant<G>, simulations: u32, pairs: u64) {
        for exploration in [0.4, 0.7, 1.0, 2.0, 2.8] {
            let player = |exploration, seed| {
                let settings = Settings { exploration, ..Settings::default() };
                let (mut search, mut rng) = (Uct::new(settings), rng(seed));
                move |game: &G| {
                    search.search(game, &Limits::simulations(simulations), &mut rng).unwrap()
                }
            };
            let standard = Settings::default().exploration;
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
        with_variant!(preset(name).unwrap(), game => compare(&game, 1000, pairs));
    }
}
