//! Tests of `tavoliere match`: reports, records, requirements, errors.

use serde_json::{Value, json};

use crate::common::cli::{self, program, run, text, texts};
use crate::common::folder::Folder;

/// Runs a match that must end with this exit status, and returns its result as JSON.
#[track_caller]
fn played(status: i32, args: &[&str]) -> Value {
    let run = run(&[&["match"], args, &["--json"]].concat());
    assert_eq!(run.status, Some(status), "{}", run.stderr);
    assert_eq!(run.stderr.is_empty(), status == 0, "{}", run.stderr);
    run.json().remove(0)
}

#[test]
fn players_of_different_games_are_told_with_their_games() {
    let refused = run(&["match", "tic_tac_toe", "connect_four", "--games", "2"]);
    refused.refused(2, "under the same rules:\n");
    for game in ["tic_tac_toe", "connect_four"] {
        refused.refused(2, &format!("{game} plays {game}\n"));
    }
}

#[test]
fn the_report_of_a_match_is_complete() {
    let args = ["uct?rollouts=50", "random", "--game", "neutron5", "--games", "19"];
    let found = played(0, &args);
    assert_eq!(found["games"], 20, "games are rounded up to pairs");
    assert_eq!((text(&found, "game"), text(&found, "first")), ("neutron5", "uct?rollouts=50"));
    let number = |value: &Value| value.as_f64().unwrap_or_else(|| panic!("{found}"));
    let count = |field: &str| found[field].as_u64().unwrap();
    assert_eq!(count("wins") + count("draws") + count("losses"), 20);
    let pairs: u64 = found["pairs"].as_array().unwrap().iter().filter_map(Value::as_u64).sum();
    assert_eq!(pairs, 10);
    for field in ["score", "los", "first_mover_share"] {
        assert!((0.0..=1.0).contains(&number(&found[field])), "{field} of {found}");
    }
    for field in ["elo", "normalized_elo"] {
        assert!(number(&found[field]["low"]) <= number(&found[field]["value"]), "{found}");
    }
    assert!(number(&found["mean_turns"]) > 3.0);
    assert_eq!(found["players"][0]["unit"], "rollouts");
    assert!(number(&found["players"][0]["work_per_turn"]) >= 50.0);
    assert!(found["players"][1]["work_per_turn"].is_null());
    assert!(found["sprt"].is_null());
    let shown = run(&[&["match"], &args[..]].concat()).well().stdout;
    for words in
        ["20 games:", "Elo +", "LOS ", "won by the side that moved first", "rollouts a turn"]
    {
        assert!(shown.contains(words), "no `{words}` in {shown}");
    }
}

#[test]
fn the_program_plays_the_same_match_on_any_number_of_threads() {
    let result = |threads: &str| {
        let args = ["match", "uct?rollouts=20", "random", "--game", "tic_tac_toe", "--games", "60"];
        let mut command = program(&[&args[..], &["--json", "--sprt", "-50,50"]].concat());
        let output = command.env("RAYON_NUM_THREADS", threads).output().unwrap();
        let mut found: Value = serde_json::from_slice(&output.stdout).unwrap();
        for player in found["players"].as_array_mut().unwrap() {
            player["seconds_per_turn"] = Value::Null;
        }
        found
    };
    let alone = result("1");
    assert_eq!(alone, result("2"));
    assert_eq!(alone, result("3"));
}

#[test]
fn a_test_ends_as_soon_as_it_is_decided() {
    let game = ["--game", "connect_four", "--games", "2000", "--opening", "5"];
    let sprt = ["--sprt", "0,50"];
    let better = played(0, &[&["uct?rollouts=50", "random"], &game[..], &sprt[..]].concat());
    assert!(better["games"].as_u64().unwrap() < 200, "{better}");
    assert_eq!(better["sprt"]["decision"], "accept_h1");
    assert!(better["sprt"]["llr"].as_f64() >= better["sprt"]["thresholds"][1].as_f64());
    let worse = played(3, &[&["random", "uct?rollouts=50"], &game[..], &sprt[..]].concat());
    assert!(worse["games"].as_u64().unwrap() < 200, "{worse}");
    assert_eq!(worse["sprt"]["decision"], "accept_h0");
    // A few games between equal players are undecided.
    let equal = ["random", "random", "--game", "connect_four", "--games", "10"];
    let undecided = run(&[&["match"], &equal[..], &sprt[..]].concat());
    assert_eq!(undecided.status, Some(3));
    assert!(undecided.stderr.contains("undecided after 10 games"), "{}", undecided.stderr);
    assert!(undecided.stdout.contains("SPRT of normalised Elo 0 against 50: undecided"));
}

#[test]
fn requirements_decide_the_exit_status() {
    let game = ["uct?rollouts=50", "random", "--game", "connect_four", "--games", "20"];
    let required = |status, conditions: &[&str]| {
        let conditions = conditions.iter().flat_map(|condition| ["--require", condition]);
        let args: Vec<_> = game.into_iter().chain(conditions).collect();
        played(status, &args)
    };
    let met = required(0, &["elo>0", "score >= 0.8", "los>0.95", "normalized_elo>0"]);
    assert_eq!(met["requirements"].as_array().unwrap().len(), 4);
    let missed = required(3, &["elo>0", "score>1"]);
    let met = |index: usize| missed["requirements"][index]["met"].as_bool();
    assert_eq!((met(0), met(1)), (Some(true), Some(false)));
}

#[test]
fn bad_arguments_are_refused() {
    let cases: &[(&[&str], &str)] = &[
        (&["random", "uct"], "say which by --game"),
        (&["random", "uct", "--game", "susn"], "did you mean `susan`?"),
        (&["randm", "uct", "--game", "susan"], "did you mean `random`?"),
        (&["uct?rolouts=5", "random", "--game", "susan"], "did you mean `rollouts`?"),
        (&["alphabeta?nodes=x", "random", "--game", "susan"], "nodes=x: not a number from 1"),
        (&["perfect", "random", "--game", "susan"], "tic_tac_toe and connect_four only"),
        (&["random", "random", "--game", "susan", "--sprt", "5"], "LOWER,UPPER"),
        (&["random", "random", "--game", "susan", "--sprt", "5,0"], "--sprt: the second must be"),
        (&["random", "random", "--game", "susan", "--alpha", "0.1"], "--sprt"),
        (&["random", "random", "--game", "susan", "--require", "eloo>0"], "did you mean `elo`?"),
        (&["random", "random", "--game", "susan", "--require", "elo"], "NAME>NUMBER"),
        (&["random", "random", "--game", "tic_tac_toe", "--opening", "0"], "fewer games"),
    ];
    for (args, words) in cases {
        run(&[&["match"], *args].concat()).refused(2, words);
    }
    let nowhere = ["--records", "/nowhere/at/all", "--games", "2"];
    let args = [&["match", "random", "random", "--game", "susan"], &nowhere[..]].concat();
    run(&args).refused(1, "cannot write /nowhere/at/all");
}

#[test]
fn rule_options_apply_to_the_games() {
    let folder = Folder::new();
    let file = folder.file("games.jsonl");
    let rules = ["--game", "neutron5_hole1", "--rule", "holes=2", "--rule", "max_plies=7"];
    let records = ["--games", "8", "--records", file.to_str().unwrap()];
    played(0, &[&["random", "random"], &rules[..], &records].concat());
    for line in std::fs::read_to_string(&file).unwrap().lines() {
        let game: Value = serde_json::from_str(line).unwrap();
        let moves = texts(&game, "moves");
        assert!(moves.len() <= 7 && moves[..4].iter().all(|turn| turn.starts_with('@')), "{game}");
        assert_eq!((&game["rules"]["holes"], &game["forfeit"]), (&json!(2), &Value::Null));
    }
    for (rule, words) in [
        ("hole=2", "did you mean `holes`?"),
        ("holes", "--rule: holes: an option is written OPTION=VALUE"),
        ("holes=9", "at most 2 holes"),
    ] {
        let game = ["--game", "neutron5_hole1", "--rule", rule];
        run(&[&["match", "random", "random"], &game[..]].concat()).refused(2, words);
    }
    run(&["match", "random", "random", "--rule", "holes=2"])
        .refused(2, "--rule needs a game; name it by --game");
}

#[test]
fn the_help_names_the_players() {
    let help = run(&["match", "--help"]).well().stdout;
    for player in
        ["random", "uct?rollouts", "alphabeta?nodes", "perfect", "policy:RUN", "gtp:COMMAND"]
    {
        assert!(help.contains(player), "no {player} in {help}");
    }
}

#[test]
fn records_replay_to_their_results() {
    let folder = Folder::new();
    let file = folder.file("games.jsonl");
    let names = ["uct?rollouts=20", "random"];
    let file_name = file.to_str().unwrap();
    let game = ["--game", "neutron5_hole1", "--games", "12", "--records", file_name];
    let found = played(0, &[&names[..], &game[..]].concat());
    let lines = std::fs::read_to_string(&file).unwrap();
    let games: Vec<Value> = lines.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    assert_eq!(games.len(), 12);
    let mut wins = 0;
    for (index, game) in games.iter().enumerate() {
        assert_eq!(game["pair"], index / 2);
        let sides = if index % 2 == 0 { ["P1", "P2"] } else { ["P2", "P1"] };
        assert_eq!(sides.map(|side| text(game, side)), names);
        wins += u64::from(game["winner"] == sides[0]);
        let query = json!({
            "game": game["game"], "rules": game["rules"], "moves": texts(game, "moves"),
        });
        assert_eq!(cli::ask(&[], &query)["winner"], game["winner"]);
    }
    assert_eq!(found["wins"], wins);
}

#[test]
fn all_games_begin_in_the_given_position() {
    let folder = Folder::new();
    let file = folder.file("games.jsonl");
    let start = "xxxx./....x/..*../...../ooooo x";
    let position = ["--game", "neutron5", "--position", start];
    let records = ["--records", file.to_str().unwrap()];
    for (opening, pairs) in [("0", 1), ("2", 3)] {
        let games = (2 * pairs).to_string();
        let conditions = ["--opening", opening, "--games", games.as_str()];
        let players = ["uct?rollouts=20", "random"];
        let found = played(0, &[&players[..], &position, &conditions, &records].concat());
        assert_eq!(found["games"], 2 * pairs);
        let lines = std::fs::read_to_string(&file).unwrap();
        let games: Vec<Value> = lines.lines().map(|it| serde_json::from_str(it).unwrap()).collect();
        assert_eq!(games.len(), 2 * pairs);
        let drawn = opening.parse().unwrap();
        for pair in games.chunks(2) {
            assert_eq!(texts(&pair[0], "moves")[..drawn], texts(&pair[1], "moves")[..drawn]);
        }
        for game in games {
            assert_eq!(game["position"], start);
            let query = json!({
                "game": "neutron5", "position": start, "moves": texts(&game, "moves"),
            });
            assert_eq!(cli::ask(&[], &query)["winner"], game["winner"]);
        }
        run(&["records", "--format", "lines", file.to_str().unwrap()]).well();
    }
}

#[test]
fn a_position_that_cannot_be_is_refused_with_a_reason() {
    let game = ["random", "random", "--game", "neutron5", "--position"];
    for (position, words) in [
        ("xxxx./....x/..*../.....", "--position: the board has 4 rows, it needs 5"),
        ("xxxx./....x/..*../...../ooooo", "after the board comes the colour to move"),
        ("xxxx./....x/..*../...../ooooo x hand=1,1", "there is no `hand` in this game"),
        ("xx*x./....x/...../...../ooooo x", "--position: the game is over there, Black has won"),
    ] {
        for command in ["match", "play"] {
            // `play` takes one player.
            let args = if command == "match" { &game[..] } else { &game[1..] };
            run(&[&[command], args, &[position]].concat()).refused(2, words);
        }
    }
    let decided = ["--game", "tic_tac_toe", "--position", "xx./oo./... x", "--games", "2"];
    let args = [&["random", "random"], &decided[..], &["--opening", "0"]].concat();
    assert_eq!(played(0, &args)["games"], 2, "the position that was asked for is played");
}

#[test]
fn the_shipped_player_wins_a_won_start_by_its_book() {
    // White wins within 11 turns whatever its opponent does; a search of one simulation does not.
    let lengths = |player: &str, opponent: &str| {
        let folder = Folder::new();
        let records = folder.file("games.jsonl").display().to_string();
        let options = ["--opening", "0", "--games", "2", "--simulations", "1"];
        played(0, &[&[player, opponent, "--records", &records], &options[..]].concat());
        let games = std::fs::read_to_string(&records).unwrap();
        let first: Value = serde_json::from_str(games.lines().next().unwrap()).unwrap();
        (first["winner"].clone(), first["moves"].as_array().unwrap().len())
    };
    for opponent in ["random", "uct?rollouts=200", "neutron5?book=off&proof_nodes=0"] {
        let (winner, turns) = lengths("neutron5", opponent);
        assert!(winner == "P1" && turns <= 11, "{winner} in {turns} against {opponent}");
    }
}

#[test]
fn a_book_that_cannot_be_read_is_refused() {
    let folder = Folder::new();
    std::fs::write(folder.file("x.book"), "{}\n").unwrap();
    let file = folder.file("x.book").display().to_string();
    for (book, words) in [("no/such.book", "cannot read the book"), (&file, "first line")] {
        let player = format!("neutron5?book={book}");
        run(&["match", &player, "random"]).refused(1, words);
    }
    run(&["match", "neutron5?book=", "random"]).refused(2, "the file of a book, or off");
}
