//! Tests of `tavoliere engine`: commands of the Go Text Protocol in, responses out.

use std::time::{Duration, Instant};

use serde_json::Value;

use crate::common::cli::{self, run, run_with};
use crate::common::live::Live;

/// Sends lines to the engine and returns its whole output.
#[track_caller]
fn said(args: &[&str], lines: &str) -> String {
    run_with(&[&["engine"], args].concat(), lines).well().stdout
}

/// Checks a transcript: commands are the lines after `>`, the other lines are the responses.
#[track_caller]
fn check(args: &[&str], transcript: &str) {
    let lines = transcript.lines().map(|line| line.strip_prefix("        ").unwrap_or(line));
    let (mut commands, mut expected) = (String::new(), String::new());
    for line in lines.skip(1) {
        let (part, text) = match line.strip_prefix("> ") {
            Some(command) => (&mut commands, command),
            None => (&mut expected, line),
        };
        part.push_str(text);
        part.push('\n');
    }
    assert_eq!(said(args, &commands), expected);
}

// ---- live analysis ----

/// The turns of a line of `info`, read as front ends do: turn, visits, win rate, prior and line.
fn infos(line: &str) -> Vec<(String, u64, f64, f64, Vec<String>)> {
    let parts = line.strip_prefix("info ").unwrap().split(" info ");
    let read = |part: &str| {
        let words: Vec<&str> = part.split(' ').collect();
        let after = |key: &str| words[words.iter().position(|word| *word == key).unwrap() + 1];
        let pv = words.iter().position(|word| *word == "pv").unwrap() + 1;
        let number = |key: &str| after(key).parse::<f64>().unwrap();
        let line = words[pv..].iter().map(|&word| word.to_owned()).collect();
        (
            after("move").to_owned(),
            number("visits") as u64,
            number("winrate"),
            number("prior"),
            line,
        )
    };
    parts.map(read).collect()
}

#[test]
fn a_live_analysis_tells_more_and_more_until_any_input() {
    let mut engine = Live::start("engine", &["--player", "connect_four"]);
    engine.send("play b 4");
    assert_eq!([engine.line(), engine.line()], ["=", ""]);
    for (command, whole) in [("lz-analyze w 5", 10_000.0), ("kata-analyze w interval 5", 1.0)] {
        engine.send(&format!("7 {command}"));
        assert_eq!(engine.line(), "=7");
        let (first, second) = (infos(&engine.line()), infos(&engine.line()));
        let visits = |found: &[(String, u64, f64, f64, Vec<String>)]| -> u64 {
            found.iter().map(|turn| turn.1).sum()
        };
        assert!(visits(&second) > visits(&first), "{first:?} {second:?}");
        assert!((2..=7).contains(&second.len()), "{second:?}");
        for (turn, _, chance, prior, line) in &second {
            assert!((0.0..=whole).contains(chance) && (0.0..=whole).contains(prior));
            assert_eq!(&line[0], turn);
        }
        let (_, taken) = engine.stop_by("8 name");
        // On a quiet machine it is some milliseconds.
        assert!(taken < Duration::from_secs(2), "{taken:?}");
        assert_eq!([engine.line(), engine.line()], ["=8 Tavoliere", ""]);
    }
    engine.send("tavoliere-analyze_stream 5");
    assert_eq!(engine.line(), "=");
    let answer: Value = serde_json::from_str(&engine.line()).unwrap();
    assert!(answer["simulations"].as_u64() > Some(0) && answer["turns"][0]["turn"].is_string());
    engine.stop_by("lz-analyze b");
    let refused = "? white is to move";
    assert_eq!([engine.line(), engine.line()], [refused, ""]);
    for wrong in ["lz-analyze 0", "lz-analyze w 1000000", "lz-analyze w x"] {
        engine.send(wrong);
        assert!(engine.line().starts_with("? "));
        engine.line();
    }
}

#[test]
fn a_turn_is_generated_with_its_analysis() {
    let mut engine = Live::start("engine", &["--player", "connect_four", "--time", "150ms"]);
    engine.send("lz-genmove_analyze b 5\nlz-genmove_analyze w 5");
    for mover in ["b", "w"] {
        assert_eq!(engine.line(), "=");
        let mut last = engine.line();
        let mut count = 0;
        while last.starts_with("info ") {
            count += 1;
            last = engine.line();
        }
        assert!(count >= 2 && last.starts_with("play "), "{mover}: {last}");
        assert_eq!(engine.line(), "");
    }
    engine.send("tavoliere-legal_moves b");
    assert!(engine.line().starts_with("= 1 "));
    // A player without a search has nothing to tell.
    let said = said(&["--game", "tic_tac_toe"], "lz-analyze\n");
    assert_eq!(said, "? this player cannot analyse\n\n");
}

#[test]
fn pictures_for_gogui_have_a_number_for_each_point() {
    let commands = said(&["--player", "susan"], "gogui-analyze_commands\n");
    for what in ["visits", "values", "policy"] {
        assert!(commands.contains(&format!("/tavoliere-cells {what}\n")), "{commands}");
    }
    let rows = |args: &[&str], lines: &str| -> Vec<Vec<f64>> {
        let said = said(args, lines);
        let rows = said.trim_end().rsplit("= ").next().unwrap().lines();
        rows.map(|row| row.split(' ').map(|number| number.parse().unwrap()).collect()).collect()
    };
    let player = ["--player", "tic_tac_toe"];
    // In the second position Black wins by c3, the upper right point.
    let [visits, values, policy] = [
        ("play b a1\nplay w b2\n", "visits"),
        ("play b a3\nplay w a1\nplay b b3\nplay w b1\n", "values"),
        ("play b a1\nplay w b2\n", "policy"),
    ]
    .map(|(turns, what)| rows(&player, &format!("{turns}tavoliere-cells {what}\n")));
    let sum = |rows: &[Vec<f64>]| rows.iter().flatten().sum::<f64>();
    for rows in [&visits, &values, &policy] {
        assert!(rows.len() == 3 && rows.iter().all(|row| row.len() == 3), "{rows:?}");
    }
    assert_eq!((values[0][2], values[0][0], values[2][1]), (1.0, 0.0, 0.0), "{values:?}");
    assert_eq!((visits[2][0], visits[1][1], policy[1][1]), (0.0, 0.0, 0.0));
    assert!((sum(&visits) - 1.0).abs() < 0.01 && (sum(&policy) - 1.0).abs() < 0.01);
    // A board of seven columns and six rows stands at the bottom of a square.
    let drops = rows(&["--player", "connect_four"], "tavoliere-cells visits\n");
    assert_eq!((drops.len(), drops[0].len()), (7, 7));
    assert!(drops[..6].iter().flatten().all(|share| *share == 0.0) && sum(&drops[6..]) > 0.99);
    let refused = "tavoliere-cells\ntavoliere-cells heat\n";
    assert_eq!(said(&player, refused), "? syntax error\n\n? syntax error\n\n");
    let cannot = said(&["--game", "tic_tac_toe"], "tavoliere-cells visits\n");
    assert_eq!(cannot, "? this player cannot analyse\n\n");
}

#[test]
fn a_resignation_is_no_turn_that_could_be_taken_back() {
    let script = "while read command; do case $command in genmove*) echo '= resign';; \
                  protocol_version) echo '= 2';; known*) echo '= true';; *) echo '=';; esac; echo; done";
    let player = format!("gtp:sh -c \"{script}\"");
    let args = ["--game", "tic_tac_toe", "--player", &player];
    let said = said(&args, "play b a1\nplay w b2\ngenmove b\nundo\nplay w c3\nundo\nundo\nundo\n");
    let answers: Vec<&str> = said.trim_end().split("\n\n").collect();
    assert_eq!(answers, ["=", "=", "= resign", "=", "=", "=", "=", "? cannot undo"]);
}

// ---- UGI ----

const UGI: [&str; 2] = ["--protocol", "ugi"];

#[test]
fn an_engine_introduces_itself_and_knows_positions() {
    let args = [&UGI[..], &["--player", "perfect"]].concat();
    let lines = "\u{feff}ugi\nisready\nquery result\nsetoption name game value nogame\n\
                 setoption name game value tic_tac_toe\nquery p1turn\n\
                 position startpos moves b2 a1 a3 c1 b3\nquery p1turn\ngo\n\
                 position startpos moves b2 b2\nposition fen x.x/.o./o.. x\n\
                 query gameover\nposition fen x.x/.o./o.. o moves b3 b1\nquery result\nfly\ngo\n\
                 position fen xxx/oo./... o\nquery result\nquery gameover\ngo\nstop\nquit\nugi\n";
    let said = said(&args, lines);
    let version = env!("CARGO_PKG_VERSION");
    let expected = [
        &format!("id name Tavoliere {version}"),
        "id author the Tavoliere developers",
        "option name game type string default none",
        "ugiok",
        "readyok",
        "info string no game is set; set one with `setoption name game value NAME`",
        "info string there is no game `nogame`; `tavoliere games` lists them",
        "response true",
        "response false",
        "bestmove b1",
    ];
    let lines: Vec<&str> = said.lines().collect();
    assert_eq!(lines[..10], expected, "{said}");
    assert!(lines[10].starts_with("info string `b2` is not a legal turn here"), "{said}");
    assert!(
        lines[12].starts_with("info string position: Black has 2 and White 2 stones"),
        "{said}"
    );
    let rest = [lines[11], lines[13], lines[14], lines[15]];
    let unknown = "info string unknown command `fly`";
    assert_eq!(rest, ["response false", "response none", unknown, "bestmove b3"]);
    let over = "info string the game is over";
    assert_eq!(lines[16..], ["response p1win", "response true", over]);
}

#[test]
fn two_engines_play_a_game_through_a_referee() {
    for game in ["connect_four", "neutron5"] {
        let args = [&UGI[..], &["--player", game]].concat();
        let mut engines = [Live::start("engine", &args), Live::start("engine", &args)];
        for engine in &mut engines {
            engine.send("ugi\nuginewgame\nisready");
            while engine.line() != "readyok" {}
        }
        let mut moves = String::new();
        let mut clocks = [2000_u64, 2000];
        let result = loop {
            let ask = |engine: &mut Live, what: &str| {
                engine.send(what);
                engine.line().strip_prefix("response ").unwrap().to_owned()
            };
            engines.iter_mut().for_each(|it| it.send(&format!("position startpos moves{moves}")));
            if ask(&mut engines[0], "query gameover") == "true" {
                break ask(&mut engines[1], "query result");
            }
            let mover = usize::from(ask(&mut engines[0], "query p1turn") == "false");
            let [first, second] = clocks;
            let begun = Instant::now();
            engines[mover].send(&format!("go p1time {first} p2time {second} p1inc 50 p2inc 50"));
            let best = loop {
                let line = engines[mover].line();
                match line.strip_prefix("bestmove ") {
                    Some(turn) => break turn.to_owned(),
                    None => assert!(line.starts_with("info depth "), "{line}"),
                }
            };
            let taken = begun.elapsed().as_millis() as u64;
            clocks[mover] = (clocks[mover] + 50).saturating_sub(taken);
            moves = format!("{moves} {best}");
        };
        assert!(["p1win", "p2win", "draw"].contains(&result.as_str()), "{result}");
    }
}

#[test]
fn an_endless_search_is_ended_by_stop_only() {
    let mut engine = Live::start("engine", &[&UGI[..], &["--player", "connect_four"]].concat());
    engine.send("position startpos moves 4\ngo infinite");
    let nodes = |line: &str| -> u64 {
        let words: Vec<&str> = line.split(' ').collect();
        let at = words.iter().position(|&word| word == "nodes").unwrap();
        words[at + 1].parse().unwrap()
    };
    let [first, second] = [engine.line(), engine.line()].map(|line| nodes(&line));
    assert!(second > first);
    engine.send("isready");
    while engine.line() != "readyok" {}
    engine.send("query p1turn");
    assert!(engine.line().starts_with("info depth "), "the search goes on");
    let begun = Instant::now();
    engine.send("stop");
    while !engine.line().starts_with("bestmove ") {}
    assert!(begun.elapsed() < Duration::from_secs(2), "some milliseconds on a quiet machine");
    assert_eq!(engine.line(), "response false");
    engine.send("go nodes 40");
    let line = engine.line();
    assert!(nodes(&line) >= 40 && nodes(&line) < 80, "{line}");
    assert!(engine.line().starts_with("bestmove "));
    engine.send("go movetime x");
    assert!(engine.line().starts_with("info string `movetime` needs a whole number"));
}

// ---- responses ----

#[test]
fn controllers_of_other_games_get_what_they_ask_for() {
    check(
        &["--game", "tic_tac_toe", "--player", "perfect"],
        "
        > \u{feff}1 komi 6.5
        =1

        > komi x
        ? syntax error

        > komi nan
        ? syntax error

        > 2147483648 name
        ? the number 2147483648 of the command is too large

        > 2147483647 known_command komi
        =2147483647 true

        > loadsgf a.sgf
        ? cannot load file: SGF has no positions of these games; begin in one with `tavoliere-position TEXT`, or play its turns

        > gogui-rules_game_id
        = tic_tac_toe

        > gogui-rules_board_size
        = 3

        > play b b2
        =

        > play w a1
        =

        > gogui-rules_board
        = . . .
        . X .
        O . .

        > gogui-rules_side_to_move
        = black

        > gogui-rules_legal_moves
        = a2 a3 b1 b3 c1 c2 c3

        > gogui-rules_final_result
        = the game goes on

        > play b a3
        =

        > play w c1
        =

        > play b b3
        =

        > reg_genmove w
        = b1

        > gogui-rules_board
        = X X .
        . X .
        O . O

        > genmove w
        = b1

        > gogui-rules_final_result
        = white wins

        > gogui-rules_side_to_move
        = none

        > reg_genmove b
        ? the game is over

",
    );
}

#[test]
fn administrative_commands_are_those_of_the_protocol() {
    check(
        &["--game", "tic_tac_toe"],
        "
        > protocol_version
        = 2

        > 1 name
        =1 Tavoliere

        > 007 known_command genmove
        =7 true

        > known_command GenMove
        = false

        > known_command
        = false

        > genmoves b
        ? unknown command

        > 2 # nothing but a comment behind the number
        ?2 unknown command

        > # nothing but a comment
        >  \t
        > 3 quit now
        =3

        > name
",
    );
    let version = said(&[], "version");
    assert_eq!(version, format!("= {}\n\n", env!("CARGO_PKG_VERSION")));
}

#[test]
fn every_command_that_is_listed_is_known_and_the_other_way_round() {
    let listed = said(&[], "list_commands\n");
    let listed: Vec<&str> =
        listed.strip_prefix("= ").unwrap().lines().filter(|it| !it.is_empty()).collect();
    for command in [
        "protocol_version",
        "name",
        "version",
        "list_commands",
        "known_command",
        "boardsize",
        "clear_board",
        "play",
        "genmove",
        "undo",
        "showboard",
        "time_settings",
        "time_left",
        "final_score",
        "quit",
        "tavoliere-game",
        "tavoliere-position",
        "tavoliere-legal_moves",
        "tavoliere-analyze",
        "tavoliere-cells",
        "komi",
        "reg_genmove",
        "loadsgf",
        "gogui-rules_game_id",
        "gogui-rules_board_size",
        "gogui-rules_board",
        "gogui-rules_legal_moves",
        "gogui-rules_side_to_move",
        "gogui-rules_final_result",
        "gogui-analyze_commands",
        "lz-analyze",
        "kata-analyze",
        "lz-genmove_analyze",
        "tavoliere-analyze_stream",
    ] {
        assert!(listed.contains(&command), "{command}");
    }
    assert_eq!(listed.len(), 34);
    for command in listed {
        assert_eq!(said(&[], &format!("known_command {command}\n")), "= true\n\n");
        assert!(!said(&[], &format!("{command}\n")).contains("unknown"), "{command}");
    }
}

#[test]
fn the_third_occurrence_is_a_draw_with_threefold() {
    let shuttle = ["w A4-B4", "b A2-B2", "w B4-A4", "b B2-A2"];
    let plays: String =
        shuttle.iter().cycle().take(8).map(|play| format!("play {play}\n")).collect();
    let end = |args: &[&str]| {
        let said = said(&[&["--game", "entropy"], args].concat(), &format!("{plays}final_score\n"));
        said.trim_end().rsplit("\n\n").next().unwrap().to_owned()
    };
    assert_eq!(end(&["--threefold"]), "= 0");
    assert_eq!(end(&[]), "? cannot score");
}

#[test]
fn a_game_is_played_to_its_end() {
    check(
        &["--game", "tic_tac_toe", "--player", "perfect"],
        "
        > play b b2
        =

        > play x a1
        ? illegal move

        > play w b2
        ? illegal move

        > play O A1
        =

        > genmove white
        ? black is to move

        > PLAY b c3
        ? unknown command

        > play black c3
        =

        > genmove w
        = a3

        > play b a2
        =

        > final_score
        ? cannot score

        > tavoliere-legal_moves b
        =

        > tavoliere-legal_moves w
        = b1 b3 c1 c2

        > play w c1
        =

        > 5 showboard
        =5
        3 o . x
        2 x x .
        1 o . o
          a b c

        > genmove b
        = c2

        > final_score
        = B+

        > genmove w
        ? the game is over

        > play w b3
        ? illegal move

        > tavoliere-legal_moves w
        =

        > undo
        =

        > play b b1
        =

        > clear_board
        =

        > undo
        ? cannot undo

        > final_score
        ? cannot score

",
    );
}

#[test]
fn white_moves_first_where_the_rules_say_so_and_turns_are_complete() {
    check(
        &["--game", "neutron5"],
        "
        > play b A1-A4
        ? illegal move

        > play w A5-A2
        =

        > play b E3
        ? illegal move

        > play b E3,E1-E2
        =

        > play w e1
        ? illegal move

        > undo
        =

        > play b a5
        =

        > final_score
        = W+

        > showboard
        =
          A B C D E
        1 x x x x x
        2 o . . . .
        3 . . . . .
        4 . . . . .
        5 * o o o o

",
    );
}

#[test]
fn arguments_that_make_no_sense_are_syntax_errors() {
    let syntax = [
        "play",
        "play b",
        "play b 1 2",
        "play red 1",
        "genmove",
        "genmove 4",
        "boardsize",
        "boardsize seven",
        "boardsize 7.0",
        "boardsize -7",
        "time_settings",
        "time_settings 1 2",
        "time_settings 1 2 x",
        "time_settings 1 2 3 4",
        "time_settings -1 2 3",
        "time_left b",
        "time_left b 1",
        "time_left 1 1 1",
        "time_left b 99999999999 1",
        "tavoliere-game",
        "tavoliere-legal_moves",
        "tavoliere-legal_moves green",
    ];
    for line in syntax {
        let said = said(&["--game", "connect_four"], line);
        assert_eq!(said, "? syntax error\n\n", "{line}");
    }
    let size = |line| said(&["--game", "connect_four"], line);
    for line in ["boardsize 6", "boardsize 0", "boardsize 6 7", "boardsize 7 6 1", "boardsize 19"] {
        assert_eq!(size(line), "? unacceptable size\n\n", "{line}");
    }
    // Connect Four has seven columns of six.
    assert_eq!(
        size("play b 1\nboardsize 7\nundo\nboardsize 7 6"),
        "=\n\n=\n\n? cannot undo\n\n=\n\n"
    );
    assert_eq!(said(&["--game", "susan"], "boardsize 9"), "=\n\n");
}

#[test]
fn the_game_may_be_said_later_and_changed() {
    let no_game = "? no game is set; set one with `tavoliere-game NAME`\n\n";
    for line in ["showboard", "play b 1", "genmove b", "undo", "boardsize 5", "final_score"] {
        assert_eq!(said(&[], line), no_game, "{line}");
    }
    check(
        &["--game", "susan", "--player", "random"],
        "
        > play b e5
        =

        > tavoliere-game tic_tac_to
        ? there is no game `tic_tac_to`, did you mean `tic_tac_toe`?; `tavoliere games` lists them

        > tavoliere-game susan pie
        ? pie: an option is written OPTION=VALUE

        > tavoliere-game susan pies=on
        ? game `susan`: unknown option `pies`, did you mean `pie`?

        > undo
        =

        > tavoliere-game neutron5_hole1 holes=2
        =

        > play w @A2
        =

        > play b @B2
        =

        > play w @C2
        =

        > play b @D2
        =

        > play w @A3
        ? illegal move

        > tavoliere-game susan pie=on
        =

",
    );
    let perfect = said(
        &["--player", "perfect"],
        "tavoliere-game tic_tac_toe\ntavoliere-game susan\nplay b b2",
    );
    assert!(perfect.starts_with("=\n\n? player `perfect`: "), "{perfect}");
    assert!(perfect.ends_with("only\n\n=\n\n"), "the game is what it was: {perfect}");
}

#[test]
fn tavoliere_analyze_answers_like_analyze() {
    let said = said(&["--game", "tic_tac_toe"], "play b b2\ntavoliere-analyze");
    let answer: Value =
        serde_json::from_str(said.lines().nth(2).unwrap().strip_prefix("= ").unwrap()).unwrap();
    let query = serde_json::json!({"moves": ["b2"]});
    assert_eq!(answer, cli::ask(&["--game", "tic_tac_toe"], &query));
}

#[test]
fn bad_arguments_are_refused() {
    for (args, words) in [
        (&["--game", "susn"][..], "did you mean `susan`?"),
        (&["--player", "uct?rolouts=3"], "did you mean `rollouts`?"),
        (&["--rule", "holes=1"], "--rule needs a game; name it by --game"),
        (&["--game", "susan", "--rule", "holes=1"], "unknown option `holes`"),
        (&["--game", "susan", "--rule", "holes"], "OPTION=VALUE"),
        (&["--game", "susan", "--player", "perfect"], "tic_tac_toe and connect_four only"),
        (&["--time", "5"], "write it as in 200ms"),
        (&["--simulations", "0"], "--simulations"),
        (&["random"], "--player random"),
    ] {
        run(&[&["engine"], args].concat()).refused(2, words);
    }
}

// ---- time ----

#[test]
fn a_clock_is_kept() {
    let player = ["--game", "connect_four", "--player", "uct?rollouts=10000000"];
    let time_of = |options: &[&str], commands: &str| {
        let begun = Instant::now();
        let said = said(&[&player[..], options].concat(), commands);
        let taken = begun.elapsed();
        assert!(said.lines().rfind(|line| !line.is_empty()).unwrap().starts_with("= "), "{said}");
        taken
    };
    // How long it takes on this machine without a clock, whatever else that does.
    let whole = time_of(&[], "genmove b\n");
    for (clock, least) in [
        ("time_settings 0 1 10", 50),
        ("time_settings 0 0 0\ntime_left b 3 0", 50),
        ("time_settings 0 9 9\ntime_left b 1 4", 150),
    ] {
        let taken = time_of(&[], &format!("{clock}\ngenmove b\n"));
        let expected = Duration::from_millis(least)..whole;
        assert!(expected.contains(&taken), "{clock}: {taken:?} of {whole:?}");
    }
    let taken = time_of(&["--time", "100ms"], "genmove b\ngenmove w\n");
    assert!(taken < whole, "{taken:?} of {whole:?}");
}

// ---- invalid input ----

#[test]
fn a_line_that_is_too_long_is_skipped() {
    let mut input = b"1 name\nplay b ".to_vec();
    input.resize(3 << 20, b'1');
    input.extend_from_slice(b"\n2 showboard\n");
    let said = run_with(&["engine", "--game", "tic_tac_toe"], input).well().stdout;
    let expected =
        "=1 Tavoliere\n\n? the line has 3145721 bytes; the limit is 65536\n\n=2\n3 . . .\n";
    assert!(said.starts_with(expected), "{said}");
}

#[test]
fn input_may_end_anywhere() {
    assert_eq!(said(&[], ""), "");
    assert_eq!(said(&[], "1 name"), "=1 Tavoliere\n\n");
    assert_eq!(said(&[], "\n\n\r\n1 name\r\n\r"), "=1 Tavoliere\n\n");
}

// ---- positions ----

#[test]
fn a_game_can_begin_in_a_position() {
    check(
        &["--game", "neutron5_hole1", "--player", "random"],
        "
        > tavoliere-position xxxxx/.h..h/..*../...../oooo. o ply=2
        =

        > tavoliere-position
        = xxxxx/.h..h/..*../...../oooo. o ply=2

        > play w A5-A2
        =

        > undo
        =

        > undo
        ? cannot undo

        > tavoliere-position XXXXX/.H..H/..*../...../OOOO. X
        =

        > tavoliere-position
        = xxxxx/.h..h/..*../...../oooo. x

        > tavoliere-position xxxxx/..
        ? position: the board has 2 rows, it needs 5, joined by /

        > tavoliere-position
        = xxxxx/.h..h/..*../...../oooo. x

        > clear_board
        =

        > tavoliere-position
        = xxxxx/...../..*../...../ooooo o

        > known_command tavoliere-position
        = true

",
    );
    assert!(said(&[], "tavoliere-position x\n").contains("no game is set"));
}
