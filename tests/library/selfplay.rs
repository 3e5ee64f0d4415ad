//! Self-play: what is played does not depend on how it is computed, and every setting does what it
//! says.

use std::collections::HashSet;
use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::mpsc::{RecvTimeoutError, channel};
use std::time::Duration;

use rand::RngExt;

use crate::base::rng::{Purpose, stream};
use crate::games::{Action, Outcome, Side};
use crate::registry::{self, Position, Variant};
use crate::search::{self, Cache, Evaluator, InteriorRule, RootRule, Uniform, Wdl};
use crate::selfplay::record::{Choice, GameRecord, Searched};
use crate::selfplay::{
    Assignment, Counters, IterationJob, Settings, pick, play, play_assigned, play_by, play_queued,
    threshold,
};
use crate::tests::common::finished::finished;
use crate::tests::common::hashed::Hashed;
use crate::tests::common::plain_games;

const SEED: u64 = 11;
const ITERATION: u64 = 3;

/// Long enough for anything here, however busy the machine.
const PATIENCE: Duration = Duration::from_secs(60);

fn few() -> Settings {
    Settings { games: 5, batch: 3, simulations: 4, ..Settings::default().without_openings() }
}

/// All options at once.
fn everything() -> Settings {
    Settings {
        games: 8,
        simulations: 12,
        opening_plies: 6,
        restart_share: 0.5,
        placement_share: 0.3,
        final_temperature: 0.5,
        temperature_plies: 8,
        played_out_share: 0.3,
        ..Settings::default()
    }
}

const RESIGN_BELOW: Option<f32> = Some(0.3);

/// Settings of the search that differ in how they use a tree.
fn searches() -> [search::Settings; 5] {
    let gumbel = search::Settings::default();
    let puct = search::Settings { root: RootRule::Puct, interior: InteriorRule::Puct, ..gumbel };
    let fresh = |settings| search::Settings { reuse: false, ..settings };
    [gumbel, fresh(gumbel), puct, fresh(puct), search::Settings::plain()]
}

fn tic_tac_toe() -> Variant {
    registry::preset("tic_tac_toe").unwrap()
}

fn connect_four() -> Variant {
    registry::preset("connect_four").unwrap()
}

/// Who plays the games.
#[derive(Clone, Copy, Debug)]
enum Driver {
    /// So many evaluators, each with a thread of its own.
    Each(usize),
    /// So many workers who share one evaluator.
    Queued(usize),
}

use Driver::{Each, Queued};

const DRIVERS: [Driver; 8] =
    [Each(1), Each(2), Each(3), Each(5), Queued(1), Queued(2), Queued(3), Queued(4)];

/// All games of an order, and what was counted.
fn counted<E: Evaluator + Clone + Send>(
    order: &IterationJob<'_>,
    evaluator: &E,
    driver: Driver,
) -> (Vec<GameRecord>, Counters) {
    let (counters, stop) = (Counters::default(), AtomicBool::new(false));
    let mut evaluator = evaluator.clone();
    let games = match driver {
        Each(evaluators) => play(order, &mut vec![evaluator; evaluators], &counters, &stop),
        Queued(workers) => play_queued(order, &mut evaluator, workers, &counters, &stop),
    };
    (games.unwrap(), counters)
}

/// All games of an order.
fn driven<E: Evaluator + Clone + Send>(
    order: &IterationJob<'_>,
    evaluator: &E,
    driver: Driver,
) -> Vec<GameRecord> {
    counted(order, evaluator, driver).0
}

fn no_cache() -> Cache {
    Cache::new(0, 1)
}

/// Games of the default search without a cache, earlier games or resignation.
fn played<E: Evaluator + Clone + Send>(
    variant: &Variant,
    settings: &Settings,
    evaluator: &E,
) -> Vec<GameRecord> {
    played_by(&search::Settings::default(), variant, settings, evaluator)
}

fn played_by<E: Evaluator + Clone + Send>(
    search: &search::Settings,
    variant: &Variant,
    settings: &Settings,
    evaluator: &E,
) -> Vec<GameRecord> {
    let cache = no_cache();
    let order = IterationJob::new(variant, search, settings, &cache);
    driven(&IterationJob { seed: SEED, iteration: ITERATION, ..order }, evaluator, Each(1))
}

fn searched(record: &GameRecord) -> impl Iterator<Item = &Searched> {
    record.choices.iter().filter_map(|choice| choice.search.as_ref())
}

fn score([win, draw, _]: Wdl) -> f32 {
    win + draw / 2.0
}

/// How far the policy of a search is from that of the evaluator, in nats.
fn divergence(game: &Position, search: &Searched) -> f32 {
    let mut logits = vec![0.0; game.spec().actions()];
    Hashed.evaluate(&[*game], &mut logits, &mut [[0.0; 3]]);
    let mut legal = Vec::new();
    game.legal_actions(&mut legal);
    let total: f32 = legal.iter().map(|&action| logits[usize::from(action)].exp()).sum();
    let part = |(action, share): (Action, f32)| {
        share * (share.ln() - logits[usize::from(action)] + total.ln())
    };
    search.shares().map(part).sum()
}

#[test]
fn a_search_is_as_surprising_as_its_policy_is_far_from_the_evaluators() {
    let variant = connect_four();
    for settings in searches() {
        let records = played_by(&settings, &variant, &few(), &Hashed);
        for record in &records {
            let mut game = variant.initial();
            for choice in &record.choices {
                if let Some(search) = &choice.search {
                    let expected = divergence(&game, search);
                    let close = (search.surprise - expected).abs() < 2e-3 * (1.0 + expected);
                    assert!(close, "{} instead of {expected}", search.surprise);
                }
                game.play(choice.action);
            }
        }
        assert!(records.iter().flat_map(searched).any(|search| search.surprise > 0.1));
    }
}

// ---- the same games, however they are computed ----

/// That these games are played by this driver, with these batches and this cache.
#[track_caller]
fn assert_plays(
    order: &IterationJob<'_>,
    driver: Driver,
    batch: usize,
    mebibytes: u32,
    expected: &[GameRecord],
) {
    let settings = Settings { batch, ..*order.settings };
    let cache = Cache::new(mebibytes, order.variant.spec().actions());
    let order = IterationJob { settings: &settings, cache: &cache, ..*order };
    let what = || format!("{driver:?}, batch {batch}, cache {mebibytes}, {:?}", order.search);
    assert!(driven(&order, &Hashed, driver) == expected, "{}", what());
    // The cache now knows what is asked for most.
    if mebibytes > 0 {
        assert!(driven(&order, &Hashed, driver) == expected, "again: {}", what());
    }
}

/// All drivers, batches and caches, though not every one with every other.
fn check_drivers(variant: &Variant) {
    let past = played(variant, &Settings { placement_share: 0.5, ..few() }, &Hashed);
    let (settings, cache) = (everything(), no_cache());
    for search in searches() {
        let order = IterationJob {
            seed: SEED,
            iteration: ITERATION,
            past: &past,
            resign_below: RESIGN_BELOW,
            ..IterationJob::new(variant, &search, &settings, &cache)
        };
        let expected = plain_games::games(&order, &mut Hashed);
        assert!(expected.iter().map(|game| game.index).eq(0..settings.games));
        for (driver, (batch, mebibytes)) in DRIVERS.into_iter().zip([
            (7, 0),
            (2, 1),
            (64, 1),
            (1, 0),
            (2, 0),
            (7, 1),
            (1, 1),
            (3, 0),
        ]) {
            assert_plays(&order, driver, batch, mebibytes, &expected);
        }
        for (batch, mebibytes) in [1, 2, 7, 64].into_iter().flat_map(|b| [(b, 0), (b, 1)]) {
            assert_plays(&order, Each(1), batch, mebibytes, &expected);
            assert_plays(&order, Queued(2), batch, mebibytes, &expected);
        }
    }
}

#[test]
fn games_do_not_depend_on_drivers_batches_or_cache_in_connect_four() {
    check_drivers(&connect_four());
}

#[test]
fn games_do_not_depend_on_drivers_batches_or_cache_in_neutron() {
    check_drivers(&registry::preset("neutron5").unwrap());
}

#[test]
fn games_do_not_depend_on_drivers_batches_or_cache_in_tic_tac_toe() {
    check_drivers(&tic_tac_toe());
}

fn check_every_game(variant: &Variant) {
    let search = search::Settings::default();
    let cache = Cache::new(1, variant.spec().actions());
    let past = played(variant, &Settings { placement_share: 0.5, ..few() }, &Hashed);
    let full = Settings { games: 4, ..everything() };
    for (settings, past, resign_below) in [(few(), &[][..], None), (full, &past, RESIGN_BELOW)] {
        let order = IterationJob::new(variant, &search, &settings, &cache);
        let order = IterationJob { iteration: 1, past, resign_below, ..order };
        let expected = plain_games::games(&order, &mut Hashed);
        for driver in [Each(2), Queued(2)] {
            assert!(driven(&order, &Hashed, driver) == expected, "{driver:?}");
        }
    }
}

macro_rules! selfplay {
    ($($name:ident,)*) => {
        mod games_are_searches_in_a_row {
            use super::*;
            $(
                #[test]
                fn $name() {
                    check_every_game(&registry::preset(stringify!($name)).unwrap());
                }
            )*
        }
    };
}

for_every_game!(selfplay);

#[test]
fn each_seed_iteration_and_index_is_another_game() {
    let (variant, search, settings) = (tic_tac_toe(), search::Settings::default(), few());
    let cache = no_cache();
    let games = |seed, iteration| {
        let order = IterationJob::new(&variant, &search, &settings, &cache);
        driven(&IterationJob { seed, iteration, ..order }, &Hashed, Each(1))
    };
    let first = games(SEED, ITERATION);
    assert_eq!(first, games(SEED, ITERATION));
    assert_ne!(first, games(SEED + 1, ITERATION));
    assert_ne!(first, games(SEED, ITERATION + 1));
    assert!(first[1..].iter().all(|game| game.choices != first[0].choices));
}

#[test]
fn fewer_games_are_the_first_of_more() {
    let fewer = played(&tic_tac_toe(), &Settings { games: 4, ..few() }, &Hashed);
    let more = played(&tic_tac_toe(), &Settings { games: 9, ..few() }, &Hashed);
    assert_eq!(fewer[..], more[..4]);
}

#[test]
fn more_workers_than_games_do_no_harm() {
    let (variant, search, cache) = (tic_tac_toe(), search::Settings::default(), no_cache());
    let settings = Settings { games: 1, ..few() };
    let order = IterationJob::new(&variant, &search, &settings, &cache);
    for driver in [Each(4), Queued(4)] {
        assert_eq!(driven(&order, &Uniform, driver).len(), 1);
    }
}

// ---- counting ----

/// Counts the positions that it is given, and its calls.
#[derive(Clone, Default)]
struct Counting(Arc<[AtomicU64; 2]>);

impl Counting {
    fn counts(&self) -> [u64; 2] {
        [0, 1].map(|index| self.0[index].load(Ordering::Relaxed))
    }
}

impl Evaluator for Counting {
    fn evaluate(&mut self, positions: &[Position], policy: &mut [f32], wdl: &mut [Wdl]) {
        self.0[0].fetch_add(positions.len() as u64, Ordering::Relaxed);
        self.0[1].fetch_add(1, Ordering::Relaxed);
        Hashed.evaluate(positions, policy, wdl);
    }
}

fn read(counter: &AtomicU64) -> u64 {
    counter.load(Ordering::Relaxed)
}

#[test]
fn what_is_counted_is_what_was_done() {
    let (variant, search) = (connect_four(), search::Settings::default());
    // Without restarts, whose beginnings are not played.
    let settings = Settings { batch: 3, restart_share: 0.0, ..everything() };
    for driver in DRIVERS {
        let mut asked = Vec::new();
        for mebibytes in [0, 1] {
            let cache = Cache::new(mebibytes, 42);
            let order = IterationJob::new(&variant, &search, &settings, &cache);
            let evaluator = Counting::default();
            let (games, counters) = counted(&order, &evaluator, driver);
            let counts = [&counters.evaluations, &counters.batches].map(read);
            assert_eq!(counts, evaluator.counts(), "{driver:?}");
            assert_eq!(read(&counters.games), settings.games);
            let actions: usize = games.iter().map(|game| game.choices.len()).sum();
            assert_eq!(read(&counters.actions), actions as u64);
            let hits = read(&counters.hits);
            assert_eq!(hits > 0, mebibytes > 0);
            assert_eq!(counters.hit_rate() > 0.0, mebibytes > 0);
            assert!(counters.hit_rate() < 1.0);
            assert!((0.0..=1.0).contains(&counters.fill()) && counters.fill() > 0.0);
            assert!((0.0..=1.0).contains(&counters.busy()) && counters.busy() > 0.0);
            asked.push(counts[0] + hits);
        }
        assert_eq!(asked[0], asked[1], "a hit takes the place of an evaluation: {driver:?}");
    }
}

#[test]
fn there_is_room_for_a_whole_batch_in_every_call_and_nowhere_else() {
    let (variant, search, cache) = (connect_four(), search::Settings::default(), no_cache());
    let settings = Settings { games: 7, batch: 4, ..few() };
    let order = IterationJob::new(&variant, &search, &settings, &cache);
    for driver in DRIVERS {
        let (_, counters) = counted(&order, &Hashed, driver);
        let batch = match driver {
            Each(_) => 4,
            // Each of the two groups of a worker has its share of the games.
            Queued(workers) => 7_u64.div_ceil(2 * workers as u64).min(4),
        };
        assert_eq!(read(&counters.room), batch * read(&counters.batches), "{driver:?}");
    }
}

/// Remembers the most positions that it was asked for at once.
#[derive(Clone, Default)]
struct Widest(Arc<AtomicU64>);

impl Evaluator for Widest {
    fn evaluate(&mut self, positions: &[Position], policy: &mut [f32], wdl: &mut [Wdl]) {
        self.0.fetch_max(positions.len() as u64, Ordering::Relaxed);
        Hashed.evaluate(positions, policy, wdl);
    }
}

#[test]
fn settings_say_whether_threads_share_an_evaluator_and_the_games() {
    let (variant, search, cache) = (connect_four(), search::Settings::default(), no_cache());
    let (counters, stop) = (Counters::default(), AtomicBool::new(false));
    for (queue, widest) in [(false, 12), (true, 3)] {
        let settings = Settings { games: 12, batch: 256, queue, ..few() };
        let order = IterationJob::new(&variant, &search, &settings, &cache);
        let evaluator = Widest::default();
        let threads = if queue { 2 } else { 1 };
        let games = play_by(evaluator.clone(), &order, threads, &counters, &stop).unwrap();
        assert!(games == driven(&order, &Hashed, Each(1)), "queue = {queue}");
        assert_eq!(read(&evaluator.0), widest, "queue = {queue}");
    }
}

#[test]
fn batches_are_full_while_games_are_left() {
    let (variant, search, cache) = (tic_tac_toe(), search::Settings::default(), no_cache());
    let settings = Settings { games: 2000, batch: 8, ..few() };
    let order = IterationJob::new(&variant, &search, &settings, &cache);
    for driver in [Each(1), Each(2), Queued(1), Queued(2)] {
        let (_, counters) = counted(&order, &Hashed, driver);
        // At the end no more are left to start, and two threads share those in progress.
        assert!(counters.fill() > 0.98, "{driver:?}: {}", counters.fill());
    }
}

#[test]
fn a_small_cache_lets_go_of_some_and_does_no_harm() {
    let (variant, search) = (registry::preset("neutron5").unwrap(), search::Settings::default());
    let settings = Settings { games: 40, batch: 7, simulations: 24, ..few() };
    let evaluations = [0, 1, 64].map(|mebibytes| {
        let cache = Cache::new(mebibytes, variant.spec().actions());
        let order = IterationJob::new(&variant, &search, &settings, &cache);
        let (games, counters) = counted(&order, &Hashed, Each(1));
        (read(&counters.evaluations), games)
    });
    let [none, small, large] = evaluations;
    assert!(none.1 == small.1 && none.1 == large.1);
    assert!(none.0 > small.0 && small.0 > large.0, "{} {} {}", none.0, small.0, large.0);
}

// ---- stopping ----

/// What `work` comes to, if it comes to an end.
fn in_time<T: Send + 'static>(work: impl FnOnce() -> T + Send + 'static) -> T {
    let (done, result) = channel();
    let thread = std::thread::spawn(move || done.send(work()).unwrap());
    match result.recv_timeout(PATIENCE) {
        Ok(result) => result,
        Err(RecvTimeoutError::Timeout) => panic!("it hangs"),
        Err(RecvTimeoutError::Disconnected) => resume_unwind(thread.join().unwrap_err()),
    }
}

/// Sets `stop` at a certain call, and counts those that come after.
#[derive(Clone)]
struct Stopper {
    stop: Arc<AtomicBool>,
    calls: Arc<AtomicU64>,
    last: u64,
}

impl Evaluator for Stopper {
    fn evaluate(&mut self, positions: &[Position], policy: &mut [f32], wdl: &mut [Wdl]) {
        if self.calls.fetch_add(1, Ordering::Relaxed) + 1 == self.last {
            self.stop.store(true, Ordering::Relaxed);
        }
        Uniform.evaluate(positions, policy, wdl);
    }
}

/// Plays more games than there is time for until `stop` is set at the `last` call; how many calls
/// there were.
fn calls_until_stopped(driver: Driver, last: u64) -> u64 {
    in_time(move || {
        let (variant, search, cache) = (tic_tac_toe(), search::Settings::default(), no_cache());
        let settings = Settings { games: 1_000_000, ..few() };
        let order = IterationJob::new(&variant, &search, &settings, &cache);
        let (stop, calls) = (Arc::new(AtomicBool::new(false)), Arc::new(AtomicU64::new(0)));
        let mut evaluator = Stopper { stop: stop.clone(), calls: calls.clone(), last };
        let counters = Counters::default();
        let games = match driver {
            Each(evaluators) => play(&order, &mut vec![evaluator; evaluators], &counters, &stop),
            Queued(workers) => play_queued(&order, &mut evaluator, workers, &counters, &stop),
        };
        assert_eq!(games, None);
        read(&calls)
    })
}

#[test]
fn a_stop_gives_up_the_games() {
    for last in [1, 2, 3, 10, 100] {
        assert_eq!(calls_until_stopped(Each(1), last), last);
        for driver in [Each(3), Queued(1), Queued(2), Queued(4)] {
            // Each thread may be about to make a call; each worker may have two on their way.
            let calls = calls_until_stopped(driver, last);
            assert!((last..=last + 8).contains(&calls), "{driver:?}: {calls} of {last}");
        }
    }
}

#[test]
fn nothing_is_played_once_it_was_stopped() {
    let (variant, search, settings, cache) =
        (tic_tac_toe(), search::Settings::default(), few(), no_cache());
    let order = IterationJob::new(&variant, &search, &settings, &cache);
    let (stopped, counters) = (AtomicBool::new(true), Counters::default());
    assert_eq!(play(&order, &mut [Uniform; 3], &counters, &stopped), None);
    assert_eq!(play_queued(&order, &mut Uniform, 3, &counters, &stopped), None);
    assert_eq!(read(&counters.evaluations), 0);
}

/// Fails at its third call, as an accelerator that has run out of memory.
#[derive(Clone, Default)]
struct Failing(Arc<AtomicU64>);

impl Evaluator for Failing {
    fn evaluate(&mut self, positions: &[Position], policy: &mut [f32], wdl: &mut [Wdl]) {
        assert!(self.0.fetch_add(1, Ordering::Relaxed) < 2, "out of memory");
        Uniform.evaluate(positions, policy, wdl);
    }
}

fn is_failure_passed_on(driver: Driver) -> bool {
    in_time(move || {
        let (variant, search, cache) = (tic_tac_toe(), search::Settings::default(), no_cache());
        let settings = Settings { games: 100, ..few() };
        let order = IterationJob::new(&variant, &search, &settings, &cache);
        let attempt = || driven(&order, &Failing::default(), driver);
        catch_unwind(AssertUnwindSafe(attempt)).is_err()
    })
}

#[test]
fn an_evaluator_that_fails_ends_the_games() {
    assert!(is_failure_passed_on(Each(1)));
    assert!(is_failure_passed_on(Each(2)));
}

#[test]
fn an_evaluator_that_fails_ends_the_games_of_those_who_share_it() {
    assert!(is_failure_passed_on(Queued(1)));
    assert!(is_failure_passed_on(Queued(3)));
}

/// Games of others, who stop to assign them once a worker has panicked.
#[derive(Default)]
struct OfOthers {
    next: AtomicU64,
    has_failed: AtomicBool,
    counters: Counters,
}

impl Assignment for OfOthers {
    fn next(&self) -> Option<u64> {
        Some(self.next.fetch_add(1, Ordering::Relaxed))
    }

    fn finish(&self, _: GameRecord) {}

    fn fail(&self) {
        self.has_failed.store(true, Ordering::Relaxed);
    }

    fn counters(&self) -> &Counters {
        &self.counters
    }

    fn is_stopped(&self) -> bool {
        self.has_failed.load(Ordering::Relaxed)
    }
}

#[test]
fn those_who_assign_games_learn_of_a_worker_that_panics() {
    in_time(|| {
        let (variant, search, settings, cache) =
            (tic_tac_toe(), search::Settings::default(), few(), no_cache());
        let order = IterationJob::new(&variant, &search, &settings, &cache);
        let (games, mut evaluators) = (OfOthers::default(), vec![Failing::default(); 2]);
        let played = catch_unwind(AssertUnwindSafe(|| {
            play_assigned(&order, &games, &mut evaluators);
        }));
        assert!(played.is_err() && games.has_failed.into_inner());
    });
}

// ---- openings ----

/// The turns of the opening of a game, and the actions they consist of.
fn opening(variant: &Variant, record: &GameRecord) -> (u32, Vec<Action>) {
    let drawn = record.choices.iter().take_while(|choice| choice.search.is_none());
    let actions: Vec<Action> = drawn.map(|choice| choice.action).collect();
    assert!(record.choices[actions.len()..].iter().all(|choice| choice.search.is_some()));
    let mut game = variant.initial();
    let mut before_last = 0;
    for &action in &actions {
        before_last = game.ply();
        assert!(game.try_play(action));
    }
    assert!(actions.is_empty() || game.ply() > before_last, "the last turn is not complete");
    (game.ply(), actions)
}

fn check_openings(variant: &Variant) {
    const PLIES: u32 = 4;
    let settings = Settings { games: 60, simulations: 2, opening_plies: PLIES, ..few() };
    let games = played(variant, &settings, &Hashed);
    let openings: Vec<_> = games.iter().map(|record| opening(variant, record)).collect();
    for turns in 0..=PLIES {
        let with = openings.iter().filter(|(found, _)| *found == turns).count();
        // 12 are expected of each, with a standard deviation of 3.
        // More where a game may be over before the end of its opening.
        assert!((2..=36).contains(&with), "{}: {with} of {turns} turns", variant.name);
    }
    assert!(openings.iter().all(|(turns, _)| *turns <= PLIES));
    let long = openings.iter().filter(|(turns, _)| *turns >= 3);
    let (mut different, mut all) = (HashSet::new(), 0);
    long.for_each(|(_, actions)| {
        different.insert(actions);
        all += 1;
    });
    assert!(different.len() > all / 2, "{}: {} of {all}", variant.name, different.len());
    // Without them the first action is searched like every other.
    let games = played(variant, &Settings { opening_plies: 0, ..settings }, &Hashed);
    assert!(games.iter().flat_map(|game| &game.choices).all(|choice| choice.search.is_some()));
}

#[test]
fn openings_are_complete_turns_of_every_number() {
    for name in ["tic_tac_toe", "susan", "neutron5", "coneutron5", "checkers_gomoku", "entropy"] {
        check_openings(&registry::preset(name).unwrap());
    }
}

/// Always of the same opinion.
#[derive(Clone)]
struct Fixed(Vec<f32>, Wdl);

impl Evaluator for Fixed {
    fn evaluate(&mut self, _: &[Position], policy: &mut [f32], wdl: &mut [Wdl]) {
        policy.chunks_exact_mut(self.0.len()).for_each(|row| row.copy_from_slice(&self.0));
        wdl.fill(self.1);
    }
}

#[test]
fn openings_follow_the_network_and_now_and_then_do_not() {
    const GAMES: u64 = 4_000;
    let shares = [0.6, 0.2, 0.1, 0.05, 0.03, 0.01, 0.005, 0.004, 0.001_f32];
    let evaluator = Fixed(shares.map(f32::ln).to_vec(), [0.5, 0.0, 0.5]);
    for floor in [0.0, 0.15, 1.0] {
        let settings = Settings {
            games: GAMES,
            batch: 64,
            simulations: 2,
            opening_plies: 1,
            opening_floor: floor,
            ..few()
        };
        let games = played(&tic_tac_toe(), &settings, &evaluator);
        let openings = games.iter().filter(|game| game.choices[0].search.is_none());
        let first: Vec<Action> = openings.map(|game| game.choices[0].action).collect();
        assert!((1_850..2_150).contains(&first.len()), "half of them have one turn");
        for (action, share) in (0..).zip(shares) {
            let expected = f64::from((1.0 - floor) * share + floor / 9.0);
            let found = first.iter().filter(|&&found| found == action).count() as f64;
            let mean = expected * first.len() as f64;
            let deviation = (mean * (1.0 - expected)).sqrt();
            assert!((found - mean).abs() < 5.0 * deviation, "{found} of {mean} at {floor}");
        }
    }
}

// ---- restarts ----

/// How much of the beginning of a past game a record repeats.
fn repeated(record: &GameRecord, past: &[GameRecord]) -> usize {
    let length = record.choices.iter().take_while(|choice| choice.search.is_none()).count();
    assert!(record.choices[length..].iter().all(|choice| choice.search.is_some()));
    let actions = |record: &GameRecord| {
        record.choices[..length].iter().map(|choice| choice.action).collect::<Vec<_>>()
    };
    let is_repeated =
        |past: &GameRecord| past.choices.len() > length && actions(past) == actions(record);
    assert!(past.iter().any(is_repeated), "it begins as an earlier game");
    length
}

fn check_restarts(variant: &Variant) {
    let (search, cache) = (search::Settings::default(), no_cache());
    let past = played(variant, &Settings { games: 6, ..few() }, &Hashed);
    // A game that begins anew has an opening unless told otherwise.
    let settings = |share| Settings { games: 120, restart_share: share, simulations: 2, ..few() };
    let games = |share, past| {
        let settings = settings(share);
        let order = IterationJob {
            past,
            iteration: 9,
            ..IterationJob::new(variant, &search, &settings, &cache)
        };
        driven(&order, &Hashed, Each(1))
    };
    let restarted = games(1.0, &past);
    let begins_as = |game: &GameRecord, past: &GameRecord| {
        let same = game.choices.iter().zip(&past.choices).take_while(|(a, b)| a.action == b.action);
        game.choices[2].search.is_none() && same.count() > 2
    };
    let is_used = |past: &GameRecord| restarted.iter().any(|game| begins_as(game, past));
    assert!(past.iter().all(is_used), "all earlier games are used");
    let lengths: HashSet<usize> = restarted.iter().map(|game| repeated(game, &past)).collect();
    assert!(lengths.len() > 4, "{lengths:?}");
    // About half of them, but that some repeat nothing.
    let is_restarted = |game: &&GameRecord| game.choices[0].search.is_none();
    let half = games(0.5, &past).iter().filter(is_restarted).count();
    assert!((30..80).contains(&half), "{half} of 120");
    assert_eq!(games(0.0, &past).iter().filter(is_restarted).count(), 0);
    assert_eq!(games(1.0, &[]).iter().filter(is_restarted).count(), 0);
}

#[test]
fn restarts_begin_as_an_earlier_game() {
    check_restarts(&connect_four());
    check_restarts(&registry::preset("neutron5").unwrap());
}

#[test]
fn the_place_of_a_restart_is_drawn_evenly() {
    let (variant, search, cache) = (tic_tac_toe(), search::Settings::default(), no_cache());
    let past = [decided(&[])];
    let settings =
        Settings { games: 2_000, restart_share: 1.0, simulations: 2, batch: 64, ..few() };
    let order =
        IterationJob { past: &past, ..IterationJob::new(&variant, &search, &settings, &cache) };
    let mut counts = [0; 5];
    for game in driven(&order, &Hashed, Each(1)) {
        counts[repeated(&game, &past)] += 1;
    }
    // 400 of each are expected, with a standard deviation of 18.
    assert!(counts.iter().all(|count| (310..490).contains(count)), "{counts:?}");
}

/// Expects P1 to lose.
#[derive(Clone)]
struct Partial;

impl Evaluator for Partial {
    fn evaluate(&mut self, positions: &[Position], policy: &mut [f32], wdl: &mut [Wdl]) {
        policy.fill(0.0);
        for (position, wdl) in positions.iter().zip(wdl) {
            *wdl = if position.to_move() == Side::P1 { [0.0, 0.1, 0.9] } else { [0.9, 0.1, 0.0] };
        }
    }
}

#[test]
fn a_game_given_up_at_once_can_be_begun_again() {
    let (variant, search, cache) = (tic_tac_toe(), search::Settings::default(), no_cache());
    let settings = Settings { restart_share: 1.0, ..few() };
    let order = IterationJob::new(&variant, &search, &settings, &cache);
    let given_up = driven(&IterationJob { resign_below: Some(0.2), ..order }, &Partial, Each(1));
    let past: Vec<GameRecord> = given_up.into_iter().filter(|game| game.resigned).collect();
    assert!(past.iter().any(|game| game.choices.is_empty()));
    let games = driven(&IterationJob { past: &past, ..order }, &Hashed, Each(1));
    assert_eq!(games.len(), 5);
}

// ---- placements ----

/// Games of a share of placements, after these.
fn placed<E: Evaluator + Clone + Send>(
    variant: &Variant,
    placement_share: f32,
    past: &[GameRecord],
    evaluator: &E,
) -> Vec<GameRecord> {
    let (search, cache) = (search::Settings::default(), no_cache());
    let settings = Settings { games: 120, placement_share, simulations: 2, batch: 64, ..few() };
    let order = IterationJob { past, ..IterationJob::new(variant, &search, &settings, &cache) };
    driven(&order, evaluator, Each(1))
}

/// The letters of the board of a text, in order.
fn pieces(text: &str) -> String {
    let mut letters: Vec<char> = text.split(' ').next().unwrap().chars().collect();
    letters.sort_unstable();
    letters.into_iter().collect()
}

fn check_placements(variant: &Variant) {
    let games = placed(variant, 1.0, &[], &Hashed);
    let texts: HashSet<&String> =
        games.iter().map(|game| game.position.as_ref().expect("all are placed")).collect();
    assert!(texts.len() > 100, "{}", texts.len());
    let start = pieces(&variant.initial().position_text());
    assert!(texts.iter().all(|text| pieces(text) == start), "the pieces are those of the start");
    for game in &games {
        assert!(game.choices.iter().all(|choice| choice.search.is_some()), "there is no opening");
        let begun = game.start(variant);
        let mut wdl = [[0.0; 3]];
        Hashed.evaluate(&[begun], &mut vec![0.0; variant.spec().actions()], &mut wdl);
        assert!((wdl[0][0] - wdl[0][2]).abs() < 0.5, "it is undecided");
    }
}

#[test]
fn placements_are_random_and_undecided() {
    check_placements(&registry::preset("neutron5").unwrap());
    check_placements(&registry::preset("entropy").unwrap());
}

#[test]
fn as_many_games_as_wanted_are_placed() {
    let count = |share| {
        let games = placed(&tic_tac_toe(), share, &[decided(&[0.5])], &Hashed);
        games.iter().filter(|game| game.position.is_some()).count()
    };
    assert_eq!(count(0.0), 0);
    // 60 are expected, with a standard deviation of 5.5.
    assert!((35..85).contains(&count(0.5)), "{} of 120", count(0.5));
    assert_eq!(count(1.0), 120);
}

/// Of placements that are all decided one is taken all the same.
#[test]
fn games_begin_where_all_placements_are_decided() {
    let games = placed(&registry::preset("neutron5").unwrap(), 1.0, &[], &Partial);
    assert!(games.iter().all(|game| game.position.is_some()));
}

/// Stones of Connect Four lie on each other, which random cells hardly ever grant.
#[test]
fn games_without_placements_begin_as_others() {
    let past = played(&connect_four(), &few(), &Hashed);
    let games = placed(&connect_four(), 1.0, &past, &Hashed);
    assert_eq!(games.len(), 120);
    assert!(games.iter().any(|game| game.position.is_none()));
}

/// The games of an iteration can begin as placed games of earlier ones.
#[test]
fn restarts_of_placed_games_begin_in_their_placement() {
    let variant = registry::preset("neutron5").unwrap();
    let past = placed(&variant, 1.0, &[], &Hashed);
    let (search, cache) = (search::Settings::default(), no_cache());
    let settings = Settings { games: 50, restart_share: 1.0, ..few() };
    let job = IterationJob::new(&variant, &search, &settings, &cache);
    for game in driven(&IterationJob { past: &past, ..job }, &Hashed, Each(1)) {
        let same: Vec<GameRecord> =
            past.iter().filter(|past| past.position == game.position).cloned().collect();
        repeated(&game, &same);
    }
}

// ---- noise ----

#[test]
fn noise_has_the_same_position_searched_otherwise_in_each_game() {
    let search = search::Settings { reuse: false, ..searches()[2] };
    let settings = Settings { games: 60, simulations: 16, ..few() };
    let games = played_by(&search, &tic_tac_toe(), &settings, &Hashed);
    let first = games.iter().map(|game| &game.choices[0].search.as_ref().unwrap().policy);
    let different = first.collect::<HashSet<_>>().len();
    assert!(different > 5, "{different}");
    assert!(games.iter().flat_map(|game| &game.choices).all(|choice| choice.search.is_some()));
}

// ---- choosing ----

/// Whether every action of these games played at `plies` had the largest share.
fn largest_share(games: &[GameRecord], plies: std::ops::Range<usize>) -> bool {
    let choices = games.iter().flat_map(|game| game.choices.iter().enumerate());
    choices.filter(|(ply, _)| plies.contains(ply)).all(|(_, choice)| {
        let policy = &choice.search.as_ref().unwrap().policy;
        let chosen = policy.iter().find(|found| found.0 == choice.action);
        chosen.is_some_and(|chosen| policy.iter().all(|other| other.1 <= chosen.1))
    })
}

#[test]
fn the_largest_share_is_played_at_temperature_0_and_after_the_beginning() {
    let games = |temperature, temperature_plies, final_temperature| {
        let base = Settings { games: 30, simulations: 20, ..few() };
        let settings = Settings { temperature, temperature_plies, final_temperature, ..base };
        played_by(&search::Settings::plain(), &tic_tac_toe(), &settings, &Hashed)
    };
    assert!(largest_share(&games(0.0, 100, 1.0), 0..9));
    assert!(largest_share(&games(1.0, 0, 0.0), 0..9));
    let beginning = games(1.0, 3, 0.0);
    assert!(largest_share(&beginning, 3..9));
    assert!((0..3).all(|ply| !largest_share(&beginning, ply..ply + 1)));
    assert!((0..6).all(|ply| !largest_share(&games(1.0, 3, 1.0), ply..ply + 1)));
}

#[test]
fn without_noise_or_temperature_every_game_is_the_same() {
    let settings = Settings { games: 20, simulations: 20, temperature_plies: 0, ..few() };
    for search in searches() {
        let still = search::Settings {
            gumbel: search::GumbelSettings { scale: 0.0, ..search.gumbel },
            noise: search::NoiseSettings { fraction: 0.0, ..search.noise },
            ..search
        };
        let lines = |search: &search::Settings, final_temperature| {
            let settings = Settings { final_temperature, ..settings };
            let games = played_by(search, &connect_four(), &settings, &Hashed);
            let line = |game: &GameRecord| game.choices.iter().map(|c| c.action).collect();
            games.iter().map(line).collect::<HashSet<Vec<Action>>>().len()
        };
        assert_eq!(lines(&still, 0.0), 1, "{search:?}");
        assert!(lines(&still, 1.0) > 10, "{search:?}");
        assert!(lines(&search, 0.0) > 1, "{} {search:?}", lines(&still, 1.0));
    }
}

fn shares(weights: &[f32]) -> Vec<(Action, f32)> {
    let total: f32 = weights.iter().sum();
    (0..).zip(weights.iter().map(|weight| weight / total)).collect()
}

#[test]
fn a_pick_follows_the_shares() {
    const DRAWS: u32 = 40_000;
    let weights = [1.0, 0.0, 30.0, 9.0];
    for temperature in [0.5, 1.0, 2.0] {
        let powers = weights.map(|weight| f64::from(weight).powf(1.0 / temperature));
        let total: f64 = powers.iter().sum();
        let mut rng = stream(1, 0, 0, Purpose::Selection);
        let mut counts = [0; 4];
        for _ in 0..DRAWS {
            counts[usize::from(pick(&shares(&weights), temperature as f32, &mut rng))] += 1;
        }
        assert_eq!(counts[1], 0, "without a share it is never played");
        for (count, power) in counts.into_iter().zip(powers) {
            let (share, expected) = (f64::from(count) / f64::from(DRAWS), power / total);
            let deviation = (expected * (1.0 - expected) / f64::from(DRAWS)).sqrt();
            assert!((share - expected).abs() <= 5.0 * deviation, "{counts:?} at {temperature}");
        }
    }
}

#[test]
fn a_pick_does_not_overflow_at_low_temperatures() {
    let mut rng = stream(2, 0, 0, Purpose::Selection);
    for temperature in [1e-3, 1e-30, f32::MIN_POSITIVE, f32::from_bits(1)] {
        for weights in [[3.0, 40.0, 39.0], [1e-20, 1.0, 0.4], [0.0, 1.0, 0.0]] {
            for _ in 0..50 {
                assert_eq!(pick(&shares(&weights), temperature, &mut rng), 1, "{weights:?}");
            }
        }
        // Equals stay equals.
        let picks: Vec<_> =
            (0..50).map(|_| pick(&shares(&[7.0, 7.0, 1.0]), temperature, &mut rng)).collect();
        assert!(picks.contains(&0) && picks.contains(&1) && !picks.contains(&2));
    }
}

#[test]
fn a_pick_at_a_high_temperature_is_nearly_even() {
    let mut rng = stream(3, 0, 0, Purpose::Selection);
    let mut counts = [0; 2];
    (0..2_000).for_each(|_| {
        counts[usize::from(pick(&shares(&[1.0, 1_000.0]), 1_000.0, &mut rng))] += 1;
    });
    assert!(counts.iter().all(|count| (900..1_100).contains(count)), "{counts:?}");
}

#[test]
fn of_equal_shares_the_first_is_picked_at_temperature_0() {
    let mut rng = stream(4, 0, 0, Purpose::Selection);
    assert_eq!(pick(&shares(&[3.0, 5.0, 5.0, 5.0]), 0.0, &mut rng), 1);
}

// ---- resignation ----

/// A game of tic-tac-toe that P1 wins in five actions, played out. The scores of the sides to move
/// are these; those not given are even.
fn decided(scores: &[f32]) -> GameRecord {
    let value = |index: usize| {
        let score = scores.get(index).copied().unwrap_or(0.5);
        [score, 0.0, 1.0 - score]
    };
    let choice = |(index, action)| {
        let search = Searched::new(&[(action, 1.0)], value(index), 0.0);
        Choice { action, search: Some(search) }
    };
    let outcome = Outcome::Win(Side::P1);
    let choices = [0, 3, 1, 4, 2].into_iter().enumerate().map(choice).collect();
    GameRecord { played_out: true, ..finished(choices, outcome, 5) }
}

/// A game in which one side's score fell this low, and whether that side lost.
fn low(score: f32, lost: bool) -> GameRecord {
    if lost { decided(&[0.5, score]) } else { decided(&[0.5, 0.5, score]) }
}

fn limit(games: &[GameRecord], resign_below: f32) -> Option<f32> {
    let settings = Settings { resign_below, resign_errors: 0.05, ..Settings::default() };
    threshold(&tic_tac_toe(), games.iter(), &settings)
}

/// So many games with lows from 0.001 on.
fn losses(count: u32) -> Vec<GameRecord> {
    (1..=count).map(|number| low(number as f32 / 1_000.0, true)).collect()
}

#[test]
fn nobody_resigns_unless_told_to_or_before_it_was_seen_often_enough() {
    assert_eq!(limit(&losses(100), 0.0), None);
    assert_eq!(limit(&[], 0.3), None);
    assert_eq!(limit(&losses(19), 0.3), None);
    assert_eq!(limit(&losses(20), 0.3), Some(0.3));
    // Games in which somebody might have resigned count for nothing, nor do scores above.
    let mut games = losses(20);
    games[7].played_out = false;
    assert_eq!(limit(&games, 0.3), None);
    assert_eq!(limit(&losses(20), 0.0195), None);
    assert_eq!(limit(&losses(20), 0.0205), Some(0.0205));
    // Nor does what was not searched.
    let mut games = losses(20);
    games[7].choices[1].search = None;
    assert_eq!(limit(&games, 0.3), None);
}

#[test]
fn the_limit_is_the_highest_with_few_enough_errors() {
    // One error of 21 is fewer than one of twenty; the next one is too many, until there are 40.
    let with = |errors: &[f32], all| {
        let mut games = losses(all);
        games.extend(errors.iter().map(|&score| low(score, false)));
        limit(&games, 0.3)
    };
    assert_eq!(with(&[0.0205], 30), Some(0.3));
    assert_eq!(with(&[0.0205, 0.0305], 35), Some(0.0305));
    assert_eq!(with(&[0.0205, 0.0305], 38), Some(0.3));
    assert_eq!(with(&[0.0205, 0.0305], 37), Some(0.0305));
    // Right at the beginning it takes twenty to make up for it.
    assert_eq!(with(&[0.0005], 18), None);
    assert_eq!(with(&[0.0005], 19), Some(0.3));
    assert_eq!(with(&[0.2], 19), Some(0.3));
    assert_eq!(with(&[0.2, 0.21], 20), Some(0.21));
    assert_eq!(with(&[0.2; 30], 20), Some(0.2));
}

#[test]
fn a_draw_is_not_lost_and_counts_half() {
    let mut games = losses(30);
    for game in &mut games[20..] {
        // Ten draws: P1 takes the last cell without a row.
        *game = GameRecord { outcome: Outcome::Draw, ..low(0.1, true) };
    }
    assert_eq!(limit(&games, 0.3), Some(0.1));
    let mut games = losses(20);
    games[19].choices[1].search.as_mut().unwrap().value = [0.2, 0.3, 0.5];
    assert_eq!(limit(&games, 0.35), None, "0.2 and half of 0.3 are not below");
    assert_eq!(limit(&games, 0.36), Some(0.36));
}

#[test]
fn the_lowest_score_of_a_side_counts_once() {
    // Both sides are low in each of ten games, P2 twice; P1 wins all the same.
    let games: Vec<_> =
        (1..=10).map(|n| n as f32 / 100.0).map(|s| decided(&[s, s, 0.4, 0.2])).collect();
    let settings = Settings { resign_below: 0.3, resign_errors: 0.5, ..Settings::default() };
    assert_eq!(threshold(&tic_tac_toe(), games.iter(), &settings), Some(0.3));
    let settings = Settings { resign_errors: 0.49, ..settings };
    assert_eq!(threshold(&tic_tac_toe(), games.iter(), &settings), None);
}

#[test]
fn the_limit_agrees_with_trying_all() {
    let mut rng = stream(5, 0, 0, Purpose::Playout);
    let mut found = [0; 2];
    for _ in 0..300 {
        let count = rng.random_range(15..120);
        let scores = Vec::from_iter((0..count).map(|_| rng.random::<f32>() * 0.5));
        let is_lost = |score| (score, rng.random::<f32>() > 0.3 * score);
        let lows: Vec<(f32, bool)> = scores.into_iter().map(is_lost).collect();
        let games: Vec<GameRecord> = lows.iter().map(|&(score, lost)| low(score, lost)).collect();
        let is_fit = |limit: &f32| {
            let resigned = || lows.iter().filter(|(score, _)| score < limit);
            let errors = resigned().filter(|(_, lost)| !lost).count();
            resigned().count() >= 20 && errors as f32 <= 0.05 * resigned().count() as f32
        };
        let limits = lows.iter().map(|&(score, _)| score).filter(|&score| score < 0.4);
        let expected = limits.chain([0.4]).filter(is_fit).fold(None, |best: Option<f32>, limit| {
            Some(best.map_or(limit, |best| best.max(limit)))
        });
        assert_eq!(limit(&games, 0.4), expected);
        found[usize::from(expected.is_some())] += 1;
    }
    assert!(found.iter().all(|&count| count > 20), "{found:?}");
}

#[test]
fn a_loser_resigns_and_nothing_else_changes() {
    let (variant, cache) = (connect_four(), no_cache());
    let settings = Settings { games: 160, simulations: 8, played_out_share: 0.3, ..few() };
    for search in searches() {
        let games = |resign_below| {
            let order = IterationJob::new(&variant, &search, &settings, &cache);
            driven(&IterationJob { resign_below, ..order }, &Hashed, Each(1))
        };
        let limit = 0.35;
        let (all, some) = (games(None), games(Some(limit)));
        assert!(all.iter().all(|game| !game.resigned));
        for (whole, record) in all.iter().zip(&some) {
            assert_eq!(whole.played_out, record.played_out);
            if !record.resigned {
                assert_eq!(whole, record);
                continue;
            }
            assert!(!record.played_out);
            assert_eq!(whole.choices[..record.choices.len()], record.choices);
            let mut game = variant.initial();
            record.choices.iter().for_each(|choice| game.play(choice.action));
            assert_eq!((game.outcome(), game.ply()), (None, record.plies));
            assert_eq!(record.outcome, Outcome::Win(game.to_move().other()));
            // It was the first occasion, and it was one. What is certain is played to its end.
            let next = whole.choices[record.choices.len()].search.as_ref().unwrap();
            assert!(score(next.value) < limit);
            let mut earlier = searched(record).map(|search| score(search.value));
            assert!(earlier.all(|score| score >= limit || score == 0.0));
        }
        let resigned = some.iter().filter(|game| game.resigned).count();
        assert!(resigned > 5, "{resigned} with {search:?}");
        let played_out = some.iter().filter(|game| game.played_out).count();
        assert!((20..80).contains(&played_out), "{played_out} of 160");
    }
}

#[test]
fn nobody_resigns_in_the_opening() {
    let (variant, search, cache) = (tic_tac_toe(), search::Settings::default(), no_cache());
    let settings = Settings { games: 100, opening_plies: 3, played_out_share: 0.01, ..few() };
    let order = IterationJob::new(&variant, &search, &settings, &cache);
    let games = driven(&IterationJob { resign_below: Some(0.2), ..order }, &Partial, Each(1));
    let resigned: Vec<_> = games.iter().filter(|game| game.resigned).collect();
    assert!(resigned.len() > 80, "{} of 100", resigned.len());
    for (index, drawn) in resigned.iter().map(|game| opening(&variant, game).0).enumerate() {
        // P1 gives up on the first occasion after it, which comes after a turn of P2 if that is
        // to move then.
        let whole = drawn + drawn % 2;
        assert_eq!(resigned[index].choices.len() as u32, whole);
    }
    let lengths: HashSet<u32> = resigned.iter().map(|game| opening(&variant, game).0).collect();
    assert_eq!(lengths.len(), 4, "{lengths:?}");
}

#[test]
fn only_resignations_that_would_be_made_are_measured() {
    // 95 losers were low only when they were sure to lose, which is played to its end. The five
    // who would have resigned all won.
    let mut games = vec![low(0.0, true); 95];
    games.extend((0..5).map(|_| low(0.2, false)));
    assert_eq!(limit(&games, 0.3), None);
}
