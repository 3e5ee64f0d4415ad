//! The laws of [`Game`](crate::games::Game).

use std::collections::hash_map::DefaultHasher;
use std::hash::{Hash, Hasher};

use rand::RngExt;

use crate::base::rng::{Purpose, Rng, stream};
use crate::games::symmetry::Permutation;
use crate::games::{Action, Ending, PositionError, legal_turns, parse_turn};
use crate::registry::{Position, Variant};

/// The random games of a check.
const GAMES: u64 = 40;

fn random_action(game: &Position, rng: &mut Rng) -> Option<Action> {
    let mut actions = Vec::new();
    game.legal_actions(&mut actions);
    (!actions.is_empty()).then(|| actions[rng.random_range(0..actions.len())])
}

/// The actions of a random game, at most `limit`.
fn random_game(variant: &Variant, seed: u64, limit: usize) -> Vec<Action> {
    let mut rng = stream(seed, 0, 0, Purpose::Playout);
    let mut game = variant.initial();
    std::iter::from_fn(|| {
        let action = random_action(&game, &mut rng)?;
        game.play(action);
        Some(action)
    })
    .take(limit)
    .collect()
}

fn hash_of(game: &Position) -> u64 {
    let mut hasher = DefaultHasher::new();
    game.hash(&mut hasher);
    hasher.finish()
}

fn observation(game: &Position) -> Vec<f32> {
    let mut planes = vec![f32::NAN; game.spec().observation()];
    game.observe(&mut planes);
    planes
}

/// There are legal actions if and only if the game is not over. They are ascending and in range.
/// The ply and the side to move change as specified, and the game ends within its limit.
pub(crate) fn laws_of_play(variant: &Variant) {
    let longest = variant.longest_game();
    let mut actions = Vec::new();
    for seed in 0..GAMES {
        let mut game = variant.initial();
        assert_eq!(game.ply(), 0, "the start is after 0 turns");
        for action in random_game(variant, seed, usize::MAX) {
            game.legal_actions(&mut actions);
            assert_eq!(game.outcome(), None, "it has an outcome and legal actions\n{game}");
            assert!(actions.is_sorted_by(|a, b| a < b), "{actions:?} are not ascending\n{game}");
            let most = variant.spec().actions();
            let is_in_range = actions.iter().all(|&action| usize::from(action) < most);
            assert!(is_in_range, "{actions:?}: SPEC has {most} actions\n{game}");
            check_choices(&game, &actions);
            let (ply, side) = (game.ply(), game.to_move());
            game.play(action);
            let is_next = game.ply() == ply + 1;
            let is_within = game.ply() == ply && game.to_move() == side;
            let now = game.ply();
            assert!(is_next || is_within, "ply {ply}, then {now}; or another side within a turn");
        }
        game.legal_actions(&mut actions);
        let is_over = game.outcome().is_some() && actions.is_empty();
        assert!(is_over, "no legal actions and no outcome\n{game}");
        assert_eq!(game.choose_action(&mut actions, |_| unreachable!()), None);
        assert!(longest > 0, "{}: a preset must end", variant.name);
        let ply = game.ply();
        assert!(ply <= longest, "{}: {ply} turns, longest_game is {longest}", variant.name);
    }
}

/// An action that is chosen by its index is that of the list.
fn check_choices(game: &Position, legal: &[Action]) {
    let mut actions = Vec::new();
    for (index, action) in legal.iter().enumerate() {
        let choose = |count| {
            assert_eq!(count as usize, legal.len());
            index as u32
        };
        assert_eq!(game.choose_action(&mut actions, choose), Some(*action));
    }
}

/// Every game that is over says why, and no other.
pub(crate) fn endings(variant: &Variant) {
    for seed in 0..GAMES {
        let mut game = variant.initial();
        for action in random_game(variant, seed, usize::MAX) {
            assert_eq!(game.ending(), None, "an ending of a game that is not over\n{game}");
            game.play(action);
        }
        let Ending { reason, cells } = game.ending().expect("the game is over");
        assert!(reason.starts_with(char::is_uppercase) && !reason.ends_with('.'), "{reason}");
        assert!(cells.is_sorted_by(|a, b| a < b), "cells of the ending: {cells:?}");
        let board = variant.game().cells();
        assert!(cells.iter().all(|cell| board.contains(cell)), "cells of the ending: {cells:?}");
    }
}

/// The text of every position between turns is read as an equal position.
///
/// A game whose positions have no text passes.
pub(crate) fn texts_of_positions(variant: &Variant) {
    let start = variant.initial();
    if variant.position(Some(&start.position_text())) == Err(PositionError::without_text()) {
        return;
    }
    for seed in 0..GAMES {
        let mut game = variant.initial();
        let mut ply = u32::MAX;
        for action in random_game(variant, seed, usize::MAX) {
            if game.ply() != ply {
                expect_same_text(variant, &game);
            }
            ply = game.ply();
            game.play(action);
        }
        expect_same_text(variant, &game);
    }
}

fn expect_same_text(variant: &Variant, game: &Position) {
    let text = game.position_text();
    let read = variant.position(Some(&text));
    let read = read.unwrap_or_else(|error| panic!("{}: {text}: {error}", variant.name));
    assert_eq!(read, *game, "{}: {text}", variant.name);
    assert_eq!(read.full_key(), game.full_key(), "{text}");
    assert_eq!(read.position_text(), text);
}

pub(crate) fn replays_are_equal(variant: &Variant) {
    for seed in 0..GAMES {
        let (mut one, mut two) = (variant.initial(), variant.initial());
        for action in random_game(variant, seed, 300) {
            one.play(action);
            assert!(two.try_play(action), "a legal action is accepted");
            assert_eq!(one, two);
            assert_eq!(hash_of(&one), hash_of(&two), "the same actions, another hash");
            assert_eq!(one.position_key(), two.position_key(), "the same actions, another key");
            assert_eq!(one.to_string(), two.to_string());
            assert_eq!(observation(&one), observation(&two));
        }
    }
}

pub(crate) fn observations_are_finite_and_modest(variant: &Variant) {
    let mut game = variant.initial();
    for action in random_game(variant, 7, 300) {
        let is_modest = observation(&game).iter().all(|value| (0.0..=1.0).contains(value));
        assert!(is_modest, "observe wrote a number outside 0 to 1, or left one unwritten\n{game}");
        game.play(action);
    }
}

/// Cells without a name are not on the board, and no network computes them: no action is there, and
/// planes have 0 there, or one number everywhere.
pub(crate) fn nothing_is_on_cells_without_a_name(variant: &Variant) {
    let (mut game, spec) = (variant.initial(), variant.spec());
    let cells = spec.cells();
    let is_missing = |game: &Position, cell| game.cell_name(cell).is_empty();
    let missing: Vec<usize> = (0..cells).filter(|&cell| is_missing(&game, cell)).collect();
    let on_board = (0..cells).find(|cell| !missing.contains(cell)).expect("a cell has a name");
    let mut actions = Vec::new();
    for action in random_game(variant, 8, 300) {
        let same = (0..cells).all(|cell| is_missing(&game, cell) == missing.contains(&cell));
        assert!(same, "cells without a name get one, or the other way round\n{game}");
        for plane in observation(&game).chunks_exact(cells) {
            let is_empty = missing.iter().all(|&cell| plane[cell] == 0.0);
            let is_constant = plane.iter().all(|&value| value == plane[on_board]);
            assert!(is_empty || is_constant, "a plane shows more on cells without a name\n{game}");
        }
        game.legal_actions(&mut actions);
        let is_beside = |action: &usize| missing.contains(&(action % cells));
        let pass = usize::from(spec.pass_action());
        let found =
            actions.iter().map(|&it| usize::from(it)).filter(|&it| it < pass).find(is_beside);
        assert_eq!(found, None, "an action is on a cell without a name\n{game}");
        game.play(action);
    }
}

/// Every legal turn is parsed from its text, in upper case and with spaces. All texts differ.
pub(crate) fn notation_round_trips(variant: &Variant) {
    let mut rng = stream(3, 0, 0, Purpose::Playout);
    let mut game = variant.initial();
    for _ in 0..60 {
        let turns = legal_turns(&game);
        if turns.is_empty() {
            break;
        }
        let are_distinct = turns.is_sorted_by(|a, b| a.text < b.text);
        assert!(are_distinct, "two turns have the same text\n{game}");
        for turn in &turns {
            let shouted = format!("  {}\t", turn.text.to_uppercase());
            assert_eq!(parse_turn(&game, &shouted).as_ref(), Ok(turn));
        }
        let turn = &turns[rng.random_range(0..turns.len())];
        turn.play_on(&mut game);
    }
}

pub(crate) fn symmetries(variant: &Variant) {
    let permutations = Permutation::all(variant.spec(), variant.game().symmetries());
    let mut image = vec![0.0; variant.spec().observation()];
    let (mut legal, mut mapped_legal) = (Vec::new(), Vec::new());
    for (seed, permutation) in (0..GAMES).zip(permutations.iter().cycle()) {
        let mut game = variant.initial();
        let mut mapped = variant.initial_image(permutation);
        permutation.observation(&observation(&game), &mut image);
        let advice = "a start less symmetric than the rules needs `initial_image`";
        assert_eq!(image, observation(&mapped), "the start under a symmetry ({advice}):\n{game}");
        for action in random_game(variant, seed, 200) {
            permutation.observation(&observation(&game), &mut image);
            let place = format!("under a symmetry of SYMMETRIES:\n{game}\n\n{mapped}");
            assert_eq!(image, observation(&mapped), "the observation {place}");
            game.legal_actions(&mut legal);
            mapped.legal_actions(&mut mapped_legal);
            let mut images: Vec<_> = legal.iter().map(|&a| permutation.action(a)).collect();
            images.sort_unstable();
            assert_eq!(images, mapped_legal, "the legal actions {place}");
            game.play(action);
            mapped.play(permutation.action(action));
            assert_eq!(game.outcome(), mapped.outcome(), "the outcome after {place}");
        }
    }
}

pub(crate) fn illegal_turns_are_refused(variant: &Variant) {
    let game = variant.initial();
    let first = legal_turns(&game)[0].text;
    for text in ["", " ", "z99", "d3-", "-", "\u{1F3B2}\u{1F3B2}", "a1-a1", &format!("{first}x")] {
        let error = parse_turn(&game, text).expect_err("it is not legal").to_string();
        assert!(error.contains("not a legal turn") && error.contains(first.as_str()), "{error}");
    }
    let long = "a".repeat(1_000_000);
    assert!(parse_turn(&game, &long).expect_err("it is not legal").to_string().len() < 300);
    assert!((0..=u16::MAX).rev().step_by(997).all(|action| {
        let mut copy = game;
        let legal = copy.try_play(action);
        legal || copy == game
    }));

    let mut over = variant.initial();
    random_game(variant, 1, usize::MAX).into_iter().for_each(|action| over.play(action));
    let error = parse_turn(&over, &first).expect_err("it is not legal");
    assert_eq!(error.to_string(), format!("`{first}`: the game is over"));
    let (index, _) =
        variant.replay(&[first.as_str(), "nonsense"], |_| ()).expect_err("it is not legal");
    assert_eq!(index, 1);
}
