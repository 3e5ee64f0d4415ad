//! `tavoliere play`: a game against a player in the terminal.

use std::io::{BufRead, Write, stdin, stdout};
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use anyhow::{Context, Result, bail};

use super::game_option::GivenGame;
use super::{Failure, usage};
use crate::base::duration;
use crate::games::{Game, Outcome, Side, Text, Turn, Variant, legal_turns, parse_turn};
use crate::play::Threefold;
use crate::play::players::{Forfeit, Player, PlayerSeed, PlayerSpec};
use crate::runs::players::{LoadedPlayer, Setup};

/// Play against a player in the terminal
///
///   tavoliere play neutron5
///   tavoliere play checkpoints/susan --side second --time 2s --ponder
///   tavoliere play 'uct?rollouts=1000' --game entropy
///
/// Type your turn, or one of the commands moves, hint, undo, help and quit.
#[derive(Debug, clap::Args)]
#[command(verbatim_doc_comment)]
pub(super) struct Args {
    /// Opponent: a player spec, see `tavoliere match --help`
    player: String,
    /// Name of the game, unless the opponent was trained for one
    #[arg(long, value_name = "NAME")]
    game: Option<String>,
    /// Option of the game, as in `--rule holes=2`; may be repeated
    #[arg(long = "rule", value_name = "OPTION=VALUE")]
    rules: Vec<String>,
    /// Your side
    #[arg(long, value_enum, default_value_t = YourSide::First)]
    side: YourSide,
    /// Simulations for each turn of a trained opponent
    ///
    /// From 1 to 1,000,000. Player options such as RUN?simulations=400 take precedence.
    #[arg(long, default_value_t = 200, value_parser = clap::value_parser!(u32).range(1..=1_000_000))]
    simulations: u32,
    /// Time limit of each turn of the opponent, as in 500ms or 2s
    #[arg(long, value_parser = duration::parse, conflicts_with = "simulations")]
    time: Option<Duration>,
    /// Declare a draw when a position occurs for the third time
    #[arg(long)]
    threefold: bool,
    /// Let the opponent search during your turns
    #[arg(long)]
    ponder: bool,
    /// Seed of the opponent
    #[arg(long, default_value_t = 1)]
    seed: u64,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug, clap::ValueEnum)]
enum YourSide {
    /// You move first
    First,
    /// You move second
    Second,
    /// The player plays both sides
    None,
}

const HELP: &str = "type a turn, or: moves, hint, undo, quit";

impl Args {
    pub(super) fn run(self) -> Result<(), Failure> {
        let given = usage(GivenGame::new(self.game.as_deref(), &self.rules))?;
        let loaded = LoadedPlayer::load(usage(self.player.parse::<PlayerSpec>())?)?;
        let game = usage(given.of(loaded.variant()))?.with_context(|| {
            format!("the player {} has no game; name one by --game NAME", loaded.name)
        });
        with_variant!(usage(game)?, variant => self.play(variant, &loaded))
    }

    fn play<G: Game>(&self, variant: Variant<G>, loaded: &LoadedPlayer) -> Result<(), Failure> {
        let seed = PlayerSeed { seed: self.seed, player: 0 };
        let threads = rayon::current_num_threads();
        let setup = Setup { seed, simulations: self.simulations, threads };
        let mut player = usage(loaded.player(&variant, &setup))?;
        player.set_time(self.time);
        let human = match self.side {
            YourSide::First => Some(Side::P1),
            YourSide::Second => Some(Side::P2),
            YourSide::None => None,
        };
        writeln!(stdout(), "{} against {}; {HELP}", variant.name, loaded.name)?;
        let Self { ponder, threefold, .. } = *self;
        let (history, moves) = (vec![variant.initial()], Vec::new());
        Ok(Session { variant, player, ponder, threefold, human, history, moves }.play()?)
    }
}

/// A game between a person and a player.
struct Session<G: Game> {
    variant: Variant<G>,
    player: Box<dyn Player<G>>,
    /// Whether the player searches during the person's turns.
    ponder: bool,
    /// Whether the third occurrence of a position is a draw.
    threefold: bool,
    human: Option<Side>,
    /// The positions so far, the current one last.
    history: Vec<G>,
    /// The turns between them.
    moves: Vec<Text>,
}

/// Whether the game loop continues.
enum Flow {
    Continue,
    Quit,
}

impl<G: Game> Session<G> {
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
    fn play_turn(&mut self, game: &G) -> Result<Flow> {
        let colour = game.to_move().colour(G::FIRST);
        let (turn, evaluation) = match self.player.analyze(game) {
            Some(report) => {
                let [win, draw, loss] = report.value.map(|part| 100.0 * part);
                let chances = format!("  (win {win:.0} %, draw {draw:.0} %, loss {loss:.0} %)");
                (report.best, chances)
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
        writeln!(stdout(), "{colour} plays {}{evaluation}", turn.text)?;
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
            write!(out, "{} to move: ", game.to_move().colour(G::FIRST))?;
            out.flush()?;
            let mut line = String::new();
            if self.read_line(&game, &mut line)? == 0 {
                writeln!(out)?;
                return Ok(Flow::Quit);
            }
            match line.trim() {
                "" => {}
                "quit" | "exit" => return Ok(Flow::Quit),
                "help" | "?" => writeln!(out, "{HELP}")?,
                "moves" => {
                    let turns = legal_turns(&game);
                    let texts: Vec<&str> = turns.iter().map(|turn| turn.text.as_str()).collect();
                    writeln!(out, "{}", texts.join("  "))?;
                }
                "hint" => match self.player.analyze(&game) {
                    Some(report) => writeln!(out, "{}", report.best.text)?,
                    None => writeln!(out, "this player gives no hints")?,
                },
                "undo" if self.undo() => return Ok(Flow::Continue),
                "undo" => writeln!(out, "there is nothing to take back")?,
                text => match parse_turn(&game, text) {
                    Ok(turn) => {
                        self.advance(&turn);
                        return Ok(Flow::Continue);
                    }
                    Err(error) => writeln!(out, "{error}")?,
                },
            }
        }
    }

    /// Reads a line; with `--ponder` the player searches meanwhile.
    fn read_line(&mut self, game: &G, line: &mut String) -> std::io::Result<usize> {
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

    /// Takes back the person's last turn and the turns after it. Returns whether there was one.
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

    fn result_text(&self, outcome: Outcome) -> String {
        match outcome {
            Outcome::Draw => "a draw".to_owned(),
            Outcome::Win(side) if Some(side) == self.human => "you win".to_owned(),
            Outcome::Win(side) => format!("{} wins", side.colour(G::FIRST)),
        }
    }
}
