//! What a search is certain of is true, and nothing is lost on the way: proofs, reuse of the tree,
//! several leaves at once, and the cache.

use std::collections::HashMap;

use rand::RngExt;
use rand::seq::SliceRandom;
use serde_json::json;

use crate::base::rng::{Purpose, Rng, stream};
use crate::games::{Action, Outcome, Side};
use crate::registry::{self, Position};
use crate::search::{
    Cache, Candidate, Evaluation, Evaluator, Gathered, InteriorRule, Leaf, Plan, ProofSettings,
    RootRule, Search, Settings, Solo, Uniform, Wdl,
};
use crate::tests::common::hashed::Hashed;
use crate::tests::common::literal::Literal;
use crate::tests::common::searches::searched;
use crate::tests::common::trees::{after, random_roots, solved, solved_within};

/// Proofs with both rules at the root, with and without looking for a win by the next action.
fn certain() -> [Settings; 4] {
    let gumbel = Settings { reuse: false, ..Settings::default() };
    let puct = Settings { root: RootRule::Puct, interior: InteriorRule::Puct, ..gumbel };
    let slow = |settings: Settings| Settings {
        proofs: ProofSettings { lookahead: false, ..settings.proofs },
        ..settings
    };
    [gumbel, puct, slow(gumbel), slow(puct)]
}

fn nothing() -> Cache {
    Cache::new(0, 0)
}

fn begun(root: Position, plan: Plan, settings: &Settings) -> Solo {
    let mut solo = Solo::new(Search::new(*settings));
    solo.search.begin(root, plan);
    solo
}

fn start_of(game: &str) -> Position {
    registry::preset(game).unwrap().initial()
}

fn found(search: &Search) -> Vec<Candidate> {
    search.candidates().collect()
}

fn visits(search: &Search) -> u32 {
    search.candidates().map(|found| found.visits).sum()
}

fn legal(position: &Position) -> Vec<Action> {
    let mut actions = Vec::new();
    position.legal_actions(&mut actions);
    actions
}

fn random_action(position: &Position, rng: &mut Rng) -> Action {
    let actions = legal(position);
    actions[rng.random_range(0..actions.len())]
}

fn wins(found: &Candidate) -> bool {
    found.proven == Some(Outcome::Win(found.mover))
}

fn loses(found: &Candidate) -> bool {
    found.proven == Some(Outcome::Win(found.mover.other()))
}

// ---- what is proven is true ----

/// The results of all positions of a small game.
fn solve_all(position: Position, results: &mut HashMap<Position, Outcome>) -> Outcome {
    if let Some(&known) = results.get(&position) {
        return known;
    }
    let mover = position.to_move();
    let below: Vec<Outcome> = legal(&position)
        .iter()
        .map(|&action| solve_all(after(&position, action), results))
        .collect();
    let best = below.into_iter().max_by(|a, b| a.value_for(mover).total_cmp(&b.value_for(mover)));
    let result = position.outcome().or(best).unwrap();
    results.insert(position, result);
    result
}

fn tic_tac_toe() -> HashMap<Position, Outcome> {
    let mut results = HashMap::new();
    solve_all(start_of("tic_tac_toe"), &mut results);
    assert_eq!(results.len(), 5_478);
    results
}

/// Searches every open position of tic-tac-toe that `chosen` gives settings for, until it is
/// settled, and compares.
fn check_tic_tac_toe<'a>(chosen: impl Fn(u32, usize) -> &'a [Settings]) -> u32 {
    // The largest of these trees has 549,946 positions, and takes far fewer simulations.
    const MOST: u32 = 300_000;
    let results = tic_tac_toe();
    let mut searches = 0;
    let open = results.iter().filter(|(position, _)| position.outcome().is_none());
    for (index, (position, &result)) in open.enumerate() {
        for settings in chosen(position.ply(), index) {
            // With so many planned, halving does not begin before everything is settled.
            let mut solo = begun(*position, Plan::simulations(1 << 30), settings);
            while solo.search.simulations() < MOST && solo.simulate(&mut Uniform, &nothing()) {}
            assert_eq!(solo.search.proven(), Some(result), "{position}\n{settings:?}");
            let best = after(position, solo.search.best().unwrap());
            assert_eq!(results[&best], result, "{position}\n{settings:?}");
            searches += 1;
        }
    }
    searches
}

#[test]
fn every_position_of_tic_tac_toe_is_settled_with_its_result() {
    let all = certain().map(|settings| Settings { interior: InteriorRule::Puct, ..settings });
    // The largest trees are searched with one kind of settings each.
    let chosen = |ply, index| if ply < 3 { &all[index % 4..][..1] } else { &all[..] };
    // 4,520 positions are open, 82 of them before the third stone.
    assert_eq!(check_tic_tac_toe(chosen), 4 * (4_520 - 82) + 82);
}

#[test]
fn every_position_of_tic_tac_toe_is_settled_with_the_improved_policy() {
    let all = certain().map(|settings| Settings { interior: InteriorRule::Improved, ..settings });
    check_tic_tac_toe(|_, index| &all[index % 4..][..1]);
}

/// Simulates one by one, and compares all that is certain with what is true: of the root, of its
/// actions, and of the actions after these.
fn check_while_searching(
    root: Position,
    simulations: u32,
    settings: &Settings,
    truth: impl Fn(&Position) -> Outcome,
) {
    let mut solo = begun(root, Plan::simulations(simulations), settings);
    let mut known = HashMap::new();
    let mut note = |path: Vec<Action>, proven: Option<Outcome>, position: &Position| match proven {
        Some(proven) => {
            assert_eq!(proven, truth(position), "{position} {path:?} {settings:?}");
            known.insert(path, proven);
        }
        None => assert_eq!(known.get(&path), None, "what was certain remains so: {path:?}"),
    };
    for done in 1.. {
        if !solo.simulate(&mut Hashed, &nothing()) {
            break;
        }
        let search = &solo.search;
        assert_eq!(search.simulations(), done);
        note(vec![], search.proven(), &root);
        for found in search.candidates() {
            let next = after(&root, found.action);
            note(vec![found.action], found.proven, &next);
            for below in search.ranked_after(&[found.action]) {
                let last = after(&next, below.action);
                note(vec![found.action, below.action], below.proven, &last);
            }
        }
    }
    assert!(solo.search.simulations() == simulations || solo.search.proven().is_some());
}

#[test]
fn whatever_is_certain_is_true_at_any_time() {
    for text in random_roots(21, 6, 80) {
        for settings in certain() {
            check_while_searching(Literal::position(&text), 200, &settings, solved);
        }
    }
    let results = tic_tac_toe();
    let mut rng = stream(1, 0, 0, Purpose::Playout);
    for settings in certain().into_iter().cycle().take(60) {
        let mut root = start_of("tic_tac_toe");
        for _ in 0..rng.random_range(0..6) {
            let next = after(&root, random_action(&root, &mut rng));
            root = if next.outcome().is_none() { next } else { root };
        }
        check_while_searching(root, 200, &settings, |position| results[position]);
    }
}

/// How many wins, draws and losses of the side to move were settled by a search.
#[derive(Default, Debug)]
struct Compared {
    settled: [u32; 3],
    open: u32,
}

/// Plays at random; gives all positions from the last to the first.
fn random_game(start: Position, rng: &mut Rng) -> Vec<Position> {
    let mut game = vec![start];
    while let Some(last) = game.last().copied().filter(|last| last.outcome().is_none()) {
        let actions = legal(&last);
        game.push(after(&last, actions[rng.random_range(0..actions.len())]));
    }
    game.reverse();
    game
}

/// Compares a search of `position` with a look at everything.
fn compare(position: &Position, result: Outcome, settings: &Settings) -> bool {
    // A solution may pass over more than was looked at before.
    let agrees = |next: &Position, found| {
        solved_within(next, &mut 20_000).is_none_or(|result| Some(result) == found)
    };
    let search = searched(*position, 6_000, settings, Hashed);
    for found in search.candidates().filter(|found| found.proven.is_some()) {
        assert!(agrees(&after(position, found.action), found.proven), "{position}\n{found:?}");
    }
    if search.proven().is_some() {
        assert_eq!(search.proven(), Some(result), "{position}\n{settings:?}");
        let best = after(position, search.best().unwrap());
        assert!(agrees(&best, Some(result)), "{position}\n{settings:?}");
    }
    search.proven().is_some()
}

/// Compares positions near the end of random games until so many wins, draws and losses were
/// settled.
fn compare_ends(start: Position, wanted: [u32; 3]) -> Compared {
    let mut compared = Compared::default();
    for seed in 0..2_000 {
        let is_enough = |(settled, wanted): (&u32, u32)| *settled >= wanted;
        if compared.settled.iter().zip(wanted).all(is_enough) {
            break;
        }
        let mut rng = stream(seed, 0, 0, Purpose::Playout);
        let game = random_game(start, &mut rng);
        for (index, position) in game.iter().skip(1).enumerate() {
            // A tree small enough to be looked at whole, also by the search.
            let Some(result) = solved_within(position, &mut 3_000) else { break };
            let kind = (1 - result.value_for(position.to_move()) as i32) as usize;
            if compared.settled[kind] < wanted[kind] + 10 {
                let settings = &certain()[(seed as usize + index) % 4];
                match compare(position, result, settings) {
                    true => compared.settled[kind] += 1,
                    false => compared.open += 1,
                }
            }
        }
    }
    compared
}

fn assert_enough(compared: &Compared, wanted: [u32; 3], name: &str) {
    let enough = compared.settled.iter().zip(wanted).all(|(settled, wanted)| *settled >= wanted);
    assert!(enough, "{name}: {compared:?}");
}

#[test]
fn ends_of_real_games_are_settled_with_their_results() {
    // Under low limits of the length, so that the limit is what many results come from. Nobody
    // loses a random game of Checkers Gomoku as early as that, unless by having fewer pieces.
    let limited = [
        ("neutron5", json!({"max_plies": 6}), [20, 20, 20]),
        ("neutron5_hole1", json!({"max_plies": 8}), [20, 20, 20]),
        ("coneutron5", json!({"max_plies": 5}), [20, 20, 20]),
        ("susan", json!({"max_plies": 30}), [20, 10, 10]),
        ("entropy", json!({"max_plies": 30}), [20, 20, 10]),
        ("checkers_gomoku", json!({"max_plies": 30}), [0, 20, 0]),
        ("checkers_gomoku", json!({"max_plies": 30, "cap_result": "material"}), [20, 20, 20]),
        ("connect_four", json!({}), [20, 20, 20]),
    ];
    for (name, changes, wanted) in limited {
        let variant = registry::find(name, changes.as_object().unwrap()).unwrap();
        let compared = compare_ends(variant.initial(), wanted);
        assert_enough(&compared, wanted, name);
    }
}

// ---- what follows from what is proven ----

#[test]
fn a_proven_win_has_all_of_the_policy_and_a_proven_loss_none() {
    let all_kinds = certain().into_iter().flat_map(|settings| {
        let rules = [InteriorRule::Improved, InteriorRule::Puct];
        rules.map(|interior| Settings { interior, ..settings })
    });
    let all_kinds: Vec<Settings> = all_kinds.collect();
    let (mut won, mut lost) = (0, 0);
    for text in random_roots(31, 4, 150) {
        for settings in &all_kinds {
            for simulations in [1, 2, 3, 4, 6, 10, 40] {
                let plan =
                    Plan { noise: Some(simulations.into()), ..Plan::simulations(simulations) };
                let mut solo = begun(Literal::position(&text), plan, settings);
                solo.run(&mut Hashed, &nothing());
                let mut search = solo.search;
                let mut policy = Vec::new();
                search.policy(&mut policy);
                let found = found(&search);
                let case = format!("{text} {settings:?} {simulations} {found:?} {policy:?}");
                assert!(found.iter().map(|found| found.action).eq(policy.iter().map(|p| p.0)));
                let total: f32 = policy.iter().map(|pair| pair.1).sum();
                assert!((total - 1.0).abs() < 1e-4, "{case}");
                let best = found.iter().find(|found| Some(found.action) == search.best()).unwrap();
                let share = |is_meant: fn(&Candidate) -> bool| -> f32 {
                    let pairs = found.iter().zip(&policy).filter(|(found, _)| is_meant(found));
                    pairs.map(|(_, pair)| pair.1).sum()
                };
                if found.iter().any(wins) {
                    assert!(wins(best) && (share(wins) - 1.0).abs() < 1e-4, "{case}");
                    won += 1;
                } else if found.iter().any(|found| !loses(found)) {
                    assert!(!loses(best) && share(loses) == 0.0, "{case}");
                } else {
                    // Something is played even so.
                    assert!(legal(&Literal::position(&text)).contains(&best.action), "{case}");
                    lost += 1;
                }
            }
        }
    }
    assert!(won > 1_000 && lost > 300, "{won} {lost}");
}

#[test]
fn a_settled_search_is_over() {
    let mut early = 0;
    for text in random_roots(32, 4, 100) {
        for settings in certain() {
            let plan = 1_000;
            let mut solo = begun(Literal::position(&text), Plan::simulations(plan), &settings);
            let mut before = None;
            while solo.simulate(&mut Hashed, &nothing()) {
                assert_eq!(before, None, "nothing is simulated once all is settled");
                before = solo.search.proven();
            }
            let search = &solo.search;
            assert!(search.is_done());
            assert!(search.proven().is_some() || search.simulations() == plan, "{text}");
            early += u32::from(search.simulations() < plan);
            if let Some(proven) = search.proven() {
                let mover = Literal::position(&text).to_move();
                assert_eq!(search.value(), proven.wdl_for(mover), "{text}");
            }
            // Without proofs all of the plan is carried out.
            let plain = Settings {
                proofs: ProofSettings { enabled: false, ..settings.proofs },
                ..settings
            };
            let search = searched(Literal::position(&text), plan, &plain, Hashed);
            assert_eq!((search.simulations(), search.proven()), (plan, None), "{text}");
        }
    }
    assert!(early > 300, "{early}");
}

// ---- reuse of the tree ----

fn known(found: impl IntoIterator<Item = Candidate>) -> Vec<Candidate> {
    let is_known = |found: &Candidate| found.visits > 0 || found.proven.is_some();
    let mut known: Vec<Candidate> = found.into_iter().filter(is_known).collect();
    known.sort_by_key(|found| found.action);
    known
}

/// Searches, lets `actions` be played, and compares what the next search begins with to what the
/// last one knew of that position; whether there was anything to begin with.
fn check_reuse(root: Position, settings: &Settings, depth: usize) -> bool {
    let settings = Settings { reuse: true, ..*settings };
    let mut solo = begun(root, Plan::simulations(150), &settings);
    solo.run(&mut Hashed, &nothing());
    let (mut actions, mut position, mut visits_there) = (Vec::new(), root, 0);
    for _ in 0..depth {
        // The most visited of what was visited: it leads furthest into the tree.
        let ranked = solo.search.ranked_after(&actions);
        let Some(most) = ranked.iter().max_by_key(|found| found.visits) else { return false };
        visits_there = most.visits;
        actions.push(most.action);
        position = after(&position, most.action);
    }
    if position.outcome().is_some() {
        return false;
    }
    let expected = known(solo.search.ranked_after(&actions));
    let mut reused = solo.search.clone();
    actions.iter().for_each(|&action| reused.advance(action));
    reused.begin(position, Plan::simulations(30));
    if !reused.is_evaluated() {
        // Won at once, so that it was never evaluated: all that was known is that win.
        assert!(expected.len() <= 1 && expected.iter().all(wins), "{expected:?}");
        return false;
    }
    // Before the first simulation; a win by the next action would have been known.
    assert_eq!(reused.simulations(), 0);
    assert_eq!(known(reused.candidates()), expected, "{position}");
    assert_eq!(reused.candidates().count(), legal(&position).len());
    // All visits but that of its own evaluation went on, unless it was settled before.
    let went_on = visits(&reused);
    assert!(went_on < visits_there);
    assert!(reused.proven().is_some() || went_on == visits_there - 1, "{position}");

    let mut again = Solo::new(reused);
    again.run(&mut Hashed, &nothing());
    let search = &again.search;
    assert!(search.proven().is_some() || search.simulations() == 30);
    assert_eq!(visits(search), went_on + search.simulations(), "none of them is an evaluation");

    // Whatever does not follow, or if that is not wanted, begins anew.
    let fresh = searched(position, 30, &settings, Hashed);
    let anew = |settings: Settings, played: &[Action]| {
        let mut solo = begun(root, Plan::simulations(150), &settings);
        solo.run(&mut Hashed, &nothing());
        played.iter().for_each(|&action| solo.search.advance(action));
        solo.search.begin(position, Plan::simulations(30));
        assert!(!solo.search.is_evaluated());
        solo.run(&mut Hashed, &nothing());
        assert!(solo.search.candidates().eq(fresh.candidates()), "{position}");
        assert_eq!(solo.search.value(), fresh.value());
    };
    anew(Settings { reuse: false, ..settings }, &actions);
    anew(settings, &actions[..depth - 1]);
    true
}

#[test]
fn the_next_search_begins_with_what_the_last_one_found() {
    let settings = [certain()[0], certain()[1], certain()[2], Settings::plain()];
    let mut reused = 0;
    for name in ["tic_tac_toe", "connect_four", "neutron5", "entropy", "susan"] {
        for (seed, settings) in (0..12).zip(settings.iter().cycle()) {
            let mut rng = stream(seed, 1, 0, Purpose::Playout);
            let depth = 1 + seed as usize % 3;
            let game = random_game(start_of(name), &mut rng);
            let root = game[1.max(game.len() - 1 - seed as usize / 3)];
            reused += u32::from(check_reuse(root, settings, depth));
        }
    }
    for text in random_roots(41, 8, 60) {
        for settings in &settings {
            reused += u32::from(check_reuse(Literal::position(&text), settings, 1));
            reused += u32::from(check_reuse(Literal::position(&text), settings, 2));
        }
    }
    assert!(reused >= 100, "{reused}");
}

/// Plays a won game against an opponent who moves at random; its length in actions.
fn play_won_game(root: Position, settings: &Settings, rng: &mut Rng) -> Option<u32> {
    let settings = Settings { reuse: true, ..*settings };
    let mut solo = begun(root, Plan::simulations(3_000), &settings);
    solo.run(&mut Hashed, &nothing());
    let winner = root.to_move();
    solo.search.proven().filter(|&proven| proven == Outcome::Win(winner))?;
    let mut position = root;
    for length in 1.. {
        let action = match position.to_move() == winner {
            true => solo.search.best().unwrap(),
            false => random_action(&position, rng),
        };
        solo.search.advance(action);
        position.play(action);
        if let Some(outcome) = position.outcome() {
            assert_eq!(outcome, Outcome::Win(winner), "{position}");
            return Some(length);
        }
        // It takes no more than a look at the position to know.
        solo.search.begin(position, Plan::simulations(1));
        solo.run(&mut Hashed, &nothing());
        assert_eq!(solo.search.proven(), Some(Outcome::Win(winner)), "{position}");
        assert!(length < 100, "it does not go on for ever");
    }
    None
}

#[test]
fn a_proven_win_is_won_whatever_the_opponent_does() {
    let (mut played, mut longest) = (0, 0);
    for name in ["tic_tac_toe", "connect_four", "neutron5", "entropy"] {
        for seed in 0..24 {
            let mut rng = stream(seed, 2, 0, Purpose::Playout);
            let settings = certain()[seed as usize % 4];
            let game = random_game(start_of(name), &mut rng);
            // Some actions before the end, so that there is something left to be played.
            let root = game[(2 + seed as usize / 4).min(game.len() - 1)];
            let length = play_won_game(root, &settings, &mut rng);
            played += u32::from(length.is_some());
            longest = longest.max(length.unwrap_or(0));
        }
    }
    for (seed, text) in (0..).zip(random_roots(42, 8, 100)) {
        let mut rng = stream(seed, 3, 0, Purpose::Playout);
        let settings = certain()[seed as usize % 4];
        played += u32::from(play_won_game(Literal::position(&text), &settings, &mut rng).is_some());
    }
    assert!(played >= 50 && longest >= 4, "{played} {longest}");
}

// ---- several leaves at once ----

/// What several leaves of a search came to.
#[derive(PartialEq, Debug)]
struct Flight {
    found: Vec<Candidate>,
    proven: Option<Outcome>,
    value: Wdl,
    busy: u32,
}

/// Searches with up to `width` leaves under way, which are applied in an order drawn from `seed`:
/// all of them if there is nothing to be done but to wait, or else one.
fn fly(root: Position, simulations: u32, settings: &Settings, width: usize, seed: u64) -> Flight {
    let mut rng = stream(seed, 0, 0, Purpose::Playout);
    let mut search = Search::new(*settings);
    search.begin(root, Plan { noise: Some(seed), ..Plan::simulations(simulations) });
    let (mut under_way, mut busy): (Vec<Leaf>, u32) = (Vec::new(), 0);
    let mut policy = vec![0.0; root.spec().actions()];
    let mut apply = |search: &mut Search, leaf: &Leaf| {
        let (position, mut wdl) = (*leaf.position().unwrap(), [[0.0; 3]]);
        Hashed.evaluate(&[position], &mut policy, &mut wdl);
        let mut evaluation = Evaluation::default();
        evaluation.read(&position, &policy, wdl[0]);
        search.apply(leaf, &evaluation);
    };
    loop {
        let mut leaf = Leaf::default();
        let before = search.simulations();
        let gathered = search.gather(&mut leaf);
        assert_eq!(search.simulations() - before, u32::from(gathered == Gathered::End));
        match gathered {
            Gathered::Leaf => under_way.push(leaf),
            Gathered::End => {}
            Gathered::Busy => {
                assert!(!under_way.is_empty(), "nothing to wait for");
                assert!(!search.is_done());
                busy += 1;
                under_way.shuffle(&mut rng);
                under_way.drain(..).for_each(|leaf| apply(&mut search, &leaf));
            }
            Gathered::Done => {
                assert!(under_way.is_empty() && search.is_done());
                break;
            }
        }
        while under_way.len() > width {
            let leaf = under_way.swap_remove(rng.random_range(0..under_way.len()));
            apply(&mut search, &leaf);
        }
        if search.is_evaluated() {
            // All but the evaluation of the root went through one of its actions.
            assert_eq!(visits(&search), search.simulations() - 1);
        }
    }
    assert!(search.simulations() == simulations || search.proven().is_some());
    Flight { found: found(&search), proven: search.proven(), value: search.value(), busy }
}

#[test]
fn with_several_leaves_under_way_nothing_is_lost() {
    let settings = [certain()[0], certain()[1], certain()[2], Settings::plain()];
    let mut busy = 0;
    for name in ["tic_tac_toe", "connect_four", "neutron5", "neutron5_hole1"] {
        for (seed, settings) in (0..12).zip(settings.iter().cycle()) {
            for width in [1, 3, 16] {
                let mut rng = stream(seed, 4, 0, Purpose::Playout);
                let game = random_game(start_of(name), &mut rng);
                let root = game[(1 + seed as usize).min(game.len() - 1)];
                let flight = fly(root, 200, settings, width, seed);
                // Twice the same is the same.
                assert_eq!(flight, fly(root, 200, settings, width, seed), "{name}");
                busy += flight.busy;
            }
        }
    }
    assert!(busy > 0);
}

#[test]
fn what_is_certain_is_true_with_several_leaves_under_way() {
    let mut settled = 0;
    for (seed, text) in (0..).zip(random_roots(51, 6, 100)) {
        let root = Literal::position(&text);
        for settings in certain() {
            for width in [2, 7] {
                let flight = fly(root, 150, &settings, width, seed);
                for found in &flight.found {
                    let truth = solved(&after(&root, found.action));
                    assert!(found.proven.is_none_or(|proven| proven == truth), "{text}");
                }
                assert!(flight.proven.is_none_or(|proven| proven == solved(&root)), "{text}");
                settled += u32::from(flight.proven.is_some());
            }
        }
    }
    assert!(settled > 600, "{settled}");
}

#[test]
fn a_search_is_busy_while_all_that_is_left_waits() {
    // A single line: there is never more than one position to be evaluated.
    let root = Literal::position("(x (o (x (o =))))");
    for settings in [certain()[0], certain()[3], Settings::plain()] {
        let mut search = Search::new(settings);
        search.begin(root, Plan::simulations(4));
        let (mut leaf, mut other) = (Leaf::default(), Leaf::default());
        let mut evaluation = Evaluation::default();
        for depth in 0..4 {
            assert_eq!(search.gather(&mut leaf), Gathered::Leaf, "{depth}");
            for _ in 0..3 {
                assert_eq!(search.gather(&mut other), Gathered::Busy, "{depth}");
            }
            assert!(!search.is_done());
            evaluation.read(leaf.position().unwrap(), &[0.0; 8], [0.2, 0.5, 0.3]);
            search.apply(&leaf, &evaluation);
        }
        assert_eq!(search.gather(&mut other), Gathered::Done);
        assert_eq!((search.simulations(), visits(&search)), (4, 3));
    }
}

// ---- the cache ----

/// Counts what it is asked.
struct Counting(u64);

impl Evaluator for Counting {
    fn evaluate(&mut self, positions: &[Position], policy: &mut [f32], wdl: &mut [Wdl]) {
        self.0 += positions.len() as u64;
        Hashed.evaluate(positions, policy, wdl);
    }
}

/// Plays a game of the search against itself with a cache and without, compares every search, and
/// gives how many positions were evaluated with it and without.
fn play_with_cache(start: Position, cache: &Cache, settings: &Settings) -> [u64; 2] {
    let mut position = start;
    let mut both = [0, 1].map(|_| Solo::new(Search::new(*settings)));
    let mut evaluators = [Counting(0), Counting(0)];
    let none = nothing();
    for index in 0..80 {
        for (index_of, solo) in both.iter_mut().enumerate() {
            let plan = Plan { noise: Some(index), ..Plan::simulations(100) };
            solo.search.begin(position, plan);
            solo.run(&mut evaluators[index_of], [cache, &none][index_of]);
        }
        let [with, without] = &both;
        assert!(with.search.candidates().eq(without.search.candidates()), "{position}");
        let said = |solo: &Solo| (solo.search.value(), solo.search.raw(), solo.search.best());
        assert_eq!(said(with), said(without), "{position}");
        assert_eq!(with.search.simulations(), without.search.simulations());
        let best = with.search.best().unwrap();
        both.iter_mut().for_each(|solo| solo.search.advance(best));
        position.play(best);
        if position.outcome().is_some() {
            break;
        }
    }
    evaluators.map(|evaluator| evaluator.0)
}

#[test]
fn a_search_with_a_cache_finds_the_same_with_fewer_evaluations() {
    let settings = [
        Settings::default(),
        Settings { root: RootRule::Puct, interior: InteriorRule::Puct, ..certain()[0] },
        Settings::plain(),
    ];
    for name in ["connect_four", "neutron5", "susan"] {
        let start = start_of(name);
        // One has room for everything, the other soon writes over what it has.
        let caches = [64, 1].map(|size| Cache::new(size, start.spec().actions()));
        for settings in &settings {
            for (index, cache) in caches.iter().enumerate() {
                let [with, without] = play_with_cache(start, cache, settings);
                assert!(with <= without, "{name}: {with} of {without}");
                // What fell on the same place as something else is lost.
                let [again, _] = play_with_cache(start, cache, settings);
                assert!(index == 1 || again * 20 < without, "{name}: {again} of {without}");
            }
        }
    }
}

#[test]
fn the_second_search_of_a_position_evaluates_nothing() {
    for name in ["connect_four", "neutron5", "susan"] {
        let start = start_of(name);
        // So large that hardly two of a hundred positions fall on the same place.
        let cache = Cache::new(64, start.spec().actions());
        let run = || {
            let mut counting = Counting(0);
            let plan = Plan::simulations(100);
            begun(start, plan, &Settings::plain()).run(&mut counting, &cache);
            counting.0
        };
        // Some positions come up more than once also the first time.
        let [first, second] = [run(), run()];
        assert!(first >= 50 && second == 0, "{name}: {first} {second}");
    }
}

#[test]
fn a_small_cache_forgets() {
    let start = start_of("susan");
    // A slot takes 8 * (3 + 48) bytes, so that there are 2,570 of them.
    let cache = Cache::new(1, start.spec().actions());
    let run = || {
        let mut counting = Counting(0);
        let plan = Plan::simulations(6_000);
        begun(start, plan, &Settings::plain()).run(&mut counting, &cache);
        counting.0
    };
    let [first, second] = [run(), run()];
    assert!(first > 5_000 && second > 1_000 && second < first, "{first} {second}");
}

// ---- memory ----

#[test]
fn a_simulation_takes_less_than_a_hundred_bytes() {
    let start = start_of("connect_four");
    let bytes = searched(start, 100_000, &Settings::plain(), Hashed).bytes();
    // A position of 7 actions: 56 bytes, 4 for each action, 4 to 8 for the link to it.
    assert!((80 * 100_000..100 * 100_000).contains(&bytes), "{bytes}");
}

// ---- what others prove ----

#[test]
fn what_somebody_else_has_proven_is_believed() {
    for settings in certain() {
        let tree = Literal::position("(x (o (x = =) =) (o (x = =) =))");
        let mut solo = begun(tree, Plan::default(), &settings);
        while visits(&solo.search) < 2 {
            assert!(solo.simulate(&mut Uniform, &nothing()));
        }
        let mut won = solo.search.clone();
        won.add_proof(&[1], Outcome::Win(Side::P1));
        assert_eq!(won.proven(), Some(Outcome::Win(Side::P1)));
        assert!(won.is_done() && won.best() == Some(1));

        solo.search.add_proof(&[0], Outcome::Win(Side::P2));
        let before = found(&solo.search)[0].visits;
        (0..4).for_each(|_| _ = solo.simulate(&mut Uniform, &nothing()));
        let lost = found(&solo.search)[0];
        assert_eq!((lost.proven, lost.visits), (Some(Outcome::Win(Side::P2)), before));
        assert_eq!(solo.search.best(), Some(1));
    }
}

#[test]
fn of_what_comes_later_in_a_turn_only_what_was_tried_or_is_next_can_be_settled() {
    let settings = Settings {
        proofs: ProofSettings { lookahead: false, ..certain()[1].proofs },
        ..certain()[1]
    };
    let mut search =
        searched(Literal::position("(x (x (o =) (o =) (o =)) =)"), 2, &settings, Uniform);
    search.add_proof(&[0, 2], Outcome::Win(Side::P2));
    assert!(search.ranked_after(&[0]).is_empty(), "the second is not the next to be tried");
    search.add_proof(&[0, 0], Outcome::Win(Side::P2));
    assert_eq!(search.ranked_after(&[0]).len(), 1);
    assert_eq!(search.best_after(&[0]), Some(1), "what is not known to lose");
    search.add_proof(&[0, 1], Outcome::Win(Side::P1));
    assert_eq!(search.best_after(&[0]), Some(1));
    assert_eq!(search.proven(), Some(Outcome::Win(Side::P1)));
}
