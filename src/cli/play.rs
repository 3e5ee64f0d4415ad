//! `tavoliere play`: a game against a player in the terminal.

use std::io::{BufRead, Write, stdin, stdout};
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use anyhow::{Context, Result, bail};

use super::entrant::Entrant;
use super::given::GivenGame;
use super::{Failure, stop_engines_on_interrupt, usage};
use crate::base::duration;
use crate::games::Variant;
use crate::games::{Game, Outcome, Side, Text, Turn, legal_turns, parse_turn};
use crate::play::Threefold;
use crate::play::opponents::{Forfeit, Name, Opponent, Seat as Place};

/// Play against a player in the terminal
#[derive(Debug, clap::Args)]
#[command(verbatim_doc_comment)]
pub struct Args {
    /// Who plays against you: any player that `match` knows
    player: String,
    /// The game, if no trained player says it
    #[arg(long, value_name = "NAME")]
    game: Option<String>,
    /// An option of the game, as in `--rule holes=2`
    #[arg(long = "rule", value_name = "OPTION=VALUE")]
    rules: Vec<String>,
    /// Your side
    #[arg(long, value_enum, default_value_t = Seat::First)]
    side: Seat,
    /// Simulations of a trained player for each action
    ///
    /// Unless its name says otherwise.
    #[arg(long, default_value_t = 200, value_parser = clap::value_parser!(u32).range(1..=1_000_000))]
    simulations: u32,
    /// Time for each of its turns, as in 500ms or 2s
    #[arg(long, value_parser = duration::parse, conflicts_with = "simulations")]
    time: Option<Duration>,
    /// Declare a draw when a position occurs for the third time
    #[arg(long)]
    threefold: bool,
    /// Let it think while you do
    #[arg(long)]
    ponder: bool,
    /// Names what the player draws
    #[arg(long, default_value_t = 1)]
    seed: u64,
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
        let given = usage(GivenGame::new(self.game.as_deref(), &self.rules))?;
        let entrant = Entrant::load(usage(self.player.parse::<Name>())?)?;
        let game = usage(given.of(entrant.variant()))?.with_context(|| {
            format!("{} belongs to no game; say which by --game NAME", entrant.name)
        });
        stop_engines_on_interrupt()?;
        with_variant!(usage(game)?, variant => self.play(variant, &entrant))
    }

    fn play<G: Game>(&self, variant: Variant<G>, entrant: &Entrant) -> Result<(), Failure> {
        let (place, threads) = (Place { seed: self.seed, player: 0 }, rayon::current_num_threads());
        let mut player = usage(entrant.seated(&variant, place, self.simulations, threads))?;
        player.allot(self.time);
        let human = match self.side {
            Seat::First => Some(Side::P1),
            Seat::Second => Some(Side::P2),
            Seat::None => None,
        };
        writeln!(stdout(), "{} against {}; {HELP}", variant.name, entrant.name)?;
        let Self { ponder, threefold, .. } = *self;
        let (history, moves) = (vec![variant.initial()], Vec::new());
        Ok(Table { variant, player, ponder, threefold, human, history, moves }.play()?)
    }
}

/// A game between a person and a player.
struct Table<G: Game> {
    variant: Variant<G>,
    player: Box<dyn Opponent<G>>,
    /// Whether the player thinks while the person does.
    ponder: bool,
    /// Whether the third occurrence of a position is a draw.
    threefold: bool,
    human: Option<Side>,
    /// The positions so far, the present one the last.
    history: Vec<G>,
    /// The turns between them.
    moves: Vec<Text>,
}

/// What a person said.
enum Said {
    Turn,
    Quit,
}

impl<G: Game> Table<G> {
    fn position(&self) -> G {
        *self.history.last().unwrap_or(&self.variant.initial())
    }

    fn play(mut self) -> Result<()> {
        loop {
            let game = self.position();
            writeln!(stdout(), "\n{game}\n")?;
            let start = self.variant.initial();
            let threefold = Threefold::after(self.threefold, &start, &self.history[1..]);
            if let Some(outcome) = threefold.outcome(&game) {
                writeln!(stdout(), "{}", self.verdict(outcome))?;
                return Ok(());
            }
            if self.human == Some(game.to_move()) {
                if let Said::Quit = self.ask()? {
                    return Ok(());
                }
            } else if let Said::Quit = self.answer(&game)? {
                return Ok(());
            }
        }
    }

    /// The player's turn; or that it gives the game up.
    fn answer(&mut self, game: &G) -> Result<Said> {
        let colour = game.to_move().colour(G::FIRST);
        let (turn, evaluation) = match self.player.think(game) {
            Some(thought) => {
                let [win, draw, loss] = thought.value.map(|part| 100.0 * part);
                let chances = format!("  (win {win:.0} %, draw {draw:.0} %, loss {loss:.0} %)");
                (thought.best, chances)
            }
            None => match self.player.choose(game, &self.moves) {
                Ok(chosen) => (chosen.turn, String::new()),
                Err(Forfeit::Resigned) => {
                    writeln!(stdout(), "{colour} resigns")?;
                    return Ok(Said::Quit);
                }
                Err(Forfeit::Failed(reason)) => bail!("the player failed: {reason}"),
            },
        };
        writeln!(stdout(), "{colour} plays {}{evaluation}", turn.text)?;
        self.advance(&turn);
        Ok(Said::Turn)
    }

    fn advance(&mut self, turn: &Turn) {
        self.player.follow(turn);
        self.history.push(turn.after(&self.position()));
        self.moves.push(turn.text);
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
                "hint" => match self.player.think(&game) {
                    Some(thought) => writeln!(out, "{}", thought.best.text)?,
                    None => writeln!(out, "this player gives no hints")?,
                },
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
            self.moves.truncate(index);
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
