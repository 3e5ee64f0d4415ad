//! Games as text: what is written is read back, and what is no game is refused with its place.

#![allow(clippy::unwrap_used)]

use std::collections::BTreeSet;

use rand::RngExt;
use serde_json::{Map, Value, json};
use tavoliere::evaluator::Wdl;
use tavoliere::game::{Game, Text, legal_turns};
use tavoliere::games::{self, AnyVariant, Variant};
use tavoliere::notation::{Format, Transcript, read, write};
use tavoliere::rng::{Purpose, stream};
use tavoliere::with_variant;

// ---- games to be written ----

/// The turns of a random game, to its end or to `most` turns.
fn random_moves<G: Game>(variant: &Variant<G>, seed: u64, most: usize) -> Vec<Text> {
    let (mut game, mut moves) = (variant.initial(), Vec::new());
    let mut rng = stream(seed, 0, 0, Purpose::Playout);
    while game.outcome().is_none() && moves.len() < most {
        let legal = legal_turns(&game);
        let turn = &legal[rng.random_range(0..legal.len())];
        turn.actions.iter().for_each(|&action| game.play(action));
        moves.push(turn.text);
    }
    moves
}

fn random_game(any: AnyVariant, seed: u64, most: usize) -> Transcript {
    let moves = with_variant!(any, variant => random_moves(&variant, seed, most));
    Transcript::new(any, &moves, None).unwrap()
}

/// Values of some of the turns.
fn random_values(turns: usize, seed: u64) -> Vec<Option<Wdl>> {
    let mut rng = stream(seed, 0, 0, Purpose::Noise);
    let mut value = || {
        let parts: [f32; 3] = [(); 3].map(|()| rng.random_range(0.0..1.0));
        let total: f32 = parts.iter().sum();
        rng.random_bool(0.7).then(|| parts.map(|part| part / total))
    };
    (0..turns).map(|_| value()).collect()
}

/// A game with everything that can be said of one.
fn told_game(any: AnyVariant, seed: u64, most: usize) -> Transcript {
    let game = random_game(any, seed, most);
    let values = random_values(game.moves().len(), seed);
    let tags = [
        ("P1", "uct?rollouts=1000"),
        ("P2", r#"a "quoted" name \ with {braces}; [and more"#),
        ("Date", "2026.11.21"),
        ("Note_1", ""),
    ];
    game.with_values(&values).unwrap().with_tags(tags).unwrap()
}

/// Other values of options, of which a game takes those it knows.
fn other_options() -> Vec<(&'static str, Value)> {
    let texts: &[(&str, &[&str])] = &[
        ("pie", &["on"]),
        ("notation", &["linhart"]),
        ("repetition", &["draw3"]),
        ("goal", &["own", "opponent"]),
        ("first_turn", &["piece", "full"]),
        ("forbid", &["none", "own", "opponent", "both"]),
        ("restriction", &["wall"]),
        ("rescue", &["all"]),
        ("win", &["no_friend", "contact"]),
        ("capture", &["optional"]),
        ("overline", &["exact"]),
        ("per_move", &["per_line"]),
        ("cap_result", &["material"]),
    ];
    let texts = texts.iter().flat_map(|(option, values)| {
        values.iter().map(move |&value| (*option, Value::from(value)))
    });
    let numbers =
        [("holes", 0), ("holes", 1), ("holes", 2), ("max_plies", 21), ("no_capture_limit", 9)];
    texts.chain(numbers.map(|(option, value)| (option, Value::from(value)))).collect()
}

/// A game of the table, under its own options and with each of them changed.
fn variants_of(name: &str) -> Vec<AnyVariant> {
    let preset = games::preset(name).unwrap();
    let options = with_variant!(&preset, variant => serde_json::to_value(variant.rules).unwrap());
    let (mut variants, mut changed) = (vec![preset], BTreeSet::new());
    for (option, value) in other_options() {
        let changes = Map::from_iter([(option.to_owned(), value.clone())]);
        if options.get(option).is_some_and(|preset| *preset != value) {
            variants.push(games::find(name, &changes).unwrap());
            changed.insert(option.to_owned());
        }
    }
    let known: BTreeSet<String> = options.as_object().unwrap().keys().cloned().collect();
    assert_eq!(changed, known, "every option of {name} has another value here");
    variants
}

// ---- what is written is read back ----

#[track_caller]
fn assert_read_back(games: &[Transcript], format: Format) {
    let text = write(games, format).unwrap();
    let back = read(text.as_bytes()).unwrap_or_else(|error| panic!("{error}\n{text}"));
    assert_eq!(back, games, "{text}");
    assert_eq!(write(&back, format).unwrap(), text);
}

macro_rules! read_back {
    ($($name:ident,)*) => {
        mod is_read_back {
            use super::*;
            $(
                #[test]
                fn $name() {
                    for (seed, variant) in (0..).zip(variants_of(stringify!($name))) {
                        let games =
                            [usize::MAX, 3, 0].map(|most| told_game(variant, seed, most));
                        assert_read_back(&games, Format::Pgn);
                        assert_read_back(&games, Format::Lines);
                        assert_read_back(&games[..1], Format::Pgn);
                    }
                }
            )*
        }
    };
}

tavoliere::for_every_game!(read_back);
