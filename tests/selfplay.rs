//! Self-play and its records.

#![allow(clippy::unwrap_used)]

use std::fs;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};

use serde_json::json;
use tavoliere::durable::Seal;
use tavoliere::evaluator::{Evaluator, Uniform, Wdl};
use tavoliere::game::{Game, Outcome, Side};
use tavoliere::games::{self, AnyVariant, TicTacToe, TicTacToeRules, Variant};
use tavoliere::record::{GameRecord, Header, RecordFile};
use tavoliere::rng::{Purpose, stream};
use tavoliere::search::{self, Candidate, Scratch, Tree};
use tavoliere::selfplay::{Counters, Order, Settings, pick, play};
use tavoliere::with_variant;

#[path = "common/hashed.rs"]
mod hashed;

use hashed::Hashed;

const SEED: u64 = 11;
const ITERATION: u64 = 3;

fn few() -> Settings {
    Settings { games: 5, batch: 3, simulations: 4, ..Settings::default() }
}

fn order<'a, G: Game>(
    variant: &'a Variant<G>,
    search: &'a search::Settings,
    settings: &'a Settings,
) -> Order<'a, G> {
    Order { variant, search, settings, seed: SEED, iteration: ITERATION }
}

/// All games of an order, played by so many workers.
fn played<G: Game, E: Evaluator<G> + Clone + Send>(
    variant: &Variant<G>,
    settings: &Settings,
    evaluator: &E,
    workers: usize,
) -> Vec<GameRecord> {
    let search = search::Settings::default();
    let order = order(variant, &search, settings);
    let (counters, stop) = (Counters::default(), AtomicBool::new(false));
    let mut evaluators = vec![evaluator.clone(); workers];
    let games = play(&order, &mut evaluators, &counters, &stop).unwrap();
    assert_eq!(counters.games.load(Ordering::Relaxed), settings.games);
    let [evaluations, batches] =
        [&counters.evaluations, &counters.batches].map(|count| count.load(Ordering::Relaxed));
    assert!(batches <= evaluations && evaluations <= batches * settings.batch as u64);
    games
}

fn tic_tac_toe() -> Variant<TicTacToe> {
    Variant { name: "tic_tac_toe", rules: TicTacToeRules {} }
}

/// A folder of its own for every test, removed at its end.
struct Folder(PathBuf);

impl Folder {
    fn new() -> Self {
        static NEXT: AtomicU64 = AtomicU64::new(0);
        let number = NEXT.fetch_add(1, Ordering::Relaxed);
        let name = format!("tavoliere-selfplay-{}-{number}", std::process::id());
        let path = std::env::temp_dir().join(name);
        fs::create_dir_all(&path).unwrap();
        Self(path)
    }

    fn file(&self, name: &str) -> PathBuf {
        self.0.join(name)
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        let _ = fs::remove_dir_all(&self.0);
    }
}

// ---- what is played ----

fn check_workers_and_batches<G: Game>(variant: &Variant<G>) {
    fn check<G: Game>(variant: &Variant<G>, evaluator: &(impl Evaluator<G> + Clone + Send)) {
        let expected = played(variant, &Settings { batch: 1, ..few() }, evaluator, 1);
        assert!(expected.iter().map(|game| game.index).eq(0..few().games));
        for (workers, batch) in [(1, 3), (1, 16), (2, 1), (2, 3), (2, 16), (3, 1), (3, 3), (3, 16)]
        {
            let games = played(variant, &Settings { batch, ..few() }, evaluator, workers);
            assert_eq!(games, expected, "{workers} workers, batch {batch}");
        }
    }
    check(variant, &Uniform);
    check(variant, &Hashed);
}

/// A game is one search after another, each noised and picked from by the game's own streams.
fn check_games_are_searches<G: Game>(variant: &Variant<G>) {
    let settings = Settings { games: 2, temperature_plies: 6, ..few() };
    let search = search::Settings::default();
    for record in played(variant, &settings, &Hashed, 1) {
        let name = |purpose| stream(SEED, ITERATION, record.index, purpose);
        let (mut noise, mut selection) = (name(Purpose::Noise), name(Purpose::Selection));
        let mut game = variant.initial();
        let mut scratch = Scratch::default();
        for choice in &record.choices {
            let mut tree = Tree::default();
            tree.begin(game);
            scratch.simulate(&mut tree, &search, &mut Hashed);
            tree.add_noise(&search, &mut noise);
            while tree.simulations() < settings.simulations {
                scratch.simulate(&mut tree, &search, &mut Hashed);
            }
            let visited: Vec<Candidate> =
                tree.candidates().filter(|found| found.visits > 0).collect();
            assert!(visited.iter().map(|f| (f.action, f.visits)).eq(choice.visits.iter().copied()));
            assert_eq!(choice.value, tree.value());
            let temperature = if game.ply() < 6 { settings.temperature } else { 0.0 };
            assert_eq!(choice.action, pick(&visited, temperature, &mut selection));
            game.play(choice.action);
        }
        assert_eq!((game.outcome(), game.ply()), (Some(record.outcome), record.plies));
    }
}

fn check_records<G: Game>(variant: &Variant<G>) {
    let folder = Folder::new();
    let path = folder.file("games");
    let file = RecordFile {
        header: Header::new(variant, ITERATION, SEED, 7),
        games: played(variant, &few(), &Hashed, 2),
    };
    file.write(&path).unwrap();
    assert_eq!(RecordFile::read_checked(&path, variant).unwrap(), file);
    assert_eq!(RecordFile::read(&path).unwrap(), file);
    for choice in file.games.iter().flat_map(|game| &game.choices) {
        let visits: u32 = choice.visits.iter().map(|&(_, visits)| visits).sum();
        assert_eq!(visits, few().simulations - 1);
        assert!(choice.visits.iter().any(|&(action, _)| action == choice.action));
        assert!((choice.value.iter().sum::<f32>() - 1.0).abs() < 1e-5);
    }
}

macro_rules! selfplay {
    ($($name:ident,)*) => { $(
        mod $name {
            use super::*;

            fn variant() -> AnyVariant {
                games::preset(stringify!($name)).unwrap()
            }

            #[test]
            fn games_do_not_depend_on_workers_or_batches() {
                with_variant!(variant(), game => check_workers_and_batches(&game));
            }

            #[test]
            fn games_are_searches_in_a_row() {
                with_variant!(variant(), game => check_games_are_searches(&game));
            }

            #[test]
            fn records_are_read_back() {
                with_variant!(variant(), game => check_records(&game));
            }
        }
    )* };
}

tavoliere::for_every_game!(selfplay);

#[test]
fn each_seed_iteration_and_index_is_another_game() {
    let (variant, search, settings) = (tic_tac_toe(), search::Settings::default(), few());
    let games = |seed, iteration| {
        let order = Order { seed, iteration, ..order(&variant, &search, &settings) };
        play(&order, &mut [Hashed], &Counters::default(), &AtomicBool::new(false)).unwrap()
    };
    let first = games(SEED, ITERATION);
    assert_eq!(first, games(SEED, ITERATION));
    assert_ne!(first, games(SEED + 1, ITERATION));
    assert_ne!(first, games(SEED, ITERATION + 1));
    assert!(first[1..].iter().all(|game| game.choices != first[0].choices));
}

#[test]
fn fewer_games_are_the_first_of_more() {
    let fewer = played(&tic_tac_toe(), &Settings { games: 4, ..few() }, &Hashed, 2);
    let more = played(&tic_tac_toe(), &Settings { games: 9, ..few() }, &Hashed, 2);
    assert_eq!(fewer[..], more[..4]);
}

#[test]
fn more_workers_than_games_do_no_harm() {
    assert_eq!(played(&tic_tac_toe(), &Settings { games: 1, ..few() }, &Hashed, 4).len(), 1);
}

// ---- stopping ----

/// Sets `stop` at its hundredth call.
struct Stopper<'a> {
    stop: &'a AtomicBool,
    calls: u32,
}

impl<G: Game> Evaluator<G> for Stopper<'_> {
    fn evaluate(&mut self, positions: &[G], policy: &mut [f32], wdl: &mut [Wdl]) {
        self.calls += 1;
        assert!(self.calls <= 100, "it goes on after it was stopped");
        self.stop.store(self.calls == 100, Ordering::Relaxed);
        Uniform.evaluate(positions, policy, wdl);
    }
}

#[test]
fn a_stop_gives_up_the_games() {
    let (variant, search) = (tic_tac_toe(), search::Settings::default());
    let settings = Settings { games: 1_000_000, ..few() };
    let order = order(&variant, &search, &settings);
    let stop = AtomicBool::new(false);
    let mut evaluators = [Stopper { stop: &stop, calls: 0 }];
    assert!(play(&order, &mut evaluators, &Counters::default(), &stop).is_none());
    assert_eq!(evaluators[0].calls, 100);

    let stopped = AtomicBool::new(true);
    assert!(play(&order, &mut [Uniform; 3], &Counters::default(), &stopped).is_none());
}

// ---- choosing ----

/// Whether every action of these games played at `plies` was among the most visited.
fn most_visited(games: &[GameRecord], plies: std::ops::Range<usize>) -> bool {
    let choices = games.iter().flat_map(|game| game.choices.iter().enumerate());
    choices.filter(|(ply, _)| plies.contains(ply)).all(|(_, choice)| {
        let visits = |wanted| choice.visits.iter().find(|&&(a, _)| a == wanted).unwrap().1;
        choice.visits.iter().all(|&(_, other)| other <= visits(choice.action))
    })
}

#[test]
fn the_most_visited_is_played_at_temperature_0_and_after_the_opening() {
    let games = |temperature, temperature_plies| {
        let base = Settings { games: 30, simulations: 20, ..few() };
        let settings = Settings { temperature, temperature_plies, ..base };
        played(&tic_tac_toe(), &settings, &Hashed, 1)
    };
    assert!(most_visited(&games(0.0, 100), 0..9));
    assert!(most_visited(&games(1.0, 0), 0..9));
    let opening = games(1.0, 3);
    assert!(most_visited(&opening, 3..9));
    assert!((0..3).all(|ply| !most_visited(&opening, ply..ply + 1)));
}

fn candidates(visits: &[u32]) -> Vec<Candidate> {
    let wdl = [0.0, 1.0, 0.0];
    (0..)
        .zip(visits)
        .map(|(action, &visits)| Candidate { action, prior: 0.5, visits, wdl })
        .collect()
}

#[test]
fn a_pick_follows_the_shares_of_visits() {
    const DRAWS: u32 = 40_000;
    let visits = [1, 0, 30, 9];
    for temperature in [0.5, 1.0, 2.0] {
        let weights = visits.map(|visits| f64::from(visits).powf(1.0 / temperature));
        let total: f64 = weights.iter().sum();
        let mut rng = stream(1, 0, 0, Purpose::Selection);
        let mut counts = [0; 4];
        for _ in 0..DRAWS {
            counts[usize::from(pick(&candidates(&visits), temperature as f32, &mut rng))] += 1;
        }
        assert_eq!(counts[1], 0, "without visits it is never played");
        for (count, weight) in counts.into_iter().zip(weights) {
            let (share, expected) = (f64::from(count) / f64::from(DRAWS), weight / total);
            let deviation = (expected * (1.0 - expected) / f64::from(DRAWS)).sqrt();
            assert!((share - expected).abs() <= 5.0 * deviation, "{counts:?} at {temperature}");
        }
    }
}

#[test]
fn a_pick_does_not_overflow_at_low_temperatures() {
    let mut rng = stream(2, 0, 0, Purpose::Selection);
    for temperature in [1e-3, 1e-30, f32::MIN_POSITIVE, f32::from_bits(1)] {
        for visits in [[3, 40, 39], [1, u32::MAX, u32::MAX / 2], [0, 1, 0]] {
            for _ in 0..50 {
                assert_eq!(pick(&candidates(&visits), temperature, &mut rng), 1, "{visits:?}");
            }
        }
        // Equals stay equals.
        let picks: Vec<_> =
            (0..50).map(|_| pick(&candidates(&[7, 7, 1]), temperature, &mut rng)).collect();
        assert!(picks.contains(&0) && picks.contains(&1) && !picks.contains(&2));
    }
}

#[test]
fn a_pick_at_a_high_temperature_is_nearly_even() {
    let mut rng = stream(3, 0, 0, Purpose::Selection);
    let mut counts = [0; 2];
    (0..2_000).for_each(|_| {
        counts[usize::from(pick(&candidates(&[1, 1_000]), 1_000.0, &mut rng))] += 1;
    });
    assert!(counts.iter().all(|count| (900..1_100).contains(count)), "{counts:?}");
}

#[test]
fn of_equally_visited_actions_the_likelier_is_played_at_temperature_0() {
    let mut found = candidates(&[3, 5, 5, 5]);
    found[2].prior = 0.6;
    assert_eq!(pick(&found, 0.0, &mut stream(4, 0, 0, Purpose::Selection)), 2);
}

// ---- what is refused ----

fn some_file() -> RecordFile {
    RecordFile {
        header: Header::new(&tic_tac_toe(), ITERATION, SEED, 7),
        games: played(&tic_tac_toe(), &few(), &Hashed, 1),
    }
}

/// The error of a file as `read_checked` sees it; it names the file.
#[track_caller]
fn refusal<G: Game>(path: &Path, variant: &Variant<G>) -> String {
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

#[test]
fn a_record_of_another_game_is_refused() {
    let folder = Folder::new();
    let path = folder.file("games");
    some_file().write(&path).unwrap();
    let any = games::preset("connect_four").unwrap();
    let error = with_variant!(any, variant => refusal(&path, &variant));
    assert!(error.contains("holds games of tic_tac_toe, not of connect_four"), "{error}");
}

#[test]
fn a_record_under_other_options_is_refused() {
    let folder = Folder::new();
    let path = folder.file("games");
    let find =
        |changes: serde_json::Value| games::find("susan", changes.as_object().unwrap()).unwrap();
    with_variant!(find(json!({})), variant => {
        let header = Header::new(&variant, ITERATION, SEED, 0);
        RecordFile { header, games: Vec::new() }.write(&path).unwrap();
        RecordFile::read_checked(&path, &variant).unwrap();
    });
    let other = find(json!({ "max_plies": 77 }));
    let error = with_variant!(other, variant => refusal(&path, &variant));
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
    assert_refused(|file| file.games[0].choices[3].visits[0].0 = 9, "action 9 is not legal");
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
    assert_refused(other, "game 0: it is said to end with");
    let unfinished = |file: &mut RecordFile| {
        file.games[3].choices.pop();
    };
    assert_refused(unfinished, "game 3: it is said to end with");
}

#[test]
fn a_record_with_another_number_of_turns_is_refused() {
    assert_refused(|file| file.games[1].plies += 1, "game 1: it has");
}

#[test]
fn a_record_of_a_search_without_a_result_is_refused() {
    let nothing = |file: &mut RecordFile| file.games[0].choices[2].visits.clear();
    assert_refused(nothing, "was played without a visit");
    let unvisited = |file: &mut RecordFile| {
        file.games[0].choices[2].visits.iter_mut().for_each(|(_, count)| *count = 0);
    };
    assert_refused(unvisited, "was played without a visit");
    for value in [f32::NAN, f32::INFINITY, -0.5, 1.5] {
        let wild = |file: &mut RecordFile| file.games[0].choices[2].value[1] = value;
        assert_refused(wild, "are no chances");
    }
}

#[test]
fn a_truncated_record_is_refused() {
    let folder = Folder::new();
    let path = folder.file("games");
    some_file().write(&path).unwrap();
    let bytes = fs::read(&path).unwrap();
    for length in (0..30).chain((30..bytes.len()).step_by(41)).chain([bytes.len() - 1]) {
        fs::write(&path, &bytes[..length]).unwrap();
        refusal(&path, &tic_tac_toe());
    }
    fs::write(&path, &bytes[..bytes.len() - 1]).unwrap();
    assert!(refusal(&path, &tic_tac_toe()).contains("is truncated"));
    fs::write(&path, [&bytes[..], b"."].concat()).unwrap();
    refusal(&path, &tic_tac_toe());
}

#[test]
fn a_record_with_a_flipped_bit_is_refused() {
    let folder = Folder::new();
    let path = folder.file("games");
    some_file().write(&path).unwrap();
    let bytes = fs::read(&path).unwrap();
    for bit in (0..30 * 8).chain((30 * 8..bytes.len() * 8).step_by(97)) {
        let mut damaged = bytes.clone();
        damaged[bit / 8] ^= 1 << (bit % 8);
        fs::write(&path, &damaged).unwrap();
        refusal(&path, &tic_tac_toe());
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
    let seal = Seal { kind: "game record", magic: *b"TAVGAME\n", format: 1 };
    for payload in [&[][..], &[255; 40], &[0; 4]] {
        fs::write(&path, seal.seal(payload)).unwrap();
        let error = refusal(&path, &tic_tac_toe());
        assert!(error.contains("its contents make no sense"), "{error}");
    }
    fs::write(&path, Seal { format: 9, ..seal }.seal(b"")).unwrap();
    assert!(refusal(&path, &tic_tac_toe()).contains("has format 9, this program reads format 1"));
}

#[test]
fn a_record_that_cannot_be_written_says_where() {
    let folder = Folder::new();
    let path = folder.file("missing").join("games");
    let error = some_file().write(&path).unwrap_err();
    assert!(format!("{error:#}").contains(&path.display().to_string()), "{error:#}");
}
