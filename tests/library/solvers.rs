//! The solvers agree with exhaustive search and with published solutions.

use std::time::Instant;

use crate::base::rng::{Purpose, stream};
use crate::classic::uct::{Limits, Uct};
use crate::exact::solvers::{ConnectFourSolver, Solution, TicTacToeSolver, best_of};
use crate::games::picture::Picture;
use crate::games::{
    Action, ConnectFour, ConnectFourRules, Game, Outcome, Side, TicTacToe, TicTacToeRules, replay,
};
use crate::registry::Position;
use crate::tests::common::duel::{match_of, opening, score};

/// The solution by exhaustive search, without a table or bounds.
fn exhaustive<G: Game>(game: &G) -> Solution {
    if let Some(outcome) = game.outcome() {
        return Solution { outcome, turns_left: 0 };
    }
    let mut legal = Vec::new();
    game.legal_actions(&mut legal);
    let solutions = legal.into_iter().map(|action| {
        let mut next = *game;
        next.play(action);
        exhaustive(&next)
    });
    let best = solutions.max_by_key(|solution| solution.merit(game.to_move())).unwrap();
    Solution { turns_left: best.turns_left + 1, ..best }
}

/// An unfinished position after some random turns.
fn random<G: Picture>(start: G, turns: u32, seed: u64) -> G {
    *opening(Position::new(start), turns, seed).typed().unwrap()
}

fn connect_four(moves: &str) -> ConnectFour {
    let moves: Vec<String> = moves.chars().map(String::from).collect();
    replay(&ConnectFourRules {}, &moves).unwrap()
}

fn start() -> ConnectFour {
    ConnectFour::initial(&ConnectFourRules {})
}

#[test]
fn merit_orders_results_and_their_times() {
    let solution = |outcome, turns_left| Solution { outcome, turns_left };
    let (won, lost) = (Outcome::Win(Side::P1), Outcome::Win(Side::P2));
    let ordered = [
        solution(won, 1),
        solution(won, 5),
        solution(Outcome::Draw, 3),
        solution(lost, 6),
        solution(lost, 2),
    ];
    assert!(ordered.is_sorted_by(|a, b| a.merit(Side::P1) > b.merit(Side::P1)));
    assert!(ordered.is_sorted_by(|a, b| a.merit(Side::P2) < b.merit(Side::P2)));
    assert_eq!(best_of(&[], Side::P1), None);
    let equal = [(3, ordered[1]), (1, ordered[2]), (5, ordered[1])];
    assert_eq!(best_of(&equal, Side::P1), Some(3));
    assert_eq!(best_of(&equal, Side::P2), Some(1));
}

// ---- tic-tac-toe ----

#[test]
fn tic_tac_toe_is_a_draw_and_solved_everywhere() {
    let solver = TicTacToeSolver::new();
    let empty = TicTacToe::initial(&TicTacToeRules {});
    assert_eq!(solver.solve(&empty), Some(Solution { outcome: Outcome::Draw, turns_left: 9 }));
    assert!(solver.actions(&empty).iter().all(|(_, found)| found.outcome == Outcome::Draw));
    let corner: TicTacToe = replay(&TicTacToeRules {}, &["a1"]).unwrap();
    let drawing = solver.actions(&corner).into_iter();
    let drawing: Vec<Action> = drawing
        .filter(|(_, found)| found.outcome == Outcome::Draw)
        .map(|(action, _)| action)
        .collect();
    assert_eq!(drawing, [4], "only the centre draws against a corner");
    for seed in 0..300 {
        let game = random(empty, 1 + seed as u32 % 7, seed);
        assert_eq!(solver.solve(&game), Some(exhaustive(&game)), "{game}");
    }
}

#[test]
fn the_tic_tac_toe_player_never_loses() {
    let solver = TicTacToeSolver::new();
    let mut rng = stream(1, 0, 0, Purpose::Playout);
    let mut legal = Vec::new();
    let pairs = match_of(
        Position::new(TicTacToe::initial(&TicTacToeRules {})),
        [300, 0],
        &mut |game: &Position| solver.best(game.typed().unwrap()).unwrap(),
        &mut |game: &Position| {
            game.legal_actions(&mut legal);
            legal[rand::RngExt::random_range(&mut rng, 0..legal.len())]
        },
    );
    assert_eq!(pairs[0] + pairs[1], 0);
    assert!(score(pairs)[0] > 0.85, "{pairs:?}");
    let over: TicTacToe = replay(&TicTacToeRules {}, &["a1", "b1", "a2", "b2", "a3"]).unwrap();
    assert_eq!(solver.best(&over), None);
}

// ---- Connect Four ----

#[test]
fn late_positions_of_connect_four_are_solved_as_by_exhaustive_search() {
    let mut solver = ConnectFourSolver::new(1 << 16);
    let mut results = [0; 3];
    for seed in 0..400 {
        let game = random(start(), 29 + seed as u32 % 12, seed);
        let expected = exhaustive(&game);
        assert_eq!(solver.solve(&game), expected, "{game}");
        assert_eq!(ConnectFourSolver::new(1 << 10).outcome(&game), expected.outcome, "{game}");
        assert_eq!(solver.outcome(&game), expected.outcome, "{game}");
        let best = solver.best(&game).unwrap();
        let mut next = game;
        next.play(best);
        assert_eq!(exhaustive(&next).merit(game.to_move()), {
            let Solution { outcome, turns_left } = expected;
            Solution { outcome, turns_left: turns_left - 1 }.merit(game.to_move())
        });
        results[(1.0 - expected.outcome.value_for(Side::P1)) as usize] += 1;
    }
    assert!(results.iter().all(|&count| count > 30), "{results:?}");
}

#[test]
fn a_position_and_its_mirror_image_have_the_same_solution() {
    let mut solver = ConnectFourSolver::new(1 << 18);
    for seed in 0..30 {
        let mut rng = stream(seed, 0, 0, Purpose::Playout);
        let moves = |rng: &mut _| -> Vec<u32> {
            (0..18).map(|_| rand::RngExt::random_range(rng, 1..8)).collect()
        };
        let drawn = moves(&mut rng);
        let [mut game, mut image] = [start(); 2];
        for column in drawn {
            let text = |column: u32| column.to_string();
            let play = |game: &mut ConnectFour, column| {
                let turn = crate::games::parse_turn(game, &text(column));
                turn.is_ok_and(|turn| game.try_play(turn.actions[0]))
            };
            assert_eq!(play(&mut game, column), play(&mut image, 8 - column));
        }
        assert_eq!(ConnectFourSolver::new(1 << 18).solve(&game), solver.solve(&image));
        let mut mirrored: Vec<_> = solver
            .outcomes(&image)
            .into_iter()
            .map(|(action, outcome)| (action % 7, outcome))
            .collect();
        mirrored.iter_mut().for_each(|(column, _)| *column = 6 - *column);
        mirrored.sort_by_key(|(column, _)| *column);
        let mut straight: Vec<_> = solver
            .outcomes(&game)
            .into_iter()
            .map(|(action, outcome)| (action % 7, outcome))
            .collect();
        straight.sort_by_key(|(column, _)| *column);
        assert_eq!(straight, mirrored);
    }
}

#[test]
fn immediate_wins_and_finished_games_need_no_search() {
    let mut solver = ConnectFourSolver::new(1 << 10);
    let won = connect_four("4141414");
    assert_eq!(solver.solve(&won), Solution { outcome: Outcome::Win(Side::P1), turns_left: 0 });
    assert_eq!((solver.best(&won), solver.outcomes(&won)), (None, Vec::new()));
    let winning = connect_four("414141");
    assert_eq!(solver.solve(&winning), Solution { outcome: Outcome::Win(Side::P1), turns_left: 1 });
    assert_eq!(solver.nodes(), 0);
    assert_eq!(winning.action_text(solver.best(&winning).unwrap()).as_str(), "4");
}

/// Solves positions with 16 stones one after the other, with the same table.
#[test]
fn middle_game_positions_take_little_time() {
    let mut solver = ConnectFourSolver::default();
    let mut uct = Uct::default();
    let (begun, mut agreed, count) = (Instant::now(), 0, 12);
    for seed in 0..count {
        let game = random(start(), 16, 1000 + seed);
        let outcome = solver.outcome(&game);
        let mut rng = stream(seed, 0, 0, Purpose::Playout);
        uct.search(&game, &Limits::simulations(2000), &mut rng);
        let value = outcome.value_for(game.to_move());
        agreed += i32::from(value * uct.value() > 0.0 || value == 0.0 && uct.value().abs() < 0.4);
    }
    assert!(agreed > 6, "random games agree with the solutions in {agreed} of {count}");
    assert!(begun.elapsed().as_secs() < 60, "{:?}", begun.elapsed());
}

/// The first player wins in the centre column, draws beside it, and loses farther out (J. D. Allen
/// and V. Allis 1988). It takes many minutes:
/// `cargo test --release --lib solvers:: -- --ignored`.
#[test]
#[ignore = "takes many minutes"]
fn connect_four_is_won_in_the_centre_only() {
    let mut solver = ConnectFourSolver::new(1 << 25);
    let (won, lost) = (Outcome::Win(Side::P1), Outcome::Win(Side::P2));
    // The other columns are mirror images.
    for (moves, expected) in [("4", won), ("", won), ("1", lost), ("2", lost), ("3", Outcome::Draw)]
    {
        let begun = Instant::now();
        assert_eq!(solver.outcome(&connect_four(moves)), expected);
        println!("`{moves}`: {:?}, {} positions in all", begun.elapsed(), solver.nodes());
    }
}

/// Measures the time per position:
/// `cargo test --release --lib solvers:: -- --ignored --nocapture`.
#[test]
#[ignore = "a measurement"]
fn times_of_positions() {
    for stones in [20, 16, 14, 12, 10, 8] {
        for fresh in [true, false] {
            let mut solver = ConnectFourSolver::default();
            let (mut total, mut slowest, mut nodes) = (0.0, 0.0_f64, 0);
            let count = if stones < 10 { 10 } else { 40 };
            for seed in 0..count {
                if fresh {
                    solver = ConnectFourSolver::default();
                }
                let game = random(start(), stones, seed);
                let (begun, before) = (Instant::now(), solver.nodes());
                if fresh {
                    solver.outcome(&game);
                } else {
                    solver.solve(&game);
                }
                let seconds = begun.elapsed().as_secs_f64();
                (total, slowest) = (total + seconds, slowest.max(seconds));
                nodes += solver.nodes() - before;
            }
            println!(
                "{stones} stones, {}: {:.4} s on average, {slowest:.4} s at most, {:.1} M nodes/s",
                if fresh { "result, fresh table" } else { "result and time, one table" },
                total / count as f64,
                nodes as f64 / total / 1e6
            );
        }
    }
}
