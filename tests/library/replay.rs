//! The replay buffer: what is kept, and what is drawn from it.

use std::collections::HashMap;
use std::ops::Range;
use std::sync::atomic::AtomicBool;

use crate::base::rng::{Purpose, Rng, stream};
use crate::games::symmetry::Permutation;
use crate::games::{Action, Outcome, Side};
use crate::nn::{Batch, ILLEGAL};
use crate::registry::{self, Variant};
use crate::search::{self, Cache};
use crate::selfplay::record::{Choice, GameRecord, Searched};
use crate::selfplay::replay::{Buffer, Settings, positions_of};
use crate::selfplay::{self, Counters, IterationJob};
use crate::tests::common::finished::finished;
use crate::tests::common::hashed::Hashed;

fn tic_tac_toe() -> Variant {
    registry::preset("tic_tac_toe").unwrap()
}

/// The default but that only results are taught, as these are easily worked out.
fn by_results() -> Settings {
    Settings { search_value: 0.0, ..Settings::default() }
}

fn sampling(index: u64) -> Rng {
    stream(9, 8, index, Purpose::Sampling)
}

fn drawn(buffer: &Buffer, size: usize, index: u64) -> Batch {
    let mut batch = Batch::default();
    buffer.draw(size, &mut sampling(index), &mut batch);
    batch
}

/// Games of which some positions were not searched, at the beginning and all over the games.
fn games_of(variant: &Variant, iteration: u64, games: u64) -> Vec<GameRecord> {
    let settings = selfplay::Settings {
        games,
        batch: 4,
        simulations: 8,
        opening_plies: 1,
        restart_share: 0.0,
        ..Default::default()
    };
    let (search, cache) = (search::Settings::default(), Cache::new(0, 1));
    let order = IterationJob::new(variant, &search, &settings, &cache);
    let order = IterationJob { seed: 22, iteration, ..order };
    let (counters, stop) = (Counters::default(), AtomicBool::new(false));
    let mut games = selfplay::play(&order, &mut [Hashed], &counters, &stop).unwrap();
    let choices = games.iter_mut().flat_map(|game| &mut game.choices);
    let searched = choices.filter(|choice| choice.search.is_some());
    searched.skip(1).step_by(3).for_each(|choice| choice.search = None);
    games
}

/// A game of tic-tac-toe of five or seven actions in which P1 wins, or of six in which P2 does.
/// What the search is said to have found names the position: the share of the first legal
/// action is `mark / 1000` for the first position, and one more in each of the next.
fn marked(length: usize, mark: u32) -> GameRecord {
    let actions: &[Action] = match length {
        5 => &[0, 3, 1, 4, 2],
        6 => &[0, 3, 1, 4, 8, 5],
        7 => &[0, 3, 1, 4, 8, 7, 2],
        _ => panic!("no such game"),
    };
    let mut game = tic_tac_toe().initial();
    let mut legal = Vec::new();
    let mut choices = Vec::new();
    for (&action, mark) in actions.iter().zip(mark..) {
        game.legal_actions(&mut legal);
        choices.push(Choice { action, search: Some(found(&[legal[0], legal[1]], mark)) });
        assert!(game.try_play(action));
    }
    let outcome = game.outcome().unwrap();
    assert_eq!(outcome, Outcome::Win(if length == 6 { Side::P2 } else { Side::P1 }));
    let plies = game.ply();
    finished(choices, outcome, plies)
}

/// What a search found of two actions.
fn found(actions: &[Action; 2], mark: u32) -> Searched {
    let policy = vec![(actions[0], mark as u16), (actions[1], 1_000 - mark as u16)];
    Searched { policy, value: [0.0, 1.0, 0.0], surprise: 0.0 }
}

/// The same game with only these of its positions searched.
fn searched(game: GameRecord, searched: &[usize]) -> GameRecord {
    let mut game = game;
    for (index, choice) in game.choices.iter_mut().enumerate() {
        choice.search = choice.search.take().filter(|_| searched.contains(&index));
    }
    game
}

/// Buffer of tic-tac-toe without symmetries.
fn plain(window: usize) -> Buffer {
    let settings = Settings { window, symmetries: false, ..by_results() };
    Buffer::new(tic_tac_toe(), &settings)
}

/// How often each mark was drawn from a buffer without symmetries.
fn marks(buffer: &Buffer, draws: usize) -> HashMap<u32, u32> {
    let batch = drawn(buffer, draws, 0);
    let mut counts = HashMap::new();
    for (policy, mask) in batch.policy.chunks(9).zip(batch.mask.chunks(9)) {
        let first = mask.iter().position(|&mask| mask == 0.0).unwrap();
        *counts.entry((policy[first] * 1_000.0).round() as u32).or_default() += 1;
    }
    counts
}

/// That what is drawn are the positions with these marks.
#[track_caller]
fn assert_holds(buffer: &Buffer, expected: impl IntoIterator<Item = Range<u32>>) {
    let mut marks: Vec<u32> = marks(buffer, 2_000).into_keys().collect();
    marks.sort_unstable();
    assert_eq!(marks, expected.into_iter().flatten().collect::<Vec<_>>());
}

// ---- what is kept ----

#[test]
fn the_newest_iterations_that_fill_the_window_are_kept() {
    let mut buffer = plain(10);
    assert_eq!((buffer.positions(), buffer.is_full()), (0, false));
    buffer.push(vec![marked(5, 100)]);
    assert_eq!((buffer.positions(), buffer.is_full()), (5, false));
    // 5 + 7 fill the window, for either alone does not.
    buffer.push(vec![marked(7, 200)]);
    assert_eq!((buffer.positions(), buffer.is_full()), (12, true));
    assert_holds(&buffer, [100..105, 200..207]);
    // 7 + 5 do without the first.
    buffer.push(vec![marked(5, 300)]);
    assert_eq!(buffer.positions(), 12);
    assert_holds(&buffer, [200..207, 300..305]);
    // Exactly the window is enough.
    buffer.push(vec![marked(5, 400)]);
    assert_eq!((buffer.positions(), buffer.is_full()), (10, true));
    assert_holds(&buffer, [300..305, 400..405]);
    // Two at once are no longer needed, and an iteration is kept whole.
    buffer.push(vec![marked(6, 500), marked(7, 600)]);
    assert_eq!(buffer.positions(), 13);
    assert_holds(&buffer, [500..506, 600..607]);
}

#[test]
fn the_newest_iteration_is_kept_however_small_the_window() {
    let mut buffer = plain(1);
    for mark in [100, 200, 300] {
        buffer.push(vec![marked(7, mark)]);
        assert_eq!((buffer.positions(), buffer.is_full()), (7, true));
        assert_holds(&buffer, std::iter::once(mark..mark + 7));
    }
}

#[test]
fn an_iteration_without_games_does_no_harm() {
    let mut buffer = plain(12);
    buffer.push(vec![marked(5, 100)]);
    buffer.push(Vec::new());
    buffer.push(vec![marked(5, 200)]);
    buffer.push(Vec::new());
    assert_eq!(buffer.positions(), 10);
    assert_holds(&buffer, [100..105, 200..205]);
}

#[test]
fn the_window_counts_what_was_searched() {
    let mut buffer = plain(5);
    buffer.push(vec![searched(marked(7, 100), &[0, 3])]);
    assert_eq!((buffer.positions(), buffer.is_full()), (2, false));
    buffer.push(vec![searched(marked(7, 200), &[1, 2]), searched(marked(5, 300), &[])]);
    assert_eq!((buffer.positions(), buffer.is_full()), (4, false));
    assert_holds(&buffer, [100..101, 103..104, 201..203]);
    // Two and two of fourteen and twelve positions fill no window of five.
    buffer.push(vec![searched(marked(6, 400), &[5])]);
    assert_eq!((buffer.positions(), buffer.is_full()), (5, true));
    assert_holds(&buffer, [100..101, 103..104, 201..203, 405..406]);
    buffer.push(vec![searched(marked(6, 500), &[0, 1])]);
    assert_eq!((buffer.positions(), buffer.is_full()), (5, true));
    assert_holds(&buffer, [201..203, 405..406, 500..502]);
    // All games are kept, whatever was searched of them.
    assert_eq!((buffer.games().count(), buffer.newest().len()), (4, 1));
}

#[test]
fn an_iteration_without_searches_does_no_harm() {
    let mut buffer = plain(4);
    buffer.push(vec![searched(marked(7, 100), &[])]);
    assert_eq!((buffer.positions(), buffer.is_full()), (0, false));
    buffer.push(vec![marked(5, 200)]);
    assert_eq!((buffer.positions(), buffer.games().count()), (5, 1));
    buffer.push(vec![searched(marked(7, 300), &[])]);
    assert_holds(&buffer, std::iter::once(200..205));
}

// ---- what is drawn ----

#[test]
fn only_what_was_searched_is_drawn_and_counted() {
    let mut buffer = plain(1_000);
    let games = vec![
        searched(marked(7, 100), &[1, 6]),
        searched(marked(6, 200), &[]),
        searched(marked(5, 300), &[0, 2, 4]),
    ];
    assert_eq!(games.iter().map(positions_of).collect::<Vec<_>>(), [2, 0, 3]);
    buffer.push(games);
    assert_eq!(buffer.positions(), 5);
    assert_holds(&buffer, [101..102, 106..107, 300..301, 302..303, 304..305]);
    assert!(marks(&buffer, 5_000).values().all(|count| (850..1_150).contains(count)));
}

#[test]
fn of_a_game_given_up_the_outcome_is_that_of_giving_up() {
    let mut game = marked(7, 100);
    game.choices.truncate(3);
    let game = GameRecord { outcome: Outcome::Win(Side::P1), plies: 3, resigned: true, ..game };
    let mut buffer = plain(1);
    buffer.push(vec![game]);
    assert_eq!(buffer.positions(), 3);
    let batch = drawn(&buffer, 200, 0);
    for (mask, wdl) in batch.mask.chunks(9).zip(batch.wdl.chunks(3)) {
        let stones = mask.iter().filter(|&&mask| mask == ILLEGAL).count();
        assert_eq!(wdl, if stones % 2 == 0 { [1.0, 0.0, 0.0] } else { [0.0, 0.0, 1.0] });
    }
}

#[test]
fn every_position_is_drawn_as_often_as_any_other() {
    // Iterations of different sizes, games of different lengths.
    let mut buffer = plain(1_000);
    buffer.push(vec![marked(5, 100)]);
    buffer.push(vec![marked(7, 200), marked(6, 300), marked(5, 400)]);
    buffer.push(vec![marked(6, 500), marked(6, 600)]);
    const DRAWS: usize = 70_000;
    let counts = marks(&buffer, DRAWS);
    assert_eq!((counts.len(), buffer.positions()), (35, 35));
    // The sum of squared deviations over the mean has, for 34 degrees of freedom, mean 34 and
    // standard deviation sqrt 68.
    let mean = DRAWS as f64 / 35.0;
    let deviations = counts.values().map(|&count| (f64::from(count) - mean).powi(2) / mean);
    let sum: f64 = deviations.sum();
    assert!((sum - 34.0).abs() < 4.0 * 68_f64.sqrt(), "{sum}");
}

#[test]
fn a_buffer_filled_from_the_newest_to_the_oldest_is_the_same() {
    let (mut forth, mut back) = (plain(12), plain(12));
    let iterations = [100, 200, 300, 400].map(|mark| vec![marked(5, mark), marked(6, mark + 50)]);
    iterations.iter().for_each(|games| forth.push(games.clone()));
    for games in iterations.iter().rev() {
        back.push_older(games.clone());
        if back.is_full() {
            break;
        }
    }
    assert_eq!((forth.positions(), back.positions()), (22, 22));
    assert_eq!(drawn(&forth, 100, 1), drawn(&back, 100, 1));
    // A smaller window lets go of what it does not need with the next iteration.
    forth.resize(5);
    forth.push(vec![marked(5, 500)]);
    assert_eq!(forth.positions(), 5);
}

#[test]
fn the_value_may_lean_on_the_search() {
    let mut game = marked(5, 100);
    for choice in &mut game.choices {
        choice.search.as_mut().expect("all are searched").value = [0.25, 0.5, 0.25];
    }
    for (search_value, won) in [(0.0, 1.0), (0.2, 0.85), (1.0, 0.25)] {
        let settings = Settings { search_value, symmetries: false, ..by_results() };
        let mut buffer = Buffer::new(tic_tac_toe(), &settings);
        buffer.push(vec![game.clone()]);
        let batch = drawn(&buffer, 100, 0);
        for (mask, wdl) in batch.mask.chunks(9).zip(batch.wdl.chunks(3)) {
            let stones = mask.iter().filter(|&&mask| mask == ILLEGAL).count();
            let lost = search_value * 0.25;
            let expected = if stones % 2 == 0 { [won, lost] } else { [lost, won] };
            let [win, draw, loss] = [wdl[0], wdl[1], wdl[2]];
            assert!((win - expected[0]).abs() + (loss - expected[1]).abs() < 1e-6, "{wdl:?}");
            assert!((draw - search_value * 0.5).abs() < 1e-6, "{wdl:?}");
        }
    }
}

#[test]
fn the_outcome_is_seen_by_the_side_to_move() {
    for (length, first) in [(5, [1.0, 0.0, 0.0]), (6, [0.0, 0.0, 1.0]), (7, [1.0, 0.0, 0.0])] {
        let second = [first[2], first[1], first[0]];
        let mut buffer = plain(1);
        buffer.push(vec![marked(length, 100)]);
        let batch = drawn(&buffer, 200, 0);
        for (mask, wdl) in batch.mask.chunks(9).zip(batch.wdl.chunks(3)) {
            let stones = mask.iter().filter(|&&mask| mask == ILLEGAL).count();
            assert_eq!(wdl, if stones % 2 == 0 { first } else { second });
        }
    }
}

/// An example as bits, so that it can be looked up.
type Key = [Vec<u32>; 5];

fn key(observation: &[f32], policy: &[f32], mask: &[f32], wdl: &[f32], left: f32) -> Key {
    let parts = [observation, policy, mask, wdl, &[left]];
    parts.map(|part| part.iter().map(|x| x.to_bits()).collect())
}

/// The policy of a search as the permutation shows it, for a game with `actions` actions.
fn spread(search: &Searched, permutation: &Permutation, actions: usize) -> Vec<f32> {
    let mut policy = vec![0.0; actions];
    let total: u32 = search.policy.iter().map(|&(_, units)| u32::from(units)).sum();
    for &(action, units) in &search.policy {
        policy[usize::from(permutation.action(action))] = f32::from(units) / total as f32;
    }
    policy
}

/// All examples that may be drawn from these games, worked out from the mapped position.
fn examples(
    variant: &Variant,
    records: &[GameRecord],
    permutations: &[Permutation],
) -> HashMap<Key, Vec<(usize, usize, usize)>> {
    let mut examples: HashMap<Key, Vec<_>> = HashMap::new();
    let spec = variant.spec();
    let (mut observation, mut image) =
        (vec![0.0; spec.observation()], vec![0.0; spec.observation()]);
    let mut legal = Vec::new();
    for (number, record) in records.iter().enumerate() {
        for (turned, permutation) in permutations.iter().enumerate() {
            let mut game = variant.initial();
            for (index, choice) in record.choices.iter().enumerate() {
                let Some(search) = &choice.search else {
                    game.play(choice.action);
                    continue;
                };
                game.observe(&mut observation);
                permutation.observation(&observation, &mut image);
                game.legal_actions(&mut legal);
                let mut mask = vec![ILLEGAL; spec.actions()];
                legal.iter().for_each(|&a| mask[usize::from(permutation.action(a))] = 0.0);
                let policy = spread(search, permutation, spec.actions());
                let wdl = match record.outcome {
                    Outcome::Draw => [0.0, 1.0, 0.0],
                    Outcome::Win(side) if side == game.to_move() => [1.0, 0.0, 0.0],
                    Outcome::Win(_) => [0.0, 0.0, 1.0],
                };
                let left = (record.plies - game.ply()) as f32;
                let example = key(&image, &policy, &mask, &wdl, left);
                examples.entry(example).or_default().push((number, index, turned));
                game.play(choice.action);
            }
        }
    }
    examples
}

fn check_examples(variant: &Variant) {
    const SIZE: usize = 300;
    let records = games_of(variant, 0, 2);
    let actions: usize = records.iter().map(|record| record.choices.len()).sum();
    assert!(records.iter().map(positions_of).sum::<usize>() < actions, "some are not searched");
    let (spec, all) = (variant.spec(), variant.game().symmetries());
    for (symmetries, used) in [(true, all), (false, &all[..1])] {
        let permutations = Permutation::all(spec, used);
        let examples = examples(variant, &records, &permutations);
        let mut buffer = Buffer::new(*variant, &Settings { symmetries, ..by_results() });
        buffer.push(records.clone());
        let batch = drawn(&buffer, SIZE, 1);
        let (planes, actions) = (spec.observation(), spec.actions());
        assert_eq!(batch.size, SIZE);
        assert_eq!(batch.observations.len(), SIZE * planes);
        assert_eq!([&batch.policy, &batch.mask].map(Vec::len), [SIZE * actions; 2]);
        assert_eq!(batch.wdl.len(), SIZE * 3);
        let mut turned = vec![0; permutations.len()];
        for example in 0..SIZE {
            let observation = &batch.observations[example * planes..][..planes];
            let policy = &batch.policy[example * actions..][..actions];
            let mask = &batch.mask[example * actions..][..actions];
            let wdl = &batch.wdl[example * 3..][..3];
            assert!((policy.iter().sum::<f32>() - 1.0).abs() < 1e-5);
            assert!(policy.iter().zip(mask).all(|(&share, &mask)| share == 0.0 || mask == 0.0));
            assert!(mask.iter().all(|&mask| mask == 0.0 || mask == ILLEGAL));
            let left = batch.moves_left[example];
            let found = examples.get(&key(observation, policy, mask, wdl, left));
            let found = found.expect("it is the image of a position of these games");
            // Most positions differ from all of their images; those tell which one was drawn.
            if let [(_, _, only)] = found[..] {
                turned[only] += 1;
            }
        }
        let expected = SIZE / permutations.len();
        let sure = turned.iter().sum::<usize>() > SIZE / 2;
        assert!(!sure || turned.iter().all(|&count| count >= expected / 4), "{turned:?}");
    }
}

fn check_streams(variant: &Variant) {
    let mut buffer = Buffer::new(*variant, &by_results());
    (0..2).for_each(|iteration| buffer.push(games_of(variant, iteration, 3)));
    let expected = drawn(&buffer, 40, 1);
    assert_eq!(drawn(&buffer, 40, 1), expected);
    assert_ne!(drawn(&buffer, 40, 2), expected);
    // What was in a batch before does not matter, be it larger or smaller.
    for size in [90, 3] {
        let mut used = drawn(&buffer, size, 3);
        used.observations.fill(f32::NAN);
        used.policy.fill(f32::NAN);
        buffer.draw(40, &mut sampling(1), &mut used);
        assert_eq!(used, expected);
    }
    // Nor does how the buffer came to be: what the window let go of is gone.
    let settings = Settings { window: 1, ..by_results() };
    let mut longer = Buffer::new(*variant, &settings);
    (0..2).for_each(|iteration| longer.push(games_of(variant, iteration, 3)));
    let mut newest = Buffer::new(*variant, &settings);
    newest.push(games_of(variant, 1, 3));
    assert_eq!(drawn(&longer, 40, 1), drawn(&newest, 40, 1));
}

macro_rules! replay {
    ($($name:ident,)*) => { $(
        mod $name {
            use super::*;

            fn variant() -> Variant {
                registry::preset(stringify!($name)).unwrap()
            }

            #[test]
            fn examples_are_images_of_positions() {
                check_examples(&variant());
            }

            #[test]
            fn draws_depend_on_the_stream_alone() {
                check_streams(&variant());
            }
        }
    )* };
}

for_every_game!(replay);

#[test]
fn every_symmetry_is_drawn_as_often_as_any_other() {
    // Of the position with stones on 0 and 3 all eight images differ, as do their policies.
    let mut record = marked(5, 100);
    record.choices[2].search.as_mut().unwrap().policy = vec![(1, 1), (5, 2), (8, 4)];
    let mut buffer = Buffer::new(tic_tac_toe(), &by_results());
    buffer.push(vec![record]);
    let batch = drawn(&buffer, 20_000, 5);
    let mut counts: HashMap<Vec<u32>, u32> = HashMap::new();
    let rows = batch.policy.chunks(9).zip(batch.mask.chunks(9));
    for (policy, _) in rows.filter(|(_, mask)| mask.iter().filter(|&&m| m != 0.0).count() == 2) {
        *counts.entry(policy.iter().map(|share| share.to_bits()).collect()).or_default() += 1;
    }
    assert_eq!(counts.len(), 8);
    // 500 of each are expected, give or take a standard deviation of 22.
    assert!(counts.values().all(|count| (400..600).contains(count)), "{counts:?}");
}
