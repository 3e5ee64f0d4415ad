//! Statistics of matches and ratings: known values (recomputed by scripts/check_statistics.py), and
//! coverage and error rates in simulations.

use rand::RngExt;

use crate::base::rng::{Purpose, Rng, stream};
use crate::stats::ratings::{RatingSettings, rate};
use crate::stats::sprt::Scale;
use crate::stats::{
    Decision, ELO_PER_NAT, Encounter, Pentanomial, RatingsError, Sprt, Summary, elo_of_score,
    score_of_elo,
};

fn rng(seed: u64) -> Rng {
    stream(seed, 0, 0, Purpose::Sampling)
}

fn uniform(rng: &mut Rng) -> f64 {
    rng.random_range(0.0..1.0)
}

/// Samples the index of a class with these probabilities.
fn draw(chances: &[f64], rng: &mut Rng) -> usize {
    let mut left = uniform(rng);
    let last = chances.len() - 1;
    chances
        .iter()
        .position(|chance| {
            left -= chance;
            left < 0.0
        })
        .unwrap_or(last)
}

#[track_caller]
fn near(found: f64, expected: f64) {
    assert!((found - expected).abs() < 2e-6 * expected.abs().max(1e-2), "{found}, not {expected}");
}

// ---- pairs ----

/// Pairs; score, variance, Elo with its interval, normalised Elo and LOS; log-likelihood ratios of
/// the tests logistic 0 to 5, normalised 0 to 4 and normalised -20 to 50.
const MATCHES: [([u64; 5], [f64; 7], [f64; 3]); 4] = [
    (
        [13, 37, 50, 25, 3],
        [
            0.4375,
            0.057617188,
            -43.657787770,
            -73.397216197,
            -14.542887159,
            -63.968076277,
            0.001610401,
        ],
        [-1.012680232, -0.549124587, -11.445301489],
    ),
    (
        [4, 21, 60, 38, 9],
        [
            0.551136364,
            0.049941890,
            35.657857190,
            9.044254333,
            62.695940706,
            56.215574463,
            0.995717704,
        ],
        [0.848853185, 0.457606253, 6.084286367],
    ),
    (
        [0, 1, 5, 20, 74],
        [0.917490825, 0.023826930, 418.439794324, 358.349249225, 503.424152147, 664.465129298, 1.0],
        [1.428741245, 1.474849003, 24.272308359],
    ),
    (
        [2, 0, 7, 0, 3],
        [
            0.541659723,
            0.102424191,
            29.015408436,
            -99.498983098,
            166.420383842,
            31.979701931,
            0.673992270,
        ],
        [0.031616132, 0.023642626, 0.234622261],
    ),
];

fn sprt(scale: Scale, bounds: [f64; 2]) -> Sprt {
    Sprt { scale, bounds, ..Sprt::default() }
}

#[test]
fn matches_are_summed_up_as_recomputed() {
    for (pairs, expected, ratios) in MATCHES {
        let results = Pentanomial::new(pairs);
        let Summary { score, variance, elo, normalized_elo, los, .. } = results.summary().unwrap();
        let normalized = normalized_elo.value;
        let found = [score.value, variance, elo.value, elo.low, elo.high, normalized, los];
        found.iter().zip(expected).for_each(|(&found, expected)| near(found, expected));

        let tests = [
            sprt(Scale::Logistic, [0.0, 5.0]),
            sprt(Scale::Normalized, [0.0, 4.0]),
            sprt(Scale::Normalized, [-20.0, 50.0]),
        ];
        for (test, expected) in tests.iter().zip(ratios) {
            near(test.llr(&results), expected);
        }
    }
}

#[test]
fn exchanging_the_players_turns_every_sign() {
    for (pairs, _, _) in MATCHES {
        let mut turned = pairs;
        turned.reverse();
        let [one, two] = [pairs, turned].map(Pentanomial::new);
        let [a, b] = [one, two].map(|results| results.summary().unwrap());
        near(a.score.value, 1.0 - b.score.value);
        near(a.elo.low, -b.elo.high);
        near(a.normalized_elo.high, -b.normalized_elo.low);
        near(a.los, 1.0 - b.los);
        for scale in [Scale::Logistic, Scale::Normalized] {
            near(sprt(scale, [-3.0, 7.0]).llr(&one), -sprt(scale, [-7.0, 3.0]).llr(&two));
        }
    }
}

#[test]
fn uniform_results_have_intervals_of_positive_width() {
    assert_eq!(Pentanomial::default().summary(), None);
    let won = Pentanomial::new([0, 0, 0, 0, 8]).summary().unwrap();
    assert!(won.score.value > 0.999 && won.score.low < 0.9 && won.score.high == 1.0, "{won:?}");
    assert!(won.elo.low > 100.0 && won.elo.high == f64::INFINITY && won.los > 0.99);
    let drawn = Pentanomial::new([0, 0, 8, 0, 0]).summary().unwrap();
    near(drawn.elo.value, 0.0);
    assert!(drawn.elo.low < -10.0 && drawn.elo.high > 10.0 && (drawn.los - 0.5).abs() < 1e-9);
    let one = Pentanomial::new([0, 0, 0, 1, 0]).summary().unwrap();
    assert!(one.elo.low < 0.0 && one.los < 0.95, "{one:?}");
}

#[test]
fn elo_and_score_are_each_others_inverse() {
    near(score_of_elo(400.0), 10.0 / 11.0);
    for elo in [-700.0, -3.0, 0.0, 120.0] {
        near(elo_of_score(score_of_elo(elo)), elo);
    }
    assert_eq!(elo_of_score(1.0), f64::INFINITY);
    assert_eq!(elo_of_score(0.0), f64::NEG_INFINITY);
}

/// The 95 % intervals contain the true value in about 95 % of simulated matches.
#[test]
fn intervals_of_matches_contain_the_true_value() {
    let chances = [0.07, 0.18, 0.38, 0.25, 0.12];
    let score: f64 = chances.iter().zip(0..).map(|(p, class)| p * f64::from(class) / 4.0).sum();
    let variance: f64 = chances
        .iter()
        .zip(0..)
        .map(|(p, class)| p * (f64::from(class) / 4.0 - score).powi(2))
        .sum();
    let normalized = (score - 0.5) / (2.0 * variance).sqrt() * 2.0 * ELO_PER_NAT;
    let (mut rng, mut held, rounds) = (rng(1), [0; 2], 20_000);
    for _ in 0..rounds {
        let mut results = Pentanomial::default();
        (0..80).for_each(|_| results.pairs[draw(&chances, &mut rng)] += 1);
        let summary = results.summary().unwrap();
        held[0] += i32::from(summary.elo.contains(elo_of_score(score)));
        held[1] += i32::from(summary.normalized_elo.contains(normalized));
    }
    for held in held {
        let rate = f64::from(held) / f64::from(rounds);
        assert!((0.94..=0.957).contains(&rate), "{rate}");
    }
}

// ---- the sequential test ----

#[test]
fn thresholds_and_decisions() {
    let test = Sprt::default();
    let [lower, upper] = test.thresholds();
    near(lower, -2.944_438_979);
    near(upper, 2.944_438_979);
    assert_eq!(test.decide(-2.9), Decision::Continue);
    assert_eq!(test.decide(upper), Decision::AcceptH1);
    assert_eq!(test.decide(lower), Decision::AcceptH0);
    assert!(test.llr(&Pentanomial::default()).abs() < 1e-3);
}

#[test]
fn invalid_tests_are_refused() {
    let fine = Sprt::default();
    assert_eq!(fine.check(), Ok(()));
    let bad = [
        Sprt { bounds: [4.0, 0.0], ..fine },
        Sprt { bounds: [1.0, 1.0], ..fine },
        Sprt { bounds: [0.0, f64::NAN], ..fine },
        Sprt { bounds: [0.0, 1e9], ..fine },
        Sprt { alpha: 0.0, ..fine },
        Sprt { beta: 0.7, ..fine },
    ];
    assert!(bad.iter().all(|test| test.check().is_err()));
}

#[test]
fn extreme_results_have_finite_ratios() {
    for pairs in [[0, 0, 0, 0, 100_000], [100_000, 0, 0, 0, 0], [0, 0, 100_000, 0, 0]] {
        for scale in [Scale::Logistic, Scale::Normalized] {
            for bounds in [[0.0, 4.0], [-200.0, 200.0], [-1.0, 0.0]] {
                let llr = sprt(scale, bounds).llr(&Pentanomial::new(pairs));
                assert!(llr.is_finite(), "{pairs:?} {scale:?} {bounds:?}");
            }
        }
    }
}

/// Probabilities of pair results with a t-value of `t`. The mean of a fixed distribution is shifted
/// by moving weight between its ends.
fn chances_at(t: f64) -> [f64; 5] {
    let moved = |shift: f64| [0.06 - shift, 0.2 - shift, 0.48, 0.2 + shift, 0.06 + shift];
    let t_of = |chances: &[f64; 5]| {
        let scores = [0.0, 0.25, 0.5, 0.75, 1.0];
        let mean: f64 = chances.iter().zip(scores).map(|(p, s)| p * s).sum();
        let square: f64 = chances.iter().zip(scores).map(|(p, s)| p * (s - mean).powi(2)).sum();
        (mean - 0.5) / square.sqrt()
    };
    let (mut low, mut high) = (-0.05, 0.05);
    for _ in 0..60 {
        let middle = f64::midpoint(low, high);
        if t_of(&moved(middle)) < t { low = middle } else { high = middle }
    }
    moved(low)
}

/// Plays until a decision, which is checked after every eighth pair.
fn run(test: &Sprt, chances: &[f64; 5], rng: &mut Rng) -> (Decision, u64) {
    let mut results = Pentanomial::default();
    loop {
        (0..8).for_each(|_| results.pairs[draw(chances, rng)] += 1);
        let decision = test.decide(test.llr(&results));
        if decision != Decision::Continue {
            return (decision, results.total());
        }
    }
}

/// Error rates are about `alpha` and `beta`, and tests need far fewer pairs than a match of fixed
/// length with the same error rates.
#[test]
fn the_sequential_test_keeps_its_error_rates() {
    let bounds = [0.0, 60.0];
    let test = Sprt { bounds, ..Sprt::default() };
    let t = |elo: f64| elo / (2.0 * ELO_PER_NAT) * 2.0_f64.sqrt();
    let rounds = 5000;
    for (elo, wrong) in [(bounds[0], Decision::AcceptH1), (bounds[1], Decision::AcceptH0)] {
        let (mut rng, chances) = (rng(2), chances_at(t(elo)));
        let runs: Vec<_> = (0..rounds).map(|_| run(&test, &chances, &mut rng)).collect();
        let errors = runs.iter().filter(|(decision, _)| *decision == wrong).count();
        let rate = errors as f64 / f64::from(rounds);
        assert!((0.03..=0.055).contains(&rate), "{rate} at {elo}");
        let mean = runs.iter().map(|(_, pairs)| *pairs as f64).sum::<f64>() / f64::from(rounds);
        // A test of fixed length needs ((1.645 + 1.645) / (t1 - t0))^2 pairs.
        let fixed = (3.29 / (t(bounds[1]) - t(bounds[0]))).powi(2);
        assert!(mean < 0.7 * fixed, "{mean} pairs, {fixed} at fixed length");
    }
}

// ---- ratings ----

fn met(first: usize, second: usize, results: [u64; 3]) -> Encounter {
    Encounter { first, second, results }
}

/// An unbeaten player, and three players with draws and a first-move advantage.
#[test]
fn ratings_are_as_recomputed() {
    let unbeaten = [met(0, 1, [0, 0, 10]), met(1, 0, [10, 0, 0])];
    let ratings = rate(2, &unbeaten, &RatingSettings::default()).unwrap();
    let deviation =
        |ratings: &crate::stats::Ratings, player| ratings.covariance(player, player).sqrt();
    near(ratings.rating(1).value, 695.764_980);
    assert!((deviation(&ratings, 1) - 280.875_44).abs() < 1e-3);
    assert!(ratings.first_move().value.abs() < 1e-6);
    near(ratings.drawing().value, 0.098_425_08);

    let three =
        [met(0, 1, [10, 5, 5]), met(1, 0, [7, 6, 7]), met(1, 2, [12, 2, 6]), met(2, 0, [3, 4, 13])];
    let ratings = rate(3, &three, &RatingSettings::default()).unwrap();
    assert_eq!(ratings.rating(0).value, 0.0);
    near(ratings.rating(1).value, -72.054_225_08);
    near(ratings.rating(2).value, -222.279_566_30);
    near(ratings.first_move().value, 22.677_791_65);
    near(ratings.drawing().value, 0.586_988_199);
    assert!((deviation(&ratings, 1) - 59.731_17).abs() < 1e-3);
    assert!((deviation(&ratings, 2) - 75.378_99).abs() < 1e-3);
}

#[test]
fn another_anchor_or_order_changes_nothing_else() {
    let games =
        [met(0, 1, [10, 5, 5]), met(1, 2, [12, 2, 6]), met(2, 0, [3, 4, 13]), met(3, 1, [1, 1, 8])];
    let one = rate(4, &games, &RatingSettings::default()).unwrap();
    let settings = RatingSettings { anchor: 3, anchor_rating: 1500.0, ..RatingSettings::default() };
    let reversed: Vec<_> = games.iter().rev().copied().collect();
    let two = rate(4, &reversed, &settings).unwrap();
    near(two.rating(3).value, 1500.0);
    assert_eq!(two.covariance(3, 1), 0.0);
    for (a, b) in [(0, 1), (1, 2), (0, 3), (2, 3)] {
        near(one.difference(a, b).value, two.difference(a, b).value);
        near(one.difference(a, b).high, two.difference(a, b).high);
        near(one.difference(a, b).low, -one.difference(b, a).high);
        near(one.los(a, b), two.los(a, b));
        near(one.los(a, b), 1.0 - one.los(b, a));
    }
    near(two.rating(1).value, one.difference(1, 3).value + 1500.0);
    near(one.probabilities(0, 1).iter().sum(), 1.0);
}

#[test]
fn extreme_results_have_finite_ratings() {
    let pools: [&[Encounter]; 4] = [
        &[met(0, 1, [1_000_000, 0, 0])],
        &[met(0, 1, [0, 1_000_000, 0]), met(1, 2, [0, 5, 0])],
        &[met(0, 1, [1, 0, 0]), met(1, 2, [1, 0, 0])],
        &[met(0, 1, [500, 0, 0]), met(1, 0, [500, 0, 0]), met(1, 2, [0, 0, 1])],
    ];
    for games in pools {
        let players = games.iter().map(|met| met.first.max(met.second)).max().unwrap() + 1;
        let ratings = rate(players, games, &RatingSettings::default()).unwrap();
        for player in 1..players {
            let rating = ratings.rating(player);
            assert!(rating.low.is_finite() && rating.high.is_finite(), "{games:?}: {rating:?}");
        }
        let fit = ratings.intransitivity(games);
        assert!(fit.chi_square.is_finite() && (0.0..=1.0).contains(&fit.p_value), "{fit:?}");
    }
    let alone = rate(1, &[], &RatingSettings::default()).unwrap();
    assert_eq!(alone.rating(0).value, 0.0);
}

#[test]
fn invalid_pools_are_refused() {
    let standard = RatingSettings::default();
    let apart = [met(0, 2, [1, 0, 0]), met(1, 3, [0, 1, 0]), met(2, 1, [0, 0, 0])];
    let groups = vec![vec![0, 2], vec![1, 3], vec![4]];
    assert_eq!(rate(5, &apart, &standard), Err(RatingsError::Unconnected { groups }));
    let unknown = RatingsError::Unknown { player: 2, players: 2 };
    assert_eq!(rate(2, &[met(0, 2, [1, 0, 0])], &standard), Err(unknown));
    let against_itself = RatingsError::AgainstItself { player: 1 };
    assert_eq!(rate(2, &[met(1, 1, [1, 0, 0])], &standard), Err(against_itself));
    let far = RatingSettings { anchor: 7, ..standard };
    let unknown = RatingsError::Unknown { player: 7, players: 2 };
    assert_eq!(rate(2, &[met(0, 1, [1, 0, 0])], &far), Err(unknown));
    for prior_games in [0.0, -1.0, f64::NAN] {
        let settings = RatingSettings { prior_games, ..standard };
        assert_eq!(rate(2, &[met(0, 1, [1, 0, 0])], &settings), Err(RatingsError::Prior));
    }
}

/// The model's probabilities of a win, a draw and a loss, implemented independently.
fn chances(elo: f64, nu: f64) -> [f64; 3] {
    let win = 10.0_f64.powf(elo / 800.0);
    let total = win + nu + 1.0 / win;
    [win / total, nu / total, 1.0 / win / total]
}

fn play(elo: f64, nu: f64, games: u64, rng: &mut Rng) -> [u64; 3] {
    let (chances, mut results) = (chances(elo, nu), [0; 3]);
    (0..games).for_each(|_| results[draw(&chances, rng)] += 1);
    results
}

const STRENGTHS: [f64; 6] = [0.0, 80.0, -150.0, 300.0, 20.0, 190.0];

/// All players against each other with both colours.
fn tournament(games: u64, advantage: f64, nu: f64, rng: &mut Rng) -> Vec<Encounter> {
    let pairs = (0..6).flat_map(|a| (0..6).map(move |b| (a, b))).filter(|(a, b)| a != b);
    pairs
        .map(|(a, b)| met(a, b, play(STRENGTHS[a] - STRENGTHS[b] + advantage, nu, games, rng)))
        .collect()
}

/// The 95 % intervals of ratings, differences, advantage and draws contain the true values in about
/// 95 % of simulated tournaments.
#[test]
fn true_strengths_are_recovered() {
    let (advantage, nu, rounds) = (45.0, 0.7, 1000_u64);
    let mut held = [0_u64; 4];
    for seed in 0..rounds {
        let games = tournament(20, advantage, nu, &mut rng(seed));
        let ratings = rate(6, &games, &RatingSettings::default()).unwrap();
        for (player, &strength) in STRENGTHS.iter().enumerate().skip(1) {
            held[0] += u64::from(ratings.rating(player).contains(strength));
            let difference = strength - STRENGTHS[player % 5 + 1];
            held[1] += u64::from(ratings.difference(player, player % 5 + 1).contains(difference));
        }
        held[2] += u64::from(ratings.first_move().contains(advantage));
        held[3] += u64::from(ratings.drawing().contains(nu));
    }
    let rate = |held: u64, each: u64| held as f64 / (each * rounds) as f64;
    for (index, each) in [5, 5, 1, 1].into_iter().enumerate() {
        let rate = rate(held[index], each);
        assert!((0.93..=0.97).contains(&rate), "{index}: {rate}");
    }
}

/// The likelihood of superiority is calibrated if all differences are equally likely beforehand.
#[test]
fn the_likelihood_of_superiority_is_calibrated() {
    let (mut rng, rounds) = (rng(3), 4000);
    let (mut predicted, mut observed) = (0.0, 0);
    for _ in 0..rounds {
        let difference = rng.random_range(-300.0..300.0);
        let games = [
            met(0, 1, play(difference, 0.6, 8, &mut rng)),
            met(1, 0, play(-difference, 0.6, 8, &mut rng)),
        ];
        let los = rate(2, &games, &RatingSettings::default()).unwrap().los(0, 1);
        predicted += los.max(1.0 - los);
        observed += i32::from((los > 0.5) == (difference > 0.0));
    }
    let (predicted, observed) =
        (predicted / f64::from(rounds), f64::from(observed) / f64::from(rounds));
    assert!((predicted - observed).abs() < 0.015, "{predicted} predicted, {observed} observed");
}

#[test]
fn more_games_make_narrower_intervals() {
    let width = |games| {
        let games = tournament(games, 0.0, 0.5, &mut rng(9));
        let rating = rate(6, &games, &RatingSettings::default()).unwrap().rating(3);
        rating.high - rating.low
    };
    let ratio = width(20) / width(320);
    assert!((3.3..4.5).contains(&ratio), "sixteen times the games, {ratio} times the width");
}

/// Transitive pools rarely appear intransitive; a cycle is found with the right direction.
#[test]
fn cycles_are_distinguished_from_chance() {
    let (mut suspected, mut cycles, rounds) = (0, 0, 200);
    for seed in 0..rounds {
        let games = tournament(15, 30.0, 0.5, &mut rng(seed));
        let fit = rate(6, &games, &RatingSettings::default()).unwrap().intransitivity(&games);
        assert_eq!(fit.degrees, 10);
        suspected += i32::from(fit.p_value < 0.05);
        cycles += i32::from(fit.cycle.unwrap().p_value < 0.05);
    }
    assert!((2..=20).contains(&suspected), "{suspected} of {rounds} by the sum of squares");
    assert!(cycles <= 18, "{cycles} of {rounds} by the strongest cycle");

    let mut games = tournament(60, 0.0, 0.5, &mut rng(1));
    let edges = [(5, 1), (1, 4), (4, 5)];
    for met in &mut games {
        let edge = |(a, b): (usize, usize)| match (met.first, met.second) {
            pair if pair == (a, b) => 150.0,
            pair if pair == (b, a) => -150.0,
            _ => 0.0,
        };
        let bonus: f64 = edges.into_iter().map(edge).sum();
        let elo = STRENGTHS[met.first] - STRENGTHS[met.second] + bonus;
        met.results = play(elo, 0.5, 60, &mut rng(10 + (met.first * 6 + met.second) as u64));
    }
    let fit = rate(6, &games, &RatingSettings::default()).unwrap().intransitivity(&games);
    let cycle = fit.cycle.unwrap();
    assert!(fit.p_value < 0.01 && cycle.p_value < 0.01, "{fit:?}");
    let at = cycle.players.iter().position(|&player| player == 5).unwrap();
    let mut turned = cycle.players;
    turned.rotate_left(at);
    assert_eq!(turned, [5, 1, 4], "{cycle:?}");
    assert!((250.0..650.0).contains(&cycle.elo), "{cycle:?}");
}

#[test]
fn two_players_have_no_cycle() {
    let games = [met(0, 1, [3, 1, 2])];
    let fit = rate(2, &games, &RatingSettings::default()).unwrap().intransitivity(&games);
    assert_eq!((fit.degrees, fit.p_value, fit.cycle), (0, 1.0, None));
}
