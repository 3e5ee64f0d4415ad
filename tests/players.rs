//! Players that think in turns, and matches between them.

#![allow(clippy::unwrap_used)]

use std::collections::HashSet;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant};

use tavoliere::arena::{self, Contestant, Tally, Totals};
use tavoliere::evaluator::Uniform;
use tavoliere::game::{Game, Turn, legal_turns, parse_turn, replay};
use tavoliere::games::{self, ConnectFour, TicTacToe, Variant};
use tavoliere::player::{Limits, Player};
use tavoliere::search;
use tavoliere::with_variant;

fn player<G: Game>() -> Player<G, Uniform> {
    Player::new(vec![Uniform], search::Settings::default())
}

/// However short the search, the answer is a complete legal turn and everything about it agrees.
fn check_thoughts<G: Game>(variant: &Variant<G>) {
    let mut player = player();
    let mut game = variant.initial();
    for simulations in [1, 2, 3, 5, 50, 200] {
        let thought = player.think(&game, &Limits::simulations(simulations));
        assert_eq!(thought.simulations, simulations);
        assert!(legal_turns(&game).contains(&thought.best), "{}", variant.name);
        assert_eq!(thought.line[0], thought.best);
        assert!((thought.value.iter().sum::<f32>() - 1.0).abs() < 1e-4);
        assert!(thought.turns.iter().map(|found| found.visits).sum::<u32>() < simulations);
        if simulations >= 50 {
            assert_eq!(thought.turns[0].turn, thought.best, "{}", variant.name);
        }
        let mut after = game;
        for turn in &thought.line {
            assert_eq!(parse_turn(&after, &turn.text).as_ref(), Ok(turn));
            turn.actions.iter().for_each(|&action| after.play(action));
        }
        thought.best.actions.iter().for_each(|&action| game.play(action));
        if game.outcome().is_some() {
            return;
        }
    }
}

macro_rules! thoughts {
    ($($name:ident,)*) => {
        mod a_thought_is_a_complete_turn {
            use super::*;
            $(
                #[test]
                fn $name() {
                    let variant = games::preset(stringify!($name)).unwrap();
                    with_variant!(variant, game => check_thoughts(&game));
                }
            )*
        }
    };
}

tavoliere::for_every_game!(thoughts);

fn best<G: Game>(moves: &[&str]) -> Turn {
    let game: G = replay(&G::Rules::default(), moves).unwrap();
    player().think(&game, &Limits::simulations(400)).best
}

#[test]
fn a_win_is_taken_and_a_threat_is_answered() {
    assert_eq!(&best::<TicTacToe>(&["a1", "b1", "a2", "b2"]).text, "a3");
    assert_eq!(&best::<TicTacToe>(&["a1", "b2", "a2"]).text, "a3");
    assert_eq!(&best::<ConnectFour>(&["4", "1", "4", "1", "4", "1"]).text, "4");
    assert_eq!(&best::<ConnectFour>(&["4", "1", "4", "1", "4"]).text, "4");
}

#[test]
fn an_answer_comes_within_its_time() {
    let begun = Instant::now();
    let time = Duration::from_millis(100);
    let limits = Limits { simulations: u32::MAX, deadline: Some(begun + time) };
    let thought = player().think(&ConnectFour::initial(&Default::default()), &limits);
    let taken = begun.elapsed();
    assert!(thought.simulations > 1000, "{} simulations", thought.simulations);
    assert!(taken >= time && taken < 10 * time, "{taken:?}");
}

fn duel(simulations: u32, pairs: usize) -> Tally {
    with_variant!(games::preset("connect_four").unwrap(), variant => {
        let search = search::Settings::default();
        let player = Contestant { evaluator: Uniform, search, simulations };
        let openings = arena::openings(&variant, 4, pairs, 1).unwrap();
        let watched = AtomicU64::new(0);
        let watch = |done| { watched.fetch_max(done, Ordering::Relaxed); };
        let mut totals = Totals::default();
        let played = arena::play_together(&openings, &player, &player, 2, watch);
        played.iter().for_each(|pair| totals.add(pair));
        assert_eq!(watched.into_inner(), 2 * pairs as u64);
        totals.tally
    })
}

#[test]
fn equal_players_share_every_pair() {
    // Neither draws random numbers: the two games of a pair are the same game. There are more
    // pairs than are in play at once.
    let tally = duel(10, 270);
    assert_eq!(tally.pairs, [0, 0, 270, 0, 0]);
    assert_eq!((tally.games(), tally.wins), (540, tally.losses));
    assert_eq!(tally.score(), 0.5);
}

#[test]
fn openings_differ_and_are_open() {
    let variant = Variant::<TicTacToe> { name: "tic_tac_toe", rules: Default::default() };
    // After three turns someone may threaten to win, but the other side can still prevent it.
    let openings = arena::openings(&variant, 3, 60, 1).unwrap();
    let different: HashSet<_> = openings.iter().map(|opening| opening.position).collect();
    assert_eq!(different.len(), 60);
    for opening in &openings {
        let position = opening.position;
        assert!(position.ply() == 3 && position.outcome().is_none());
        assert_eq!(replay(&variant.rules, &opening.moves), Ok(position));
    }
    assert_eq!(openings, arena::openings(&variant, 3, 60, 1).unwrap());
    assert_ne!(openings, arena::openings(&variant, 3, 60, 2).unwrap());
    for (turns, pairs) in [(0, 2), (1, 10), (9, 1), (100, 1)] {
        let error = arena::openings(&variant, turns, pairs, 1).unwrap_err().to_string();
        assert!(error.contains("fewer games"), "{error}");
    }
}

#[test]
fn the_interval_is_that_of_pairs() {
    let tally = |pairs| Tally { wins: 27, draws: 6, losses: 15, pairs };
    // With a pair won and one lost added: 2, 2, 10, 6, 6 of 26 pairs, mean 16 / 26, variance
    // (2 * 0.3787 + 2 * 0.1335 + 10 * 0.0133 + 6 * 0.0181 + 6 * 0.1479) / 26.
    let [low, high] = tally([1, 2, 10, 6, 5]).interval();
    let mean: f64 = 16.0 / 26.0;
    let square = |score: f64| (score - mean).powi(2);
    let variance = 2.0 * square(0.0)
        + 2.0 * square(0.25)
        + 10.0 * square(0.5)
        + 6.0 * square(0.75)
        + 6.0 * square(1.0);
    let margin = 1.96 * (variance / 26.0 / 26.0).sqrt();
    assert!((low - (mean - margin)).abs() < 1e-12 && (high - (mean + margin)).abs() < 1e-12);
    let [low, high] = tally([0, 0, 0, 0, 50]).interval();
    assert!(low > 0.9 && low < 0.97 && high == 1.0, "a row of wins is not certainty: {low}");
}
