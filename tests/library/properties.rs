//! Properties of notation and records, for random games of every game and option.
//!
//! A failing case is reduced to a short game before it is shown.

use proptest::collection::{btree_map, vec};
use proptest::prelude::*;
use proptest::sample::Index;
use proptest::test_runner::RngSeed;
use serde_json::{Map, Value};

use crate::games::{Outcome, Side, Text, Turn, legal_turns, parse_turn};
use crate::play::notation::{self, Format, Transcript};
use crate::play::players::PlayerSpec;
use crate::play::positions::file::{Header as PositionHeader, PositionFile};
use crate::play::positions::{Kind, SuitePosition};
use crate::registry::{self, Position, Variant};
use crate::search::Wdl;
use crate::selfplay::record::{Choice, GameRecord, Header, RecordFile, Searched};
use crate::tests::common::finished::finished;

/// The same cases on every machine, and no file of failures.
fn settings(cases: u32) -> ProptestConfig {
    let rng_seed = RngSeed::Fixed(27);
    ProptestConfig { cases, rng_seed, failure_persistence: None, ..ProptestConfig::default() }
}

/// All words that are values of an option of some game.
const WORDS: [&str; 23] = [
    "all",
    "allow",
    "any",
    "both",
    "contact",
    "draw",
    "exact",
    "full",
    "illegal",
    "immobile",
    "linhart",
    "mandatory",
    "material",
    "no_friend",
    "none",
    "off",
    "on",
    "one",
    "opponent",
    "optional",
    "own",
    "per_line",
    "piece",
];
const MORE_WORDS: [&str; 6] = ["skewed", "wall", "either", "winning", "allowed", "forbidden"];

/// The values of an option, besides `max_plies`.
fn values(game: &str, option: &str) -> Vec<Value> {
    let words = WORDS.into_iter().chain(MORE_WORDS).map(Value::from);
    let numbers = (0..4).map(Value::from);
    let all = words.chain(numbers).chain([true.into(), false.into()]);
    let fits = |value: &Value| {
        registry::find(game, &Map::from_iter([(option.to_owned(), value.clone())])).is_ok()
    };
    all.filter(fits).collect()
}

/// Any game under any options.
fn variants() -> impl Strategy<Value = Variant> {
    let games = registry::all();
    let with = |(game, picks, plies): (usize, Vec<Index>, u16)| {
        let name = games[game].name;
        let mut rules = games[game].variant.options();
        for (pick, (option, value)) in picks.iter().zip(&mut rules) {
            let known = values(name, option);
            *value = match option.as_str() {
                "max_plies" => plies.into(),
                _ => pick.get(&known).clone(),
            };
        }
        registry::find(name, &rules).unwrap()
    };
    (0..games.len(), vec(any::<Index>(), 10), 0_u16..100).prop_map(with)
}

/// Which legal turn is played, turn by turn.
fn picks() -> impl Strategy<Value = Vec<Index>> {
    vec(any::<Index>(), 0..60)
}

/// The positions and turns of a game; it ends early if the rules end it.
fn played(variant: &Variant, picks: &[Index]) -> (Vec<Position>, Vec<Turn>) {
    let (mut positions, mut turns) = (vec![variant.initial()], Vec::new());
    for pick in picks {
        let game = positions[turns.len()];
        let legal = legal_turns(&game);
        if legal.is_empty() {
            break;
        }
        let turn = pick.get(&legal).clone();
        positions.push(turn.after(&game));
        turns.push(turn);
    }
    (positions, turns)
}

fn texts(turns: &[Turn]) -> Vec<Text> {
    turns.iter().map(|turn| turn.text).collect()
}

/// Every turn of a position is read from its text, in any case and between spaces.
fn check_turns(variant: &Variant, picks: &[Index]) -> Result<(), TestCaseError> {
    let (positions, turns) = played(variant, picks);
    for (game, played) in positions.iter().zip(&turns) {
        let last = legal_turns(game).pop();
        for turn in last.iter().chain([played]) {
            let spaced = format!(" {}\t", turn.text.to_ascii_uppercase());
            for text in [turn.text.to_string(), turn.text.to_ascii_lowercase(), spaced] {
                prop_assert_eq!(parse_turn(game, &text), Ok(turn.clone()));
            }
            for end in 0..turn.text.len() {
                // A part of a turn is another turn or none.
                prop_assert_ne!(parse_turn(game, &turn.text[..end]), Ok(turn.clone()));
            }
        }
    }
    Ok(())
}

/// Win, draw and loss in thousandths, as the formats write them.
fn chances() -> impl Strategy<Value = Option<Wdl>> {
    let wdl = |(one, two): (u16, u16)| {
        let (low, high) = (one.min(two), one.max(two));
        [low, high - low, 1000 - high].map(|part| f32::from(part) / 1000.0)
    };
    proptest::option::of((0_u16..=1000, 0_u16..=1000).prop_map(wdl))
}

/// The result of a game that the rules have not ended.
fn outcomes() -> impl Strategy<Value = Option<Outcome>> {
    let all = [Outcome::Win(Side::P1), Outcome::Win(Side::P2), Outcome::Draw].map(Some);
    prop_oneof![Just(None), Just(all[0]), Just(all[1]), Just(all[2])]
}

/// Tags with values of any characters.
fn tags() -> impl Strategy<Value = std::collections::BTreeMap<String, String>> {
    let name = prop_oneof!["[A-Z][A-Za-z0-9_]{0,8}", Just("P1".to_owned()), Just("Date".into())];
    btree_map(name, any::<String>(), 0..5).prop_map(|mut tags| {
        ["Game", "Rules", "Result"].iter().for_each(|taken| drop(tags.remove(*taken)));
        tags
    })
}

/// The transcript of a random game, with values, tags and a result.
fn transcript(
    variant: Variant,
    picks: &[Index],
    given: Option<Outcome>,
    values: &[Option<Wdl>],
) -> Transcript {
    let (positions, turns) = played(&variant, picks);
    let (moves, found) = (texts(&turns), positions[turns.len()].outcome());
    let values: Vec<_> = (0..moves.len()).map(|index| values[index % values.len()]).collect();
    let game = Transcript::new(variant, &moves, found.or(given)).unwrap();
    game.with_values(&values).unwrap()
}

proptest! {
    #![proptest_config(settings(200))]

    #[test]
    fn turns_are_read_as_they_are_written(variant in variants(), picks in picks()) {
        check_turns(&variant, &picks)?;
    }

    #[test]
    fn games_are_read_as_they_are_written(
        variant in variants(),
        picks in picks(),
        given in outcomes(),
        values in vec(chances(), 1..4),
        tags in tags(),
    ) {
        let game = transcript(variant, &picks, given, &values).with_tags(&tags).unwrap();
        let games = [game.clone(), game];
        for format in [Format::Pgn, Format::Lines] {
            let text = notation::write(&games, format).unwrap();
            prop_assert_eq!(&notation::read(text.as_bytes()).unwrap(), &games, "{}", text);
        }
        if let Ok(text) = notation::write(&games, Format::AbstractPlay) {
            for (read, game) in notation::read(text.as_bytes()).unwrap().iter().zip(&games) {
                prop_assert_eq!(read.outcome(), game.outcome(), "{}", text);
                prop_assert_eq!(read.moves().len(), game.moves().len());
                for (name, value) in game.tags() {
                    // Values that are no times stay out of the fields for times.
                    let is_time = ["Date", "Started", "Ended", "Termination"].contains(&name.as_str());
                    prop_assert!(is_time || read.tag(name) == Some(value), "{} in {}", name, text);
                }
            }
        } else {
            prop_assert_eq!(games[0].outcome(), None);
        }
    }

    #[test]
    fn records_of_self_play_are_read_as_they_are_written(
        variant in variants(),
        picks in vec(any::<Index>(), 60),
        searches in vec((chances(), 0.0_f32..5.0), 1..5),
    ) {
        check_record(&variant, &picks, &searches)?;
    }

    #[test]
    fn positions_are_read_as_they_are_written(variant in variants(), picks in picks()) {
        check_positions(&variant, &picks)?;
    }

    #[test]
    fn any_bytes_are_a_record_or_an_error(bytes in vec(any::<u8>(), 0..200)) {
        let _ = notation::read(&bytes);
    }

    #[test]
    fn player_specs_are_read_as_they_are_written(
        rollouts in proptest::option::of(1_u32..=10_000_000),
        nodes in proptest::option::of(1_u32..=1_000_000_000),
        depth in proptest::option::of(1_u8..=48),
        time in proptest::option::of(1_u32..=86_400_000),
        words in vec("[ -~]{1,8}", 1..4),
    ) {
        let option = |name, value: Option<u32>| value.map(|value| format!("{name}={value}"));
        let time = time.map(|time| format!("time={time}ms"));
        let uct = [option("rollouts", rollouts), time.clone()];
        let alphabeta = [option("nodes", nodes), option("depth", depth.map(u32::from)), time];
        for (name, options) in [("uct", &uct[..]), ("alphabeta", &alphabeta[..])] {
            let given: Vec<&str> = options.iter().flatten().map(String::as_str).collect();
            let PlayerSpec::Baseline(baseline) = format!("{name}?{}", given.join("&")).parse().unwrap()
            else { panic!("{name} is a player without a network") };
            let whole = baseline.to_string();
            prop_assert!(given.iter().all(|option| whole.contains(option)), "{}", whole);
            prop_assert_eq!(whole.parse::<PlayerSpec>().unwrap(), PlayerSpec::Baseline(baseline));
        }
        let command = shlex::try_join(words.iter().map(String::as_str)).unwrap();
        if let Ok(PlayerSpec::External(engine)) = format!("gtp:{command}").parse() {
            let again = engine.to_string().parse::<PlayerSpec>().unwrap();
            prop_assert_eq!(again, PlayerSpec::External(engine));
        }
    }
}

/// A record of a whole game is the same after it was written and read, and its turns are those of
/// the game.
fn check_record(
    variant: &Variant,
    picks: &[Index],
    searches: &[(Option<Wdl>, f32)],
) -> Result<(), TestCaseError> {
    let (positions, turns) = played(variant, picks);
    let last = positions[turns.len()];
    let (mut game, mut choices, mut legal) = (variant.initial(), Vec::new(), Vec::new());
    for &action in turns.iter().flat_map(|turn| &turn.actions) {
        game.legal_actions(&mut legal);
        let (value, surprise) = searches[choices.len() % searches.len()];
        let share = 1.0 / legal.len() as f32;
        let policy: Vec<_> = legal.iter().map(|&action| (action, share)).collect();
        let search = value.map(|value| Searched::new(&policy, value, surprise));
        choices.push(Choice { action, search });
        game.play(action);
    }
    let resigned = last.outcome().is_none();
    let outcome = last.outcome().unwrap_or(Outcome::Win(last.to_move().other()));
    let record = GameRecord { index: 7, resigned, ..finished(choices, outcome, last.ply()) };
    prop_assert_eq!(record.turns(variant).len(), turns.len());
    let file = RecordFile { header: Header::new(variant, 3, 5, 9), games: vec![record] };
    let bytes = file.encode().unwrap();
    let read = RecordFile::decode(&bytes).unwrap();
    read.check(variant).unwrap();
    prop_assert_eq!(read, file);
    let games = notation::read(&bytes).unwrap();
    prop_assert_eq!(games[0].moves(), texts(&turns));
    prop_assert_eq!(games[0].outcome(), Some(outcome));
    Ok(())
}

fn check_positions(variant: &Variant, picks: &[Index]) -> Result<(), TestCaseError> {
    let (positions, turns) = played(variant, picks);
    let moves = texts(&turns);
    let mut found: Vec<SuitePosition> = Vec::new();
    for (ply, &game) in positions.iter().enumerate() {
        let legal = legal_turns(&game);
        // The number of a position is that of its line.
        let (kind, number) = (Kind::Value, found.len() as u64 + 2);
        if let Some(right) = legal.first() {
            let (right, legal) = (vec![right.text], legal.len());
            let moves = moves[..ply].to_vec();
            found.push(SuitePosition { kind, number, moves, game, right, legal });
        }
    }
    let header = PositionHeader::new(variant, None, "a test".to_owned());
    let file = PositionFile::read("test", &header.with(&found)).unwrap();
    prop_assert_eq!(&file.header, &header);
    prop_assert_eq!(file.positions(variant).unwrap(), found);
    Ok(())
}
