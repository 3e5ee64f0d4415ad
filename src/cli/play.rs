//! `tavoliere play`: a game against a player in the terminal.

use std::io::{BufRead, Write, stdin, stdout};

use anyhow::Result;

use super::Failure;
use crate::evaluator::Evaluator;
use crate::game::{Game, Outcome, Side, legal_turns, parse_turn};
use crate::games::Variant;
use crate::player::{Limits, Player};
use crate::trained::Trained;

/// Play against a player in the terminal
#[derive(Debug, clap::Args)]
#[command(verbatim_doc_comment)]
pub struct Args {
    /// The player: a run, or RUN@ITERATION
    player: String,
    /// Your side
    #[arg(long, value_enum, default_value_t = Seat::First)]
    side: Seat,
    /// Simulations for each of its turns
    #[arg(long, default_value_t = 200, value_parser = clap::value_parser!(u32).range(1..=1_000_000))]
    simulations: u32,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug, clap::ValueEnum)]
enum Seat {
    /// You move first
    First,
    /// You move second
    Second,
    /// It plays both sides
    None,
}

const HELP: &str = "a turn as it is written here, or: moves, hint, undo, quit";

impl Args {
    pub fn run(self) -> Result<(), Failure> {
        let trained = Trained::load(&self.player)?;
        with_variant!(trained.variant, variant => {
            let player = Player::new(trained.evaluator, trained.search);
            let limits = Limits::simulations(self.simulations);
            let human = match self.side {
                Seat::First => Some(Side::P1),
                Seat::Second => Some(Side::P2),
                Seat::None => None,
            };
            writeln!(stdout(), "{} against {}; {HELP}", variant.name, trained.name)?;
            let history = vec![variant.initial()];
            Table { variant, player, limits, human, history }.play()?;
        });
        Ok(())
    }
}

/// A game between a person and a player.
struct Table<G: Game, E> {
    variant: Variant<G>,
    player: Player<G, E>,
    limits: Limits,
    human: Option<Side>,
    /// The positions so far, the present one the last.
    history: Vec<G>,
}

/// What a person said.
enum Said {
    Turn,
    Quit,
}

impl<G: Game, E: Evaluator<G>> Table<G, E> {
    fn position(&self) -> G {
        *self.history.last().unwrap_or(&self.variant.initial())
    }

    fn play(mut self) -> Result<()> {
        loop {
            let game = self.position();
            writeln!(stdout(), "\n{game}\n")?;
            if let Some(outcome) = game.outcome() {
                writeln!(stdout(), "{}", self.verdict(outcome))?;
                return Ok(());
            }
            if self.human == Some(game.to_move()) {
                if let Said::Quit = self.ask()? {
                    return Ok(());
                }
            } else {
                self.answer(&game)?;
            }
        }
    }

    /// The player's turn.
    fn answer(&mut self, game: &G) -> Result<()> {
        let thought = self.player.think(game, &self.limits);
        let [win, draw, loss] = thought.value.map(|part| 100.0 * part);
        writeln!(
            stdout(),
            "{} plays {}  (win {win:.0} %, draw {draw:.0} %, loss {loss:.0} %)",
            game.to_move().colour(G::FIRST),
            thought.best.text
        )?;
        self.advance(&thought.best.actions);
        Ok(())
    }

    fn advance(&mut self, actions: &[u16]) {
        let mut next = self.position();
        actions.iter().for_each(|&action| next.play(action));
        self.history.push(next);
    }

    /// Asks the person until there is a turn, or the end of it.
    fn ask(&mut self) -> Result<Said> {
        let game = self.position();
        loop {
            let mut out = stdout();
            write!(out, "{} to move: ", game.to_move().colour(G::FIRST))?;
            out.flush()?;
            let mut line = String::new();
            if stdin().lock().read_line(&mut line)? == 0 {
                writeln!(out)?;
                return Ok(Said::Quit);
            }
            match line.trim() {
                "" => {}
                "quit" | "exit" => return Ok(Said::Quit),
                "help" | "?" => writeln!(out, "{HELP}")?,
                "moves" => {
                    let turns = legal_turns(&game);
                    let texts: Vec<&str> = turns.iter().map(|turn| turn.text.as_str()).collect();
                    writeln!(out, "{}", texts.join("  "))?;
                }
                "hint" => {
                    let thought = self.player.think(&game, &self.limits);
                    writeln!(out, "{}", thought.best.text)?;
                }
                "undo" if self.undo() => return Ok(Said::Turn),
                "undo" => writeln!(out, "there is nothing to take back")?,
                text => match parse_turn(&game, text) {
                    Ok(turn) => {
                        self.advance(&turn.actions);
                        return Ok(Said::Turn);
                    }
                    Err(error) => writeln!(out, "{error}")?,
                },
            }
        }
    }

    /// Takes back the person's last turn and what came after it; whether there was one.
    fn undo(&mut self) -> bool {
        let earlier = self.history[..self.history.len() - 1]
            .iter()
            .rposition(|game| Some(game.to_move()) == self.human);
        if let Some(index) = earlier {
            self.history.truncate(index + 1);
        }
        earlier.is_some()
    }

    fn verdict(&self, outcome: Outcome) -> String {
        match outcome {
            Outcome::Draw => "a draw".to_owned(),
            Outcome::Win(side) if Some(side) == self.human => "you win".to_owned(),
            Outcome::Win(side) => format!("{} wins", side.colour(G::FIRST)),
        }
    }
}
