//! Players that think in turns, and matches between them.

use std::cell::Cell;
use std::collections::HashSet;
use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::time::{Duration, Instant};

use rand::RngExt;

use crate::base::rng::{Purpose, stream};
use crate::games::{Outcome, Side, Text, Turn, legal_turns, parse_turn};
use crate::play::analysis;
use crate::play::arena::{self, BatchedPlayer, Played, Tally, Totals};
use crate::play::players::{
    Budget, Limits, Player, PlayerSeed, PlayerSpec, RankedTurn, SearchPlayer, SearchReport,
};
use crate::registry::{self, AnyProofNumbers, AnyProver, Position, Variant};
use crate::search::{self, Evaluator, InteriorRule, RootRule, Uniform, Wdl, copies};
use crate::tests::common::duel::opening;
use crate::tests::common::hashed::Hashed;
use crate::tests::common::literal::Literal;

/// With a small cache: a large one takes its time to be made.
fn gumbel() -> search::Settings {
    search::Settings { cache_mib: 1, ..search::Settings::default() }
}

fn puct() -> search::Settings {
    search::Settings { root: RootRule::Puct, interior: InteriorRule::Puct, ..gumbel() }
}

/// Players of so many threads, each by the same evaluator.
fn player<E: Evaluator + Clone + Send + 'static>(
    evaluator: &E,
    threads: usize,
    settings: search::Settings,
) -> SearchPlayer {
    SearchPlayer::new(copies(evaluator, threads), settings, Budget::Otherwise(200))
}

/// The position of a game after these turns.
fn position(name: &str, moves: &[&str]) -> Position {
    registry::preset(name).unwrap().replay(moves, |_| ()).unwrap()
}

fn connect_four(moves: &[&str]) -> Position {
    position("connect_four", moves)
}

/// Visits of all turns that were thought about.
fn visits(thought: &SearchReport) -> u32 {
    thought.turns.iter().map(|found| found.visits).sum()
}

// ---- thoughts ----

/// However short the search, the answer is a complete legal turn and everything about it agrees.
fn check_thoughts(variant: &Variant) {
    let mut player = player(&Uniform, 1, gumbel());
    let mut game = variant.initial();
    for simulations in [1, 2, 3, 5, 50, 200] {
        let thought = player.search(&game, &Limits::simulations(simulations));
        assert!(thought.simulations == simulations || thought.proven.is_some());
        assert!(legal_turns(&game).contains(&thought.best), "{}", variant.name);
        assert_eq!(thought.line[0], thought.best);
        assert!((thought.value.iter().sum::<f32>() - 1.0).abs() < 1e-4);
        assert!((thought.raw.iter().sum::<f32>() - 1.0).abs() < 1e-4);
        assert!(visits(&thought) < simulations);
        if simulations >= 50 {
            assert_eq!(thought.turns[0].turn, thought.best, "{}", variant.name);
        }
        let mut follower = game;
        for turn in &thought.line {
            assert_eq!(parse_turn(&follower, &turn.text).as_ref(), Ok(turn));
            follower = turn.after(&follower);
        }
        game = thought.best.after(&game);
        if game.outcome().is_some() {
            return;
        }
    }
}

/// Whether a turn may come before another in the list: by the proven result, then by visits, then
/// by prior.
fn may_precede(first: &RankedTurn, second: &RankedTurn, mover: Side) -> bool {
    let class = |found: &RankedTurn| match found.proven {
        Some(Outcome::Win(side)) if side == mover => 2,
        Some(Outcome::Win(_)) => 0,
        _ => 1,
    };
    let key = |found| (class(found), found.visits);
    key(first) > key(second) || key(first) == key(second) && first.prior >= second.prior
}

/// After some openings the turns of a game are listed best first, and `top` takes the first ones.
fn check_order(variant: &Variant) {
    for (number, settings) in (0..8).flat_map(|number| [(number, gumbel()), (number, puct())]) {
        let game = opening(variant.initial(), number, u64::from(number));
        let mover = game.to_move();
        let report = player(&Hashed, 1, settings).search(&game, &Limits::simulations(300));
        assert_eq!(report.turns[0].turn, report.best, "{}", variant.name);
        for pair in report.turns[1..].windows(2) {
            assert!(may_precede(&pair[0], &pair[1], mover), "{}: {pair:?}", variant.name);
        }
        let listed = |top| -> serde_json::Value {
            let answer = analysis::describe(None, &game, Some(&report), top);
            serde_json::from_str::<serde_json::Value>(&answer).unwrap()["turns"].take()
        };
        let all = listed(None).as_array().unwrap().clone();
        assert_eq!(all.len(), report.turns.len());
        for top in [0, 1, 3, all.len() + 1] {
            let first = serde_json::Value::from(&all[..top.min(all.len())]);
            assert_eq!(listed(Some(top)), first, "{}", variant.name);
        }
    }
}

#[test]
fn turns_of_every_game_are_listed_best_first() {
    for listing in registry::all() {
        check_order(&listing.variant);
    }
}

/// The thoughts about a few positions of a game do not depend on how many threads there are.
fn check_threads(variant: &Variant) {
    for settings in [gumbel(), puct()] {
        let mut players = [1, 2, 3].map(|threads| player(&Hashed, threads, settings));
        let mut game = variant.initial();
        for simulations in [1, 2, 17, 100, 400, 30] {
            let limits = Limits::simulations(simulations);
            let [one, two, three] = players.each_mut().map(|player| player.search(&game, &limits));
            assert!(one == two && one == three, "{} after {simulations}", variant.name);
            players.iter_mut().for_each(|player| player.advance(&one.best));
            game = one.best.after(&game);
            if game.outcome().is_some() {
                break;
            }
        }
    }
}

macro_rules! thoughts {
    ($($name:ident,)*) => { $(
        mod $name {
            use super::*;

            #[test]
            fn a_thought_is_a_complete_turn() {
                let variant = registry::preset(stringify!($name)).unwrap();
                check_thoughts(&variant);
            }

            #[test]
            fn a_thought_does_not_depend_on_threads() {
                let variant = registry::preset(stringify!($name)).unwrap();
                check_threads(&variant);
            }
        }
    )* };
}

for_every_game!(thoughts);

#[test]
fn no_more_is_simulated_than_allowed_even_where_there_is_time() {
    for settings in [gumbel(), puct()] {
        for simulations in [1, 2, 100, 333] {
            let deadline = Some(Instant::now() + Duration::from_secs(60));
            let limits = Limits { simulations, deadline };
            let thought = player(&Hashed, 1, settings).search(&connect_four(&[]), &limits);
            assert_eq!(thought.simulations, simulations);
        }
    }
}

// ---- what is certain ----

/// The turn that is best in this position.
fn best(game: &Position, settings: search::Settings) -> Text {
    player(&Uniform, 1, settings).search(game, &Limits::simulations(400)).best.text
}

#[test]
fn a_win_is_taken_and_a_threat_is_answered() {
    for settings in [gumbel(), puct(), search::Settings::plain()] {
        let tic_tac_toe = |moves: &[&str]| best(&position("tic_tac_toe", moves), settings);
        let connect_four = |moves: &[&str]| best(&connect_four(moves), settings);
        assert_eq!(&tic_tac_toe(&["a1", "b1", "a2", "b2"]), "a3");
        assert_eq!(&tic_tac_toe(&["a1", "b2", "a2"]), "a3");
        assert_eq!(&connect_four(&["4", "1", "4", "1", "4", "1"]), "4");
        assert_eq!(&connect_four(&["4", "1", "4", "1", "4"]), "4");
    }
}

/// That a win by the next turn is seen, whatever the number of simulations.
#[track_caller]
fn assert_sees_win(game: &Position, turn: &str) {
    for settings in [gumbel(), puct()] {
        for simulations in [1, 2, 50] {
            let limits = Limits::simulations(simulations);
            let thought = player(&Hashed, 1, settings).search(game, &limits);
            assert_eq!(thought.proven, Some(Outcome::Win(game.to_move())), "{simulations}");
            assert_eq!(&thought.best.text, turn);
            assert_eq!(thought.value, [1.0, 0.0, 0.0]);
            assert_eq!(thought.best.after(game).outcome(), thought.proven);
            let RankedTurn { turn: first, proven, .. } = &thought.turns[0];
            assert_eq!((first, *proven), (&thought.best, thought.proven));
        }
    }
}

#[test]
fn a_win_by_the_next_turn_is_proven() {
    assert_sees_win(&position("tic_tac_toe", &["a1", "b1", "a2", "b2"]), "a3");
    assert_sees_win(&connect_four(&["4", "1", "4", "1", "4", "1"]), "4");
    assert_sees_win(&connect_four(&["4", "1", "4", "1", "3", "1", "7"]), "1");
    // A turn of Neutron that brings the neutron home consists of that slide.
    let (game, turn) = neutron_with_a_win();
    assert_sees_win(&game, &turn);
}

/// The first position of a game with a single winning turn, by the neutron alone, and that turn.
fn neutron_with_a_win() -> (Position, String) {
    let mut game = position("neutron5", &[]);
    loop {
        let legal = legal_turns(&game);
        let won = Some(Outcome::Win(game.to_move()));
        let wins: Vec<&Turn> = legal.iter().filter(|t| t.after(&game).outcome() == won).collect();
        if let [win] = wins[..]
            && win.actions.len() == 1
        {
            return (game, win.text.to_string());
        }
        let keep_going = legal.iter().map(|turn| turn.after(&game)).find(|n| n.outcome().is_none());
        game = keep_going.expect("a position with a win comes before the end");
    }
}

#[test]
fn what_is_lost_is_proven_too() {
    // Two threats at once: 2 and 6 both make four.
    let game = connect_four(&["4", "4", "3", "3", "5"]);
    for settings in [gumbel(), puct()] {
        let thought = player(&Uniform, 2, settings).search(&game, &Limits::simulations(2_000));
        assert_eq!(thought.proven, Some(Outcome::Win(Side::P1)));
        assert_eq!(thought.value, [0.0, 0.0, 1.0]);
        assert!(thought.simulations < 2_000, "the search ends once nothing is open");
        assert!(legal_turns(&game).contains(&thought.best));
    }
}

/// The result of a position of tic-tac-toe for the side to move, if both play as well as can be.
fn result(game: &Position) -> f32 {
    if let Some(outcome) = game.outcome() {
        return outcome.value_for(game.to_move());
    }
    let results = legal_turns(game).into_iter().map(|turn| -result_of_other(game, &turn));
    results.fold(-1.0, f32::max)
}

/// The same for the other side, once a turn was played.
fn result_of_other(game: &Position, turn: &Turn) -> f32 {
    let next = turn.after(game);
    match next.outcome() {
        Some(outcome) => outcome.value_for(game.to_move().other()),
        None => result(&next),
    }
}

/// Thoughts about positions of tic-tac-toe whose result is said to be certain, that is what they
/// say and whether the turn to be played keeps to it.
fn certain_thoughts() -> Vec<(f32, bool)> {
    let mut certain = Vec::new();
    for index in 0..400 {
        let mut rng = stream(7, 0, index, Purpose::Playout);
        let mut game = position("tic_tac_toe", &[]);
        for _ in 0..rng.random_range(2..8) {
            let legal = legal_turns(&game);
            let next = legal[rng.random_range(0..legal.len())].after(&game);
            game = if next.outcome().is_none() { next } else { game };
        }
        for (settings, simulations) in
            [(gumbel(), 20), (gumbel(), 300), (puct(), 20), (puct(), 300)]
        {
            let mut player = player(&Hashed, 1, settings);
            let thought = player.search(&game, &Limits::simulations(simulations));
            if let Some(proven) = thought.proven {
                let value = proven.value_for(game.to_move());
                assert_eq!(value, result(&game), "{game}");
                certain.push((value, -result_of_other(&game, &thought.best) == value));
            }
        }
    }
    certain
}

#[test]
fn what_is_proven_is_right_and_not_given_away() {
    let certain = certain_thoughts();
    for value in [1.0, 0.0, -1.0] {
        let kept: Vec<bool> =
            certain.iter().filter(|(found, _)| *found == value).map(|(_, kept)| *kept).collect();
        assert!(kept.len() > 50, "{} of value {value}", kept.len());
        let given_away = kept.iter().filter(|kept| !**kept).count();
        assert_eq!(given_away, 0, "of {} of value {value}", kept.len());
    }
}

#[test]
fn a_sure_draw_is_preferred_to_what_is_a_draw_at_the_most() {
    // One action of the root draws. After the other `o` can draw, but has something better.
    for (tree, draw) in [("(x = (o = (x o o)))", "0"), ("(x (o = (x o o)) =)", "1")] {
        let game = Literal::position(tree);
        for settings in [gumbel(), puct()] {
            for simulations in 3..20 {
                let limits = Limits::simulations(simulations);
                let thought = player(&Uniform, 1, settings).search(&game, &limits);
                let is_kept = thought.proven.is_none() || &thought.best.text == draw;
                assert!(is_kept, "{tree}: {:?} after {simulations}, {settings:?}", thought.best);
            }
        }
    }
}

// ---- from turn to turn ----

#[test]
fn what_was_found_out_is_of_use_once_the_game_went_on() {
    for settings in [gumbel(), puct()] {
        let mut player = player(&Hashed, 1, settings);
        let start = connect_four(&[]);
        let first = player.search(&start, &Limits::simulations(400));
        player.advance(&first.best);
        let game = first.best.after(&start);
        let second = player.search(&game, &Limits::simulations(100));
        assert_eq!(second.simulations, 100);
        // All visits to that turn but the evaluation, and a hundred more.
        assert_eq!(visits(&second), first.turns[0].visits - 1 + 100);
        // Two turns at once go as well.
        player.advance(&second.line[0]);
        player.advance(&second.line[1]);
        let game = second.line[..2].iter().fold(game, |game, turn| turn.after(&game));
        let third = player.search(&game, &Limits::simulations(50));
        assert!(visits(&third) >= 50, "{}", visits(&third));
    }
}

#[test]
fn without_reuse_every_thought_is_the_first() {
    let settings = search::Settings { reuse: false, cache_mib: 0, ..gumbel() };
    let (start, limits) = (connect_four(&[]), Limits::simulations(200));
    let mut used = player(&Hashed, 1, settings);
    let first = used.search(&start, &limits);
    used.advance(&first.best);
    let game = first.best.after(&start);
    assert_eq!(used.search(&game, &limits), player(&Hashed, 1, settings).search(&game, &limits));
}

/// A player who has thought about the start, and another position than the one he is told of.
fn elsewhere(settings: search::Settings) -> (SearchPlayer, Position) {
    let (mut player, start) = (player(&Hashed, 1, settings), connect_four(&[]));
    let thought = player.search(&start, &Limits::simulations(200));
    player.advance(&thought.best);
    let other = if &thought.best.text == "4" { "3" } else { "4" };
    (player, connect_four(&[other]))
}

#[test]
fn a_position_that_did_not_follow_is_thought_about_anew() {
    let limits = Limits::simulations(200);
    for settings in [gumbel(), puct()] {
        let settings = search::Settings { cache_mib: 0, ..settings };
        let fresh = |game| player(&Hashed, 1, settings).search(&game, &limits);
        let (mut used, game) = elsewhere(settings);
        assert_eq!(used.search(&game, &limits), fresh(game));
        // Nor does the same position follow itself.
        assert_eq!(used.search(&game, &limits), fresh(game));
    }
}

#[test]
fn a_cache_changes_no_thought() {
    let limits = Limits::simulations(400);
    let game = connect_four(&["4", "4"]);
    for settings in [gumbel(), puct()] {
        let without = search::Settings { cache_mib: 0, ..settings };
        let expected = player(&Hashed, 1, without).search(&game, &limits);
        let mut player = player(&Hashed, 1, settings);
        assert_eq!(player.search(&game, &limits), expected, "a cache that is empty");
        assert_eq!(player.search(&game, &limits), expected, "one that knows the position");
    }
}

// ---- time ----

/// Takes its time.
#[derive(Clone, Copy)]
struct Slow;

impl Evaluator for Slow {
    fn evaluate(&mut self, positions: &[Position], policy: &mut [f32], wdl: &mut [Wdl]) {
        std::thread::sleep(Duration::from_millis(5));
        Hashed.evaluate(positions, policy, wdl);
    }
}

/// Lets a player think for so long until how long he took and how many simulations he made are
/// `good`, and panics if they never are. A machine that is busy with something else may hold up any
/// one thought, which makes it late, or makes the player careful so that he stops early.
fn some_thought_in<E: Evaluator + Clone + Send + 'static>(
    time: Duration,
    (evaluator, threads): (&E, usize),
    good: impl Fn(Duration, u32) -> bool,
) {
    let attempt = || {
        let mut player = player(evaluator, threads, gumbel());
        let begun = Instant::now();
        let thought = player.search(&connect_four(&[]), &Limits::until(begun + time));
        (begun.elapsed(), thought.simulations)
    };
    let mut tried = Vec::new();
    while tried.len() < 30 {
        let (taken, simulations) = attempt();
        if good(taken, simulations) {
            return;
        }
        tried.push((taken, simulations));
    }
    panic!("{tried:?} on {threads} threads");
}

#[test]
fn an_answer_comes_within_its_time() {
    let time = Duration::from_millis(100);
    for threads in [1, 2, 3] {
        some_thought_in(time, (&Slow, threads), |taken, _| {
            taken < time + Duration::from_millis(30)
        });
    }
}

#[test]
fn the_time_is_used() {
    let time = Duration::from_millis(100);
    for threads in [1, 2, 3] {
        some_thought_in(time, (&Slow, threads), |taken, made| taken > time / 2 && made > 5);
    }
    // How many there are is a matter of the machine: a tenth of a second of its own has thousands.
    some_thought_in(time, (&Uniform, 1), |taken, made| taken > time / 2 && made > 50);
}

#[test]
fn there_is_an_answer_even_if_there_is_no_time() {
    let mut player = player(&Slow, 2, gumbel());
    let mut game = connect_four(&[]);
    for _ in 0..4 {
        let thought = player.search(&game, &Limits::until(Instant::now()));
        assert!(legal_turns(&game).contains(&thought.best));
        assert!(thought.simulations <= 1);
        player.advance(&thought.best);
        game = thought.best.after(&game);
    }
    let neutron = position("neutron5", &[]);
    let thought =
        self::player(&Hashed, 1, gumbel()).search(&neutron, &Limits::until(Instant::now()));
    assert!(legal_turns(&neutron).contains(&thought.best));
}

// ---- pondering ----

/// Ponders for so long; how long it took to stop.
fn pondered(player: &mut SearchPlayer, game: &Position, time: Duration) -> Duration {
    let stop = AtomicBool::new(false);
    std::thread::scope(|scope| {
        let stopper = scope.spawn(|| {
            std::thread::sleep(time);
            stop.store(true, Ordering::Relaxed);
            Instant::now()
        });
        player.ponder(game, &stop);
        let ended = Instant::now();
        ended.saturating_duration_since(stopper.join().unwrap())
    })
}

#[test]
fn pondering_stops_when_told_and_is_of_use() {
    for settings in [gumbel(), puct()] {
        let mut taken = Vec::new();
        for _ in 0..3 {
            let mut player = player(&Slow, 2, settings);
            let game = connect_four(&["4"]);
            taken.push(pondered(&mut player, &game, Duration::from_millis(300)));
            // The reply that the evaluator thinks likeliest was surely tried.
            let reply =
                self::player(&Hashed, 1, settings).search(&game, &Limits::simulations(1)).best;
            player.advance(&reply);
            let thought = player.search(&reply.after(&game), &Limits::simulations(20));
            assert_eq!(thought.simulations, 20);
            assert!(visits(&thought) > 20, "{} visits", visits(&thought));
        }
        let soonest = taken.iter().min().unwrap();
        assert!(*soonest < Duration::from_millis(30), "{taken:?}");
    }
}

#[test]
fn pondering_that_never_began_does_no_harm() {
    let mut player = player(&Hashed, 1, gumbel());
    let game = connect_four(&["4"]);
    player.ponder(&game, &AtomicBool::new(true));
    let (limits, reply) = (Limits::simulations(50), parse_turn(&game, "4").unwrap());
    player.advance(&reply);
    assert_eq!(visits(&player.search(&reply.after(&game), &limits)), 49);
}

#[test]
fn pondering_ends_by_itself_once_all_is_certain() {
    // Two threats at once: whatever P2 does, he has lost.
    let mut player = player(&Uniform, 2, gumbel());
    let game = connect_four(&["4", "4", "3", "3", "5"]);
    player.ponder(&game, &AtomicBool::new(false));
    let reply = parse_turn(&game, "2").unwrap();
    player.advance(&reply);
    let thought = player.search(&reply.after(&game), &Limits::simulations(50));
    assert_eq!(thought.proven, Some(Outcome::Win(Side::P1)));
    assert_eq!(&thought.best.text, "6");
}

// ---- matches ----

/// With a root prover that visits few positions: by default it takes most of the time of a match.
fn in_match(search: search::Settings) -> search::Settings {
    search::Settings { proofs: search::ProofSettings { nodes: 20, ..search.proofs }, ..search }
}

/// A player of a match, on any number of threads.
struct Contestant<E> {
    evaluator: E,
    search: search::Settings,
    simulations: u32,
}

fn contestant<E>(evaluator: E, search: search::Settings, simulations: u32) -> Contestant<E> {
    Contestant { evaluator, search, simulations }
}

impl<E: Evaluator + Clone + Send + 'static> Contestant<E> {
    fn on(&self, threads: usize) -> BatchedPlayer {
        let Self { ref evaluator, search, simulations } = *self;
        BatchedPlayer { evaluators: copies(evaluator, threads), search, simulations, book: None }
    }
}

/// Plays a match of connect four; checks that the progress reaches all games.
fn duel<A, B>(one: &Contestant<A>, two: &Contestant<B>, pairs: usize, threads: usize) -> Tally
where
    A: Evaluator + Clone + Send + 'static,
    B: Evaluator + Clone + Send + 'static,
{
    let variant = registry::preset("connect_four").unwrap();
    let openings = arena::openings(&variant, 4, pairs, 1).unwrap();
    let watched = AtomicU64::new(0);
    let watch = |done| {
        watched.fetch_max(done, Ordering::Relaxed);
    };
    let mut players = [one.on(threads), two.on(threads)];
    let played = arena::play_batched(&openings, &mut players, &watch);
    let mut totals = Totals::default();
    played.iter().for_each(|pair| totals.add(pair));
    let tally = totals.tally;
    assert_eq!(watched.into_inner(), 2 * pairs as u64);
    assert_eq!((tally.games(), tally.pairs.iter().sum()), (2 * pairs as u64, pairs as u64));
    tally
}

#[test]
fn equal_players_share_every_pair() {
    // Neither draws random numbers: the two games of a pair are the same game. There are more
    // pairs than are in play at once.
    let even = || contestant(Uniform, in_match(gumbel()), 10);
    let tally = duel(&even(), &even(), 270, 2);
    assert_eq!(tally.pairs, [0, 0, 270, 0, 0]);
    assert_eq!((tally.games(), tally.wins), (540, tally.losses));
    assert_eq!(tally.score(), 0.5);
}

#[test]
fn a_match_does_not_depend_on_threads_and_is_mirrored_for_the_other_player() {
    let hashed = contestant(Hashed, in_match(gumbel()), 24);
    let uniform = contestant(Uniform, in_match(puct()), 40);
    let tally = duel(&hashed, &uniform, 70, 1);
    assert!(tally.wins > 0 && tally.losses > 0 && tally.wins != tally.losses);
    for threads in [2, 3] {
        assert_eq!(duel(&hashed, &uniform, 70, threads), tally, "{threads} threads");
    }
    let mut pairs = tally.pairs;
    pairs.reverse();
    let mirrored = Tally { wins: tally.losses, losses: tally.wins, pairs, ..tally };
    assert_eq!(duel(&uniform, &hashed, 70, 2), mirrored);
}

/// The turns of the games between two players by 15 simulations a turn, batched and sequential. The
/// sequential player evaluates one leaf at a time in so short a search, as the batched one does.
fn both_ways(game: &str, pairs: usize) -> [Vec<(Vec<Text>, u64)>; 2] {
    const SIMULATIONS: u32 = 15;
    let openings = arena::openings(&registry::preset(game).unwrap(), 2, pairs, 1).unwrap();
    let searches = [in_match(gumbel()), in_match(puct())];
    let mut batched = searches.map(|search| contestant(Hashed, search, SIMULATIONS).on(2));
    let mut sequential = [searches.map(|search| -> Box<dyn Player> {
        let budget = Budget::Simulations(SIMULATIONS);
        Box::new(SearchPlayer::new(copies(&Hashed, 1), search, budget))
    })];
    let essence = |pairs: Vec<[Played; 2]>| {
        let games = pairs.into_iter().flatten();
        let work = |game: &Played| game.efforts.iter().map(|effort| effort.work).sum::<u64>();
        games.map(|game| (game.moves.clone(), work(&game))).collect()
    };
    [
        essence(arena::play_batched(&openings, &mut batched, &|_| {})),
        essence(arena::play_sequential(&openings, &mut sequential, &|_| {})),
    ]
}

#[test]
fn simulations_are_for_a_turn_in_batched_and_in_sequential_matches() {
    // Neutron and Entropy have turns of two actions.
    for (game, pairs) in [("connect_four", 10), ("neutron5", 10), ("entropy", 2)] {
        let [batched, sequential] = both_ways(game, pairs);
        assert_eq!(batched, sequential, "{game}");
    }
}

#[test]
fn a_match_that_is_stopped_keeps_the_pairs_that_are_finished() {
    let variant = registry::preset("connect_four").unwrap();
    let openings = arena::openings(&variant, 4, 200, 1).unwrap();
    let play = |most: u64| {
        let stop = AtomicBool::new(false);
        let watch = |done| _ = stop.fetch_or(done >= most, Ordering::Relaxed);
        let players = || contestant(Hashed, in_match(puct()), 10).on(2);
        arena::play_batched_until(&openings, &mut [players(), players()], &watch, &stop)
    };
    let essence = |pair: &[Played; 2]| pair.each_ref().map(|game| game.moves.clone());
    let (whole, part) = (play(u64::MAX), play(100));
    assert_eq!((whole.len(), part.len()), (200, 200));
    assert!(whole.iter().all(Option::is_some));
    assert!((1..200).contains(&part.iter().flatten().count()));
    for (whole, part) in whole.iter().zip(&part).filter(|(_, part)| part.is_some()) {
        assert_eq!(whole.as_ref().map(essence), part.as_ref().map(essence));
    }
}

#[test]
fn players_without_a_network_can_be_stopped_within_a_turn() {
    let position = position("susan", &[]);
    for player in ["uct?rollouts=10000000", "alphabeta?nodes=1000000000"] {
        let PlayerSpec::Baseline(baseline) = player.parse().unwrap() else { panic!("{player}") };
        let mut player =
            baseline.player(position.game(), PlayerSeed { seed: 1, player: 0 }).unwrap();
        let asked = Cell::new(0);
        let keep_going = || asked.replace(asked.get() + 1) < 3;
        let chosen = player.choose_while(&position, &[], &keep_going).unwrap();
        assert!((1..10_000).contains(&chosen.work), "{} rollouts or nodes", chosen.work);
    }
}

#[test]
fn a_cache_changes_no_match() {
    let without = |search| search::Settings { cache_mib: 0, ..search };
    let play = |search| {
        let hashed = contestant(Hashed, search, 30);
        duel(&hashed, &contestant(Uniform, search, 30), 20, 2)
    };
    assert_eq!(play(in_match(gumbel())), play(without(in_match(gumbel()))));
    assert_eq!(play(in_match(puct())), play(without(in_match(puct()))));
}

#[test]
fn a_match_against_the_clock_is_played_to_its_end() {
    fn timed(time: u64) -> Box<dyn Player> {
        let budget = Budget::Time(Duration::from_millis(time));
        Box::new(SearchPlayer::new(copies(&Hashed, 2), gumbel(), budget))
    }
    let variant = registry::preset("neutron5").unwrap();
    let openings = arena::openings(&variant, 3, 2, 1).unwrap();
    let watched = Mutex::new(Vec::new());
    let watch = |done| watched.lock().unwrap().push(done);
    let played = arena::play_sequential(&openings, &mut [[timed(2), timed(1)]], &watch);
    assert_eq!(played.len(), 2);
    assert_eq!(*watched.lock().unwrap(), [1, 2, 3, 4]);
}

#[test]
fn more_simulations_play_better() {
    for settings in [gumbel(), puct()].map(in_match) {
        let with = |simulations| contestant(Uniform, settings, simulations);
        let tally = duel(&with(256), &with(16), 40, 2);
        let [low, _] = tally.interval();
        assert!(low > 0.5, "{tally:?} with {:?}", settings.root);
    }
}

/// How many openings of three turns a side wins by force within so many more.
fn decided(openings: &[arena::Opening], turns: u32) -> usize {
    let mut prover = AnyProver::new(1 << 16);
    let mut wins = |game: &Position, side| {
        prover.begin(u64::MAX);
        prover.wins(game, side, turns).unwrap()
    };
    let sides = [Side::P1, Side::P2];
    openings
        .iter()
        .filter(|opening| sides.iter().any(|&side| wins(&opening.position, side)))
        .count()
}

#[test]
fn openings_that_are_won_by_force_can_be_left_out() {
    let book = |seed| arena::OpeningBook::new(&registry::preset("neutron5").unwrap(), 3, seed);
    let (all, open) = (book(1).all(40).unwrap(), book(1).undecided().all(40).unwrap());
    assert!(decided(&all, 3) > 4, "{} of 40", decided(&all, 3));
    assert_eq!(decided(&open, 3), 0);
    let is_one_of_all =
        |opening: &&arena::Opening| all.iter().any(|other| other.position == opening.position);
    assert!(open.iter().filter(is_one_of_all).count() > 10, "the others are as they were");
    assert_eq!(open, book(1).undecided().all(40).unwrap());
    let variant = registry::preset("tic_tac_toe").unwrap();
    let few = arena::OpeningBook::new(&variant, 3, 1).undecided().all(200);
    let error = few.unwrap_err().to_string();
    assert!(error.contains("for decided openings too (--decided), or another"), "{error}");
}

#[test]
fn openings_that_are_won_late_can_be_left_out() {
    let book = |name| arena::OpeningBook::new(&registry::preset(name).unwrap(), 3, 1);
    let neutron5 = || book("neutron5");
    let (open, balanced) =
        (neutron5().undecided().all(12).unwrap(), neutron5().balanced().all(4).unwrap());
    let is_one =
        |opening: &&arena::Opening| open.iter().any(|other| other.position == opening.position);
    assert_eq!(balanced.iter().filter(is_one).count(), 4, "they are among the first of the others");
    let is_won = |opening: &arena::Opening| {
        [Side::P1, Side::P2].into_iter().any(|side| {
            let mut search = AnyProofNumbers::new(side, 1 << 16);
            search.allow(150_000);
            search.wins(&opening.position) == Ok(true)
        })
    };
    assert!(open.iter().filter(|opening| is_won(opening)).count() > 4);
    assert!(!balanced.iter().any(is_won));
    let error = book("neutron5_double").balanced().all(20).unwrap_err().to_string();
    assert!(
        error.contains("for openings that are decided late too (without --balanced)"),
        "{error}"
    );
}

#[test]
fn openings_differ_and_are_open() {
    let variant = registry::preset("tic_tac_toe").unwrap();
    // After three turns someone may threaten to win, but the other side can still prevent it.
    let openings = arena::openings(&variant, 3, 60, 1).unwrap();
    let different: HashSet<_> = openings.iter().map(|opening| opening.position).collect();
    assert_eq!(different.len(), 60);
    for opening in &openings {
        let position = opening.position;
        assert!(position.ply() == 3 && position.outcome().is_none());
        assert_eq!(variant.replay(&opening.moves, |_| ()), Ok(position));
    }
    assert_eq!(openings, arena::openings(&variant, 3, 60, 1).unwrap());
    assert_ne!(openings, arena::openings(&variant, 3, 60, 2).unwrap());
    for (turns, pairs) in [(0, 2), (1, 10), (9, 1), (100, 1)] {
        let error = arena::openings(&variant, turns, pairs, 1).unwrap_err().to_string();
        assert!(error.contains("fewer games"), "{error}");
    }
}

#[test]
fn the_interval_is_that_of_pairs() {
    let tally = |pairs| Tally { wins: 27, draws: 6, losses: 15, pairs };
    // With a pair won and one lost added: 2, 2, 10, 6, 6 of 26 pairs, mean 16 / 26, variance
    // (2 * 0.3787 + 2 * 0.1335 + 10 * 0.0133 + 6 * 0.0181 + 6 * 0.1479) / 26.
    let [low, high] = tally([1, 2, 10, 6, 5]).interval();
    let mean: f64 = 16.0 / 26.0;
    let square = |score: f64| (score - mean).powi(2);
    let variance = 2.0 * square(0.0)
        + 2.0 * square(0.25)
        + 10.0 * square(0.5)
        + 6.0 * square(0.75)
        + 6.0 * square(1.0);
    let margin = 1.96 * (variance / 26.0 / 26.0).sqrt();
    assert!((low - (mean - margin)).abs() < 1e-12 && (high - (mean + margin)).abs() < 1e-12);
    let [low, high] = tally([0, 0, 0, 0, 50]).interval();
    assert!(low > 0.9 && low < 0.97 && high == 1.0, "a row of wins is not certainty: {low}");
}
