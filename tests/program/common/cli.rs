//! Runs the program as a shell or another program would.

use std::io::Write;
use std::process::{Command, Stdio};

use serde_json::Value;

/// The program under test.
pub const PROGRAM: &str = env!("CARGO_BIN_EXE_tavoliere");

/// What a run of the program left behind.
#[derive(Debug)]
pub struct Run {
    pub status: Option<i32>,
    pub stdout: String,
    pub stderr: String,
}

impl Run {
    pub fn lines(&self) -> Vec<&str> {
        self.stdout.lines().collect()
    }

    pub fn json(&self) -> Vec<Value> {
        self.stdout.lines().map(|line| serde_json::from_str(line).unwrap()).collect()
    }

    /// This run, which must have ended well and without a word on standard error.
    #[track_caller]
    pub fn well(self) -> Self {
        assert_eq!((self.status, self.stderr.as_str()), (Some(0), ""), "{}", self.stdout);
        self
    }

    /// Checks that the program refused, with this status and these words on standard error.
    #[track_caller]
    pub fn refused(&self, status: i32, words: &str) {
        assert_eq!((self.status, self.stdout.as_str()), (Some(status), ""), "{}", self.stderr);
        assert!(self.stderr.contains(words), "no `{words}` in: {}", self.stderr);
        assert!(!self.stderr.contains("panicked"), "{}", self.stderr);
    }
}

pub fn program(args: &[&str]) -> Command {
    let mut command = Command::new(PROGRAM);
    command.args(args).stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
    command
}

/// Runs the program with some standard input.
pub fn run_with(args: &[&str], input: impl Into<Vec<u8>>) -> Run {
    let mut child = program(args).spawn().unwrap();
    let mut stdin = child.stdin.take().unwrap();
    let input = input.into();
    // A program that refuses its arguments does not read its input.
    let writer = std::thread::spawn(move || drop(stdin.write_all(&input)));
    let output = child.wait_with_output().unwrap();
    writer.join().unwrap();
    Run {
        status: output.status.code(),
        stdout: String::from_utf8(output.stdout).unwrap(),
        stderr: String::from_utf8(output.stderr).unwrap(),
    }
}

pub fn run(args: &[&str]) -> Run {
    run_with(args, "")
}

/// The names of all games, in the order of `tavoliere games`.
#[track_caller]
pub fn games() -> Vec<String> {
    let games = run(&["games", "--json"]).well().json();
    games.iter().map(|game| text(game, "game").to_owned()).collect()
}

/// The answers of `tavoliere analyze` with these arguments to these lines, one for each.
#[track_caller]
pub fn analyze<L: AsRef<[u8]>>(args: &[&str], lines: &[L]) -> Vec<Value> {
    let args = [&["analyze"], args].concat();
    let mut input = Vec::new();
    for line in lines {
        input.extend_from_slice(line.as_ref());
        input.push(b'\n');
    }
    let answers = run_with(&args, input).well().json();
    assert_eq!(answers.len(), lines.len(), "one answer a line");
    answers
}

/// The answer to one query.
#[track_caller]
pub fn ask(args: &[&str], query: &Value) -> Value {
    analyze(args, &[query.to_string()]).remove(0)
}

/// The text of a field.
#[track_caller]
pub fn text<'a>(value: &'a Value, field: &str) -> &'a str {
    value[field].as_str().unwrap_or_else(|| panic!("no text `{field}` in {value}"))
}

/// The texts of a field.
#[track_caller]
pub fn texts<'a>(value: &'a Value, field: &str) -> Vec<&'a str> {
    let list = value[field].as_array().unwrap_or_else(|| panic!("no list `{field}` in {value}"));
    list.iter().map(|text| text.as_str().unwrap()).collect()
}

/// The names of the fields, sorted.
#[track_caller]
pub fn fields(value: &Value) -> Vec<&str> {
    let mut names: Vec<_> = value.as_object().unwrap().keys().map(String::as_str).collect();
    names.sort_unstable();
    names
}

/// The fields of an answer by the rules alone.
pub const ANSWER: [&str; 8] =
    ["board", "id", "legal", "outcome", "ply", "position", "to_move", "winner"];

/// The fields of an answer to a bad line.
pub const REFUSAL: [&str; 3] = ["at", "error", "id"];

/// A board as it is drawn in a test: indented with `|`.
pub fn board(drawn: &str) -> String {
    let rows = drawn.lines().filter_map(|line| line.trim_start().strip_prefix('|'));
    rows.collect::<Vec<_>>().join("\n")
}
