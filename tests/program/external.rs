//! Tests of external engines as players: our own engine, and scripts that misbehave.

#![cfg(unix)]

use std::fs;
use std::io::{BufRead, BufReader};
use std::path::Path;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use serde_json::Value;

use crate::common::cli::{self, games, program, run, run_with, text};
use crate::common::folder::Folder;

/// Returns the spec of our own engine as an external one.
fn ours(player: &str) -> String {
    format!("gtp:'{}' engine --player '{player}'", env!("CARGO_BIN_EXE_tavoliere"))
}

/// Writes an engine as a shell script: `commands` are cases of `$name`, and `ok` answers them.
fn script(folder: &Folder, name: &str, commands: &str) -> String {
    let path = folder.file(name);
    let script = format!(
        "ok() {{ printf '= %s\\n\\n' \"$1\"; }}\n\
         while read -r name colour turn; do case \"$name\" in\n{commands}\n\
         protocol_version) ok 2;;\n\
         known_command) case \"$colour\" in\n\
         play|genmove|clear_board|quit) ok true;; *) ok false;; esac;;\n\
         quit) ok; exit;;\n*) ok;;\nesac; done\n"
    );
    fs::write(&path, script).unwrap();
    format!("sh {}", path.display())
}

/// Plays a match and returns its records and its result.
#[track_caller]
fn played(folder: &Folder, args: &[&str]) -> (Vec<Value>, Value) {
    let file = folder.file("games.jsonl");
    let records = ["--json", "--records", file.to_str().unwrap()];
    let found = run(&[&["match"], args, &records].concat()).well().json().remove(0);
    let lines = fs::read_to_string(&file).unwrap();
    (lines.lines().map(|line| serde_json::from_str(line).unwrap()).collect(), found)
}

/// Returns the turns and the result of each game.
fn essence(records: &[Value]) -> Vec<[Value; 3]> {
    let of = |game: &Value| ["moves", "winner", "forfeit"].map(|field| game[field].clone());
    records.iter().map(of).collect()
}

// ---- our own engine ----

#[test]
fn an_engine_that_is_silent_is_not_waited_for_in_silence() {
    let mut command =
        program(&["match", "uct?rollouts=5", "gtp:sleep 60", "--game", "tic_tac_toe"]);
    let mut child = command.stderr(Stdio::piped()).spawn().unwrap();
    let mut line = String::new();
    BufReader::new(child.stderr.take().unwrap()).read_line(&mut line).unwrap();
    child.kill().unwrap();
    child.wait().unwrap();
    assert!(line.starts_with("an engine has not answered `protocol_version` yet"), "{line}");
}

#[test]
fn a_program_that_repeats_commands_is_no_engine_and_is_not_waited_for() {
    let refused = run(&["match", "uct?rollouts=5", "gtp:/bin/cat", "--game", "tic_tac_toe"]);
    refused.refused(2, "it repeats the command `protocol_version`, so it is no engine");
}

#[test]
fn over_the_protocol_the_same_games_are_played() {
    let folder = Folder::new();
    for (game, players) in [
        ("connect_four", ["uct?rollouts=30", "alphabeta?nodes=200"]),
        ("neutron5_hole1", ["uct?rollouts=20", "alphabeta?depth=1"]),
        ("tic_tac_toe", ["random", "perfect"]),
        ("checkers_gomoku", ["random", "alphabeta?depth=1"]),
    ] {
        let game = ["--game", game, "--games", "6"];
        let (inside, _) = played(&folder, &[&players[..], &game].concat());
        let external = players.map(ours);
        let external = external.each_ref().map(String::as_str);
        let (outside, found) = played(&folder, &[&external[..], &game].concat());
        assert_eq!(essence(&inside), essence(&outside), "{game:?}");
        assert_eq!(found["players"][0]["failed"], 0);
    }
}

#[test]
fn an_engine_that_knows_tavoliere_game_gets_the_rules() {
    let folder = Folder::new();
    let (engine, game) = (ours("alphabeta?depth=1"), ["--game", "neutron5_hole1", "--games", "4"]);
    let rules = ["--rule", "holes=2", "--rule", "max_plies=9"];
    let args = [&[engine.as_str(), "random"], &game[..], &rules[..]].concat();
    let (records, found) = played(&folder, &args);
    assert_eq!((&found["players"][0]["failed"], &found["games"]), (&0.into(), &4.into()));
    for game in records {
        assert_eq!((&game["rules"]["holes"], &game["rules"]["max_plies"]), (&2.into(), &9.into()));
        assert!(game["moves"][3].as_str().unwrap().starts_with('@'), "{game}");
        assert!(game["moves"].as_array().unwrap().len() <= 9, "{game}");
    }
}

#[test]
fn every_game_can_be_played_over_the_protocol() {
    let engine = ours("random");
    for game in games() {
        let args = ["match", &engine, "random", "--game", &game, "--games", "2", "--json"];
        let found = run(&args).well().json().remove(0);
        assert_eq!(found["players"][0]["failed"], 0, "{found}");
    }
}

#[test]
fn an_external_engine_can_be_played_against_and_passed_on() {
    let engine = ours("perfect");
    let args = ["play", engine.as_str(), "--game", "tic_tac_toe"];
    let shown = run_with(&args, "b2\nundo\nhint\na1\nb1\nc3\nquit\n").well().stdout;
    assert!(shown.contains("White plays ") && shown.contains("gives no hints"), "{shown}");
    let both = run(&[&args[..], &["--side", "none"]].concat()).well();
    assert_eq!(both.lines().pop(), Some("a draw"));
    let passed_on = ["engine", "--player", engine.as_str(), "--game", "tic_tac_toe"];
    let said = run_with(&passed_on, "play b b2\ngenmove w\nundo\nundo\ngenmove b\n").well().stdout;
    assert_eq!(said.matches("= ").count(), 2, "{said}");
}

#[test]
fn an_engine_that_knows_tavoliere_position_begins_there() {
    let folder = Folder::new();
    let position = ["--position", "xxxxx/.#..#/..*../...../oooo. x", "--opening", "1"];
    let game = [&["--game", "neutron5_hole1", "--games", "4"], &position[..]].concat();
    let players = ["uct?rollouts=20", "alphabeta?depth=1"];
    let (inside, _) = played(&folder, &[&players[..], &game].concat());
    let external = players.map(ours);
    let external = external.each_ref().map(String::as_str);
    let (outside, _) = played(&folder, &[&external[..], &game].concat());
    assert_eq!(essence(&inside), essence(&outside));
    // Passed on by an engine between them, and taken back by `clear_board`.
    let passed_on = ["engine", "--player", external[1], "--game", "neutron5"];
    let commands =
        "tavoliere-position xxxx./....x/..*../...../ooooo x\ngenmove b\nclear_board\ngenmove w\n";
    let said = run_with(&passed_on, commands).well().stdout;
    assert_eq!(said.matches("= ").count(), 2, "{said}");
}

// ---- engines that misbehave ----

/// Checks that an engine loses all games of a match for this reason. Returns the time it took.
#[track_caller]
fn check_failure(name: &str, reason: &str) -> Duration {
    let folder = Folder::new();
    let begun = Instant::now();
    let (records, found) =
        played(&folder, &["random", name, "--game", "connect_four", "--games", "4"]);
    let taken = begun.elapsed();
    assert_eq!((&found["wins"], &found["games"]), (&4.into(), &4.into()), "{found}");
    assert_eq!(found["players"][1]["failed"], 4);
    let first = text(&found["players"][1], "failure");
    assert!(first.contains(reason), "no `{reason}` in: {first}");
    for game in &records {
        let winner = if game["P1"] == "random" { "P1" } else { "P2" };
        assert_eq!(game["winner"], winner);
        assert!(text(game, "forfeit").contains(reason), "{game}");
        // The side to move lost, and the rules have not ended the game.
        let moves = game["moves"].as_array().unwrap();
        assert_eq!(moves.len() % 2 == 0, winner == "P2", "{game}");
        let query = serde_json::json!({"game": game["game"], "moves": moves});
        assert_eq!(cli::ask(&[], &query)["winner"], Value::Null);
    }
    let shown = run(&["match", "random", name, "--game", "connect_four", "--games", "2"]).well();
    let line = shown.lines().into_iter().find(|line| line.contains("lost 2 games by failure"));
    assert!(line.is_some_and(|line| line.contains(reason)), "{}", shown.stdout);
    taken
}

#[test]
fn an_engine_that_breaks_the_rules_or_the_protocol_loses() {
    let folder = Folder::new();
    for (genmove, reason) in [
        ("ok 9", "it played an illegal turn: `9` is not a legal turn here"),
        ("ok pass", "it played an illegal turn: `pass`"),
        ("ok", "it played an illegal turn: ``"),
        ("printf '? no idea\\n\\n'", "it answered `genmove"),
        ("echo; echo 4; echo", "begins with neither = nor ?: `4`"),
        (
            "echo '= 4'; yes x | head -c 9999; sleep 9",
            "has more than 1000 lines; it begins with `= 4`",
        ),
        ("head -c 300000 /dev/zero | tr '\\0' x; echo; echo", "its response to `genmove"),
        ("echo oops >&2; exit 3", "(exit status: 3) before it answered `genmove"),
        ("kill -9 $$", "(signal: 9"),
        ("exec >&-; sleep 9", "it closed its output before it answered `genmove"),
    ] {
        let command = script(&folder, "engine.sh", &format!("genmove) {genmove};;"));
        check_failure(&format!("gtp:{command}"), reason);
    }
    let unasked = script(&folder, "unasked.sh", "clear_board) ok; ok 4; sleep 0.2;;");
    let unasked = format!("gtp:{unasked}");
    let said = run(&["match", &unasked, "random", "--game", "connect_four", "--games", "2"]).well();
    assert!(said.stdout.contains("lost 2 games by failure"), "{}", said.stdout);
}

#[test]
fn standard_error_is_reported_for_failures_only() {
    let folder = Folder::new();
    let words = "genmove) echo starting to think >&2; echo out of luck >&2; exit 1;;";
    let command = script(&folder, "engine.sh", words);
    check_failure(
        &format!("gtp:{command}"),
        "standard error ends with: starting to think / out of luck",
    );
}

#[test]
fn an_engine_that_hangs_loses_in_time() {
    let folder = Folder::new();
    let reason = "within 0.2 s";
    for genmove in ["exec sleep 60", "while :; do echo; sleep 0.01; done", "while :; do :; done"] {
        let command = script(&folder, "engine.sh", &format!("genmove) {genmove};;"));
        let taken = check_failure(&format!("gtp?timeout=200ms:{command}"), reason);
        assert!(taken < Duration::from_secs(6), "{taken:?}");
    }
}

#[test]
fn a_new_process_plays_the_game_after_a_failure() {
    let folder = Folder::new();
    // The script exits in every second game.
    let count = folder.file("count");
    let clear = format!(
        "clear_board) ok; echo x >>{count}; test $(( $(wc -l <{count}) % 2 )) = 1 && exit 1;;",
        count = count.display()
    );
    let command = script(&folder, "engine.sh", &format!("{clear}\ngenmove) ok resign;;"));
    let name = format!("gtp:{command}");
    let (_, found) = played(&folder, &[&name, "random", "--game", "susan", "--games", "6"]);
    let player = &found["players"][0];
    assert_eq!((&player["failed"], &player["resigned"]), (&3.into(), &3.into()), "{found}");
    assert_eq!(found["losses"], 6);
}

#[test]
fn resigning_loses_the_game_and_is_no_failure() {
    let folder = Folder::new();
    let command = script(&folder, "engine.sh", "genmove) ok RESIGN;;");
    let name = format!("gtp:{command}");
    let (records, found) = played(&folder, &[&name, "random", "--game", "susan", "--games", "2"]);
    assert_eq!((&found["losses"], &found["players"][0]["resigned"]), (&2.into(), &2.into()));
    assert_eq!(found["players"][0]["failed"], 0);
    assert!(records.iter().all(|game| game["forfeit"] == "it resigned"));
}

#[test]
fn an_engine_that_cannot_begin_is_refused() {
    let folder = Folder::new();
    let engine = |name, commands| format!("gtp:{}", script(&folder, name, commands));
    for (name, words) in [
        ("gtp:nowhere/at/all".to_owned(), "cannot start `nowhere/at/all`"),
        ("gtp:false".to_owned(), "it ended (exit status: 1) before it answered"),
        ("gtp:'".to_owned(), "a quotation mark is not closed"),
        (engine("old.sh", "protocol_version) ok 1;;"), "speaks version `1` of GTP, not 2"),
        (engine("poor.sh", "known_command) ok false;;"), "does not know the command clear_board"),
        (ours("perfect"), "tic_tac_toe and connect_four only"),
        (format!("{} --game susan --rule pie=on", ours("uct?rollout=1")), "error ends with: "),
    ] {
        run(&["match", &name, "random", "--game", "susan"]).refused(2, words);
    }
}

#[test]
fn an_engine_that_knows_no_positions_is_refused() {
    let folder = Folder::new();
    let engine = format!("gtp:{}", script(&folder, "engine.sh", ""));
    let position = ["--game", "tic_tac_toe", "--position", "x../.o./... x"];
    let words = "it does not know the command tavoliere-position";
    run(&[&["match", engine.as_str(), "random"], &position[..]].concat()).refused(2, words);
    run(&[&["play", engine.as_str()], &position[..]].concat()).refused(2, words);
}

#[test]
fn no_process_is_left_behind() {
    let folder = Folder::new();
    // The script ends neither at `quit` nor at the end of its input.
    let stubborn = "quit) ok; while :; do sleep 0.05; done;;\ngenmove) ok resign;;";
    let command =
        script(&folder, "stubborn.sh", &format!("{stubborn}\nplay) echo $$ >$0.pid; ok;;"));
    let name = format!("gtp:{command}");
    run(&["match", &name, "random", "--game", "susan", "--games", "2", "--json"]).well();
    let pid = fs::read_to_string(folder.file("stubborn.sh.pid")).unwrap();
    assert!(!is_running(pid.trim()), "{pid}");
}

#[test]
fn an_interrupt_ends_the_engines_too() {
    let folder = Folder::new();
    let waits = "genmove) echo $$ >$0.pid; trap '' INT; while :; do sleep 0.05; done;;";
    let name = format!("gtp:{}", script(&folder, "waits.sh", waits));
    let mut game = program(&["match", &name, "random", "--game", "susan"]).spawn().unwrap();
    let pid = folder.file("waits.sh.pid");
    let pid = waited_for(|| fs::read_to_string(&pid).ok().filter(|pid| pid.ends_with('\n')));
    assert!(is_running(pid.trim()));
    let interrupt = Command::new("kill").args(["-INT", &game.id().to_string()]).status();
    assert!(interrupt.unwrap().success());
    assert_eq!(game.wait().unwrap().code(), Some(130));
    waited_for(|| (!is_running(pid.trim())).then_some(()));
}

fn is_running(pid: &str) -> bool {
    // A zombie process has no command line.
    fs::read(Path::new("/proc").join(pid).join("cmdline")).is_ok_and(|line| !line.is_empty())
}

/// Polls until there is a result, for at most five seconds.
#[track_caller]
fn waited_for<T>(mut look: impl FnMut() -> Option<T>) -> T {
    for _ in 0..500 {
        if let Some(found) = look() {
            return found;
        }
        std::thread::sleep(Duration::from_millis(10));
    }
    panic!("nothing came of it in five seconds")
}
