//! Tests of matches between players of every kind.

use crate::games::{Outcome, Side};
use crate::play::arena::{self, Played, Tally, Totals};
use crate::play::players::{
    Baseline, Budget, Pairing, Player, PlayerSeed, PlayerSpec, PolicyPlayer, SearchPlayer,
};
use crate::registry::{self, Variant};
use crate::search::{self, Uniform, copies};

fn plain(name: &str) -> Baseline {
    match name.parse() {
        Ok(PlayerSpec::Baseline(baseline)) => baseline,
        other => panic!("{name}: {other:?}"),
    }
}

/// Plays a match between two players on `threads` threads and returns its games.
fn games_of(
    variant: &Variant,
    names: [&str; 2],
    [pairs, opening, seed]: [u64; 3],
    threads: usize,
) -> Vec<[Played; 2]> {
    let openings = arena::openings(variant, opening as u32, pairs as usize, seed).unwrap();
    let player_of = |player: usize| {
        let seed = PlayerSeed { seed, player: player as u64 };
        plain(names[player]).player(variant.game(), seed).unwrap()
    };
    let mut pairings: Vec<Pairing> = (0..threads).map(|_| [player_of(0), player_of(1)]).collect();
    arena::play_sequential(&openings, &mut pairings, &|_| {})
}

fn totals(played: &[[Played; 2]]) -> Totals {
    let mut totals = Totals::default();
    played.iter().for_each(|pair| totals.add(pair));
    totals
}

fn variant(name: &str) -> Variant {
    registry::preset(name).unwrap()
}

/// Plays a match with openings of `opening` random turns and returns its tally.
fn tally(game: &str, names: [&str; 2], [pairs, opening, seed]: [u64; 3]) -> Tally {
    totals(&games_of(&variant(game), names, [pairs, opening, seed], 2)).tally
}

#[test]
fn perfect_never_loses() {
    // Every first stone of tic-tac-toe leads to a draw; a second one may already lose.
    for opponent in ["random", "uct?rollouts=50", "alphabeta?nodes=50"] {
        for seed in 0..5 {
            let found = tally("tic_tac_toe", ["perfect", opponent], [9, 1, seed]);
            assert_eq!((found.games(), found.losses), (18, 0), "{opponent}");
        }
    }
    let found = tally("tic_tac_toe", ["perfect", "perfect"], [9, 1, 1]);
    assert_eq!(found.draws, 18);
    // A solver keeps the value of the opening as either side, so it scores at least half of a pair.
    let found = tally("connect_four", ["perfect", "uct?rollouts=200"], [6, 14, 1]);
    assert!(found.pairs[..2] == [0, 0] && found.wins > found.losses, "{found:?}");
}

#[test]
fn players_that_search_beat_random() {
    for (game, searcher) in [
        ("connect_four", "uct?rollouts=200"),
        ("neutron5", "uct?rollouts=200"),
        ("susan", "uct?rollouts=200"),
        ("connect_four", "alphabeta?nodes=500"),
        ("neutron5", "alphabeta?depth=2"),
        ("susan", "alphabeta?nodes=500"),
    ] {
        let found = tally(game, [searcher, "random"], [10, 2, 1]);
        assert!(found.score() > 0.85, "{game}: {searcher} {found:?}");
        let turned = tally(game, ["random", searcher], [10, 2, 1]);
        assert!(turned.score() < 0.15, "{game}: {searcher} {turned:?}");
    }
}

/// Returns everything of a game except its times.
fn essence(game: &Played) -> (Vec<String>, Side, Outcome, [u64; 2]) {
    let moves = game.moves.iter().map(ToString::to_string).collect();
    (moves, game.first, game.outcome, game.efforts.map(|effort| effort.work))
}

#[test]
fn a_match_does_not_depend_on_the_number_of_threads() {
    let variant = variant("neutron5");
    let names = ["uct?rollouts=20", "random"];
    let games = |threads| -> Vec<_> {
        let played = games_of(&variant, names, [20, 2, 7], threads);
        played.as_flattened().iter().map(essence).collect()
    };
    let alone = games(1);
    assert_eq!(alone, games(2));
    assert_eq!(alone, games(3));
    assert!(alone.iter().any(|game| game.0 != alone[0].0));
}

#[test]
fn players_and_games_of_a_pair_have_their_own_random_numbers() {
    let variant = variant("tic_tac_toe");
    let played = games_of(&variant, ["random", "random"], [20, 2, 1], 1);
    let differ = |[one, two]: &&[Played; 2]| one.moves != two.moves;
    assert!(played.iter().filter(differ).count() > 10);
    let other = games_of(&variant, ["random", "random"], [20, 2, 1], 1);
    assert_eq!(
        played.as_flattened().iter().map(essence).collect::<Vec<_>>(),
        other.as_flattened().iter().map(essence).collect::<Vec<_>>()
    );
}

#[test]
fn games_are_complete_and_totals_count_them() {
    let variant = variant("neutron5");
    let played = games_of(&variant, ["uct?rollouts=20", "alphabeta?depth=1"], [10, 3, 1], 2);
    let sum = totals(&played);
    let (mut turns, mut won_by_first_mover) = (0, 0);
    for pair in &played {
        assert_eq!(pair[0].moves[..3], pair[1].moves[..3], "the same opening");
        assert_eq!(pair.each_ref().map(|game| game.first), [Side::P1, Side::P2]);
        for game in pair {
            let end = variant.replay(&game.moves, |_| ()).unwrap();
            assert_eq!(end.outcome(), Some(game.outcome));
            let chosen: u64 = game.efforts.iter().map(|effort| effort.turns).sum();
            assert_eq!(chosen + 3, game.moves.len() as u64);
            turns += game.moves.len() as u64;
            won_by_first_mover += u64::from(game.outcome == Outcome::Win(Side::P1));
        }
    }
    assert_eq!((sum.turns, sum.won_by_first_mover), (turns, won_by_first_mover));
    assert!(sum.efforts[0].work_per_turn().unwrap() > 20.0, "rollouts are of actions");
    assert!(sum.efforts.iter().all(|effort| effort.seconds_per_turn().is_some()));
}

#[test]
fn networks_play_with_and_without_search() {
    // The uniform evaluator, with a search and without.
    let variant = variant("connect_four");
    let openings = arena::openings(&variant, 3, 6, 1).unwrap();
    let games = |threads: usize| -> Vec<_> {
        let pairing = |_| -> Pairing {
            let budget = Budget::Simulations(60);
            let searcher =
                SearchPlayer::new(copies(&Uniform, 1), search::Settings::default(), budget);
            [Box::new(searcher), Box::new(PolicyPlayer::new(Box::new(Uniform)))]
        };
        let mut pairings: Vec<_> = (0..threads).map(pairing).collect();
        let played = arena::play_sequential(&openings, &mut pairings, &|_| {});
        assert!(totals(&played).tally.score() > 0.8);
        assert_eq!(totals(&played).efforts[1].work_per_turn(), None);
        played.as_flattened().iter().map(essence).collect()
    };
    assert_eq!(games(1), games(3));
    // Without search and with equal logits the player chooses the lowest action.
    let mut policy: Box<dyn Player> = Box::new(PolicyPlayer::new(Box::new(Uniform)));
    assert_eq!(&policy.choose(&variant.initial(), &[]).unwrap().turn.text, "1");
}

#[test]
fn time_limits_are_kept() {
    let variant = variant("neutron5");
    let names = ["uct?time=20ms", "alphabeta?time=10ms"];
    let sum = totals(&games_of(&variant, names, [1, 2, 1], 1));
    let seconds = sum.efforts.map(|effort| effort.seconds_per_turn().unwrap());
    assert!((0.01..0.1).contains(&seconds[0]) && seconds[1] < 0.1, "{seconds:?}");
}
