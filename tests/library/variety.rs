//! What the metrics say of how games end, and of how much they differ.

use std::sync::atomic::AtomicBool;

use serde_json::{Map, Value};

use crate::games::{Action, Outcome};
use crate::registry::{self, Variant};
use crate::search::{self, Cache, Uniform};
use crate::selfplay::record::{Choice, GameRecord, Searched};
use crate::selfplay::{self, Counters, IterationJob, Variety};
use crate::tests::common::finished::finished;

/// A game of tic-tac-toe, of which the turns before `searched` were drawn without a search.
fn game(actions: &[Action], searched: usize) -> GameRecord {
    let mut game = registry::preset("tic_tac_toe").unwrap().initial();
    let mut choices = Vec::new();
    for (index, &action) in actions.iter().enumerate() {
        let search =
            (index >= searched).then(|| Searched::new(&[(action, 1.0)], [0.0, 1.0, 0.0], 0.0));
        choices.push(Choice { action, search });
        assert!(game.try_play(action));
    }
    let (outcome, plies) = (game.outcome().unwrap(), game.ply());
    finished(choices, outcome, plies)
}

fn variety(games: &[GameRecord]) -> Variety {
    Variety::of(&registry::preset("tic_tac_toe").unwrap(), games)
}

const WIN: [Action; 5] = [0, 3, 1, 4, 2];
/// The same position after three turns as in [`WIN`], another game.
const TRANSPOSED: [Action; 5] = [1, 3, 0, 4, 2];
const DRAW: [Action; 9] = [0, 1, 2, 4, 3, 5, 7, 6, 8];

#[test]
fn games_are_told_apart_by_all_their_actions() {
    let games = [game(&WIN, 0), game(&WIN, 0), game(&TRANSPOSED, 0), game(&DRAW, 0)];
    assert_eq!(variety(&games).distinct_games, 0.75);
    assert_eq!(variety(&games[..2]).distinct_games, 0.5);
    assert_eq!(variety(&games[1..]).distinct_games, 1.0);
    // The same turns from another position are another game.
    let placed = |text: &str| GameRecord {
        position: Some(text.into()),
        ..finished(Vec::new(), Outcome::Draw, 0)
    };
    let others = ["x../o../... x", ".x./o../... x"].map(placed);
    assert_eq!(variety(&others).distinct_games, 1.0);
    // A game given up early is another one than that which went on.
    let mut given_up = game(&WIN, 0);
    given_up.choices.truncate(3);
    assert_eq!(variety(&[given_up, game(&WIN, 0)]).distinct_games, 1.0);
}

#[test]
fn positions_count_where_they_were_searched_and_however_they_came_up() {
    // The start, two after one turn, two after two, then one after three and one after four.
    let both = [game(&WIN, 0), game(&TRANSPOSED, 0)];
    assert_eq!(variety(&both).distinct_positions, Some(7.0 / 10.0));
    // Of the second only the last two are searched, and the first has those too.
    let second = [game(&WIN, 0), game(&TRANSPOSED, 3)];
    assert_eq!(variety(&second).distinct_positions, Some(5.0 / 7.0));
    assert_eq!(variety(&[game(&WIN, 5)]).distinct_positions, None);
    assert_eq!(
        variety(&[]),
        Variety { cut_short: 0.0, distinct_games: 0.0, distinct_positions: None }
    );
}

#[test]
fn a_full_board_is_no_cut() {
    assert_eq!(game(&DRAW, 0).outcome, Outcome::Draw);
    assert_eq!(variety(&[game(&DRAW, 0)]).cut_short, 0.0);
}

/// Games of players who know nothing.
fn games_of(variant: &Variant, count: u64) -> Vec<GameRecord> {
    let settings = selfplay::Settings { games: count, simulations: 2, ..Default::default() };
    let (search, cache) = (search::Settings::default(), Cache::new(0, 1));
    let order = IterationJob::new(variant, &search, &settings, &cache);
    let (counters, stop) = (Counters::default(), AtomicBool::new(false));
    selfplay::play(&order, &mut [Uniform], &counters, &stop).unwrap()
}

fn rules(text: &str) -> Map<String, Value> {
    serde_json::from_str(text).unwrap()
}

/// Share of games cut short, and results: won, drawn.
fn ends(name: &str, options: &str) -> (f64, [usize; 2]) {
    let variant = registry::find(name, &rules(options)).unwrap();
    let games = games_of(&variant, 60);
    let drawn = games.iter().filter(|game| game.outcome == Outcome::Draw).count();
    (Variety::of(&variant, &games).cut_short, [games.len() - drawn, drawn])
}

#[test]
fn games_that_the_limit_ends_are_cut_and_those_decided_on_its_turn_are_not() {
    // In Neutron every draw is by the limit, and some wins come with its last turn.
    let (cut, [won, drawn]) = ends("neutron5", r#"{"max_plies": 7}"#);
    assert!(won > 0 && drawn > 0, "{won} won, {drawn} drawn");
    assert_eq!(cut, drawn as f64 / 60.0);
    let variant = registry::find("neutron5", &rules(r#"{"max_plies": 7}"#)).unwrap();
    let games = games_of(&variant, 60);
    let decided_last = |game: &GameRecord| game.plies == 7 && game.outcome != Outcome::Draw;
    assert!(games.iter().any(decided_last), "no game was won with the last turn");
}

#[test]
fn a_game_that_the_limit_decides_is_cut_all_the_same() {
    // No side can have lost most of its pieces by then.
    for result in ["draw", "material"] {
        let options = format!(r#"{{"max_plies": 40, "cap_result": "{result}"}}"#);
        let (cut, [won, _]) = ends("checkers_gomoku", &options);
        assert_eq!((cut, won > 0), (1.0, result == "material"));
    }
}

#[test]
fn draws_of_the_board_are_no_cuts() {
    // A step without a capture ends every game that the limit would end later.
    let (cut, [_, drawn]) = ends("checkers_gomoku", r#"{"no_capture_limit": 1, "max_plies": 400}"#);
    assert!(drawn > 0 && cut == 0.0, "{cut}, {drawn} drawn");
    let (cut, [_, drawn]) = ends("susan", "{}");
    assert!(drawn > 0 && cut == 0.0, "{cut}, {drawn} drawn");
}

#[test]
fn giving_up_on_the_last_turn_is_no_cut() {
    let variant = registry::find("neutron5", &rules(r#"{"max_plies": 7}"#)).unwrap();
    let mut games = games_of(&variant, 60);
    games.retain(|game| game.plies == 7 && game.outcome == Outcome::Draw);
    assert_eq!(Variety::of(&variant, &games).cut_short, 1.0);
    games.iter_mut().for_each(|game| game.resigned = true);
    assert_eq!(Variety::of(&variant, &games).cut_short, 0.0);
}

#[test]
fn uncapped_rules_have_no_limit() {
    for game in registry::all() {
        let options = game.variant.uncapped().options();
        assert!(matches!(options.get("max_plies").and_then(Value::as_u64), None | Some(0)));
    }
}
