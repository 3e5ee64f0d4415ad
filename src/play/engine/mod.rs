//! The engine's part of the Go Text Protocol, version 2: a controller's commands in, responses out.
//!
//! No input ends the conversation but `quit`: what is no command gets an error for a response.
//! What the commands mean for games other than Go is in `docs/formats.md`.

mod clock;
mod commands;
mod protocol;
mod table;

use std::io::{self, BufReader, BufWriter, Read, Write};
use std::time::Duration;

use anyhow::Result;

use self::clock::Clock;
use self::protocol::{Command, response};
use self::table::{GameTable, Table};
use crate::base::lines::read_line;
use crate::games::AnyVariant;
use crate::play::players::PlayerFactory;

/// The longest line that is read as a command, in bytes.
const MAX_LINE: usize = 1 << 16;

/// An engine: players, a board once it is known of which game, and clocks.
pub struct Engine<F> {
    factory: F,
    /// Time for a turn where no clock is set.
    time: Option<Duration>,
    /// Whether the third occurrence of a position is a draw.
    threefold: bool,
    table: Option<Box<dyn Table>>,
    clock: Clock,
    /// How often the board was cleared, which numbers the games.
    cleared: u64,
}

impl<F: PlayerFactory> Engine<F> {
    /// An engine that knows no game yet, and uses so much time for a turn, if there is a limit,
    /// while no clock is set.
    pub fn new(factory: F, time: Option<Duration>) -> Self {
        Self { factory, time, threefold: false, table: None, clock: Clock::default(), cleared: 0 }
    }

    /// The same, with the third occurrence of a position a draw if `is_agreed`.
    pub fn threefold(self, is_agreed: bool) -> Self {
        Self { threefold: is_agreed, ..self }
    }

    /// Changes to another game.
    ///
    /// # Errors
    ///
    /// If the player does not play it; then nothing has changed.
    pub fn set_game(&mut self, game: AnyVariant) -> Result<()> {
        self.factory.check(&game)?;
        self.table = Some(with_variant!(game, variant => {
            let player = self.factory.player(&variant)?;
            Box::new(GameTable::new(variant, player, self.threefold)) as Box<dyn Table>
        }));
        self.restart();
        Ok(())
    }

    /// Clears the board; the game keeps its number.
    fn restart(&mut self) {
        self.clock.restart();
        if let Some(table) = &mut self.table {
            table.clear(self.cleared.saturating_sub(1));
        }
    }

    /// Answers command after command until told to quit, or until the input ends. A response is
    /// out before the next command is waited for.
    ///
    /// # Errors
    ///
    /// If input or output fails.
    pub fn converse(&mut self, input: impl Read, output: impl Write) -> io::Result<()> {
        let (mut input, mut output) = (BufReader::new(input), BufWriter::new(output));
        let mut line = Vec::new();
        while let Some(length) = read_line(&mut input, &mut line, MAX_LINE)? {
            if length > MAX_LINE {
                let reason = format!("a line of {length} bytes; at most {MAX_LINE} are read");
                write!(output, "{}", response(None, &Err(reason)))?;
            } else if let Some(command) = Command::read(&line) {
                write!(output, "{}", response(command.id, &self.execute(&command)))?;
                if command.name == "quit" {
                    break;
                }
            }
            if !input.buffer().contains(&b'\n') {
                output.flush()?;
            }
        }
        output.flush()
    }
}
