//! `tavoliere play`: a game against a player in the terminal.

use std::io::{BufRead, Write, stdin, stdout};
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use anyhow::Result;

use super::Failure;
use crate::duration;
use crate::evaluator::Evaluator;
use crate::game::{Game, Outcome, Side, Turn, legal_turns, parse_turn};
use crate::games::Variant;
use crate::player::{Budget, Player};
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
    /// Simulations for each of its actions
    #[arg(long, default_value_t = 200, value_parser = clap::value_parser!(u32).range(1..=1_000_000))]
    simulations: u32,
    /// Time for each of its turns instead, as in 500ms or 2s
    #[arg(long, value_parser = duration::parse, conflicts_with = "simulations")]
    time: Option<Duration>,
    /// Let it think while you do
    #[arg(long)]
    ponder: bool,
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
            let evaluators = vec![trained.evaluator; rayon::current_num_threads()];
            let player = Player::new(evaluators, trained.search);
            let budget = self.budget(trained.simulations, trained.time);
            let human = match self.side {
                Seat::First => Some(Side::P1),
                Seat::Second => Some(Side::P2),
                Seat::None => None,
            };
            writeln!(stdout(), "{} against {}; {HELP}", variant.name, trained.name)?;
            let history = vec![variant.initial()];
            let ponder = self.ponder;
            Table { variant, player, budget, ponder, human, history }.play()?;
        });
        Ok(())
    }
}

impl Args {
    /// What is asked for here, or else by the name of the player.
    fn budget(&self, simulations: Option<u32>, time: Option<Duration>) -> Budget {
        match self.time.or(time) {
            Some(time) => Budget::Time(time),
            None => Budget::Simulations(simulations.unwrap_or(self.simulations)),
        }
    }
}

/// A game between a person and a player.
struct Table<G: Game, E> {
    variant: Variant<G>,
    player: Player<G, E>,
    budget: Budget,
    /// Whether the player thinks while the person does.
    ponder: bool,
    human: Option<Side>,
    /// The positions so far, the present one the last.
    history: Vec<G>,
}

/// What a person said.
enum Said {
    Turn,
    Quit,
}

impl<G: Game, E: Evaluator<G> + Send> Table<G, E> {
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
        let thought = self.player.think(game, &self.budget.limits());
        let [win, draw, loss] = thought.value.map(|part| 100.0 * part);
        writeln!(
            stdout(),
            "{} plays {}  (win {win:.0} %, draw {draw:.0} %, loss {loss:.0} %)",
            game.to_move().colour(G::FIRST),
            thought.best.text
        )?;
        self.advance(&thought.best);
        Ok(())
    }

    fn advance(&mut self, turn: &Turn) {
        self.player.follow(turn);
        let mut next = self.position();
        turn.actions.iter().for_each(|&action| next.play(action));
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
            if self.listen(&game, &mut line)? == 0 {
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
                    let thought = self.player.think(&game, &self.budget.limits());
                    writeln!(out, "{}", thought.best.text)?;
                }
                "undo" if self.undo() => return Ok(Said::Turn),
                "undo" => writeln!(out, "there is nothing to take back")?,
                text => match parse_turn(&game, text) {
                    Ok(turn) => {
                        self.advance(&turn);
                        return Ok(Said::Turn);
                    }
                    Err(error) => writeln!(out, "{error}")?,
                },
            }
        }
    }

    /// Reads a line, and lets the player think meanwhile if it may.
    fn listen(&mut self, game: &G, line: &mut String) -> std::io::Result<usize> {
        if !self.ponder {
            return stdin().lock().read_line(line);
        }
        let stop = AtomicBool::new(false);
        std::thread::scope(|scope| {
            scope.spawn(|| self.player.ponder(game, &stop));
            let read = stdin().lock().read_line(line);
            stop.store(true, Ordering::Relaxed);
            read
        })
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
