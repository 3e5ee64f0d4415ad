//! The engine's part of the Go Text Protocol, version 2: a controller's commands in, responses out.
//!
//! Only `quit` ends the session: an invalid line gets an error response. `docs/formats.md` says
//! what the commands mean for games other than Go.

mod clock;
mod commands;
mod gogui;
mod live;
mod protocol;

use std::io::{self, BufWriter, Read, Write};
use std::time::Duration;

use anyhow::Result;

use self::clock::Clock;
use self::live::Live;
use self::protocol::{Command, response};
use crate::base::line_reader::{InputLine, LineReader};
use crate::play::engine::session::Session;
use crate::play::players::PlayerFactory;
use crate::registry::Variant;

/// The longest line that is read as a command, in bytes.
const MAX_LINE: usize = 1 << 16;

/// An engine: a player, a board once the game is set, and clocks.
pub(crate) struct Engine<F> {
    factory: F,
    /// The time limit of a turn while no clock is set.
    time: Option<Duration>,
    /// Whether the third occurrence of a position is a draw.
    threefold: bool,
    session: Option<Session>,
    clock: Clock,
    /// How often the board was cleared, which is the number of the game.
    cleared: u64,
}

impl<F: PlayerFactory> Engine<F> {
    /// An engine without a game. `time` is the time limit of a turn while no clock is set; `None`
    /// for no limit.
    pub(crate) fn new(factory: F, time: Option<Duration>) -> Self {
        Self { factory, time, threefold: false, session: None, clock: Clock::default(), cleared: 0 }
    }

    /// Sets whether the third occurrence of a position is a draw.
    pub(crate) fn threefold(self, is_agreed: bool) -> Self {
        Self { threefold: is_agreed, ..self }
    }

    /// Changes to another game.
    ///
    /// # Errors
    ///
    /// If the player does not support it; then nothing has changed.
    pub(crate) fn set_game(&mut self, game: Variant) -> Result<()> {
        self.session = Some(Session::new(&self.factory, game, self.threefold)?);
        self.restart();
        Ok(())
    }

    /// Clears the board; the game keeps its number.
    fn restart(&mut self) {
        self.clock.restart();
        if let Some(session) = &mut self.session {
            session.clear(self.cleared.saturating_sub(1));
        }
    }

    /// Begins the game in a position; it keeps its number.
    fn restart_in(&mut self, position: &str) -> Result<(), String> {
        let game = self.cleared.saturating_sub(1);
        self.session()?.begin_in(position, game)?;
        self.clock.restart();
        Ok(())
    }

    /// Answers commands until `quit` or the end of the input. The output is flushed before it waits
    /// for input.
    ///
    /// # Errors
    ///
    /// If input or output fails, or there is no thread to read the input.
    pub(crate) fn converse(
        &mut self,
        input: impl Read + Send + 'static,
        output: impl Write,
    ) -> io::Result<()> {
        let mut output = BufWriter::new(output);
        let lines = LineReader::start(input, MAX_LINE)?;
        while let Some(InputLine { bytes, length }) = lines.take()? {
            if length > MAX_LINE {
                let reason = format!("the line has {length} bytes; the limit is {MAX_LINE}");
                write!(output, "{}", response(None, &Err(reason)))?;
            } else if let Some(command) = Command::read(&bytes) {
                self.respond(&command, &lines, &mut output)?;
                if command.name == "quit" {
                    break;
                }
            }
            if !lines.has_arrived() {
                output.flush()?;
            }
        }
        output.flush()
    }

    /// Executes a command and writes its response.
    fn respond(
        &mut self,
        command: &Command,
        lines: &LineReader,
        output: &mut impl Write,
    ) -> io::Result<()> {
        if let Some(id) = &command.bad_id {
            let reason = format!("the number {id} of the command is too large");
            return write!(output, "{}", response(None, &Err(reason)));
        }
        match Live::of(command) {
            Some(live) => self.go_live(command, live, lines, output),
            None => write!(output, "{}", response(command.id, &self.execute(command))),
        }
    }
}
