//! Players that think in turns, and matches between them.

#![allow(clippy::unwrap_used)]

use std::time::{Duration, Instant};

use tavoliere::arena::{self, Contestant, Settings, Tally};
use tavoliere::evaluator::Uniform;
use tavoliere::game::{Game, Turn, legal_turns, parse_turn, replay};
use tavoliere::games::{self, ConnectFour, TicTacToe, Variant};
use tavoliere::player::{Limits, Player};
use tavoliere::search;
use tavoliere::with_variant;

fn player<G: Game>() -> Player<G, Uniform> {
    Player::new(Uniform, search::Settings::default())
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

fn duel(simulations: u32, pairs: u64) -> Tally {
    with_variant!(games::preset("connect_four").unwrap(), variant => {
        let contestant = || Contestant { evaluator: Uniform, search: search::Settings::default() };
        let settings = Settings { pairs, opening: 3, simulations, seed: 1 };
        let (mut watched, mut one, mut two) = (0, contestant(), contestant());
        let tally = arena::play(&variant, &settings, &mut one, &mut two, |done| watched = done);
        assert_eq!(watched, 2 * pairs);
        tally
    })
}

#[test]
fn equal_players_share_every_pair() {
    // Neither draws random numbers: the two games of a pair are the same game.
    let tally = duel(20, 12);
    assert_eq!(tally.pairs, [0, 0, 12, 0, 0]);
    assert_eq!((tally.games(), tally.wins), (24, tally.losses));
    assert_eq!((tally.score(), tally.margin()), (0.5, 0.0));
}

#[test]
fn the_interval_is_that_of_pairs() {
    let pairs = [1, 2, 10, 6, 5];
    let tally = Tally { wins: 27, draws: 6, losses: 15, pairs };
    // Points of a pair, as a share: mean 0.625, variance (1 * 0.390625 + 2 * 0.140625 +
    // 10 * 0.015625 + 6 * 0.015625 + 5 * 0.140625) / 24 = 1.625 / 24.
    assert!((tally.score() - 0.625).abs() < 1e-12);
    let expected = 1.96 * (1.625_f64 / 24.0 / 24.0).sqrt();
    assert!((tally.margin() - expected).abs() < 1e-12, "{}", tally.margin());
}
