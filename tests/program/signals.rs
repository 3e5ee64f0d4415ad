//! Tests of signals: Ctrl-C, SIGTERM and SIGHUP stop every command in order, a second one at once.

#![cfg(unix)]

use std::fs;
use std::io::{BufRead, BufReader, Read, Write};
use std::path::{Path, PathBuf};
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};
use std::time::{Duration, Instant};

use serde_json::Value;

use crate::common::cli::{program, run};
use crate::common::folder::Folder;

/// Exit statuses by signal.
const STATUSES: [(&str, i32); 3] = [("-INT", 130), ("-TERM", 143), ("-HUP", 129)];

/// The same command where the tests were started to ignore SIGHUP, as by `nohup`: programs inherit that.
fn heeding_hangups(command: Command) -> Command {
    if !cfg!(target_os = "linux") {
        return command;
    }
    let mut heeding = Command::new("env");
    heeding.arg("--default-signal=HUP").arg(command.get_program()).args(command.get_args());
    heeding.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
    heeding
}

/// A program that runs; killed in the end.
struct Running {
    child: Child,
    stdin: Option<ChildStdin>,
    stdout: BufReader<ChildStdout>,
}

impl Running {
    fn start(args: &[&str]) -> Self {
        Self::of(heeding_hangups(program(args)))
    }

    fn of(mut command: Command) -> Self {
        let mut child = command.spawn().unwrap();
        let stdin = child.stdin.take();
        let stdout = BufReader::new(child.stdout.take().unwrap());
        Self { child, stdin, stdout }
    }

    fn write(&mut self, text: &str) {
        self.stdin.as_mut().unwrap().write_all(text.as_bytes()).unwrap();
    }

    fn line(&mut self) -> String {
        let mut line = String::new();
        self.stdout.read_line(&mut line).unwrap();
        line
    }

    fn signal(&self, name: &str) {
        let id = self.child.id().to_string();
        assert!(Command::new("kill").args([name, &id]).status().unwrap().success());
    }

    /// Waits for its end; returns the exit status, the rest of standard output, and the rest of
    /// standard error.
    fn end(mut self) -> (Option<i32>, String, String) {
        let (mut stdout, mut stderr) = (String::new(), String::new());
        self.stdout.read_to_string(&mut stdout).unwrap();
        if let Some(mut stream) = self.child.stderr.take() {
            stream.read_to_string(&mut stderr).unwrap();
        }
        (self.child.wait().unwrap().code(), stdout, stderr)
    }
}

impl Drop for Running {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// An engine that resigns every game until one of this number, in which it writes its number to a
/// file and never answers.
struct Stuck {
    spec: String,
    pid: PathBuf,
}

impl Stuck {
    fn in_game(folder: &Folder, number: u32) -> Self {
        let [script, count, pid] = ["stuck.sh", "count", "pid"].map(|name| folder.file(name));
        let text = format!(
            "ok() {{ printf '= %s\\n\\n' \"$1\"; }}\n\
             while read -r name colour turn; do case \"$name\" in\n\
             protocol_version) ok 2;;\n\
             known_command) case \"$colour\" in\n\
             play|genmove|clear_board|quit) ok true;; *) ok false;; esac;;\n\
             clear_board) echo x >>{count}; ok;;\n\
             genmove) if test $(wc -l <{count}) -lt {number}; then ok resign; else\n\
             echo $$ >{pid}.part; mv {pid}.part {pid}\n\
             trap '' INT TERM HUP; while :; do sleep 0.05; done; fi;;\n\
             quit) ok; exit;;\n*) ok;;\nesac; done\n",
            count = count.display(),
            pid = pid.display(),
        );
        fs::write(&script, text).unwrap();
        Self { spec: format!("gtp:sh {}", script.display()), pid }
    }

    /// Waits until it is stuck; returns its process.
    fn wait(&self) -> String {
        waited_for(|| fs::read_to_string(&self.pid).ok()).trim().to_owned()
    }
}

fn is_running(pid: &str) -> bool {
    // A zombie process has no command line.
    fs::read(Path::new("/proc").join(pid).join("cmdline")).is_ok_and(|line| !line.is_empty())
}

/// Polls until there is a result, however busy the machine.
#[track_caller]
fn waited_for<T>(mut look: impl FnMut() -> Option<T>) -> T {
    let begun = Instant::now();
    loop {
        if let Some(found) = look() {
            return found;
        }
        assert!(begun.elapsed() < Duration::from_secs(120), "nothing came of it");
        std::thread::sleep(Duration::from_millis(5));
    }
}

#[track_caller]
fn ended(pid: &str) {
    waited_for(|| (!is_running(pid)).then_some(()));
}

fn records(path: &Path) -> Vec<Value> {
    let text = fs::read_to_string(path).unwrap();
    text.lines().map(|line| serde_json::from_str(line).unwrap()).collect()
}

// ---- match ----

#[test]
fn a_match_that_is_stopped_prints_the_result_of_the_finished_pairs() {
    for (signal, status) in STATUSES {
        let folder = Folder::new();
        let engine = Stuck::in_game(&folder, 6);
        let file = folder.file("games.jsonl");
        let args = ["match", &engine.spec, "random", "--game", "susan", "--games", "40"];
        let more = ["--json", "--records", file.to_str().unwrap(), "--require", "score>0"];
        let game = Running::start(&[&args[..], &more].concat());
        let pid = engine.wait();
        game.signal(signal);
        let (found, stdout, stderr) = game.end();
        assert_eq!(found, Some(status), "{stdout}{stderr}");
        ended(&pid);
        // The fifth game is finished, its pair is not.
        let result: Value = serde_json::from_str(&stdout).unwrap();
        assert_eq!((&result["games"], &result["losses"]), (&4.into(), &4.into()), "{result}");
        assert_eq!(result["interrupted"], true);
        assert_eq!(result["players"][0]["failed"], 0, "the engine that was ended has not failed");
        assert!(stderr.contains("stopping") && stderr.contains("4 of 40 games"), "{stderr}");
        let games = records(&file);
        assert_eq!(games.len(), 4);
        assert!(games.iter().all(|game| game["forfeit"] == "it resigned"), "{games:?}");
    }
}

#[test]
fn a_match_that_is_stopped_says_so_as_text_too() {
    let folder = Folder::new();
    for (stuck_in, expected) in [(3, "2 games:\n0 won, 0 drawn, 2 lost"), (1, "")] {
        let engine = Stuck::in_game(&folder, stuck_in);
        let args = ["match", &engine.spec, "random", "--game", "susan", "--games", "40"];
        let game = Running::start(&args);
        engine.wait();
        game.signal("-TERM");
        let (status, stdout, stderr) = game.end();
        assert_eq!(status, Some(143), "{stderr}");
        assert!(stdout.contains(expected) && stdout.is_empty() == expected.is_empty(), "{stdout}");
        assert!(stderr.contains(&format!("interrupted: {} of 40 games", stuck_in - 1)), "{stderr}");
        fs::remove_file(&engine.pid).unwrap();
        fs::remove_file(folder.file("count")).unwrap();
    }
}

#[test]
fn a_match_between_networks_is_stopped_as_well() {
    let folder = Folder::new();
    let file = folder.file("games.jsonl");
    let args = ["match", "neutron5", "neutron5?simulations=20", "--simulations", "21"];
    // The test is checked after every 16 pairs, and 2,000 games cannot decide it.
    let test = ["--sprt", "0,1", "--games", "2000", "--opening", "4"];
    let more = ["--json", "--records", file.to_str().unwrap()];
    let game = Running::start(&[&args[..], &test, &more].concat());
    waited_for(|| fs::metadata(&file).ok().filter(|it| it.len() > 0));
    game.signal("-TERM");
    let (status, stdout, stderr) = game.end();
    assert_eq!(status, Some(143), "{stderr}");
    let result: Value = serde_json::from_str(&stdout).unwrap();
    let finished = result["games"].as_u64().unwrap();
    assert!((32..2000).contains(&finished), "{result}");
    assert_eq!(result["interrupted"], true);
    assert_eq!(records(&file).len() as u64, finished);
}

#[test]
fn a_match_ends_within_a_turn_of_players_without_a_network() {
    let folder = Folder::new();
    let file = folder.file("games.jsonl");
    let args = ["match", "alphabeta?time=10m", "random", "--game", "susan"];
    let game = Running::start(&[&args[..], &["--records", file.to_str().unwrap()]].concat());
    waited_for(|| file.exists().then_some(()));
    game.signal("-TERM");
    let (status, stdout, stderr) = game.end();
    assert_eq!((status, stdout.as_str()), (Some(143), ""));
    assert!(stderr.contains("stopping"), "{stderr}");
}

// ---- the other commands ----

#[test]
fn a_ladder_keeps_the_games_that_are_finished_and_no_others() {
    let folder = Folder::new();
    let engine = Stuck::in_game(&folder, 6);
    let ladder = folder.file("ladder");
    let place = ["ladder", "--folder", ladder.to_str().unwrap(), "--game", "susan"];
    let args = [&place[..], &[&engine.spec, "random", "--games", "16"]].concat();
    let game = Running::start(&args);
    let pid = engine.wait();
    game.signal("-TERM");
    let (status, stdout, stderr) = game.end();
    assert_eq!(status, Some(0), "{stderr}");
    assert!(stderr.contains("the same command resumes"), "{stderr}");
    assert!(stdout.contains("4 games of 2 players"), "{stdout}");
    ended(&pid);
    assert_eq!(records(&ladder.join("games.jsonl")).len(), 4);
    fs::remove_file(folder.file("count")).unwrap();
    fs::write(
        folder.file("stuck.sh"),
        fs::read_to_string(folder.file("stuck.sh")).unwrap().replace("-lt 6", "-lt 99"),
    )
    .unwrap();
    let shown = run(&args);
    assert!(shown.stdout.contains("16 games of 2 players"), "{shown:?}");
    let games = records(&ladder.join("games.jsonl"));
    assert!(games.iter().all(|game| game["forfeit"] == "it resigned"), "{games:?}");
}

#[test]
fn commands_that_converse_end_at_once_with_the_status_of_the_signal() {
    let susan = ["--game", "susan"];
    let commands: [(&[&str], &str); 3] = [
        (&["engine", "--player", "random"], "name\n"),
        (&["play", "random"], ""),
        (&["analyze"], "{\"moves\": []}\n"),
    ];
    for (command, said) in commands {
        for (signal, status) in STATUSES {
            let mut running = Running::start(&[command, &susan].concat());
            running.write(said);
            assert!(!running.line().is_empty());
            running.signal(signal);
            assert_eq!(running.end().0, Some(status), "{command:?} {signal}");
        }
    }
}

#[test]
fn commands_that_work_end_at_once() {
    let commands: [&[&str]; 4] = [
        &["bench", "playouts", "--seconds", "3600"],
        &["records", "-"],
        &["exact", "alphabeta?time=10m", "--game", "susan"],
        &["positions", "susan", "--games", "100000", "--each", "100000", "--kinds", "win7"],
    ];
    for command in commands {
        let running = Running::start(command);
        // Perhaps it does not listen yet; then the signal has its usual effect.
        running.signal("-TERM");
        let status = running.end().0;
        assert!(matches!(status, None | Some(143)), "{command:?}: {status:?}");
    }
}

#[test]
fn engines_of_every_command_are_ended() {
    let commands: [(&[&str], &str); 3] = [
        (&["exact"], ""),
        (&["play", "--side", "second"], ""),
        (&["engine", "--player"], "genmove b\n"),
    ];
    for (command, said) in commands {
        let folder = Folder::new();
        let engine = Stuck::in_game(&folder, 1);
        // The shell in between is ended, too.
        let spec = engine.spec.replace("gtp:", "gtp:sh -c \"") + "; true\"";
        let (name, options) = command.split_at(1);
        let args = match options {
            ["--player"] => [name, &["--player", &spec]].concat(),
            options => [name, &[&*spec], options].concat(),
        };
        let mut running = Running::start(&[&args[..], &["--game", "susan"]].concat());
        running.write(said);
        let pid = engine.wait();
        assert!(is_running(&pid));
        running.signal("-TERM");
        assert_eq!(running.end().0, Some(143), "{command:?}");
        ended(&pid);
    }
}

#[cfg(target_os = "linux")]
#[test]
fn a_program_that_was_started_to_ignore_hangups_goes_on() {
    let script = r#"trap "" HUP; exec "$0" engine --player random --game susan"#;
    let mut shell = Command::new("sh");
    shell.args(["-c", script]).arg(program(&[]).get_program());
    shell.stdin(Stdio::piped()).stdout(Stdio::piped());
    let mut running = Running::of(shell);
    for _ in 0..2 {
        running.write("name\n");
        assert_eq!((running.line(), running.line()), ("= Tavoliere\n".into(), "\n".into()));
        running.signal("-HUP");
    }
    running.signal("-TERM");
    assert_eq!(running.end().0, Some(143));
}
