//! The game loop of `tavoliere play`.

use std::io::{BufRead, Write, stdin};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};

use anyhow::{Result, bail};

use super::command::{Command, HELP, meant};
use super::save::save;
use crate::base::printable::stdout;
use crate::games::{Colour, Outcome, Side, Text, Turn, legal_turns, parse_turn};
use crate::play::Threefold;
use crate::play::notation::Transcript;
use crate::play::players::{Forfeit, Player};
use crate::registry::rules_text::rulebook;
use crate::registry::{Position, Variant};
use crate::search::Wdl;

/// A game between a person and a player.
pub(super) struct Session {
    /// The game.
    pub(super) variant: Variant,
    pub(super) player: Box<dyn Player>,
    /// The same player at full strength, if it is weakened: it gives the hints. What a weakened one
    /// thinks of a position is noise.
    pub(super) adviser: Option<Box<dyn Player>>,
    /// The name of the player.
    pub(super) opponent: String,
    /// Whether the player searches during the person's turns.
    pub(super) ponder: bool,
    /// Whether the third occurrence of a position is a draw.
    pub(super) threefold: bool,
    /// The side of the person.
    pub(super) human: Option<Side>,
    /// The position that the game began in.
    pub(super) start: Position,
    /// The positions after it, the current one last.
    pub(super) history: Vec<Position>,
    /// The turns that lead to them.
    pub(super) moves: Vec<Text>,
    /// The file that the game is saved in when it ends.
    pub(super) record: Option<PathBuf>,
}

/// Whether the game loop continues.
enum Flow {
    Continue,
    Quit,
}

impl Session {
    fn position(&self) -> Position {
        *self.history.last().unwrap_or(&self.start)
    }

    /// The result of the game, if it is over.
    fn outcome(&self) -> Option<Outcome> {
        Threefold::after(self.threefold, &self.start, &self.history).outcome(&self.position())
    }

    pub(super) fn play(mut self) -> Result<()> {
        loop {
            let game = self.position();
            writeln!(stdout(), "\n{game}\n")?;
            if let Some(outcome) = self.outcome() {
                if let Some(ending) = game.ending() {
                    writeln!(stdout(), "{}.", ending.reason)?;
                }
                if let Some(file) = &self.record {
                    self.save(file)?;
                    writeln!(stdout(), "saved in {}", file.display())?;
                }
                writeln!(stdout(), "{}", self.result_text(outcome))?;
                return Ok(());
            }
            if self.human == Some(game.to_move()) {
                if let Flow::Quit = self.ask()? {
                    return Ok(());
                }
            } else if let Flow::Quit = self.play_turn(&game)? {
                return Ok(());
            }
        }
    }

    /// Plays the player's turn. Returns `Quit` if the player resigns.
    fn play_turn(&mut self, game: &Position) -> Result<Flow> {
        let colour = game.to_move().name(game.first());
        let (turn, chances) = match self.player.analyze(game) {
            Some(report) => {
                let chances = chances(game.to_move(), game.first(), report.value);
                let told =
                    if self.adviser.is_none() { format!("  ({chances})") } else { String::new() };
                (report.best, told)
            }
            None => match self.player.choose(game, &self.moves) {
                Ok(chosen) => (chosen.turn, String::new()),
                Err(Forfeit::Resigned) => {
                    writeln!(stdout(), "{colour} resigns")?;
                    return Ok(Flow::Quit);
                }
                Err(Forfeit::Failed(reason)) => bail!("the player failed: {reason}"),
            },
        };
        writeln!(stdout(), "{colour} plays {}{chances}", turn.text)?;
        self.advance(&turn);
        Ok(Flow::Continue)
    }

    fn advance(&mut self, turn: &Turn) {
        self.player.advance(turn);
        self.history.push(turn.after(&self.position()));
        self.moves.push(turn.text);
    }

    /// Reads input until the person plays a turn, takes one back or quits.
    fn ask(&mut self) -> Result<Flow> {
        let game = self.position();
        loop {
            let mut out = stdout();
            write!(out, "{} (you) to move: ", game.to_move().name(game.first()))?;
            out.flush()?;
            let mut line = String::new();
            if self.read_line(&game, &mut line)? == 0 {
                writeln!(out)?;
                return Ok(Flow::Quit);
            }
            match Command::read(&line) {
                Command::Quit => return Ok(Flow::Quit),
                Command::Undo if self.undo() => return Ok(Flow::Continue),
                Command::Turn(text) => match parse_turn(&game, text) {
                    Ok(turn) => {
                        self.advance(&turn);
                        return Ok(Flow::Continue);
                    }
                    Err(error) => writeln!(out, "{error}{}", hint_at(text))?,
                },
                other => self.answer(other, &game)?,
            }
        }
    }

    /// Answers a command after which it is still the person's turn.
    fn answer(&mut self, command: Command, game: &Position) -> Result<()> {
        let mut out = stdout();
        match command {
            Command::Board => writeln!(out, "\n{game}\n")?,
            Command::Help => writeln!(out, "{HELP}")?,
            Command::Moves => {
                let turns = legal_turns(game);
                let texts: Vec<&str> = turns.iter().map(|turn| turn.text.as_str()).collect();
                writeln!(out, "{}", texts.join("  "))?;
            }
            Command::Hint => {
                match self.adviser.as_mut().unwrap_or(&mut self.player).analyze(game) {
                    Some(report) => {
                        let chances = chances(game.to_move(), game.first(), report.value);
                        writeln!(out, "{}  ({chances})", report.best.text)?;
                    }
                    None => writeln!(out, "this player gives no hints")?,
                }
            }
            Command::Undo => writeln!(out, "there is nothing to take back")?,
            Command::Save(file) => match self.save(Path::new(file)) {
                Ok(()) => writeln!(out, "saved in {file}")?,
                Err(error) => writeln!(out, "{error:#}")?,
            },
            Command::Rules => write!(out, "{}", rulebook(self.variant.name)?.to_terminal())?,
            Command::Nothing | Command::Quit | Command::Turn(_) => {}
        }
        Ok(())
    }

    fn save(&self, file: &Path) -> Result<()> {
        let mut names = [self.opponent.as_str(); 2];
        if let Some(side) = self.human {
            names[usize::from(side.colour(self.variant.game().first()) == 'o')] = "Person";
        }
        let is_given = self.start != self.variant.initial();
        let start = is_given.then(|| self.start.position_text());
        let game =
            Transcript::starting(self.variant, start.as_deref(), &self.moves, self.outcome())?;
        save(file, game, names)
    }

    /// Reads a line; with `--ponder` the player searches meanwhile.
    fn read_line(&mut self, game: &Position, line: &mut String) -> std::io::Result<usize> {
        if !self.ponder {
            return stdin().lock().read_line(line);
        }
        let stop = AtomicBool::new(false);
        std::thread::scope(|scope| {
            // Without a thread it does not ponder.
            let ponder = || self.player.ponder(game, &stop);
            let _ = std::thread::Builder::new().spawn_scoped(scope, ponder);
            let read = stdin().lock().read_line(line);
            stop.store(true, Ordering::Relaxed);
            read
        })
    }

    /// Takes back the person's last turn and the turns after it. Returns whether there was one.
    fn undo(&mut self) -> bool {
        let before = std::iter::once(&self.start).chain(&self.history).take(self.history.len());
        let own = before.enumerate().filter(|(_, game)| Some(game.to_move()) == self.human);
        let earlier = own.map(|(turns, _)| turns).last();
        if let Some(turns) = earlier {
            self.history.truncate(turns);
            self.moves.truncate(turns);
        }
        earlier.is_some()
    }

    fn result_text(&self, outcome: Outcome) -> String {
        match outcome {
            Outcome::Draw => "a draw".to_owned(),
            Outcome::Win(side) => {
                let winner = side.name(self.variant.game().first());
                match self.human {
                    None => format!("{winner} wins"),
                    Some(human) if human == side => format!("{winner} wins: you win"),
                    Some(_) => format!("{winner} wins: you lose"),
                }
            }
        }
    }
}

/// The chances of both colours, given those of a side.
fn chances(side: Side, first: Colour, [win, draw, loss]: Wdl) -> String {
    let percent = |part: f32| format!("{:.0} %", 100.0 * part);
    let [own, other] = [side, side.other()].map(|side| side.name(first));
    format!("{own} wins {}, draw {}, {other} wins {}", percent(win), percent(draw), percent(loss))
}

/// The command that somebody who typed this may have meant, as the end of an error.
fn hint_at(text: &str) -> String {
    match meant(text) {
        Some(command) => format!("; did you mean `{command}`?"),
        None => "; `help` lists the commands".to_owned(),
    }
}
