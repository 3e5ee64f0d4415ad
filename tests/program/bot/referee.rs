//! The rules of the server's games, by `tavoliere analyze`.

use std::io::{BufRead, BufReader, Write};
use std::process::{Child, ChildStdin, ChildStdout};

use serde_json::{Value, json};

use crate::common::cli::{program, text, texts};

/// What the rules say about a position.
pub struct Ruling {
    /// The legal turns, as the server writes them.
    pub legal: Vec<String>,
    pub is_over: bool,
}

/// Knows what is legal.
pub struct Referee {
    child: Child,
    input: ChildStdin,
    output: BufReader<ChildStdout>,
}

impl Referee {
    pub fn new() -> Self {
        let mut child = program(&["analyze"]).spawn().unwrap();
        let (input, output) = (child.stdin.take().unwrap(), child.stdout.take().unwrap());
        Self { child, input, output: BufReader::new(output) }
    }

    /// What is legal after these turns.
    pub fn rule(&mut self, game: &str, moves: &[String]) -> Ruling {
        let query = match game {
            "susan" => {
                let moves: Vec<String> = moves.iter().map(|turn| skewed(turn)).collect();
                json!({ "game": "susan", "rules": { "notation": "skewed" }, "moves": moves })
            }
            "breakthrough" => json!({ "game": "breakthrough8", "moves": moves }),
            "neutron" => {
                let moves: Vec<String> = moves.iter().map(|turn| upside_down(turn)).collect();
                json!({ "game": "neutron5_abstractplay", "moves": moves })
            }
            other => panic!("{other}"),
        };
        writeln!(self.input, "{query}").unwrap();
        let mut answer = String::new();
        self.output.read_line(&mut answer).unwrap();
        let answer: Value = serde_json::from_str(&answer).unwrap();
        assert!(answer["error"].is_null(), "{query}: {answer}");
        let legal = texts(&answer, "legal").into_iter();
        let theirs = |turn: &str| match game {
            "susan" => unskewed(turn),
            "neutron" => upside_down(turn).to_lowercase(),
            _ => turn.to_owned(),
        };
        assert!(!text(&answer, "board").is_empty());
        Ruling { legal: legal.map(theirs).collect(), is_over: !answer["outcome"].is_null() }
    }
}

impl Drop for Referee {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// A turn of Neutron on five rows, counted from the other end of the board.
fn upside_down(turn: &str) -> String {
    let row = |sign: char| sign.to_digit(10).and_then(|row| char::from_digit(6 - row, 10));
    turn.chars().map(|sign| row(sign).unwrap_or(sign)).collect()
}

/// A turn of Susan by files and ranks: the server names rows by letters, and counts cells from the
/// left end of the row. The rows above the fifth begin a file further right, each.
fn skewed(turn: &str) -> String {
    let cell = |cell: &str| {
        let [row, number] = *cell.as_bytes() else { panic!("{turn}") };
        let (row, number) = (row - b'a' + 1, number - b'0');
        format!("{}{row}", char::from(b'a' - 1 + number + row.saturating_sub(5)))
    };
    turn.split('-').map(cell).collect::<Vec<_>>().join("-")
}

fn unskewed(turn: &str) -> String {
    let cell = |cell: &str| {
        let [file, row] = *cell.as_bytes() else { panic!("{turn}") };
        let (file, row) = (file - b'a' + 1, row - b'0');
        format!("{}{}", char::from(b'a' - 1 + row), file - row.saturating_sub(5))
    };
    turn.split('-').map(cell).collect::<Vec<_>>().join("-")
}
