//! Alpha-beta proves the same results as exhaustive search, keeps its limits, and beats plain UCT.

use std::collections::VecDeque;
use std::time::{Duration, Instant};

use crate::base::rng::{Purpose, stream};
use crate::classic::alphabeta::{AlphaBetaSearch, Limits, SearchResult};
use crate::classic::uct::{self, Uct};
use crate::games::{
    Action, CheckersGomoku, CheckersGomokuRules, Entropy, EntropyRules, Game, Neutron,
    NeutronRules, Outcome, Side, legal_turns, parse_turn,
};
use crate::registry::{self, Position, Variant, find, preset};
use crate::tests::common::duel::{match_of, opening, score};

/// Bounds of the value with best play for the side to move, from -1 for a loss to 1 for a win, by
/// an exhaustive search of `turns` turns.
fn bounds(game: &Position, turns: u32) -> [i32; 2] {
    let mover = game.to_move();
    if let Some(outcome) = game.outcome() {
        return [outcome.value_for(mover) as i32; 2];
    }
    if turns == 0 {
        return [-1, 1];
    }
    let mut best = [-1; 2];
    for turn in legal_turns(game) {
        let value = bounds_for(mover, &turn.after(game), turns - 1);
        best = [best[0].max(value[0]), best[1].max(value[1])];
        if best == [1; 2] {
            break;
        }
    }
    best
}

fn bounds_for(side: Side, game: &Position, turns: u32) -> [i32; 2] {
    if let Some(outcome) = game.outcome() {
        return [outcome.value_for(side) as i32; 2];
    }
    let [lower, upper] = bounds(game, turns);
    if game.to_move() == side { [lower, upper] } else { [-upper, -lower] }
}

/// The value, if both bounds are equal.
fn result(game: &Position, turns: u32) -> Option<i32> {
    let [lower, upper] = bounds(game, turns);
    (lower == upper).then_some(lower)
}

/// What a search with a table of `entries` entries finds.
fn searched(game: &Position, entries: usize, limits: &Limits) -> SearchResult {
    game.alphabeta(&mut AlphaBetaSearch::new(entries), limits).unwrap()
}

/// The value that alpha-beta proves, for the side to move.
fn proven(game: &Position, turns: u8) -> Option<i32> {
    let search_result = searched(game, 1 << 12, &Limits::depth(turns));
    search_result.proven.map(|outcome| outcome.value_for(game.to_move()) as i32)
}

/// Checks a proven value against exhaustive search. A draw may remain unproven: a cutoff by a
/// heuristic score may have excluded the reply that proves it.
#[track_caller]
fn check_proof(game: &Position, found: Option<i32>, expected: Option<i32>) {
    let fine = found == expected || expected == Some(0) && found.is_none();
    assert!(fine, "{found:?}, not {expected:?}\n{game}");
}

/// What alpha-beta proves within `turns` turns is true, and the chosen turn keeps the result.
fn check_proofs(game: &Position, turns: u8) -> Option<i32> {
    let expected = result(game, turns.into());
    let search_result = searched(game, 1 << 12, &Limits::depth(turns));
    let found = search_result.proven.map(|outcome| outcome.value_for(game.to_move()) as i32);
    check_proof(game, found, expected);
    let [lower, upper] =
        bounds_for(game.to_move(), &search_result.best.after(game), u32::from(turns) - 1);
    let kept = found.is_none_or(|found| lower == found && upper >= found);
    assert!(kept, "{game}\n{search_result:?}");
    assert_eq!(search_result.turns_left.is_some(), matches!(found, Some(1 | -1)));
    if let Some(left) = search_result.turns_left {
        assert!(left >= 1 && left <= turns.into());
        let sooner = left > 1 && found == Some(1) && result(game, left - 2) == Some(1);
        assert!(!sooner, "there is a faster win\n{game}\n{search_result:?}");
    }
    expected
}

/// Unfinished positions of random games, near their end.
fn late_positions(initial: Position, before_the_end: usize, count: u64) -> Vec<Position> {
    let position = |seed| {
        let mut rng = stream(seed, 0, 0, Purpose::Playout);
        let (mut game, mut legal, mut last) = (initial, Vec::new(), VecDeque::new());
        while game.outcome().is_none() {
            let begins = last.back().is_none_or(|last: &Position| last.ply() < game.ply());
            if begins {
                last.push_back(game);
            }
            if last.len() > before_the_end {
                last.pop_front();
            }
            game.legal_actions(&mut legal);
            game.play(legal[rand::RngExt::random_range(&mut rng, 0..legal.len())]);
        }
        last[0]
    };
    (0..count).map(position).collect()
}

/// Checks positions one, two and three turns before the end: wins, losses and undecided ones.
fn check_tactics(variant: &Variant, [one, two, three]: [u64; 3]) -> u32 {
    let (mut wins, mut losses, mut open) = (0, 0_u32, 0);
    let mut count = |found: Option<i32>| match found {
        Some(1) => wins += 1,
        Some(-1) => losses += 1,
        _ => open += 1,
    };
    for game in late_positions(variant.initial(), 1, one) {
        count(check_proofs(&game, 1));
    }
    for game in late_positions(variant.initial(), 2, two) {
        count(check_proofs(&game, 2));
    }
    for game in late_positions(variant.initial(), 3, three) {
        count(check_proofs(&game, 3));
    }
    // Random games of Checkers Gomoku end by the turn limit.
    let decided = wins > 0 || variant.name == "checkers_gomoku";
    assert!(decided && open > 0, "{}: {wins} {losses} {open}", variant.name);
    losses
}

#[test]
fn it_finds_wins_in_one_and_two_turns_of_every_game() {
    let mut losses = 0;
    for listing in registry::all() {
        let counts = match listing.name {
            "susan" => [60, 60, 4],
            name if name.starts_with("neutron7") || name.starts_with("coneutron7") => [60, 20, 4],
            "checkers_gomoku" => [4, 4, 1],
            _ => [60, 30, 12],
        };
        losses += check_tactics(&listing.variant, counts);
    }
    assert!(losses > 20, "{losses}");
}

/// A position of Checkers Gomoku, with labels beside the rows.
fn checkers_gomoku(rules: &CheckersGomokuRules, board: &str, side: Side) -> Position {
    let board: String = board.lines().map(|line| &line.trim()[1..]).collect();
    Position::new(CheckersGomoku::from_board(rules, &board, side).unwrap())
}

/// Black completes five with the first step and takes the fifth white piece.
#[test]
fn it_finds_the_capture_that_wins_checkers_gomoku() {
    let board = "8 . . . . . . . .
                 7 . . . . . . o .
                 6 . . . . . . . .
                 5 . . o . . . o .
                 4 . . . . . . . .
                 3 . x x x x . . .
                 2 . . . . . . x .
                 1 . . o . . . o .";
    let game = checkers_gomoku(&CheckersGomokuRules::default(), board, Side::P1);
    let search_result = game.alphabeta(&mut AlphaBetaSearch::default(), &Limits::depth(3)).unwrap();
    assert_eq!(
        (search_result.proven, search_result.turns_left),
        (Some(Outcome::Win(Side::P1)), Some(1))
    );
    assert!(search_result.best.text.starts_with("g2-f3x"), "{}", search_result.best.text);
}

/// The same from one step farther away. No white reply prevents the win.
#[test]
fn it_finds_a_win_in_two_of_checkers_gomoku() {
    let board = "8 o . . . . . . o
                 7 . . . . . . . .
                 6 . . . . . . . .
                 5 . . . . . . . o
                 4 . . . . . . . .
                 3 . . x x x x . .
                 2 . . . . . . . .
                 1 o . . . x . . o";
    let game = checkers_gomoku(&CheckersGomokuRules::default(), board, Side::P1);
    assert_eq!(proven(&game, 1), None);
    let search_result = game.alphabeta(&mut AlphaBetaSearch::default(), &Limits::depth(4)).unwrap();
    assert_eq!(
        (search_result.proven, search_result.turns_left),
        (Some(Outcome::Win(Side::P1)), Some(3))
    );
}

/// Near the turn limit the draws by the limit count: compares the values of complete trees, with
/// positions that are reached by different sequences.
#[test]
fn proofs_respect_the_turn_limit() {
    fn check(variant: &Variant, turns: u32, length: u32, positions: u64) {
        let mut results = [0; 3];
        for seed in 0..positions {
            let game = opening(variant.initial(), length - turns, seed);
            let expected = result(&game, turns).unwrap();
            assert_eq!(proven(&game, 20), Some(expected), "{}\n{game}", variant.name);
            results[(1 - expected) as usize] += 1;
        }
        assert!(results[1] > 0, "no draws: {results:?}");
    }
    let limited = |name, options: serde_json::Value| find(name, options.as_object().unwrap());
    for name in ["neutron5", "coneutron5", "neutron5_double"] {
        let variant = limited(name, serde_json::json!({ "max_plies": 9 })).unwrap();
        check(&variant, 3, 9, 24);
    }
    let options = serde_json::json!({ "max_plies": 14 });
    check(&limited("entropy", options).unwrap(), 4, 14, 24);
}

/// Five pieces each: a capture wins, and the capture limit leaves few steps for it.
#[test]
fn proofs_count_the_steps_without_a_capture() {
    let board = "8 . . . . . . . .
                 7 . o . . . . . .
                 6 . o . . . . . .
                 5 . o . . . . . .
                 4 . o . . . . . .
                 3 . . . . . . x .
                 2 . o . . . . . .
                 1 . . x x x x . .";
    let mut results = Vec::new();
    for (side, limit) in [(Side::P1, 1), (Side::P1, 2), (Side::P1, 3), (Side::P2, 1), (Side::P2, 2)]
    {
        let rules = CheckersGomokuRules { no_capture_limit: limit, ..Default::default() };
        let game = checkers_gomoku(&rules, board, side);
        let expected = result(&game, limit.into());
        assert_eq!(proven(&game, 10), expected);
        results.push(expected.unwrap());
    }
    assert_eq!(results, [0, -1, -1, 1, 1], "the limit decides");
}

/// Positions with the same board and ply but different capture counters have different full keys,
/// because proofs of one need not hold for the other.
#[test]
fn full_keys_include_the_capture_counter() {
    let board = |x: &str, o: &str| -> String {
        let cells = (0..64).map(|cell| {
            let name = format!("{}{}", (b'a' + cell % 8) as char, 8 - cell / 8);
            if x.contains(&name) {
                'x'
            } else if o.contains(&name) {
                'o'
            } else {
                '.'
            }
        });
        cells.collect()
    };
    let play = |game: &mut CheckersGomoku, text: &str| {
        let turn = parse_turn(game, text).unwrap();
        turn.play_on(game);
    };
    let rules = CheckersGomokuRules::default();
    let (others, all) = ("h1 h3 h5 a1 a7", "h1 h3 h5 a1 a7 h8");
    let mut quiet =
        CheckersGomoku::from_board(&rules, &board("b3 c3 d3 e3 f3 b8", others), Side::P1).unwrap();
    let mut capture =
        CheckersGomoku::from_board(&rules, &board("b3 c3 d3 e3 g2 b7", all), Side::P1).unwrap();
    play(&mut quiet, "b8-b7");
    play(&mut capture, "g2-f3xh8");
    assert_eq!((quiet.ply(), quiet.position_key()), (capture.ply(), capture.position_key()));
    assert_ne!(quiet.full_key(), capture.full_key());
}

#[test]
fn it_solves_tic_tac_toe() {
    let start = preset("tic_tac_toe").unwrap().initial();
    for seed in 0..150 {
        let game = opening(start, 1 + seed as u32 % 6, seed);
        let expected = result(&game, 9);
        assert_eq!(proven(&game, 9), expected, "{game}");
        let search_result = searched(&game, 1 << 8, &Limits::nodes(u64::MAX));
        let next = search_result.best.after(&game);
        let kept = next.outcome().map(|outcome| outcome.value_for(game.to_move()) as i32);
        assert_eq!(kept.or_else(|| result(&next, 9).map(|value| -value)), expected);
    }
    let search_result =
        start.alphabeta(&mut AlphaBetaSearch::default(), &Limits::nodes(u64::MAX)).unwrap();
    assert_eq!((search_result.proven, search_result.score), (Some(Outcome::Draw), 0));
}

/// The heuristic of tic-tac-toe is always 0, the score of a draw, and there are many
/// transpositions. A heuristic score from the table must not count as a proof.
#[test]
fn a_stored_heuristic_score_is_not_a_proof() {
    let start = preset("tic_tac_toe").unwrap().initial();
    for seed in 0..40 {
        let game = opening(start, seed as u32 % 5, seed);
        for turns in 1..=7 {
            check_proof(&game, proven(&game, turns), result(&game, turns.into()));
        }
    }
}

#[test]
fn the_same_nodes_give_the_same_result() {
    for listing in registry::all() {
        let start = listing.variant.initial();
        let mut used = AlphaBetaSearch::new(1 << 10);
        for seed in 0..3 {
            let game = opening(start, 4, seed);
            let limits = Limits::nodes(3000);
            let first = game.alphabeta(&mut used, &limits).unwrap();
            assert!(first.nodes <= 3000, "{}", listing.name);
            let again = game.alphabeta(&mut used, &limits).unwrap();
            assert_eq!(again, first, "nothing is remembered");
            assert_eq!(searched(&game, 1 << 10, &limits), first);
            assert!(legal_turns(&game).contains(&first.best));
        }
        let hurried = start.alphabeta(&mut used, &Limits::nodes(0)).unwrap();
        assert_eq!((hurried.depth, hurried.nodes, hurried.proven), (0, 0, None));
    }
}

#[test]
fn a_deadline_is_kept_and_a_finished_game_has_no_best_turn() {
    for name in ["connect_four", "neutron5", "neutron7", "susan", "entropy", "checkers_gomoku"] {
        let start = preset(name).unwrap().initial();
        let mut search = AlphaBetaSearch::default();
        let (begun, time) = (Instant::now(), Duration::from_millis(30));
        let search_result = start.alphabeta(&mut search, &Limits::until(begun + time)).unwrap();
        let taken = begun.elapsed();
        assert!(taken < 20 * time, "{name}: {taken:?}");
        assert!(taken >= time || search_result.proven.is_some());
        assert!(search_result.depth >= 1);
    }
    let board = "x x x x x\n. . . . .\n. . . . .\n. . . . .\no o * o o";
    let over = Neutron::<5, 5>::from_board(&NeutronRules::FIVE, board, Side::P1).unwrap();
    assert!(over.outcome().is_some());
    assert_eq!(AlphaBetaSearch::default().search(&over, &Limits::depth(3)), None);
}

/// In the middle of a turn the search returns the rest of the turn.
#[test]
fn it_completes_a_turn_that_has_begun() {
    let mut game = opening(preset("neutron5").unwrap().initial(), 2, 1);
    let ply = game.ply();
    let turn = legal_turns(&game).into_iter().find(|turn| turn.actions.len() == 2).unwrap();
    game.play(turn.actions[0]);
    let search_result = game.alphabeta(&mut AlphaBetaSearch::default(), &Limits::depth(2)).unwrap();
    assert_eq!(search_result.best.actions.len(), 1);
    assert_eq!(search_result.best.after(&game).ply(), ply + 1);
}

/// Each level of a search keeps a position on the stack.
#[test]
fn searches_of_long_games_fit_on_a_small_stack() {
    let options = serde_json::json!({ "max_plies": 500 });
    let start = find("neutron5", options.as_object().unwrap()).unwrap().initial();
    let searches = move || {
        for seed in 0..20 {
            let game = opening(start, 6, seed);
            assert!(searched(&game, 1 << 10, &Limits::nodes(20_000)).depth > 0);
        }
    };
    std::thread::Builder::new().stack_size(1 << 20).spawn(searches).unwrap().join().unwrap();
}

/// A player by alpha-beta that returns one action at a time.
fn classical(limits: impl Fn() -> Limits<'static>) -> impl FnMut(&Position) -> Action {
    let mut search = AlphaBetaSearch::default();
    let mut turn = VecDeque::new();
    move |game: &Position| {
        if turn.is_empty() {
            turn.extend(game.alphabeta(&mut search, &limits()).unwrap().best.actions);
        }
        turn.pop_front().unwrap()
    }
}

fn plain_uct(simulations: u32) -> impl FnMut(&Position) -> Action {
    let mut search = Uct::default();
    let mut rng = stream(1, 0, 0, Purpose::Playout);
    let limits = uct::Limits::simulations(simulations);
    move |game: &Position| game.uct(&mut search, &limits, &mut rng).unwrap()
}

#[test]
fn it_beats_uct() {
    for (name, nodes) in [("connect_four", 5000), ("neutron5", 5000), ("entropy", 3000)] {
        let counts = match_of(
            preset(name).unwrap().initial(),
            [12, 2],
            &mut classical(|| Limits::nodes(nodes)),
            &mut plain_uct(100),
        );
        let [score, margin] = score(counts);
        assert!(score - margin > 0.5, "{name}: {score:.3} +- {margin:.3} {counts:?}");
    }
}

/// Run by `cargo test --release --lib classical:: -- --ignored --nocapture`. Set the games
/// in `GAMES` (default all), the number of pairs in `PAIRS` and the milliseconds a turn in `TIME`.
#[test]
#[ignore = "a measurement"]
fn matches_against_uct() {
    fn play(variant: &Variant, pairs: u64, time: u64) {
        let limits = || Limits::until(Instant::now() + Duration::from_millis(time));
        let mut classical = classical(limits);
        let mut uct = plain_uct(1000);
        let counts = match_of(variant.initial(), [pairs, 2], &mut classical, &mut uct);
        let [score, margin] = score(counts);
        println!("{:<18} {time} ms: {score:.3} +- {margin:.3} {counts:?}", variant.name);
    }
    let setting = |name, default: &str| std::env::var(name).unwrap_or_else(|_| default.to_owned());
    let (pairs, time) = (setting("PAIRS", "5").parse().unwrap(), setting("TIME", "100"));
    let names = setting("GAMES", "");
    for listing in registry::all() {
        if names.is_empty() || names.split(',').any(|name| name == listing.name) {
            play(&listing.variant, pairs, time.parse().unwrap());
        }
    }
}

/// Measures depth and speed:
/// `cargo test --release --lib classical:: -- --ignored --nocapture depths`.
#[test]
#[ignore = "a measurement"]
fn depths_and_speed() {
    for listing in registry::all() {
        let start = listing.variant.initial();
        let mut search = AlphaBetaSearch::default();
        let (mut depth, mut nodes, positions, time) = (0, 0, 10, 0.1);
        for seed in 0..positions {
            let game = opening(start, 4, seed);
            let deadline = Instant::now() + Duration::from_secs_f64(time);
            let search_result = game.alphabeta(&mut search, &Limits::until(deadline)).unwrap();
            depth += u32::from(search_result.depth);
            nodes += search_result.nodes;
        }
        let (depth, speed) = (f64::from(depth) / positions as f64, nodes as f64 / time);
        let speed = speed / positions as f64 / 1e6;
        println!("{:<18} {depth:.1} turns in {time} s, {speed:.2} M nodes/s", listing.name);
    }
}

/// A position of Entropy and the same with exchanged colours.
#[test]
fn heuristics_do_not_depend_on_the_colour() {
    let rules = EntropyRules::default();
    let board = "x x x . x\n. . x . .\no . . . x\n. o . o .\no . o o o";
    let swapped: String = board
        .chars()
        .map(|cell| match cell {
            'x' => 'o',
            'o' => 'x',
            other => other,
        })
        .collect();
    let one = Entropy::from_board(&rules, board, Side::P1).unwrap();
    let two = Entropy::from_board(&rules, &swapped, Side::P2).unwrap();
    assert_eq!(one.heuristic(), two.heuristic());
    assert!(one.heuristic() != 0);
}
