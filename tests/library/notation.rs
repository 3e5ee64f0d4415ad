//! Tests of game records: written games are read back, and errors name their place.

use std::collections::BTreeSet;
use std::fs;
use std::sync::atomic::AtomicBool;

use rand::RngExt;
use serde_json::{Map, Value, json};
use time::OffsetDateTime;
use time::format_description::well_known::Rfc3339;

use crate::base::rng::{Purpose, stream};
use crate::games::{Outcome, Side, Text, legal_turns};
use crate::play::notation::{Format, Transcript, abstractplay, read, write};
use crate::registry::{self, Variant};
use crate::search::{self, Cache, Wdl};
use crate::selfplay::record::{Header, RecordFile};
use crate::selfplay::{self, Counters, IterationJob, play};
use crate::tests::common::folder::Folder;
use crate::tests::common::hashed::Hashed;

// ---- games to write ----

/// Returns the turns of a random game, at most `most` of them.
fn random_moves(variant: &Variant, seed: u64, most: usize) -> Vec<Text> {
    let (mut game, mut moves) = (variant.initial(), Vec::new());
    let mut rng = stream(seed, 0, 0, Purpose::Playout);
    while game.outcome().is_none() && moves.len() < most {
        let legal = legal_turns(&game);
        let turn = &legal[rng.random_range(0..legal.len())];
        turn.play_on(&mut game);
        moves.push(turn.text);
    }
    moves
}

fn random_game(variant: Variant, seed: u64, most: usize) -> Transcript {
    Transcript::new(variant, &random_moves(&variant, seed, most), None).unwrap()
}

/// Returns random values for some of the turns.
fn random_values(turns: usize, seed: u64) -> Vec<Option<Wdl>> {
    let mut rng = stream(seed, 0, 0, Purpose::Noise);
    let mut value = || {
        let parts: [f32; 3] = [(); 3].map(|()| rng.random_range(0.0..1.0));
        let total: f32 = parts.iter().sum();
        rng.random_bool(0.7).then(|| parts.map(|part| part / total))
    };
    (0..turns).map(|_| value()).collect()
}

/// Returns a game with values and tags.
fn game_with_tags(variant: Variant, seed: u64, most: usize) -> Transcript {
    let game = random_game(variant, seed, most);
    let values = random_values(game.moves().len(), seed);
    let tags = [
        ("P1", "uct?rollouts=1000"),
        ("P2", r#"a "quoted" name \ with {braces}; [and more"#),
        ("Date", "2026.11.21"),
        ("Note_1", ""),
    ];
    game.with_values(&values).unwrap().with_tags(tags).unwrap()
}

/// Returns options of all games with values other than the presets'.
fn other_options() -> Vec<(&'static str, Value)> {
    let texts: &[(&str, &[&str])] = &[
        ("pie", &["on"]),
        ("notation", &["linhart"]),
        ("goal", &["own", "opponent"]),
        ("first_turn", &["piece", "full"]),
        ("forbid", &["none", "own", "opponent", "both"]),
        ("restriction", &["wall"]),
        ("ends_on", &["either", "winning"]),
        ("along_home", &["forbidden", "allowed"]),
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

/// Returns a preset, and the same game with each of its options changed.
fn variants_of(name: &str) -> Vec<Variant> {
    let preset = registry::preset(name).unwrap();
    let options = preset.options();
    let (mut variants, mut changed) = (vec![preset], BTreeSet::new());
    for (option, value) in other_options() {
        let changes = Map::from_iter([(option.to_owned(), value.clone())]);
        if options.get(option).is_some_and(|preset| *preset != value) {
            variants.push(registry::find(name, &changes).unwrap());
            changed.insert(option.to_owned());
        }
    }
    let known: BTreeSet<String> = options.keys().cloned().collect();
    assert_eq!(changed, known, "every option of {name} has another value here");
    variants
}

// ---- writing and reading back ----

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
                            [usize::MAX, 3, 0].map(|most| game_with_tags(variant, seed, most));
                        assert_read_back(&games, Format::Pgn);
                        assert_read_back(&games, Format::Lines);
                        assert_read_back(&games[..1], Format::Pgn);
                    }
                }
            )*
        }
    };
}

for_every_game!(read_back);

// ---- tags and numbered turns ----

const NEUTRON: &str = "\
[Game \"neutron5\"]
[Rules \"max_plies=40\"]
[P1 \"uct\"]
[P2 \"Ann \\\"the fox\\\" O'Hara\"]
[Result \"P1\"]
[Date \"2026.11.21\"]

1. A5-A2 {0.500/0.100/0.400} D2,E1-E4 2. A5 {1.000/0.000/0.000} P1
";

#[test]
fn a_game_is_written_as_people_expect() {
    let [game] = &read(NEUTRON.as_bytes()).unwrap()[..] else { panic!("one game") };
    assert_eq!(game.game(), "neutron5");
    assert_eq!(Value::from(game.rules()), json!({ "max_plies": 40 }));
    assert_eq!(game.tag("P2"), Some("Ann \"the fox\" O'Hara"));
    assert_eq!(game.outcome(), Some(Outcome::Win(Side::P1)));
    assert_eq!(game.values(), [Some([0.5, 0.1, 0.4]), None, Some([1.0, 0.0, 0.0])]);
    assert_eq!(write(std::slice::from_ref(game), Format::Pgn).unwrap(), NEUTRON);
}

/// Reads a text with one game and returns its turns.
#[track_caller]
fn moves_of(text: &str) -> Vec<String> {
    let games = read(text.as_bytes()).unwrap_or_else(|error| panic!("{error}"));
    assert_eq!(games.len(), 1);
    games[0].moves().iter().map(ToString::to_string).collect()
}

#[test]
fn spaces_numbers_case_and_comments_do_not_matter() {
    for text in [
        "[Game \"neutron5\"]\n\n1. A5-A2 E3,D1-A4 2. A3,B5-E2 *",
        "[Game \"neutron5\"]\r\n\r\n1.a5-a2\r\n1...e3,d1-a4\r\n2.A3,b5-E2\r\n",
        "\u{feff}\n  [ Game   \"neutron5\" ] A5-A2 E3,D1-A4\nA3,B5-E2",
        "{who knows} [Game \"neutron5\"] ; no turn [\n 7 A5-A2 {good; or not} 7 E3,D1-A4{}8 A3,B5-E2",
        "[Game \"neutron5\"][Result \"*\"]A5-A2;so far\nE3,D1-A4 2 . A3,B5-E2;",
    ] {
        assert_eq!(moves_of(text), ["A5-A2", "E3,D1-A4", "A3,B5-E2"], "{text}");
    }
}

#[test]
fn numbers_without_a_dot_are_turns_where_turns_are_numbers() {
    let text = "[Game \"connect_four\"] 1.4 4 2. 4 4 3... 4 4";
    assert_eq!(moves_of(text), ["4"; 6]);
    let error = read(format!("{text} 4. 4").as_bytes()).unwrap_err().to_string();
    assert!(error.contains("turn 7, `4` is not a legal turn here"), "{error}");
}

#[test]
fn comments_with_values_are_kept() {
    let read_value = |comment: &str| {
        let text = format!("[Game \"tic_tac_toe\"] {{1/0/0}} 1. b2 {{{comment}}} *");
        read(text.as_bytes()).unwrap()[0].values()[0]
    };
    assert_eq!(read_value(" .62 / 0.1/0.28"), Some([0.62, 0.1, 0.28]));
    assert_eq!(read_value("0.33/0.33/0.33"), Some([0.33, 0.33, 0.33]));
    for comment in ["", "a good one", "21/11/2026", "0.5/0.5/0.5", "NaN/0/1", "0.5/0.5", "-1/1/1"] {
        assert_eq!(read_value(comment), None, "{comment}");
    }
}

#[test]
fn turns_stay_within_eighty_columns_and_games_are_apart() {
    let variant = registry::preset("checkers_gomoku").unwrap();
    let games = [game_with_tags(variant, 1, usize::MAX), game_with_tags(variant, 2, usize::MAX)];
    let text = write(&games, Format::Pgn).unwrap();
    let lines: Vec<&str> = text.lines().filter(|line| !line.starts_with('[')).collect();
    let width = lines.iter().map(|line| line.len()).max().unwrap();
    assert!((75..=80).contains(&width), "{width}");
    assert_eq!(lines.iter().filter(|line| line.is_empty()).count(), 3, "{text}");
}

#[test]
fn a_result_may_be_left_to_the_rules_or_be_given_where_they_do_not_decide() {
    let outcome = |text: &str| {
        let text = format!("[Game \"tic_tac_toe\"] {text}");
        read(text.as_bytes()).map(|games| games[0].outcome()).map_err(|error| error.to_string())
    };
    let won = "a1 b1 a2 b2 a3";
    assert_eq!(outcome(won), Ok(Some(Outcome::Win(Side::P1))));
    assert_eq!(outcome(&format!("{won} *")), Ok(Some(Outcome::Win(Side::P1))));
    assert_eq!(outcome("a1 *"), Ok(None));
    assert_eq!(outcome("a1 DRAW"), Ok(Some(Outcome::Draw)));
    assert_eq!(outcome("a1 p2"), Ok(Some(Outcome::Win(Side::P2))));
    assert_eq!(outcome("[Result \"P2\"] a1 b1"), Ok(Some(Outcome::Win(Side::P2))));
    let error = outcome(&format!("{won} P2")).unwrap_err();
    assert!(error.contains("the given result is P2, but by the rules it is P1"), "{error}");
    let error = outcome("[Result \"P2\"] a1 draw").unwrap_err();
    assert!(error.contains("differs from that of the tag"), "{error}");
}

#[test]
fn games_without_results_are_separated() {
    let tag = "[Game \"tic_tac_toe\"]\n";
    let games = read(format!("{tag}a1 b1\n{tag}c3 *\n{tag}{tag}", tag = tag).as_bytes());
    assert!(games.unwrap_err().to_string().contains("line 6, game 3: the tag Game is given twice"));
    let games = read(format!("{tag}a1 b1\n{tag}c3 *\n{tag}").as_bytes()).unwrap();
    assert_eq!(games.iter().map(|game| game.moves().len()).collect::<Vec<_>>(), [2, 1, 0]);
}

// ---- AbstractPlay ----

fn record_of(game: &Transcript) -> Value {
    let now = OffsetDateTime::from_unix_timestamp(1_800_000_000).unwrap();
    let text = abstractplay::write(std::slice::from_ref(game), now).unwrap();
    serde_json::from_str(&text).unwrap()
}

/// Asserts that an object has all required fields, and no others than the optional ones.
#[track_caller]
fn assert_fields(object: &Value, required: &[&str], optional: &[&str]) {
    let fields: Vec<&str> = object.as_object().unwrap().keys().map(String::as_str).collect();
    assert!(required.iter().all(|field| fields.contains(field)), "{object}");
    let known = |field: &&str| required.contains(field) || optional.contains(field);
    assert!(fields.iter().all(known), "{object}");
}

/// Asserts what the schema of recranks (src/schemas/gamerecord.json) requires.
#[track_caller]
fn assert_valid(record: &Value) {
    assert_fields(record, &["header", "moves"], &[]);
    let header = &record["header"];
    let dates = ["date-start", "date-end", "date-generated"];
    let required = [&["game", "site", "players"], &dates[..]].concat();
    assert_fields(header, &required, &["event", "round", "pied", "tags"]);
    assert_fields(&header["game"], &["name"], &["variants"]);
    assert!(header["game"]["name"].is_string());
    let variants = header["game"]["variants"].as_array().unwrap();
    assert!(variants.iter().all(Value::is_string), "{record}");
    assert_eq!(variants.iter().map(Value::as_str).collect::<BTreeSet<_>>().len(), variants.len());
    assert_fields(&header["site"], &["name"], &["gameid"]);
    assert_eq!(header["event"].is_string(), header["round"].is_string());
    for date in dates {
        let text = header[date].as_str().unwrap();
        OffsetDateTime::parse(text, &Rfc3339).unwrap_or_else(|error| panic!("{text}: {error}"));
    }
    let players = header["players"].as_array().unwrap();
    assert!(players.len() == 2 && players[0] != players[1], "{record}");
    for player in players {
        assert!(player["name"].is_string() && player["result"].is_i64(), "{record}");
    }
    for round in record["moves"].as_array().unwrap() {
        let turns = round.as_array().unwrap();
        assert!(turns.len() == 2 && turns.iter().all(|turn| turn.is_string() || turn.is_null()));
    }
}

/// Returns a finished game with tags and without values, which AbstractPlay's records lack.
fn finished_game(variant: Variant, seed: u64) -> Transcript {
    let game = random_game(variant, seed, usize::MAX);
    let tags = [("P1", "uct"), ("Started", "2026-11-21T16:30:00Z"), ("Round", "2"), ("Note", "a")];
    game.with_tags(tags).unwrap()
}

#[test]
fn records_of_every_game_are_valid_and_read_back() {
    for name in registry::all().iter().map(|game| game.name) {
        for (seed, variant) in (0..).zip(variants_of(name)) {
            let game = finished_game(variant, seed);
            let record = record_of(&game);
            assert_valid(&record);
            let back = read(record.to_string().as_bytes()).unwrap().remove(0);
            assert_eq!(back.outcome(), game.outcome());
            assert_eq!(record_of(&back), record);
            if game.rules().contains_key("notation") {
                continue;
            }
            assert_eq!((back.variant(), back.moves()), (game.variant(), game.moves()));
            let kept = game.tags().iter().all(|(name, value)| back.tag(name) == Some(value));
            assert!(kept, "{:?}", back.tags());
        }
    }
}

fn susan(rules: Value) -> Variant {
    registry::find("susan", rules.as_object().unwrap()).unwrap()
}

#[test]
fn susan_is_written_in_the_notation_of_abstractplay() {
    // The corners, the middle and a slide along each axis.
    let skewed = ["a1", "e1", "a5", "i5", "e9", "i9", "e5", "e9-e8", "i9-h8", "e5-f5"];
    let theirs = ["a1", "a5", "e1", "e9", "i1", "i5", "e5", "i1-h2", "i5-h5", "e5-e6"];
    for (ours, theirs) in skewed.into_iter().zip(theirs) {
        let moves: Vec<&str> = match ours.split_once('-') {
            // The place in the list tells whose stone it is.
            Some((cell, _)) => vec![cell, "b2", ours],
            None => vec![ours],
        };
        let game = Transcript::new(susan(json!({})), &moves, Some(Outcome::Draw)).unwrap();
        let record = record_of(&game);
        let last = record["moves"].as_array().unwrap().last().unwrap();
        assert_eq!(
            (&record["header"]["game"]["name"], &last[0]),
            (&json!("Susan"), &json!(theirs))
        );
    }
    // The author's notation counts rows from the top; the record is the same.
    let linhart = Transcript::new(susan(json!({ "notation": "linhart" })), &["a1", "i5"], None);
    let linhart = linhart.unwrap();
    let skewed = Transcript::new(susan(json!({})), &["e9", "e1"], Some(Outcome::Draw)).unwrap();
    let drawn = Transcript::new(*linhart.variant(), linhart.moves(), Some(Outcome::Draw)).unwrap();
    assert_eq!(record_of(&drawn), record_of(&skewed));
}

#[test]
fn neutron_and_breakthrough_are_written_as_abstractplay_does() {
    let written = |game: &str, rules: Value, turns: &[&str]| {
        let variant = registry::find(game, rules.as_object().unwrap()).unwrap();
        let game = Transcript::new(variant, turns, Some(Outcome::Win(Side::P1))).unwrap();
        let record = record_of(&game);
        let name = record["header"]["game"].clone();
        let back = read(record.to_string().as_bytes()).unwrap().remove(0);
        assert_eq!((back.variant(), back.moves()), (game.variant(), game.moves()));
        (name["name"].clone(), name["variants"].clone(), record["moves"].clone())
    };
    let none = || json!({});
    let turns = ["A5-A2", "E3,A1-D4", "A3,E5-E2"];
    assert_eq!(
        written("neutron5_abstractplay", none(), &turns),
        (json!("Neutron"), json!([]), json!([["a1-a4", "e3,a5-d2"], ["a3,e1-e4", null]]))
    );
    let variants = json!(["coneutron", "doubleRestricted", "7x7"]);
    let rules = json!({ "goal": "opponent", "first_turn": "full", "forbid": "both" });
    assert_eq!(written("neutron7_abstractplay", rules, &["D6,A7-A2"]).1, variants,);
    let tall = written("neutron5x7_abstractplay", json!({ "forbid": "opponent" }), &["A7-A2"]);
    assert_eq!((tall.1, tall.2), (json!(["restricted", "5x7"]), json!([["a1-a6", null]])));
    let coneutron = written("coneutron5_abstractplay", none(), &["C4,A5-A2"]);
    assert_eq!((coneutron.1, coneutron.2), (json!(["coneutron"]), json!([["c2,a1-a4", null]])));
    let breakthrough = written("breakthrough8", none(), &["a2-a3", "b7-b6"]);
    assert_eq!(breakthrough.0, json!("Breakthrough"));

    // Our own Neutron is another game, and so is one that ends in a draw at another turn.
    assert_eq!(written("neutron5", none(), &turns).0, json!("neutron5"));
    let short = written("neutron5_abstractplay", json!({ "max_plies": 30 }), &turns);
    assert_eq!((short.0, &short.2[0][0]), (json!("neutron5_abstractplay"), &json!("A5-A2")));
}

/// Returns a record as AbstractPlay writes it, with these turns and results.
fn foreign(name: &str, moves: &Value, results: [i64; 2]) -> String {
    let player = |name: &str, result| json!({ "name": name, "userid": name, "result": result });
    let header = json!({
        "game": { "name": name, "variants": [] },
        "site": { "name": "Abstract Play", "gameid": "0f-1" },
        "date-start": "2024-05-13T10:00:00.000Z",
        "date-end": "2024-05-14T10:00:00.000Z",
        "date-generated": "2024-05-15T10:00:00.000Z",
        "players": [player("ann", results[0]), player("bob", results[1])],
    });
    json!({ "header": header, "moves": moves }).to_string()
}

#[test]
fn records_of_others_are_read() {
    let moves = json!([["a1", { "move": "A1", "result": [] }], [null, "x"]]);
    let error = read(foreign("Susan", &moves, [0, 1]).as_bytes()).unwrap_err().to_string();
    assert!(error.contains("game 1: turn 2, `a1` is not a legal turn"), "{error}");

    let moves = json!([["i1", { "move": "I5", "result": "a stone" }], ["e5-e6", "resign"]]);
    let error = read(foreign("Susan", &moves, [0, 1]).as_bytes()).unwrap_err().to_string();
    assert!(error.contains("turn 3, `e5-f5`") && error.contains("(`e5-e6` in the record)"));

    let rounds = json!([
        [{ "move": "i5", "sequence": 2 }, { "move": "i1", "sequence": 1 }],
        ["e5", null],
        ["resign"],
    ]);
    let game = read(foreign("Susan", &rounds, [1, 0]).as_bytes()).unwrap().remove(0);
    assert_eq!(
        game.moves().iter().map(|turn| turn.as_str()).collect::<Vec<_>>(),
        ["e9", "i9", "e5"]
    );
    assert_eq!(game.outcome(), Some(Outcome::Win(Side::P1)));
    let expected = [
        ("P1", "ann"),
        ("P2Id", "bob"),
        ("Site", "Abstract Play"),
        ("GameId", "0f-1"),
        ("Date", "2024.05.13"),
        ("Termination", "resigned"),
    ];
    for (name, value) in expected {
        assert_eq!(game.tag(name), Some(value), "{name}");
    }

    for (name, words) in [
        ("Entropy", "Eric Solomon's"),
        ("Four In A Row", "there is no game `Four In A Row`"),
        ("susn", "did you mean `susan`?"),
    ] {
        let error = read(foreign(name, &json!([]), [0, 0]).as_bytes()).unwrap_err().to_string();
        assert!(error.starts_with("line 1, game 1: ") && error.contains(words), "{error}");
    }
}

#[test]
fn a_cell_that_abstractplay_does_not_have_is_refused() {
    // Row i has five cells; `i6` to `i9` are cells in the skewed notation only.
    for cell in ["i6", "i9", "a6", "j1", "e10", "e0"] {
        let text = foreign("Susan", &json!([[cell]]), [0, 1]);
        let error = read(text.as_bytes()).unwrap_err().to_string();
        assert!(error.contains("is not a legal turn"), "{cell}: {error}");
    }
}

#[test]
fn a_game_that_is_not_finished_is_no_record() {
    let games = [random_game(registry::preset("susan").unwrap(), 1, 4)];
    let error = write(&games, Format::AbstractPlay).unwrap_err().to_string();
    assert!(error.starts_with("game 1 of the games to write is not finished"), "{error}");
}

// ---- our own files ----

/// Plays some games of self-play and returns them in the file format of training.
fn self_play(resign_below: Option<f32>) -> RecordFile {
    let settings = selfplay::Settings {
        games: 12,
        batch: 4,
        simulations: 8,
        opening_plies: 2,
        ..selfplay::Settings::default()
    };
    let variant = registry::preset("neutron5").unwrap();
    let (search, cache) = (search::Settings::default(), Cache::new(0, 1));
    let job = IterationJob::new(&variant, &search, &settings, &cache);
    let job = IterationJob { resign_below, seed: 11, iteration: 3, ..job };
    let stop = AtomicBool::new(false);
    let games = play(&job, &mut [Hashed], &Counters::default(), &stop).unwrap();
    RecordFile { header: Header::new(&variant, 3, 11, 7), games }
}

/// Returns the bytes of a file of self-play games.
fn bytes_of(file: &RecordFile) -> Vec<u8> {
    let folder = Folder::new();
    let path = folder.file("000003.games");
    file.write(&path).unwrap();
    fs::read(&path).unwrap()
}

#[test]
fn self_play_is_read_with_its_values_and_tags() {
    for resign_below in [None, Some(0.4)] {
        let file = self_play(resign_below);
        let games = read(&bytes_of(&file)).unwrap();
        assert_eq!(games.len(), file.games.len());
        for (game, record) in games.iter().zip(&file.games) {
            assert_eq!((game.game(), game.moves().len()), ("neutron5", record.plies as usize));
            assert_eq!(game.outcome(), Some(record.outcome));
            assert_eq!(game.tag("Index"), Some(record.index.to_string().as_str()));
            assert_eq!(game.tag("P1"), Some("network 00000007"));
            assert_eq!(game.tag("Termination"), record.resigned.then_some("resigned"));
            assert!(game.values().iter().skip(2).all(Option::is_some), "all but the opening");
            let searched = record.choices.iter().find_map(|choice| choice.search.as_ref());
            let first = game.values().iter().flatten().next().zip(searched);
            let near = |(a, b): (&f32, f32)| (a - b).abs() < 6e-4;
            assert!(first.is_none_or(|(kept, found)| kept.iter().zip(found.value).all(near)));
        }
        match resign_below {
            None => assert!(games.iter().flat_map(Transcript::values).flatten().count() > 30),
            Some(_) => assert!(games.iter().any(|game| game.tag("Termination").is_some())),
        }
        assert_read_back(&games, Format::Pgn);
        assert_read_back(&games, Format::Lines);
        let back = read(write(&games, Format::AbstractPlay).unwrap().as_bytes()).unwrap();
        for (game, back) in games.iter().zip(&back) {
            assert_eq!((game.moves(), game.outcome()), (back.moves(), back.outcome()));
            assert!(game.tags().iter().all(|(name, value)| back.tag(name) == Some(value)));
        }
    }
}

#[test]
fn a_damaged_file_of_self_play_is_refused() {
    let whole = bytes_of(&self_play(None));
    let mut damaged = whole.clone();
    *damaged.last_mut().unwrap() ^= 1;
    let expected = "the file of self-play games: is damaged: its checksum does not match";
    assert_eq!(refusal(damaged), expected);
    for length in 8..whole.len().min(200) {
        assert!(refusal(&whole[..length]).starts_with("the file of self-play games: is truncated"));
    }
}

#[test]
fn lines_of_a_match_are_read() {
    let lines = "\
{\"P1\":\"uct\",\"P2\":\"gtp:x\",\"forfeit\":\"it crashed\",\"game\":\"tic_tac_toe\",\"moves\":[\"b2\"],\
\"pair\":4,\"rules\":{},\"winner\":\"P1\"}

{\"game\":\"tic_tac_toe\",\"moves\":[\"a1\",\"B2\"],\"forfeit\":\"it resigned\",\"winner\":\"P2\"}\n";
    let games = read(lines.as_bytes()).unwrap();
    let expected = [("P1", "uct"), ("P2", "gtp:x"), ("Pair", "4"), ("Termination", "it crashed")];
    let expected = expected.map(|(name, value)| (name.to_owned(), value.to_owned()));
    assert_eq!(games[0].tags().clone().into_iter().collect::<Vec<_>>(), expected);
    assert_eq!(games[1].tag("Termination"), Some("resigned"));
    assert_eq!(games[1].outcome(), Some(Outcome::Win(Side::P2)));
    let written = write(&games[1..], Format::Lines).unwrap();
    let expected = json!({
        "game": "tic_tac_toe", "rules": {}, "moves": ["a1", "b2"], "winner": "P2",
        "tags": { "Termination": "resigned" },
    });
    assert_eq!(serde_json::from_str::<Value>(&written).unwrap(), expected);
}

// ---- invalid input ----

#[track_caller]
fn refusal(input: impl AsRef<[u8]>) -> String {
    read(input.as_ref()).unwrap_err().to_string()
}

#[test]
fn errors_name_place_and_reason() {
    let tag = "[Game \"tic_tac_toe\"]";
    for (input, expected) in [
        ("", "it contains no games"),
        (" \n\t; nothing\n{at all}", "it contains no games"),
        ("[]", "it contains no games"),
        ("1. e4 e5", "line 1, game 1: the tag [Game \"NAME\"] is missing"),
        ("\n[Game \"tictactoe\"]\na1", "line 2, game 1: there is no game `tictactoe`"),
        (
            "[Game \"neutron5\"]\n[Rules \"hole=1\"]\nA5-A2",
            "line 2, game 1: game `neutron5`: unknown",
        ),
        ("[Game \"neutron5\"]\n[Rules \"holes\"]\nA5-A2", "line 2, game 1: holes: an option is"),
        ("[Game tic_tac_toe]\na1", "line 1, game 1: a tag must be [Name \"value\"]"),
        ("[Game \"tic_tac_toe\"\na1", "line 1, game 1: a tag must be"),
        ("[Game \"tic_tac_toe\\\n\"]a1", "line 1, game 1: a tag must be"),
        ("[Game \"tic_tac_toe\n\"]a1", "line 1, game 1: a tag must be"),
        (
            &format!("{tag}\n[Result \"1-0\"] a1"),
            "line 2, game 1: the result must be P1, P2, draw or *, not `1-0`",
        ),
        (&format!("{tag}\n[No-Name \"x\"]\na1"), "`No-Name` cannot name a tag"),
        (&format!("{tag}\n\na1 {{no end"), "line 3, game 1: the comment has no closing }"),
        (
            &format!("{tag} a1 *\n{tag}\n1. b2\nb2 *"),
            "line 4, game 2: turn 2, `b2` is not a legal turn",
        ),
        (&format!("{tag} a1 b1 a2 b2 a3 c3"), "turn 6, `c3`: the game is over"),
        (&format!("{tag} (a1"), "turn 1, `(a1` is not a legal turn"),
        (
            "{\"game\":\"tic_tac_toe\",\"moves\":[\"a1\"]}\n\n{\"game\":\"tic_tac_toe\"}",
            "line 3, game 2: missing field `moves`",
        ),
        ("{\"game\":\"tic_tac_toe\",\"moves\":[\"a1\"]}\n{\"game\"", "line 2, game 2: EOF"),
        (
            "[{\"game\":\"tic_tac_toe\",\"moves\":[\"a1\"]},\n\n{\"game\":\"x\",\"moves\":[]}]",
            "line 3, game 2: there is no game `x`",
        ),
        ("[[]]", "line 1, game 1: a game is a JSON object"),
        (
            "{\"game\":\"tic_tac_toe\",\"moves\":[\"a1\"],\"values\":[]}\n{\"game\":\"tic_tac_toe\",\"moves\":[\"a1\"],\"values\":[null,null]}",
            "line 2, game 2: there are 2 values for 1 turns",
        ),
        (
            "{\"game\":\"tic_tac_toe\",\"moves\":[\"a1\"],\"values\":[[1,1,1]]}",
            "the value of turn 1 is not three probabilities",
        ),
        (
            "{\"game\":\"tic_tac_toe\",\"moves\":[\"a1\"],\"tags\":{\"Game\":\"x\"}}",
            "`Game` cannot name a tag",
        ),
        ("{\"header\":{},\"moves\":[]}", "line 1, game 1: missing field `game`"),
        ("{\"header\":{},\n\"moves\":[[1]]}", "line 1, game 1: missing field `game`"),
    ] {
        let error = refusal(input);
        assert!(error.contains(expected), "{error}\nfor {input}");
    }
    assert_eq!(refusal(b"[Game \"susan\"]\n\nd3 \xff"), "line 3: it is not UTF-8 text");
}

/// Returns inputs of all formats.
fn samples() -> Vec<Vec<u8>> {
    let games = ["susan", "connect_four", "neutron5_hole2"];
    let games = games.map(|name| game_with_tags(registry::preset(name).unwrap(), 5, usize::MAX));
    let written = [Format::Pgn, Format::Lines, Format::AbstractPlay];
    let mut samples: Vec<Vec<u8>> =
        written.map(|format| write(&games, format).unwrap().into_bytes()).into();
    samples.push(NEUTRON.as_bytes().to_vec());
    samples
}

/// Reads an input that may be invalid. If it is valid, writes it and reads that again.
fn survive(input: &[u8]) -> bool {
    match read(input) {
        Ok(games) => {
            assert_read_back(&games, Format::Pgn);
            assert_read_back(&games, Format::Lines);
            true
        }
        Err(error) => {
            let text = error.to_string();
            let placed = text.starts_with("line ") || text == "it contains no games";
            assert!(placed && text.len() < 600, "{text}");
            false
        }
    }
}

#[test]
fn damaged_input_causes_no_panic() {
    let mut rng = stream(3, 0, 0, Purpose::Noise);
    let (mut read, mut tried) = (0, 0);
    for sample in samples() {
        for _ in 0..400 {
            let mut damaged = sample.clone();
            for _ in 0..rng.random_range(0..3) {
                let place = rng.random_range(0..damaged.len());
                match rng.random_range(0..4) {
                    0 => damaged[place] = b"[]{}\";,:.-0159 \n\\aZ\xff"[rng.random_range(0..20)],
                    1 => drop(damaged.remove(place)),
                    2 => damaged.truncate(place),
                    _ => {
                        let other = rng.random_range(0..damaged.len());
                        damaged.swap(place, other);
                    }
                }
                if damaged.is_empty() {
                    break;
                }
            }
            read += usize::from(survive(&damaged));
            tried += 1;
        }
    }
    assert!(read > tried / 10 && read < tried, "{read} of {tried} were read");
}

#[test]
fn every_prefix_is_read_or_refused_with_its_line() {
    for sample in samples() {
        for length in (0..sample.len()).step_by(7) {
            survive(&sample[..length]);
        }
    }
}

#[test]
fn random_bytes_are_refused() {
    let mut rng = stream(4, 0, 0, Purpose::Noise);
    for _ in 0..3000 {
        let length = rng.random_range(0..80);
        let letters = b"[{\"}] \n;GameRules5a1-,.*\\\xc3\xa9\x00";
        let byte = |_| letters[rng.random_range(0..letters.len())];
        assert!(!survive(&(0..length).map(byte).collect::<Vec<u8>>()));
    }
}

#[test]
fn deep_and_huge_inputs_are_refused_in_time() {
    let times = |text: &str, times: usize| text.repeat(times);
    let deep = times("[", 300_000);
    assert!(!survive(deep.as_bytes()));
    assert!(!survive((deep.clone() + &times("]", 300_000)).as_bytes()));
    let nested = format!("{{\"game\":\"susan\",\"moves\":[],\"x\":{deep}{}}}", times("]", 300_000));
    assert!(!survive(nested.replace("susan", "sasun").as_bytes()));
    let objects = times("{\"header\":", 200_000);
    assert!(!survive(objects.as_bytes()));
    let tags: String = (0..200_000).map(|n| format!("[T{n} \"\"]\n")).collect();
    assert!(refusal(tags).contains("line 101, game 1: the game has more than 100 tags"));
    let turns = format!("[Game \"tic_tac_toe\"]\n{}", times("a1\n", 500_000));
    assert!(refusal(turns).starts_with("line 3, game 1: turn 2"));
    let one_line = times("[Game \"tic_tac_toe\"]*", 200_000);
    assert_eq!(read(one_line.as_bytes()).unwrap().len(), 200_000);
    let line = "{\"game\":\"tic_tac_toe\",\"moves\":[\"a1\"]}\n";
    assert_eq!(read(times(line, 20_000).as_bytes()).unwrap().len(), 20_000);
    let long = format!("[Game \"susan\"]\n{}", times("x", 3_000_000));
    assert!(refusal(long).len() < 300);
}
