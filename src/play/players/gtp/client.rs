//! The controller's part of the protocol: sends commands and reads their responses.

use std::time::{Duration, Instant};

use serde_json::{Map, Value};

use super::External;
use super::connection::{Connection, NoLine};
use super::process::Process;
use crate::registry::Variant;

/// The least time to start: networks may have to be loaded.
const START: Duration = Duration::from_secs(60);
/// How long an engine may start in silence.
const QUIET: Duration = Duration::from_secs(5);
/// The most lines of a response.
const MAX_ANSWER: usize = 1000;

/// A connection to an engine. Errors are messages for people. After an error the connection must
/// not be used.
pub(super) struct Client {
    process: Box<dyn Connection>,
    /// The time limit of a turn.
    timeout: Duration,
    /// The time limit of the current turn, or of the start.
    allowed: Duration,
    /// The end of that time.
    deadline: Instant,
    /// When somebody is told that an engine that starts is waited for.
    patience: Option<Instant>,
}

impl Client {
    /// Starts an engine and sets it up for a game.
    pub(super) fn start(external: &External, game: &GameSetup) -> Result<Self, String> {
        let process = Process::start(&external.words)
            .map_err(|error| format!("cannot start `{}`: {error}", external.words[0]))?;
        Self::over(Box::new(process), external.timeout, game)
    }

    /// Sets an engine up for a game. `timeout` is the time limit of a turn.
    pub(super) fn over(
        process: Box<dyn Connection>,
        timeout: Duration,
        game: &GameSetup,
    ) -> Result<Self, String> {
        let (allowed, deadline) = (timeout.max(START), Instant::now() + timeout.max(START));
        let patience = Some(Instant::now() + QUIET);
        let mut client = Self { process, timeout, allowed, deadline, patience };
        match client.set_up(game) {
            Ok(()) => {
                client.patience = None;
                Ok(client)
            }
            Err(reason) => Err(format!("{reason}{}", client.last_errors())),
        }
    }

    fn set_up(&mut self, game: &GameSetup) -> Result<(), String> {
        let version = self.send("protocol_version")?;
        if version != "2" {
            return Err(format!("it speaks version `{}` of GTP, not 2", cut(&version)));
        }
        for command in ["clear_board", "play", "genmove"] {
            if !self.knows(command)? {
                return Err(format!("it does not know the command {command}"));
            }
        }
        if self.knows("tavoliere-game")? {
            let options = game.options.iter().map(|(option, value)| match value {
                Value::String(text) => format!(" {option}={text}"),
                value => format!(" {option}={value}"),
            });
            let options: String = options.collect();
            self.send(&format!("tavoliere-game {}{options}", game.name))?;
        } else if self.knows("boardsize")? {
            self.send(&format!("boardsize {}", game.width))?;
        }
        Ok(())
    }

    /// Whether the engine knows a command.
    pub(super) fn knows(&mut self, command: &str) -> Result<bool, String> {
        Ok(self.send(&format!("known_command {command}"))?.eq_ignore_ascii_case("true"))
    }

    /// Starts the time of a turn.
    pub(super) fn begin_turn(&mut self) {
        (self.allowed, self.deadline) = (self.timeout, Instant::now() + self.timeout);
    }

    /// Sends a command and returns its response. An error response is an error.
    pub(super) fn send(&mut self, command: &str) -> Result<String, String> {
        self.listen_before(command)?;
        if self.process.write(command).is_err() {
            return Err(self.ended(command));
        }
        let first = loop {
            let line = self.line(command)?;
            if line.trim() == command {
                // Without the empty line that ends a response, one would wait for it.
                return Err(format!(
                    "it repeats the command `{command}`, so it is no engine that speaks GTP"
                ));
            }
            if !line.is_empty() {
                break line;
            }
        };
        let mut answer = first.clone();
        for _ in 0..MAX_ANSWER {
            let line = self.line(command)?;
            if line.is_empty() {
                return read_answer(command, &answer);
            }
            answer.push('\n');
            answer.push_str(&line);
        }
        Err(format!(
            "its response to `{command}` has more than {MAX_ANSWER} lines; it begins with `{}`",
            cut(&first)
        ))
    }

    /// Checks that the engine wrote nothing but empty lines since the last response.
    fn listen_before(&self, command: &str) -> Result<(), String> {
        while let Some(line) = self.process.read_at_once() {
            match line {
                Ok(line) if line.is_empty() => {}
                Ok(line) => return Err(format!("it wrote `{}` without a command", cut(&line))),
                Err(_) => return Err(self.ended(command)),
            }
        }
        Ok(())
    }

    /// The next line, without control characters, which the protocol ignores.
    fn line(&mut self, command: &str) -> Result<String, String> {
        let mut read =
            self.process.read(self.patience.map_or(self.deadline, |it| it.min(self.deadline)));
        if matches!(read, Err(NoLine::Timeout)) && self.patience.take().is_some() {
            // A page has no engines.
            #[cfg(not(target_family = "wasm"))]
            crate::base::progress::say(&format!(
                "an engine has not answered `{command}` yet; it is given {} s to start",
                self.allowed.as_secs()
            ));
            read = self.process.read(self.deadline);
        }
        match read {
            Ok(line) => Ok(line.replace(|it: char| it != '\t' && it.is_control(), "")),
            Err(NoLine::Closed) => Err(self.ended(command)),
            Err(NoLine::Timeout) => {
                let seconds = self.allowed.as_secs_f64();
                Err(format!("it did not answer `{command}` within {seconds} s"))
            }
        }
    }

    fn ended(&self, command: &str) -> String {
        match self.process.status() {
            Some(status) => format!("it ended ({status}) before it answered `{command}`"),
            None => format!("it closed its output before it answered `{command}`"),
        }
    }

    /// Ends the process. Returns the last lines of its standard error, as the end of a sentence.
    pub(super) fn last_errors(mut self) -> String {
        self.process.end(true);
        match self.process.errors() {
            lines if lines.is_empty() => String::new(),
            lines => format!("; its standard error ends with: {}", lines.join(" / ")),
        }
    }
}

impl Drop for Client {
    fn drop(&mut self) {
        self.process.end(false);
    }
}

/// The result in a response, or an error.
fn read_answer(command: &str, answer: &str) -> Result<String, String> {
    let (sign, rest) = answer.split_at_checked(1).unwrap_or_default();
    let text = rest.trim();
    match sign {
        "=" => Ok(text.to_owned()),
        "?" => Err(format!("it answered `{command}` with the error `{}`", cut(text))),
        _ => Err(format!(
            "its response to `{command}` begins with neither = nor ?: `{}`",
            cut(answer)
        )),
    }
}

/// The first line, cut to a length for an error message.
fn cut(text: &str) -> String {
    text.lines().next().unwrap_or_default().chars().take(80).collect()
}

/// What an engine is told of a game.
#[derive(Clone, Debug)]
pub(super) struct GameSetup {
    name: &'static str,
    /// The options that differ from those of the game's preset.
    options: Map<String, Value>,
    /// Columns of the board.
    width: usize,
}

impl GameSetup {
    pub(super) fn new(variant: &Variant) -> Self {
        Self { name: variant.name, options: variant.changed_options(), width: variant.spec().width }
    }
}
