//! Files of self-play games: what is read back, and what is refused.

use std::fs;
use std::path::Path;
use std::sync::atomic::AtomicBool;

use serde_json::json;

use crate::base::durable::Seal;
use crate::base::rng::{Purpose, stream};
use crate::games::{Outcome, Side};
use crate::nn::Batch;
use crate::registry::{self, Variant};
use crate::search::{self, Cache};
use crate::selfplay::record::{GameRecord, Header, RecordFile, Searched};
use crate::selfplay::replay::{self, Buffer};
use crate::selfplay::{Counters, IterationJob, Settings, play};
use crate::tests::common::folder::Folder;
use crate::tests::common::hashed::Hashed;

const SEAL: Seal = Seal { kind: "game record", magic: *b"TAVGAME\n", format: 5 };

/// Bytes of a file before what it holds.
const HEADER: usize = 22;

fn tic_tac_toe() -> Variant {
    registry::preset("tic_tac_toe").unwrap()
}

fn few() -> Settings {
    Settings { games: 5, batch: 4, simulations: 4, ..Settings::default().without_openings() }
}

fn file_of(variant: &Variant, settings: &Settings, resign_below: Option<f32>) -> RecordFile {
    let (search, cache) = (search::Settings::default(), Cache::new(0, 1));
    let order = IterationJob::new(variant, &search, settings, &cache);
    let order = IterationJob { resign_below, seed: 11, iteration: 3, ..order };
    let games = play(&order, &mut [Hashed], &Counters::default(), &AtomicBool::new(false));
    RecordFile { header: Header::new(variant, 3, 11, 7), games: games.unwrap() }
}

/// Takes every third search away, so that there are positions without one all over the games.
fn leave_some_out(file: &mut RecordFile) {
    let choices = file.games.iter_mut().flat_map(|game| &mut game.choices);
    let searched = choices.filter(|choice| choice.search.is_some());
    searched.skip(1).step_by(3).for_each(|choice| choice.search = None);
}

fn some_file() -> RecordFile {
    file_of(&tic_tac_toe(), &few(), None)
}

// ---- what is read back ----

fn check_records(variant: &Variant) {
    let folder = Folder::new();
    let path = folder.file("games");
    let settings =
        Settings { opening_plies: 3, placement_share: 0.5, final_temperature: 1.0, ..few() };
    let mut file = file_of(variant, &settings, Some(0.3));
    leave_some_out(&mut file);
    file.write(&path).unwrap();
    assert_eq!(RecordFile::read_checked(&path, variant).unwrap(), file);
    assert_eq!(RecordFile::read(&path).unwrap(), file);
    for search in file.games.iter().flat_map(|g| &g.choices).filter_map(|c| c.search.as_ref()) {
        let units: u32 = search.policy.iter().map(|&(_, units)| u32::from(units)).sum();
        // Half a unit for each action, those left out included.
        assert!(
            units.abs_diff(u32::from(u16::MAX)) as usize <= variant.spec().actions(),
            "{units} units"
        );
        assert!((search.shares().map(|(_, share)| share).sum::<f32>() - 1.0).abs() < 1e-5);
        assert!((search.value.iter().sum::<f32>() - 1.0).abs() < 1e-5);
    }
}

macro_rules! records {
    ($($name:ident,)*) => {
        mod are_read_back {
            use super::*;
            $(
                #[test]
                fn $name() {
                    check_records(&registry::preset(stringify!($name)).unwrap());
                }
            )*
        }
    };
}

for_every_game!(records);

#[test]
fn shares_are_kept_in_units_and_those_of_none_are_left_out() {
    let policy = [(1, 0.5), (4, 0.25), (5, 0.249_99), (7, 1e-6), (8, 0.0)];
    let kept = Searched::new(&policy, [0.2, 0.3, 0.5], 0.0);
    assert_eq!(kept.policy, [(1, 32_768), (4, 16_384), (5, 16_383)]);
    assert_eq!(kept.shares().map(|(action, _)| action).collect::<Vec<_>>(), [1, 4, 5]);
    for ((_, share), (_, given)) in kept.shares().zip(policy) {
        assert!((share - given).abs() < 2e-5);
    }
}

/// Games of which some were given up, and the numbers of those.
fn resigned_file() -> (Variant, RecordFile, Vec<usize>) {
    let variant = registry::preset("connect_four").unwrap();
    let settings = Settings { games: 40, simulations: 8, ..few() };
    let file = file_of(&variant, &settings, Some(0.35));
    let resigned = (0..file.games.len()).filter(|&index| file.games[index].resigned).collect();
    (variant, file, resigned)
}

/// What is wrong with a file of resigned games after this change to one of them.
fn refusal_of(change: impl Fn(&mut GameRecord)) -> Option<String> {
    let folder = Folder::new();
    let path = folder.file("games");
    let (variant, mut file, resigned) = resigned_file();
    change(&mut file.games[resigned[0]]);
    file.write(&path).unwrap();
    let read = RecordFile::read_checked(&path, &variant);
    read.map_err(|error| format!("{error:#}")).map(|read| assert_eq!(read, file)).err()
}

#[test]
fn a_game_given_up_is_read_back_and_must_be_lost_by_the_side_to_move() {
    assert!(resigned_file().2.len() > 3);
    assert_eq!(refusal_of(|_| {}), None);
    let refused = |change: &dyn Fn(&mut GameRecord), expected: &str| {
        let error = refusal_of(change).expect(expected);
        assert!(error.contains(expected), "{error}");
    };
    let not_lost = "but the side to move has not lost";
    refused(
        &|game| match &mut game.outcome {
            Outcome::Win(side) => *side = side.other(),
            Outcome::Draw => unreachable!("nobody gives up a draw"),
        },
        not_lost,
    );
    refused(&|game| game.outcome = Outcome::Draw, not_lost);
    // With another number of turns it is the other side that would have given up.
    refused(&|game| drop(game.choices.pop()), not_lost);
    refused(&|game| game.plies += 1, "turns, not");
    refused(&|game| game.resigned = false, "its outcome is");
}

#[test]
fn a_game_at_its_end_is_not_given_up() {
    assert_refused(|file| file.games[2].resigned = true, "game 2: it is marked as resigned, but");
}

#[test]
fn a_game_that_was_to_be_played_out_is_not_given_up() {
    assert!(refusal_of(|game| game.played_out = true).is_some());
}

// ---- what is refused ----

#[test]
fn a_game_that_begins_nowhere_is_refused() {
    let begun = |text: &str| {
        let position = Some(text.to_owned());
        move |file: &mut RecordFile| file.games[1].position = position.clone()
    };
    assert_refused(begun("xox/ox x"), "game 1: position: the board has 2 rows, it needs 3");
    assert_refused(begun("xxx/oo./... o"), "game 1: ");
}

/// The error of a file as `read_checked` sees it; it names the file.
#[track_caller]
fn refusal(path: &Path, variant: &Variant) -> String {
    let error = RecordFile::read_checked(path, variant).unwrap_err();
    let text = format!("{error:#}");
    assert!(text.contains(&path.display().to_string()), "the file is not named: {text}");
    text
}

/// That a file changed like this is refused with this error.
#[track_caller]
fn assert_refused(change: impl Fn(&mut RecordFile), expected: &str) {
    let folder = Folder::new();
    let path = folder.file("games");
    let mut file = some_file();
    change(&mut file);
    file.write(&path).unwrap();
    let error = refusal(&path, &tic_tac_toe());
    assert!(error.contains(expected), "{error}");
}

/// What was found out by a search of a file.
fn search(file: &mut RecordFile, game: usize, choice: usize) -> &mut Searched {
    file.games[game].choices[choice].search.as_mut().unwrap()
}

#[test]
fn a_record_of_another_game_is_refused() {
    let folder = Folder::new();
    let path = folder.file("games");
    some_file().write(&path).unwrap();
    let error = refusal(&path, &registry::preset("connect_four").unwrap());
    assert!(error.contains("holds games of tic_tac_toe, not of connect_four"), "{error}");
}

#[test]
fn a_record_under_other_options_is_refused() {
    let folder = Folder::new();
    let path = folder.file("games");
    let find =
        |changes: serde_json::Value| registry::find("susan", changes.as_object().unwrap()).unwrap();
    let variant = find(json!({}));
    let header = Header::new(&variant, 3, 11, 0);
    RecordFile { header, games: Vec::new() }.write(&path).unwrap();
    RecordFile::read_checked(&path, &variant).unwrap();
    let error = refusal(&path, &find(json!({ "max_plies": 77 })));
    assert!(error.contains("other rules") && error.contains("\"max_plies\":77"), "{error}");
}

#[test]
fn a_record_under_another_version_of_the_rules_is_refused() {
    assert_refused(|file| file.header.rules_version += 1, "version 2 of the rules");
}

#[test]
fn a_record_with_an_illegal_action_is_refused() {
    // Taken already; beyond the board; after the end.
    let again = |file: &mut RecordFile| {
        let choices = &mut file.games[2].choices;
        choices[1].action = choices[0].action;
    };
    assert_refused(again, "game 2: action");
    assert_refused(|file| file.games[4].choices[0].action = u16::MAX, "game 4: action 65535");
    let longer = |file: &mut RecordFile| {
        let last = file.games[1].choices.last().unwrap().clone();
        file.games[1].choices.push(last);
    };
    assert_refused(longer, "game 1: action");
}

#[test]
fn a_record_with_a_wrong_outcome_is_refused() {
    let other = |file: &mut RecordFile| {
        let outcome = &mut file.games[0].outcome;
        *outcome = match *outcome {
            Outcome::Win(side) => Outcome::Win(side.other()),
            Outcome::Draw => Outcome::Win(Side::P1),
        };
    };
    assert_refused(other, "game 0: its outcome is");
    let unfinished = |file: &mut RecordFile| {
        file.games[3].choices.pop();
    };
    assert_refused(unfinished, "game 3: its outcome is");
}

#[test]
fn a_record_with_another_number_of_turns_is_refused() {
    assert_refused(|file| file.games[1].plies += 1, "game 1: it has");
}

#[test]
fn a_policy_that_is_none_is_refused() {
    assert_refused(|file| search(file, 0, 2).policy.clear(), "its policy is empty");
    let without_units = |file: &mut RecordFile| {
        search(file, 0, 2).policy.iter_mut().for_each(|(_, units)| *units = 0);
    };
    assert_refused(without_units, "its policy is empty");
    let last = |file: &mut RecordFile| search(file, 0, 3).policy.last_mut().unwrap().0 = 9;
    assert_refused(last, "action 9 is not legal");
    assert_refused(
        |file| search(file, 0, 0).policy.reverse(),
        "its policy is not sorted by action",
    );
    let twice = |file: &mut RecordFile| {
        let policy = &mut search(file, 0, 0).policy;
        policy.push(*policy.last().unwrap());
    };
    assert_refused(twice, "its policy is not sorted by action");
}

#[test]
fn a_value_that_is_none_is_refused() {
    for value in [f32::NAN, f32::INFINITY, -0.5, 1.5] {
        assert_refused(|file| search(file, 0, 2).value[1] = value, "are not probabilities");
    }
    assert_refused(|file| search(file, 0, 2).value = [0.5, 0.5, 0.5], "are not probabilities");
}

// ---- damage ----

/// Puts a file in the place of another. Some file systems take long to shorten a file.
fn replace(path: &Path, bytes: &[u8]) {
    fs::remove_file(path).unwrap();
    fs::write(path, bytes).unwrap();
}

#[test]
fn a_truncated_record_is_refused() {
    let folder = Folder::new();
    let path = folder.file("games");
    some_file().write(&path).unwrap();
    let bytes = fs::read(&path).unwrap();
    for length in 0..bytes.len() {
        replace(&path, &bytes[..length]);
        refusal(&path, &tic_tac_toe());
    }
    assert!(refusal(&path, &tic_tac_toe()).contains("is truncated"));
    fs::write(&path, [&bytes[..], b"."].concat()).unwrap();
    refusal(&path, &tic_tac_toe());
}

#[test]
fn a_record_with_a_flipped_bit_or_byte_is_refused() {
    let folder = Folder::new();
    let path = folder.file("games");
    file_of(&tic_tac_toe(), &Settings { games: 2, ..few() }, None).write(&path).unwrap();
    let bytes = fs::read(&path).unwrap();
    for place in 0..bytes.len() {
        for flip in [1, 2, 4, 8, 16, 32, 64, 128, 255] {
            let mut damaged = bytes.clone();
            damaged[place] ^= flip;
            replace(&path, &damaged);
            refusal(&path, &tic_tac_toe());
        }
    }
}

#[test]
fn whatever_is_accepted_can_be_learnt_from() {
    // Nonsense of which the checksum is right, as a program with a fault might write it.
    let folder = Folder::new();
    let path = folder.file("games");
    let settings = Settings { games: 2, opening_plies: 1, ..few() };
    let mut file = file_of(&tic_tac_toe(), &settings, None);
    leave_some_out(&mut file);
    file.write(&path).unwrap();
    let payload = fs::read(&path).unwrap().split_off(HEADER);
    let mut accepted = 0;
    for place in 0..payload.len() {
        for flip in [1, 2, 4, 8, 16, 32, 64, 128, 255] {
            let mut damaged = payload.clone();
            damaged[place] ^= flip;
            replace(&path, &SEAL.seal(&damaged));
            let Ok(file) = RecordFile::read_checked(&path, &tic_tac_toe()) else { continue };
            let mut buffer = Buffer::new(tic_tac_toe(), &replay::Settings::default());
            buffer.push(file.games);
            let mut batch = Batch::default();
            if buffer.positions() > 0 {
                buffer.draw(5, &mut stream(1, 2, 3, Purpose::Sampling), &mut batch);
            }
            let sums = batch.policy.chunks(9).map(|policy| policy.iter().sum::<f32>());
            assert!(sums.map(|sum| (sum - 1.0).abs()).all(|error| error < 1e-5), "at {place}");
            accepted += 1;
        }
    }
    assert!(accepted > 100, "seeds, values and shares may be others: {accepted}");
}

#[test]
fn a_file_of_another_format_is_refused() {
    let folder = Folder::new();
    let path = folder.file("games");
    some_file().write(&path).unwrap();
    let payload = fs::read(&path).unwrap().split_off(HEADER);
    fs::write(&path, SEAL.seal(&payload)).unwrap();
    RecordFile::read_checked(&path, &tic_tac_toe()).unwrap();
    for format in [1, 3, 4, 6, 9] {
        fs::write(&path, Seal { format, ..SEAL }.seal(&payload)).unwrap();
        let expected = format!("has format {format}, this program reads format 5; use the version");
        assert!(refusal(&path, &tic_tac_toe()).contains(&expected));
    }
}

#[test]
fn a_file_that_is_no_record_is_refused() {
    let folder = Folder::new();
    let path = folder.file("games");
    assert!(refusal(&path, &tic_tac_toe()).contains("cannot read"));
    fs::write(&path, "something else altogether").unwrap();
    assert!(refusal(&path, &tic_tac_toe()).contains("is not a tavoliere game record file"));
    // Sealed as it should be, around nonsense.
    let payload = postcard::to_stdvec(&some_file()).unwrap();
    for payload in [&[][..], &[255; 40], &[0; 4], &payload[..payload.len() / 2]] {
        fs::write(&path, SEAL.seal(payload)).unwrap();
        let error = refusal(&path, &tic_tac_toe());
        assert!(error.contains("its contents cannot be decoded"), "{error}");
    }
}

#[test]
fn a_record_that_cannot_be_written_says_where() {
    let folder = Folder::new();
    let path = folder.file("missing").join("games");
    let error = some_file().write(&path).unwrap_err();
    assert!(format!("{error:#}").contains(&path.display().to_string()), "{error:#}");
}
