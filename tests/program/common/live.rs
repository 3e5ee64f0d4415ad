//! Conversations with a program that answers while its input is open.

use std::io::{BufRead, BufReader, Write};
use std::process::{Child, ChildStdin, ChildStdout, Stdio};
use std::time::{Duration, Instant};

use super::cli::program;

/// A program that answers lines, whose input stays open.
pub struct Live {
    child: Child,
    input: ChildStdin,
    output: BufReader<ChildStdout>,
}

impl Live {
    pub fn start(subcommand: &str, args: &[&str]) -> Self {
        let mut command = program(&[&[subcommand], args].concat());
        command.stdin(Stdio::piped()).stdout(Stdio::piped());
        let mut child = command.spawn().unwrap();
        let (input, output) = (child.stdin.take().unwrap(), child.stdout.take().unwrap());
        Self { child, input, output: BufReader::new(output) }
    }

    pub fn send(&mut self, line: &str) {
        writeln!(self.input, "{line}").unwrap();
    }

    pub fn line(&mut self) -> String {
        let mut line = String::new();
        self.output.read_line(&mut line).unwrap();
        line.trim_end().to_owned()
    }

    /// Sends a line and returns the rest of the response to the command before, and how long it
    /// took.
    pub fn stop_by(&mut self, line: &str) -> (Vec<String>, Duration) {
        let begun = Instant::now();
        self.send(line);
        let mut rest = Vec::new();
        loop {
            match self.line() {
                line if line.is_empty() => return (rest, begun.elapsed()),
                line => rest.push(line),
            }
        }
    }
}

impl Drop for Live {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}
