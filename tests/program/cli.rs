//! Tests of the command line: arguments in, text and JSON out.

use std::io::{BufRead, BufReader, Write};
use std::sync::mpsc;
use std::time::Duration;

use serde_json::{Value, json};

use crate::common::cli::{
    ANSWER, REFUSAL, analyze, ask, board, fields, games, program, run, run_with, text, texts,
};

/// The names of games that scripts and front ends rely on.
const GAMES: [&str; 26] = [
    "susan",
    "neutron5",
    "neutron5_single",
    "neutron5_double",
    "neutron5_kraus",
    "neutron5_hole1",
    "neutron5_hole2",
    "neutron5_abstractplay",
    "neutron5x7_abstractplay",
    "neutron7",
    "neutron7_single",
    "neutron7_double",
    "neutron7_kraus",
    "neutron7_hole1",
    "neutron7_hole2",
    "neutron7_abstractplay",
    "neutron7x5_abstractplay",
    "coneutron5",
    "coneutron5_abstractplay",
    "coneutron7",
    "entropy",
    "checkers_gomoku",
    "connect_four",
    "tic_tac_toe",
    "breakthrough6",
    "breakthrough8",
];

const SUBCOMMANDS: &[&str] = &[
    "games",
    "rules",
    "analyze",
    "perft",
    "bench",
    "match",
    "play",
    "engine",
    "exact",
    "solve",
    "positions",
    "records",
    "card",
    "review",
    "ladder",
    "digest",
    "prune",
    "export",
    "licences",
    "completions",
    "man",
    #[cfg(feature = "serve")]
    "serve",
    #[cfg(feature = "serve")]
    "site",
    #[cfg(feature = "bot")]
    "bot",
    #[cfg(feature = "net")]
    "train",
    #[cfg(feature = "net")]
    "selfplay",
];

// ---- arguments ----

#[test]
fn games_lists_every_game_once() {
    let run = run(&["games"]).well();
    let mut listed: Vec<_> =
        run.lines().iter().filter_map(|line| line.split_whitespace().next()).collect();
    assert!(GAMES.iter().all(|game| listed.contains(game)), "{listed:?}");
    let all = listed.len();
    listed.sort_unstable();
    listed.dedup();
    assert_eq!(listed.len(), all);
}

#[test]
fn games_as_json_have_sizes_and_options() {
    let games = run(&["games", "--json"]).well().json();
    assert!(games.len() >= GAMES.len());
    for game in &games {
        assert!(!text(game, "summary").is_empty() && !text(game, "title").is_empty());
        assert!(game["rules"].is_object(), "{game}");
        for size in ["rules_version", "height", "width", "planes", "actions", "symmetries"] {
            assert!(game[size].as_u64().is_some_and(|size| size > 0), "{size} of {game}");
        }
    }
    let hole2 = games.iter().find(|game| game["game"] == "neutron5_hole2").unwrap();
    assert_eq!(hole2["rules"]["holes"], 2);
}

#[test]
fn rules_explain_every_game_in_80_columns() {
    let listed = run(&["rules"]).well();
    for game in GAMES {
        assert!(listed.stdout.contains(game), "{game}");
        let rules = run(&["rules", game]).well();
        assert!(rules.lines().contains(&"How the game ends"), "{game}");
        assert!(rules.lines().iter().all(|line| line.chars().count() <= 80), "{game}");
    }
    let neutron = run(&["rules", "neutron"]).well().stdout;
    assert_eq!(neutron, run(&["rules", "neutron7_kraus"]).well().stdout, "one text for a family");
    assert!(
        neutron.contains("1 x x x x x\n")
            && neutron.contains("White has won: Black cannot move the neutron")
    );
    run(&["rules", "susen"]).refused(2, "`susan`");
    run(&["rules", "zzzzzz"]).refused(2, "`tavoliere games` lists them");
}

#[test]
fn licences_of_linked_packages_are_printed() {
    let printed = run(&["licences"]).well();
    let lines = printed.lines();
    for start in ["## Apache-2.0", "| burn 0", "| serde 1", "| axum 0", "| clap 4"] {
        assert!(lines.iter().any(|line| line.starts_with(start)), "{start}");
    }
    assert!(lines.iter().any(|line| line.contains("Roboto")), "the font is part of the program");
}

#[test]
fn perft_prints_the_counts_of_the_rules() {
    for (args, counts) in [
        (vec!["neutron5", "3"], "58092 678 358 320 0"),
        (vec!["neutron5", "2", "--rule", "holes=1"], "182 0 0 0 0"),
        (vec!["neutron5_single", "3", "--rule", "restriction=wall"], "49584 678 358 320 0"),
        (vec!["susan", "2"], "3660 0 0 0 0"),
        (vec!["susan", "2", "--rule", "pie=\"on\""], "3721 0 0 0 0"),
        (vec!["susan", "2", "--rule", "pie=on", "--rule", "notation=linhart"], "3721 0 0 0 0"),
        (vec!["entropy", "2"], "1085 0 0 0 0"),
        (vec!["checkers_gomoku", "0"], "1 0 0 0 0"),
        (vec!["tic_tac_toe", "9"], "127872 127872 81792 0 46080"),
        (vec!["tic_tac_toe", "20"], "0 0 0 0 0"),
        (vec!["tic_tac_toe", "1", "--position", "xx./oo./... x"], "5 1 1 0 0"),
    ] {
        let run = run(&[&["perft"], &args[..]].concat()).well();
        assert_eq!(run.stdout, format!("{counts}\n"), "{args:?}");
    }
}

#[test]
fn bad_arguments_are_usage_errors_that_name_the_nearest_word() {
    let cases: &[(&[&str], &str)] = &[
        (&[], "Usage"),
        (&["gmes"], "'games'"),
        (&["games", "--jsn"], "'--json'"),
        (&["games", "more"], "more"),
        (&["perft"], "<GAME>"),
        (&["perft", "neutron5"], "<DEPTH>"),
        (&["perft", "entropi", "2"], "`entropy`"),
        (&["perft", "tic_tac_toe", "2", "--position", "xx./.../... x"], "does not fit"),
        (&["perft", "conect_four", "2"], "`connect_four`"),
        (&["perft", "zzzzzz", "2"], "`tavoliere games` lists them"),
        (&["perft", "", "2"], "there is no game"),
        (&["perft", "NEUTRON5", "2"], "there is no game"),
        (&["perft", "neutron5", "-1"], "-1"),
        (&["perft", "neutron5", "21"], "21"),
        (&["perft", "neutron5", "three"], "three"),
        (&["perft", "neutron5", "2", "--rule", "hole=1"], "`holes`"),
        (&["perft", "neutron5", "2", "--rule", "holes"], "OPTION=VALUE"),
        (&["perft", "neutron5", "2", "--rule", "holes=3"], "at most 2 holes"),
        (&["perft", "neutron5", "2", "--rule", "holes=many"], "`holes`"),
        (&["perft", "tic_tac_toe", "2", "--rule", "holes=1"], "this game has none"),
        (&["analyze", "--game", "checkers"], "`checkers_gomoku`"),
        (&["bench", "playout"], "`playouts`"),
        (&["bench", "zzzzzz"], "playouts, "),
        (&["bench", "playouts", "--game", "suzan"], "`susan`"),
        (&["bench", "playouts", "--threads", "0"], "--threads"),
        (&["bench", "playouts", "--seconds", "0"], "--seconds"),
        (&["bench", "playouts", "--seconds", "-1"], "-1"),
        (&["bench", "playouts", "--seconds", "nan"], "--seconds"),
        (&["bench", "playouts", "--seconds", "1e300"], "--seconds"),
        (&["bench", "playouts", "--batch", "0"], "--batch"),
    ];
    for (args, words) in cases {
        println!("{args:?}");
        run(args).refused(2, words);
    }
}

/// The longest line of a help text, in characters.
fn width(help: &str) -> usize {
    help.lines().map(|line| line.chars().count()).max().unwrap_or_default()
}

#[test]
fn help_of_every_subcommand_fits_a_hundred_columns() {
    let whole = run(&["--help"]).well().stdout;
    assert!(width(&whole) <= 100);
    for subcommand in SUBCOMMANDS {
        assert!(whole.contains(&format!("  {subcommand} ")), "{subcommand}");
        let help = run(&[subcommand, "--help"]).well().stdout;
        assert!(help.contains("Usage: tavoliere ") && width(&help) <= 100, "{help}");
        assert!(run(&[subcommand, "-h"]).well().stdout.contains("Usage: tavoliere "));
    }
    assert!(run(&["--version"]).well().stdout.starts_with("tavoliere "));
}

#[cfg(feature = "bot")]
#[test]
fn help_of_the_commands_of_a_bot_fits_a_hundred_columns() {
    for command in ["abstractplay", "status"] {
        for help in ["--help", "-h"] {
            let said = run(&["bot", command, help]).well().stdout;
            assert!(said.contains("Usage: tavoliere bot ") && width(&said) <= 100, "{said}");
        }
    }
}

#[cfg(not(feature = "bot"))]
#[test]
fn a_program_without_bots_says_how_to_build_one_with_them() {
    for args in [&["bot"][..], &["bot", "abstractplay", "--player", "susan"]] {
        run(args).refused(2, "--features bot");
    }
    assert!(!run(&["--help"]).well().stdout.contains("  bot "));
}

#[test]
fn short_help_fits_a_hundred_columns_too() {
    for subcommand in SUBCOMMANDS {
        let help = run(&[subcommand, "-h"]).well().stdout;
        assert!(width(&help) <= 100, "{help}");
    }
}

#[test]
fn help_describes_the_subcommand() {
    for (subcommand, words) in [
        ("analyze", "\"moves\": ["),
        ("perft", "sequences finished p1 p2 draws"),
        ("bench", "signature"),
        ("exact", "value_matters"),
        ("positions", "proven"),
        ("records", "recognised by its contents"),
    ] {
        let help = run(&[subcommand, "--help"]).well().stdout;
        assert!(help.contains(words), "{help}");
    }
}

#[test]
fn an_error_is_printed_once() {
    let said = run(&["perft", "neutron5", "2", "--rule", "hole=1"]).stderr;
    assert_eq!(said.matches("did you mean").count(), 1, "{said}");
}

#[test]
fn a_person_plays_against_players_of_every_kind() {
    for player in ["random", "uct?rollouts=9", "alphabeta?nodes=9", "perfect"] {
        let args = ["play", player, "--game", "tic_tac_toe"];
        let played = run(&[&args[..], &["--side", "none"]].concat()).well();
        let last = played.lines().pop().unwrap_or_default().to_owned();
        assert!(["a draw", "Black wins", "White wins"].contains(&last.as_str()), "{last}");
        let asked = run_with(&args, "b2\nundo\nhint\na1\nquit\n").well().stdout;
        assert!(asked.contains("White plays ") && asked.contains("gives no hints"), "{asked}");
    }
    run(&["play", "uct"])
        .refused(2, "the player uct?rollouts=1000 has no game; name one by --game");
    run(&["play", "uct", "--game", "susn"]).refused(2, "did you mean `susan`?");
    run(&["play", "perfect", "--game", "susan"]).refused(2, "tic_tac_toe and connect_four only");
    let holes = ["--game", "neutron5_hole1", "--rule", "holes=2", "--side", "none"];
    let shown = run(&[&["play", "random"], &holes[..]].concat()).well().stdout;
    assert_eq!(shown.matches(" plays @").count(), 4, "{shown}");
}

/// Runs a shell pipe that closes the output of the program early. Returns its standard error.
#[cfg(unix)]
fn into_closed_pipe(command: &str) -> String {
    let script = format!("{command} | head -n 1 | cat >/dev/null");
    let output = std::process::Command::new("sh")
        .args(["-c", &script])
        .env("TAV", env!("CARGO_BIN_EXE_tavoliere"))
        .output()
        .unwrap();
    String::from_utf8(output.stderr).unwrap()
}

#[cfg(unix)]
#[test]
fn output_into_a_closed_pipe_ends_in_silence() {
    let query = r#"{\"game\":\"neutron5\"}"#;
    for command in [
        "\"$TAV\" games".to_owned(),
        "\"$TAV\" games --json".to_owned(),
        "\"$TAV\" --help".to_owned(),
        "\"$TAV\" bench --json --seconds 0.05 playouts tree playouts tree".to_owned(),
        format!("yes \"{query}\" | head -n 2000 | \"$TAV\" analyze"),
        "yes list_commands | head -n 20000 | \"$TAV\" engine".to_owned(),
    ] {
        assert_eq!(into_closed_pipe(&command), "", "{command}");
    }
}

/// What a program on a terminal of this kind shows.
#[cfg(unix)]
fn on_terminal(term: &str, command: &str) -> String {
    let output = std::process::Command::new("script")
        .args(["-qec", command, "/dev/null"])
        .env("TAV", env!("CARGO_BIN_EXE_tavoliere"))
        .env("TERM", term)
        .stdin(std::process::Stdio::null())
        .output()
        .expect("`script` of util-linux");
    String::from_utf8(output.stdout).unwrap()
}

#[cfg(unix)]
#[test]
fn a_dumb_terminal_gets_lines_and_no_bars() {
    let command = "\"$TAV\" match random random --game neutron5 --games 5000";
    let bars = on_terminal("xterm", command);
    assert!(bars.contains('\u{1b}'), "a terminal that can has a bar: {bars}");
    let lines = on_terminal("dumb", command);
    assert!(!lines.contains('\u{1b}'), "{lines}");
    assert!(lines.replace("\r\n", "").find('\r').is_none(), "{lines}");
}

// ---- analyze, by the rules alone ----

#[test]
fn boards_are_drawn_as_documented() {
    let drawn = [
        (
            json!({"game": "neutron5_hole1", "moves": ["@B2", "@A4", "D5-D2", "E3,E1-E2"]}),
            "o",
            "|  A B C D E
             |1 x x x x .
             |2 . # . o x
             |3 . . . . *
             |4 # . . . .
             |5 o o o . o",
        ),
        (
            json!({"game": "susan", "moves": ["e4", "e5", "g3", "f6"]}),
            "x",
            "|    9 . . . . .
             |   8 . . . . . .
             |  7 . . . . . . .
             | 6 . . . . o . . .
             |5 . . . . o . . . .
             | 4 . . . . x . . . i
             |  3 . . . . . . x h
             |   2 . . . . . . g
             |    1 . . . . . f
             |       a b c d e",
        ),
        (
            json!({"game": "checkers_gomoku", "moves": [
                "b1", "d7", "c1", "e7", "d1", "f7", "e1", "g7", "a8", "h7xa8", "f1xh7", "h7xf1",
                "f1xh7", "h7xf1", "f1xh7"]}),
            "o",
            "|8 . . . . . . . .
             |7 . . . o o o o .
             |6 . . . . . . . .
             |5 . . . . . . . .
             |4 . . . . . . . .
             |3 . . . . . . . .
             |2 . . . . . . . .
             |1 . x x x x x . .
             |  a b c d e f g h
             |hand x=4 o=5",
        ),
        (
            json!({"game": "entropy", "moves": ["E4-E3"]}),
            "x",
            "|  A B C D E
             |1 x x x x x
             |2 x . . . x
             |3 . . . . o
             |4 o . . . .
             |5 o o o o o",
        ),
        (
            json!({"game": "neutron7"}),
            "o",
            "|  A B C D E F G
             |1 x x x x x x x
             |2 . . . . . . .
             |3 . . . . . . .
             |4 . . . * . . .
             |5 . . . . . . .
             |6 . . . . . . .
             |7 o o o o o o o",
        ),
        (
            json!({"game": "tic_tac_toe", "moves": ["a1", "c3"]}),
            "x",
            "|3 . . o
             |2 . . .
             |1 x . .
             |  a b c",
        ),
    ];
    for (query, to_move, expected) in drawn {
        let answer = ask(&[], &query);
        assert_eq!(text(&answer, "board"), board(expected), "{query}");
        assert_eq!(text(&answer, "to_move"), to_move, "{query}");
        assert_eq!(answer["ply"], query["moves"].as_array().map_or(0, Vec::len), "{query}");
    }
}

#[test]
fn an_answer_has_the_documented_fields() {
    let queries: Vec<_> = GAMES.map(|game| json!({"id": game, "game": game}).to_string()).into();
    for (answer, game) in analyze(&[], &queries).iter().zip(GAMES) {
        assert_eq!(fields(answer), ANSWER);
        assert_eq!(answer["id"], game);
        assert!(text(answer, "board").lines().all(|line| line.trim_end() == line), "{game}");
        let white_begins =
            ["neutron", "entropy", "breakthrough"].iter().any(|name| game.contains(name));
        assert_eq!(answer["to_move"], if white_begins { "o" } else { "x" }, "{game}");
        assert_eq!(answer["ply"], 0);
        let legal = texts(answer, "legal");
        assert!(legal.len() > 1 && legal.is_sorted_by(|a, b| a < b), "{game}: {legal:?}");
        assert_eq!([&answer["outcome"], &answer["winner"]], [&Value::Null; 2]);
    }
}

#[test]
fn an_id_of_any_kind_comes_back() {
    let ids = [
        json!("text \u{1F3B2} \"quoted\" \\ \n"),
        json!(""),
        json!(0),
        json!(-7),
        json!(u64::MAX),
        json!(i64::MIN),
        json!(0.5),
        json!(true),
        json!([1, "two", [3.5, null]]),
        json!({"a": {"b": []}, "id": 1}),
        Value::Null,
    ];
    let mut queries: Vec<String> =
        ids.iter().map(|id| json!({"id": id, "moves": []}).to_string()).collect();
    queries.push("{}".into());
    let answers = analyze(&["--game", "tic_tac_toe"], &queries);
    for (answer, id) in answers.iter().zip(ids.iter().chain([&Value::Null])) {
        assert_eq!((&answer["id"], fields(answer)), (id, ANSWER.to_vec()));
    }
    // Bad queries return their id, too.
    let queries: Vec<_> = ids.iter().map(|id| json!({"id": id, "moves": 1}).to_string()).collect();
    for (answer, id) in analyze(&["--game", "tic_tac_toe"], &queries).iter().zip(&ids) {
        assert_eq!((&answer["id"], fields(answer)), (id, REFUSAL.to_vec()));
    }
}

#[test]
fn a_finished_game_has_a_result_and_no_turns() {
    let draw = ["a1", "b2", "c3", "c1", "a3", "a2", "c2", "b3", "b1"];
    let shuttle = ["A4-B4", "A2-B2", "B4-A4", "B2-A2"].repeat(2);
    let connected = ["1", "2", "1", "2", "1", "2", "1"];
    for (query, outcome, winner) in [
        (json!({"game": "tic_tac_toe", "moves": ["a1", "b1", "a2", "b2", "a3"]}), "x", "P1"),
        (json!({"game": "tic_tac_toe", "moves": ["a1", "b1", "a2", "b2", "c3", "b3"]}), "o", "P2"),
        (json!({"game": "tic_tac_toe", "moves": draw}), "draw", "draw"),
        (json!({"game": "connect_four", "moves": connected}), "x", "P1"),
        (json!({"game": "neutron5", "moves": ["A5-A2", "A5"]}), "o", "P1"),
        (json!({"game": "coneutron5", "moves": ["A3,A5-D2", "A5"]}), "x", "P2"),
        (
            json!({"game": "neutron5", "rules": {"max_plies": 1}, "moves": ["A5-A2"]}),
            "draw",
            "draw",
        ),
    ] {
        let answer = ask(&[], &query);
        assert_eq!(fields(&answer), ANSWER, "{answer}");
        assert_eq!([text(&answer, "outcome"), text(&answer, "winner")], [outcome, winner]);
        assert_eq!((&answer["to_move"], &answer["legal"]), (&Value::Null, &json!([])), "{query}");
        assert_eq!(answer["ply"], query["moves"].as_array().unwrap().len(), "{query}");
    }
    // A position may occur any number of times.
    let answer = ask(&[], &json!({"game": "entropy", "moves": shuttle}));
    assert_eq!((&answer["to_move"], &answer["outcome"]), (&json!("o"), &Value::Null));
}

#[test]
fn the_game_is_that_of_the_query_or_that_of_the_option() {
    let queries = [r#"{"moves":["a1"]}"#, r#"{"game":null}"#, r#"{"game":"connect_four"}"#];
    let with = analyze(&["--game", "tic_tac_toe"], &queries);
    assert_eq!(
        with.iter().map(|answer| texts(answer, "legal").len()).collect::<Vec<_>>(),
        [8, 9, 7]
    );
    let without = analyze(&[], &queries);
    assert_eq!(without[..2].iter().map(fields).collect::<Vec<_>>(), [REFUSAL; 2]);
    assert!(text(&without[0], "error").contains("`game`"));
    assert_eq!(fields(&without[2]), ANSWER);
}

#[test]
fn rules_change_the_game() {
    let legal = |game: &str, rules: Value, moves: &[&str]| {
        let answer = ask(&[], &json!({"game": game, "rules": rules, "moves": moves}));
        assert_eq!(fields(&answer), ANSWER, "{answer}");
        texts(&answer, "legal").into_iter().map(str::to_owned).collect::<Vec<_>>()
    };
    let holes = legal("neutron5", json!({"holes": 1}), &[]);
    assert!(holes.len() == 14 && holes.iter().all(|turn| turn.starts_with('@')), "{holes:?}");
    assert_eq!(legal("neutron5", json!({"first_turn": "full"}), &[]).len(), 95);
    assert_eq!(legal("neutron5_hole2", json!({"holes": 0}), &[]).len(), 13);
    for rules in [
        json!({"rescue": "all"}),
        json!({"rescue": "any", "win": "no_friend"}),
        json!({"win": "contact", "max_plies": 0}),
    ] {
        assert_eq!(legal("entropy", rules, &[]).len(), 35);
    }
    assert!(legal("susan", json!({"pie": "on"}), &["e5"]).contains(&"swap".to_owned()));
    let options = json!({"capture": "optional", "overline": "exact", "per_move": "per_line"});
    assert_eq!(legal("checkers_gomoku", options, &[]).len(), 64);
}

#[test]
fn susan_is_read_and_drawn_in_the_authors_notation_too() {
    let query = json!({"game": "susan", "rules": {"notation": "linhart"}, "moves": ["a1", "E9"]});
    let answer = ask(&[], &query);
    let expected = board(
        "|       1 2 3 4 5
         |    a x . . . . 6
         |   b . . . . . . 7
         |  c . . . . . . . 8
         | d . . . . . . . . 9
         |e . . . . . . . . o
         | f . . . . . . . . 9
         |  g . . . . . . . 8
         |   h . . . . . . 7
         |    i . . . . . 6
         |       1 2 3 4 5",
    );
    assert_eq!(text(&answer, "board"), expected);
    let legal = texts(&answer, "legal");
    assert!(legal.contains(&"e8") && legal.contains(&"i5") && legal.contains(&"a1-b2"));
    assert!(!legal.contains(&"i6"));
}

#[test]
fn a_wrong_option_is_named_with_the_nearest() {
    for (game, rules, words) in [
        ("neutron5", json!({"hole": 1}), "`hole`, did you mean `holes`?"),
        ("neutron5", json!({"holes": 3}), "`holes`"),
        ("neutron5", json!({"holes": "1"}), "`holes`"),
        ("neutron5", json!({"holes": 1.5}), "`holes`"),
        ("neutron5", json!({"holes": -1}), "`holes`"),
        ("neutron5", json!({"forbid": "nobody"}), "`forbid`"),
        ("neutron5", json!({"max_plies": 70000}), "`max_plies`"),
        ("neutron5", json!({"repetition": "off"}), "unknown option `repetition`"),
        ("entropy", json!({"resuce": "all"}), "`rescue`"),
        ("entropy", json!({"rescue": ["all"]}), "`rescue`"),
        ("susan", json!({"notation": null}), "`notation`"),
        ("susan", json!({"notatoin": "linhart"}), "`notation`"),
        ("tic_tac_toe", json!({"size": 4}), "this game has none"),
        ("entropi", json!({}), "`entropy`"),
    ] {
        let answer = ask(&[], &json!({"id": 3, "game": game, "rules": rules}));
        assert_eq!(fields(&answer), REFUSAL, "{answer}");
        assert!(text(&answer, "error").contains(words), "{answer}");
        assert_eq!((&answer["id"], &answer["at"]), (&json!(3), &Value::Null));
    }
}

#[test]
fn turns_are_read_whatever_their_case_and_the_space_around() {
    for (game, moves) in [
        ("neutron5", vec![" a5-a2\t", "D4,a1-C3"]),
        ("neutron5_hole1", vec!["@c2", "  @C4  "]),
        ("susan", vec!["E5", "\u{a0}d4\n", "e5-F5"]),
        ("entropy", vec!["e4-E3"]),
        ("checkers_gomoku", vec!["D4 ", " A1"]),
        ("connect_four", vec![" 4", "4 "]),
        ("tic_tac_toe", vec!["B2", " a1 "]),
    ] {
        let answer = ask(&["--game", game], &json!({"moves": moves}));
        assert_eq!(answer["ply"], moves.len(), "{answer}");
    }
}

#[test]
fn almost_legal_turns_are_refused() {
    for (game, turn) in [
        ("neutron5", "A5-A3"),
        ("neutron5", "A5 - A2"),
        ("neutron5", "A5A2"),
        ("neutron5", "A5-A2,"),
        ("neutron5", "A5-A2 A5-A2"),
        ("neutron5", "C2,A5-A2"),
        ("coneutron5", "C2"),
        ("coneutron5", "C2,"),
        ("susan", "a6"),
        ("susan", "swap"),
        ("entropy", "pass"),
        ("checkers_gomoku", "d4xe5"),
        ("connect_four", "0"),
        ("connect_four", "8"),
        ("connect_four", "11"),
        ("tic_tac_toe", ""),
        ("tic_tac_toe", "\u{ff41}1"),
        ("tic_tac_toe", "a1\0"),
    ] {
        let answer = ask(&["--game", game], &json!({"moves": [turn]}));
        assert_eq!(answer["at"], 0, "{game} {turn}: {answer}");
        assert!(text(&answer, "error").contains("legal are"), "{answer}");
    }
}

#[test]
fn a_thousand_answers_come_in_the_order_of_the_queries() {
    let query = |index: usize| match index % 5 {
        0 => json!({"id": index, "game": "tic_tac_toe", "moves": ["a1"]}),
        1 => json!({"id": index, "game": "neutron5", "moves": ["A5-A2", "z9"]}),
        2 => json!({"id": index, "game": "susan", "moves": ["e5", "d4"]}),
        3 => json!({"id": index, "game": "chess"}),
        _ => json!({"id": index, "game": "entropy", "moves": []}),
    };
    let lines: Vec<_> = (0..1000).map(|index| query(index).to_string()).collect();
    for (index, answer) in analyze(&[], &lines).iter().enumerate() {
        assert_eq!(answer["id"], index);
        let (ply, at) = match index % 5 {
            0 => (json!(1), Value::Null),
            1 => (Value::Null, json!(1)),
            2 => (json!(2), Value::Null),
            3 => (Value::Null, Value::Null),
            _ => (json!(0), Value::Null),
        };
        assert_eq!((&answer["ply"], &answer["at"]), (&ply, &at), "{answer}");
    }
}

/// A running program that is sent lines and whose answers are read one by one.
struct Conversation {
    child: std::process::Child,
    stdin: std::process::ChildStdin,
    lines: mpsc::Receiver<String>,
}

impl Conversation {
    fn with(args: &[&str]) -> Self {
        let mut child = program(args).spawn().unwrap();
        let stdin = child.stdin.take().unwrap();
        let stdout = BufReader::new(child.stdout.take().unwrap());
        let (sender, lines) = mpsc::channel();
        std::thread::spawn(move || stdout.lines().try_for_each(|line| sender.send(line.unwrap())));
        Self { child, stdin, lines }
    }

    /// Sends a text and waits for a line of output.
    fn say(&mut self, said: &str) -> Option<String> {
        self.stdin.write_all(said.as_bytes()).unwrap();
        self.stdin.flush().unwrap();
        self.lines.recv_timeout(Duration::from_secs(5)).ok()
    }

    fn end(self) -> Option<i32> {
        let Self { mut child, stdin, .. } = self;
        drop(stdin);
        child.wait().unwrap().code()
    }
}

#[test]
fn an_answer_is_there_before_the_next_query_is_sent() {
    let mut talk = Conversation::with(&["analyze", "--game", "tic_tac_toe"]);
    for ply in 0..5 {
        let moves = &["b2", "a1", "c3", "a3", "a2"][..ply];
        let answer = talk.say(&format!("{}\n", json!({"moves": moves}))).expect("an answer");
        assert_eq!(serde_json::from_str::<Value>(&answer).unwrap()["ply"], ply);
        assert!(talk.say("nonsense\n").expect("an answer").contains("error"));
    }
    // Two queries and the beginning of a third in one write.
    assert!(talk.say("{\"id\":1}\n{\"id\":2}\n{\"id\"").is_some_and(|line| line.contains("1")));
    assert!(talk.say("").is_some_and(|line| line.contains("\"id\":2")));
    assert!(talk.say(":3}\n").is_some_and(|line| line.contains("\"id\":3")));
    assert_eq!(talk.end(), Some(0));
}

#[test]
fn an_empty_line_after_a_query_does_not_hold_its_answer_back() {
    let mut talk = Conversation::with(&["analyze", "--game", "tic_tac_toe"]);
    for blank in ["{}\n\n", "{}\r\n\r\n", "{}\n \n\n\t\n"] {
        assert!(talk.say(blank).is_some(), "no answer to {blank:?}");
    }
    assert_eq!(talk.end(), Some(0));
}

// ---- bad lines ----

/// Bad lines, each with the expected `id` and `at` of its answer and words of the error.
fn bad_lines() -> Vec<(Vec<u8>, Value, Value, &'static str)> {
    let mut lines: Vec<(Vec<u8>, Value, Value, &str)> = Vec::new();
    let mut bad =
        |line: &[u8], id: Value, at: Value, words| lines.push((line.to_vec(), id, at, words));
    let null = || Value::Null;
    // Not JSON, or JSON that is not a query.
    for line in ["hello", "{", "}", "{\"id\":1", "{\"id\":1}}", "{'id':1}", "{\"id\":1,}", "nul"] {
        bad(line.as_bytes(), null(), null(), "");
    }
    for line in ["null", "true", "5", "\"text\"", "[]", "[[]]"] {
        bad(line.as_bytes(), null(), null(), "");
    }
    // Wrong types, with an id.
    for (field, wrong) in [
        ("game", json!(5)),
        ("game", json!(["tic_tac_toe"])),
        ("game", json!({})),
        ("rules", json!([])),
        ("rules", json!("none")),
        ("rules", json!(1)),
        ("moves", json!("a1")),
        ("moves", json!({"0": "a1"})),
        ("moves", json!([1])),
        ("moves", json!([null])),
        ("moves", json!([["a1"]])),
        ("simulations", json!("10")),
        ("simulations", json!(1.5)),
        ("simulations", json!(-1)),
        ("simulations", json!(0)),
        ("simulations", json!(4_294_967_295_u32)),
        ("simulations", json!(4_294_967_296_u64)),
        ("simulations", json!(true)),
        ("time_ms", json!("1s")),
        ("time_ms", json!(-1)),
        ("time_ms", json!(0.1)),
        ("seed", json!("x")),
        ("seed", json!(-1)),
        ("top", json!(-1)),
        ("top", json!([])),
        ("mvoes", json!([])),
        ("", json!(null)),
    ] {
        let line = json!({"id": "me", field: wrong}).to_string();
        bad(line.as_bytes(), json!("me"), null(), "");
    }
    bad(br#"{"id":1,"id":2}"#, json!(2), null(), "id");
    bad(br#"{"id":1,"moves":["a1"],"moves":[]}"#, json!(1), null(), "moves");
    // Numbers out of any range.
    for number in ["1e999", "-1e999", "NaN", "Infinity", "-Infinity", "01", "1.", "+1", "0x10"] {
        bad(format!("{{\"id\":1,\"simulations\":{number}}}").as_bytes(), null(), null(), "");
        bad(format!("{{\"id\":{number}}}").as_bytes(), null(), null(), "");
    }
    for field in ["simulations", "time_ms", "seed", "top"] {
        let line = format!("{{\"id\":1,\"{field}\":18446744073709551616}}");
        bad(line.as_bytes(), json!(1), null(), "");
    }
    // Very deep nesting.
    let deep = ["[".repeat(100_000), "]".repeat(100_000)].concat();
    let objects = ["{\"a\":".repeat(100_000), "1".into(), "}".repeat(100_000)].concat();
    bad(deep.as_bytes(), null(), null(), "");
    bad("[".repeat(500_000).as_bytes(), null(), null(), "");
    for deep in [&deep, &objects] {
        for field in ["id", "rules", "moves", "game", "other"] {
            bad(format!("{{\"{field}\":{deep}}}").as_bytes(), null(), null(), "");
        }
        bad(format!("{{\"rules\":{{\"holes\":{deep}}}}}").as_bytes(), null(), null(), "");
    }
    // Bytes that are not UTF-8 text.
    bad(b"\xff\xfe{\"id\":1}", null(), null(), "");
    bad(b"{\"id\":\"\xff\"}", null(), null(), "");
    bad(b"{\"moves\":[\"\xc3(\"]}", null(), null(), "");
    bad(b"\0", null(), null(), "");
    bad(b"{\"id\":1}\0", null(), null(), "");
    bad(b"{\"id\":\"\0\"}", null(), null(), "");
    bad(b"{\"moves\":[\"a\0\"]}", null(), null(), "");
    bad(br#"{"moves":["\ud800"]}"#, null(), null(), "");
    bad(br#"{"id":"\ud800"}"#, null(), null(), "");
    bad(br#"{"id":"\udc00\ud800"}"#, null(), null(), "");
    // Lines beyond the limit of length, and long values.
    let long = "a".repeat(3 << 20);
    bad(long.as_bytes(), null(), null(), "bytes");
    bad(format!("{{\"id\":1,\"moves\":[\"{long}\"]}}").as_bytes(), null(), null(), "bytes");
    let many = ["\"a1\""; 500_000].join(",");
    bad(format!("{{\"id\":1,\"moves\":[{many}]}}").as_bytes(), null(), null(), "bytes");
    let long = "a".repeat(1_000_000);
    bad(format!("{{\"id\":1,\"moves\":[\"{long}\"]}}").as_bytes(), json!(1), json!(0), "a...");
    bad(format!("{{\"id\":1,\"game\":\"{long}\"}}").as_bytes(), json!(1), null(), "");
    bad(format!("{{\"id\":1,\"rules\":{{\"{long}\":1}}}}").as_bytes(), json!(1), null(), "");
    // Illegal turns.
    bad(br#"{"id":1,"moves":["b2","A5-A2"]}"#, json!(1), json!(1), "legal are");
    bad(br#"{"id":1,"moves":["a1","a1"]}"#, json!(1), json!(1), "legal are");
    bad(br#"{"id":1,"moves":["A1","b2","C3","d4","a2"]}"#, json!(1), json!(3), "`d4`");
    let over = r#"{"id":1,"moves":["a1","b1","a2","b2","a3","b3"]}"#;
    bad(over.as_bytes(), json!(1), json!(5), "the game is over");
    bad("{\"id\":1,\"moves\":[\"\u{1F600}\u{301}\"]}".as_bytes(), json!(1), json!(0), "legal are");
    // JSON allows no byte order mark.
    bad(b"\xef\xbb\xbf{\"id\":1}", null(), null(), "");
    lines
}

/// Sends a good query after every line and checks its answer. Returns the answers to the lines.
#[track_caller]
fn check_each_followed_by_a_good_one(args: &[&str], lines: &[Vec<u8>]) -> Vec<Value> {
    let good = br#"{"id":"good","moves":["b2","a1"],"simulations":2}"#;
    let both: Vec<&[u8]> = lines.iter().flat_map(|line| [line, &good[..]]).collect();
    let mut answers = analyze(args, &both).into_iter();
    let mut own = Vec::new();
    while let (Some(answer), Some(next)) = (answers.next(), answers.next()) {
        assert_eq!((&next["id"], &next["ply"]), (&json!("good"), &json!(2)), "{next} {answer}");
        own.push(answer);
    }
    own
}

/// Arguments of `analyze` for tic-tac-toe: with the rules alone, and with a player.
fn analysts() -> Vec<Vec<&'static str>> {
    vec![
        vec!["--game", "tic_tac_toe"],
        #[cfg(feature = "net")]
        vec!["--player", net::tic_tac_toe()],
    ]
}

#[test]
fn a_bad_line_gets_an_error_in_its_place() {
    let (lines, expected): (Vec<_>, Vec<_>) =
        bad_lines().into_iter().map(|(line, id, at, words)| (line, (id, at, words))).unzip();
    for args in analysts() {
        let answers = check_each_followed_by_a_good_one(&args, &lines);
        for ((answer, line), (id, at, words)) in answers.iter().zip(&lines).zip(&expected) {
            let line = String::from_utf8_lossy(&line[..line.len().min(80)]);
            assert_eq!(fields(answer), REFUSAL, "{line}");
            assert_eq!((&answer["id"], &answer["at"]), (id, at), "{line}: {answer}");
            let error = text(answer, "error");
            assert!(!error.is_empty() && error.contains(words), "{line}: {error}");
        }
    }
}

#[test]
fn an_array_is_no_query() {
    let line = r#"[1,"tic_tac_toe",{},[],null,null,null,null]"#;
    assert_eq!(fields(&analyze(&[], &[line])[0]), REFUSAL);
}

/// Makes bytes a single line that is not blank, so that it is answered once.
fn one_line(mut bytes: Vec<u8>) -> Vec<u8> {
    bytes.iter_mut().filter(|byte| **byte == b'\n').for_each(|byte| *byte = b'\r');
    if bytes.trim_ascii().is_empty() {
        bytes.push(b'?');
    }
    bytes
}

/// Mixes the bits of a word, as SplitMix64 does.
fn mix(word: u64) -> u64 {
    let word = word.wrapping_add(0x9e37_79b9_7f4a_7c15);
    let word = (word ^ word >> 30).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    let word = (word ^ word >> 27).wrapping_mul(0x94d0_49bb_1331_11eb);
    word ^ word >> 31
}

#[test]
fn random_bytes_are_answered() {
    let byte = |line: u64, index: u64| (mix(mix(line) ^ index) >> 32) as u8;
    let lines: Vec<_> = (0..100)
        .map(|line| one_line((0..mix(line) % 200).map(|index| byte(line, index)).collect()))
        .collect();
    for args in analysts() {
        for answer in check_each_followed_by_a_good_one(&args, &lines) {
            assert_eq!(fields(&answer), REFUSAL);
        }
    }
}

#[test]
fn damaged_queries_are_answered() {
    let query =
        br#"{"id":17,"game":"tic_tac_toe","rules":{},"moves":["a1","b2"],"simulations":2,"top":1}"#;
    let damaged = |number: u64| {
        let mut line = query.to_vec();
        for change in 0..=number % 3 {
            let random = mix(number << 8 | change);
            let place = (random >> 8) as usize % line.len();
            match random >> 40 & 3 {
                0 => line[place] = random as u8,
                1 => drop(line.remove(place)),
                2 => line.insert(place, b"\"[]{},:0-e\\"[(random % 11) as usize]),
                _ => line[place] ^= 1 << (random & 7),
            }
        }
        one_line(line)
    };
    let lines: Vec<_> = (0..300).map(damaged).collect();
    for args in analysts() {
        let answers = check_each_followed_by_a_good_one(&args, &lines);
        for answer in &answers {
            let names = fields(answer);
            assert!(names == REFUSAL || ANSWER.iter().all(|name| names.contains(name)), "{answer}");
        }
        assert!(answers.iter().filter(|answer| fields(answer) == REFUSAL).count() > 100);
    }
}

#[test]
fn lines_end_as_they_may() {
    for (input, answers) in [
        ("", 0),
        ("\n\n \n\t\n\r\n", 0),
        ("{}", 1),
        ("{}\n{}", 2),
        ("{}\r\n{}\r\n", 2),
        ("\r\n{}\n\n\r\n{}\n   ", 2),
        (" {} \n\t{ }\t\n", 2),
        ("{}\n{\"mov", 2),
        ("{}{}\n", 1),
    ] {
        let run = run_with(&["analyze", "--game", "tic_tac_toe"], input).well();
        assert_eq!(run.json().len(), answers, "{input:?}");
    }
}

// ---- benchmarks ----

/// Runs benchmarks and returns their results.
fn bench(args: &[&str]) -> Vec<Value> {
    let args = [&["bench", "--json", "--seconds", "0.1"], args].concat();
    run(&args).well().json()
}

#[track_caller]
fn check_bench(args: &[&str], benches: &[(&str, &str)]) {
    let names: Vec<_> = benches.iter().map(|(name, _)| *name).collect();
    let measure = |threads| bench(&[args, &names, &["--threads", threads]].concat());
    let (one, two, again) = (measure("1"), measure("2"), measure("1"));
    for (index, (name, unit)) in benches.iter().enumerate() {
        for (found, threads) in [(&one[index], 1), (&two[index], 2), (&again[index], 1)] {
            let mut expected = vec!["bench", "game", "signature", "threads", "unit", "value"];
            if *name == "selfplay" {
                expected.insert(2, "moves_per_s");
            }
            assert_eq!(fields(found), expected);
            assert_eq!((text(found, "bench"), text(found, "unit")), (*name, *unit));
            assert_eq!(found["threads"], threads);
            assert!(found["value"].as_f64().is_some_and(|value| value > 0.0), "{found}");
            assert_eq!(text(found, "signature"), text(&one[index], "signature"), "{name}");
        }
    }
}

#[test]
fn benchmarks_of_rules_and_search_sign_what_they_compute() {
    let benches = [("playouts", "games/s"), ("uct", "simulations/s"), ("tree", "simulations/s")];
    check_bench(&["--game", "neutron5"], &benches);
    let default = bench(&["playouts"]);
    assert_eq!((text(&default[0], "game"), &default[0]["threads"]), ("connect_four", &json!(1)));
}

#[test]
fn benchmarks_run_on_all_games() {
    let found = run(&["bench", "--json", "--seconds", "0.001", "--game", "all", "tree"]).well();
    let mut played: Vec<_> =
        found.json().iter().map(|found| text(found, "game").to_owned()).collect();
    let mut expected = games();
    played.sort_unstable();
    expected.sort_unstable();
    assert_eq!(played, expected);
}

// ---- with a network ----

#[cfg(feature = "net")]
mod net {
    use std::fs;
    use std::path::{Path, PathBuf};
    use std::sync::OnceLock;

    use super::*;

    /// Creates an empty folder for a test.
    fn folder(name: &str) -> PathBuf {
        let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join(format!("cli-{name}"));
        let _ = fs::remove_dir_all(&folder);
        fs::create_dir_all(&folder).unwrap();
        folder
    }

    /// Trains a tiny player for one iteration and returns the path of its run.
    fn trained(game: &str) -> String {
        let folder = folder(game);
        let config = folder.join("tiny.toml");
        let settings = "network = { channels = 4, blocks = 1 }\n\
                        selfplay = { games = 8, simulations = 4 }\nlearner = { batch = 8 }\n";
        fs::write(&config, format!("game = '{game}'\n{settings}")).unwrap();
        let path = folder.join("run").to_str().unwrap().to_owned();
        let args = ["train", config.to_str().unwrap(), "--iterations", "1", "--run", &path];
        run(&args).well();
        path
    }

    pub fn tic_tac_toe() -> &'static str {
        static RUN: OnceLock<String> = OnceLock::new();
        RUN.get_or_init(|| trained("tic_tac_toe"))
    }

    fn neutron5() -> &'static str {
        static RUN: OnceLock<String> = OnceLock::new();
        RUN.get_or_init(|| trained("neutron5"))
    }

    /// Checks that the value has `win`, `draw` and `loss`, which sum to 1.
    #[track_caller]
    fn check_chances(chances: &Value) {
        assert_eq!(fields(chances), ["draw", "loss", "win"]);
        let parts = ["win", "draw", "loss"].map(|part| chances[part].as_f64().unwrap());
        assert!(parts.iter().all(|part| (0.0..=1.0).contains(part)), "{chances}");
        assert!((parts.iter().sum::<f64>() - 1.0).abs() < 1e-3, "{chances}");
    }

    /// Checks fields and types of an answer with a search.
    #[track_caller]
    fn check_search_report(answer: &Value) {
        let search = ["best", "proven", "proven_in", "pv", "raw", "simulations", "turns", "value"];
        let mut expected = [&ANSWER[..], &search[..]].concat();
        expected.sort_unstable();
        assert_eq!(fields(answer), expected, "{answer}");
        check_chances(&answer["value"]);
        check_chances(&answer["raw"]);
        let legal = texts(answer, "legal");
        assert!(legal.contains(&text(answer, "best")), "{answer}");
        for turn in answer["turns"].as_array().unwrap() {
            assert_eq!(fields(turn), ["prior", "proven", "proven_in", "turn", "value", "visits"]);
            assert!(legal.contains(&text(turn, "turn")), "{turn}");
            // A turn without visits is proven by the root prover, or the last one that is not
            // proven lost.
            let is_visited = turn["visits"].as_u64().is_some_and(|visits| visits > 0);
            let is_best = turn["turn"] == answer["best"];
            assert!(is_visited || is_best || !turn["proven"].is_null(), "{turn}");
            assert!(turn["prior"].as_f64().is_some_and(|prior| (0.0..=1.0).contains(&prior)));
            check_chances(&turn["value"]);
        }
        if let Some(first) = texts(answer, "pv").first() {
            assert_eq!(*first, text(answer, "best"));
        }
        assert!(
            [json!(null), json!("win"), json!("draw"), json!("loss")].contains(&answer["proven"])
        );
    }

    fn visits(answer: &Value) -> u64 {
        let turns = answer["turns"].as_array().unwrap();
        turns.iter().map(|turn| turn["visits"].as_u64().unwrap()).sum()
    }

    #[test]
    fn a_player_adds_its_search() {
        let queries: Vec<_> = [vec![], vec!["b2"], vec!["a1", "b2", "c3"]]
            .iter()
            .flat_map(|moves| [2, 3, 10, 200].map(|n| json!({"moves": moves, "simulations": n})))
            .collect();
        let lines: Vec<_> = queries.iter().map(Value::to_string).collect();
        for (answer, query) in analyze(&["--player", tic_tac_toe()], &lines).iter().zip(&queries) {
            check_search_report(answer);
            let [made, asked] = [answer, query].map(|of| of["simulations"].as_u64().unwrap());
            // A search ends as soon as the result is proven.
            let is_certain = !answer["proven"].is_null();
            assert!(made == asked || made < asked && is_certain, "{answer}");
            assert_eq!(visits(answer) + 1, made, "{answer}");
            assert_eq!(answer["best"], answer["turns"][0]["turn"], "{answer}");
            assert_eq!(answer["best"], answer["pv"][0], "{answer}");
        }
    }

    #[test]
    fn a_player_finds_the_win_in_one() {
        // x: a1, a2 and to move.
        let query = json!({"moves": ["a1", "b1", "a2", "b2"], "simulations": 100});
        let answer = ask(&["--player", tic_tac_toe()], &query);
        assert_eq!((text(&answer, "best"), text(&answer, "to_move")), ("a3", "x"));
        assert!(answer["value"]["win"].as_f64() > Some(0.5), "{}", answer["value"]);
        assert_eq!(texts(&answer, "pv"), ["a3"]);
    }

    #[test]
    fn limits_of_a_query_are_kept() {
        let mut talk = Conversation::with(&["analyze", "--player", tic_tac_toe()]);
        let mut say = |query: Value| -> Value {
            serde_json::from_str(&talk.say(&format!("{query}\n")).expect("an answer")).unwrap()
        };
        say(json!({"simulations": 2}));
        for ms in [0, 1, 50, 300] {
            let answer = say(json!({"time_ms": ms}));
            check_search_report(&answer);
            // Without time it looks once, on any machine.
            assert!(ms > 0 || answer["simulations"] == 1, "{answer}");
        }
        let answer = say(json!({"time_ms": 60_000, "simulations": 20}));
        assert_eq!(answer["simulations"], 20);
        for top in [0, 1, 3, 100] {
            let answer = say(json!({"simulations": 200, "top": top}));
            let shown = answer["turns"].as_array().unwrap().len();
            assert!(shown == top || top == 100 && shown <= 9, "top {top}: {shown}");
            check_search_report(&answer);
        }
        let huge = json!({"time_ms": u64::MAX, "simulations": 5, "seed": u64::MAX, "top": 1});
        assert_eq!(say(huge)["simulations"], 5);
        assert_eq!(talk.end(), Some(0));
    }

    #[test]
    fn one_simulation_is_enough_for_an_answer() {
        check_search_report(&ask(&["--player", tic_tac_toe()], &json!({"simulations": 1})));
        check_search_report(&ask(&["--player", neutron5()], &json!({"simulations": 1})));
    }

    #[test]
    fn a_player_answers_about_a_finished_game() {
        let query = json!({"moves": ["a1", "b1", "a2", "b2", "a3"], "simulations": 10});
        let answer = ask(&["--player", tic_tac_toe()], &query);
        assert!(ANSWER.iter().all(|name| fields(&answer).contains(name)), "{answer}");
        assert_eq!((text(&answer, "winner"), &answer["legal"]), ("P1", &json!([])));
    }

    #[test]
    fn a_player_answers_about_its_own_game_only() {
        let queries = [
            json!({"id": 1, "game": "tic_tac_toe"}),
            json!({"id": 2, "game": "neutron5"}),
            json!({"id": 3, "rules": {"holes": 1}}),
            json!({"id": 4, "game": "neutron5", "rules": {"holes": 1}}),
            json!({"id": 5, "game": "neutron5_hole1"}),
            json!({"id": 6, "rules": {"holes": 0, "max_plies": 200}}),
            json!({"id": 7, "rules": {"hole": 0}}),
            json!({"id": 8, "game": null, "simulations": 2}),
        ];
        let answers = analyze(&["--player", neutron5()], &queries.map(|query| query.to_string()));
        for (answer, good) in
            answers.iter().zip([false, true, false, false, false, true, false, true])
        {
            assert_eq!(fields(answer) != REFUSAL, good, "{answer}");
        }
        assert!(text(&answers[0], "error").contains("neutron5"));
        let args = ["analyze", "--player", neutron5(), "--game", "tic_tac_toe"];
        run(&args).refused(2, "neutron5");
        let args = ["--player", neutron5(), "--game", "neutron5"];
        check_search_report(&ask(&args, &json!({"simulations": 2})));
    }

    #[test]
    fn the_same_query_gets_the_same_answer() {
        let queries = [
            json!({"moves": ["A5-A2"], "simulations": 60}),
            json!({"moves": [], "simulations": 300}),
            json!({"moves": ["A5-A2"], "simulations": 60}),
        ]
        .map(|query| query.to_string());
        let first = analyze(&["--player", neutron5()], &queries);
        assert_eq!(first[0], first[2]);
        assert_eq!(first, analyze(&["--player", neutron5()], &queries));
    }

    #[test]
    fn a_turn_of_two_actions_is_complete_however_short_the_search() {
        let positions = [vec![], vec!["A5-A2"], vec!["A5-A2", "D4,A1-C3"]];
        for simulations in [1, 2, 3, 4, 5, 9, 50] {
            let lines: Vec<_> = positions
                .iter()
                .map(|moves| json!({"moves": moves, "simulations": simulations}).to_string())
                .collect();
            for answer in analyze(&["--player", neutron5()], &lines) {
                check_search_report(&answer);
                assert!(visits(&answer) < answer["simulations"].as_u64().unwrap());
            }
        }
    }

    #[test]
    fn the_best_turn_is_the_first_of_the_turns() {
        let games = ["selfplay", neutron5(), "--games", "4", "--simulations", "4", "--json"];
        let lines: Vec<_> = run(&games)
            .json()
            .iter()
            .flat_map(|game| {
                let moves = &texts(game, "moves")[..2];
                [20, 50, 100, 200, 300].map(|n| json!({"moves": moves, "simulations": n}))
            })
            .map(|query| query.to_string())
            .collect();
        for (answer, line) in analyze(&["--player", neutron5()], &lines).iter().zip(&lines) {
            assert_eq!(answer["best"], answer["turns"][0]["turn"], "{line}");
        }
    }

    #[test]
    fn a_player_that_is_not_there_is_a_failure_with_a_reason() {
        let run_99 = format!("{}@99", tic_tac_toe());
        let run_x = format!("{}@x", tic_tac_toe());
        let run_negative = format!("{}@-1", tic_tac_toe());
        for (player, words) in [
            ("nowhere", "there is no run in nowhere"),
            ("", "no run"),
            (&run_99, "no checkpoint 99"),
            (&run_x, "`@x`: expected an iteration"),
            (&run_negative, "`@-1`: expected an iteration"),
        ] {
            for args in [
                vec!["analyze", "--player", player],
                vec!["play", player],
                vec!["selfplay", player],
                vec!["match", player, tic_tac_toe()],
                vec!["match", tic_tac_toe(), player],
            ] {
                run(&args).refused(1, words);
            }
        }
    }

    #[test]
    fn a_match_counts_its_games() {
        let first = format!("{}@0", tic_tac_toe());
        let args = ["match", &first, tic_tac_toe(), "--games", "7", "--simulations", "4"];
        let found = run(&[&args[..], &["--json"]].concat()).well().json().remove(0);
        assert_eq!(found["games"], 8, "games are rounded up to pairs");
        let count = |field: &str| found[field].as_u64().unwrap();
        assert_eq!(count("wins") + count("draws") + count("losses"), 8);
        assert!(found["score"].as_f64().is_some_and(|score| (0.0..=1.0).contains(&score)));
        assert!(run(&args).well().stdout.contains("8 games at 4 simulations"));
        run(&["match", tic_tac_toe(), neutron5()]).refused(2, "the same game");
        run(&["match", tic_tac_toe(), tic_tac_toe(), "--games", "0"]).refused(2, "--games");
    }

    #[test]
    fn trained_players_meet_players_of_every_kind() {
        let policy = format!("policy:{}", tic_tac_toe());
        let search = format!("search:{}?simulations=4", tic_tac_toe());
        let clock = format!("{}?time=1ms", tic_tac_toe());
        for (first, second) in [
            (policy.as_str(), "random"),
            (&search, "perfect"),
            ("alphabeta?depth=1", &search),
            (&search, &policy),
            (&clock, &search),
        ] {
            let args = ["match", first, second, "--games", "8", "--json"];
            let found = run(&args).well().json().remove(0);
            assert_eq!((text(&found, "game"), &found["games"]), ("tic_tac_toe", &json!(8)));
            assert!(found["players"][0]["seconds_per_turn"].is_f64(), "{found}");
        }
        run(&["match", &policy, "random", "--game", "susan"]).refused(2, "plays tic_tac_toe");
        let mistyped = format!("{}?simulatons=4", tic_tac_toe());
        run(&["match", &mistyped, "random"]).refused(2, "did you mean `simulations`?");
    }

    #[test]
    fn games_of_self_play_are_games_of_the_rules() {
        for (player, game) in [(tic_tac_toe(), "tic_tac_toe"), (neutron5(), "neutron5")] {
            let args = ["selfplay", player, "--games", "5", "--simulations", "4", "--json"];
            let games = run(&args).well().json();
            assert_eq!(games.len(), 5);
            let queries: Vec<_> = games
                .iter()
                .map(|played| json!({"game": game, "moves": played["moves"]}).to_string())
                .collect();
            for (answer, played) in analyze(&[], &queries).iter().zip(&games) {
                assert_eq!(fields(played), ["game", "moves", "winner"]);
                assert_eq!(text(played, "game"), game);
                assert_eq!(text(answer, "winner"), text(played, "winner"));
            }
            assert_eq!(run(&args).well().json(), games, "the same seed, the same games");
        }
        run(&["selfplay", tic_tac_toe(), "--games", "0"]).refused(2, "--games");
        run(&["selfplay", tic_tac_toe(), "--simulations", "1"]).refused(2, "--simulations");
    }

    #[test]
    fn a_person_plays_against_a_player() {
        let said = "help\nhint\nmoves\nundo\nB2\nb2\n\nz9\nundo\n?\n a1 \nundo\nundo\nquit\n";
        let cut = ["", "hint", "b2\n", "b2\nundo", "\n\n\n", "exit\n", "QUIT\n"];
        for side in ["first", "second", "none"] {
            for input in cut.iter().chain([&said]) {
                let args = ["play", tic_tac_toe(), "--side", side, "--simulations", "4"];
                let run = run_with(&args, *input).well();
                assert!(run.stdout.starts_with("tic_tac_toe against "), "{}", run.stdout);
            }
        }
        let run = run_with(&["play", tic_tac_toe(), "--simulations", "4"], said).well();
        assert!(run.stdout.contains("a1  a2  a3  b1  b2  b3  c1  c2  c3"), "{}", run.stdout);
        assert!(run.stdout.contains("`z9` is not a legal turn here"), "{}", run.stdout);
        assert!(run.stdout.contains("there is nothing to take back"), "{}", run.stdout);
    }

    #[test]
    fn a_trained_player_is_an_engine_for_its_own_game() {
        let commands = "genmove b\ntavoliere-analyze\ntavoliere-game susan\n\
                        tavoliere-game tic_tac_toe\nundo\ntime_settings 0 1 9\ngenmove x\n";
        let args = ["engine", "--player", tic_tac_toe(), "--simulations", "4"];
        let said = run_with(&args, commands).well().stdout;
        let said: Vec<&str> = said.split_terminator("\n\n").collect();
        assert!(said[0].starts_with("= ") && said[6].starts_with("= "), "{said:?}");
        let mut answer: Value = serde_json::from_str(&said[1][2..]).unwrap();
        assert_eq!(answer["simulations"], 4);
        answer["id"] = json!(1);
        check_search_report(&answer);
        assert_eq!(said[2], "? the player plays tic_tac_toe, not susan");
        assert_eq!(said[3..6], ["=", "? cannot undo", "="]);
        for (args, words) in [
            (&["--game", "susan"][..], "plays tic_tac_toe, not susan"),
            (&["--rule", "holes=1"], "this game has none"),
        ] {
            run(&[&["engine", "--player", tic_tac_toe()], args].concat()).refused(2, words);
        }
        let other = ["--rule", "max_plies=50"];
        for args in [vec!["engine", "--player", neutron5()], vec!["match", neutron5(), "uct"]] {
            let words = "plays neutron5 under other rules than those of --rule; its rules are {";
            run(&[&args[..], &other].concat()).refused(2, words);
        }
        let mut engine = vec!["engine", "--player", neutron5()];
        let said = run_with(&engine, "tavoliere-game neutron5 max_plies=50\n").well().stdout;
        assert_eq!(said, "? the player was trained under other rules\n\n");
        engine.extend(["--rule", "max_plies=200"]);
        assert_eq!(run_with(&engine, "undo\n").well().stdout, "? cannot undo\n\n");
    }

    #[test]
    fn players_without_a_network_are_refused_where_one_is_needed() {
        for player in ["uct", "perfect", "gtp:x", "policy:x"] {
            run(&["analyze", "--player", player]).refused(2, "analyze takes a trained player");
            run(&["selfplay", player]).refused(2, "selfplay takes a trained player");
        }
    }

    #[test]
    fn a_player_plays_both_sides_to_the_end() {
        for player in [tic_tac_toe(), neutron5()] {
            let run = run(&["play", player, "--side", "none", "--simulations", "3"]).well();
            let last = run.lines().pop().unwrap_or_default().to_owned();
            assert!(["a draw", "Black wins", "White wins"].contains(&last.as_str()), "{last}");
        }
    }

    #[cfg(unix)]
    #[test]
    fn play_into_a_closed_pipe_ends_in_silence() {
        let command = format!("\"$TAV\" play '{}' --side none --simulations 2", neutron5());
        assert_eq!(into_closed_pipe(&command), "");
    }

    #[test]
    fn input_that_is_not_text_causes_no_panic() {
        let run = run_with(&["play", tic_tac_toe()], *b"\xff\xfe\nquit\n");
        assert!(!run.stderr.contains("panicked"), "{}", run.stderr);
    }

    #[test]
    fn benchmarks_of_the_network_sign_what_they_compute() {
        let benches = [
            ("inference", "evaluations/s"),
            ("selfplay", "evaluations/s"),
            ("training", "positions/s"),
        ];
        check_bench(&["--game", "tic_tac_toe", "--batch", "16"], &benches);
    }
}
