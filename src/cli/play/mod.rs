//! `tavoliere play`: a game against a player in the terminal.

mod command;
mod save;
mod session;

use std::io::Write;
use std::path::PathBuf;
use std::time::Duration;

use anyhow::{Context, Result, anyhow, ensure};

use self::session::Session;
use super::game_option::{GivenGame, start_of};
use super::{Failure, usage};
use crate::base::duration;
use crate::base::printable::stdout;
use crate::games::{Colour, Side};
use crate::play::players::{PlayerSeed, PlayerSetup, PlayerSpec};
use crate::registry::{Position, Variant};
use crate::runs::players::LoadedPlayer;
use crate::runs::trained::Trained;

/// Play against a player in the terminal
///
///   tavoliere play neutron5
///   tavoliere play susan --level beginner
///   tavoliere play checkpoints/susan --side white --time 2s --ponder
///   tavoliere play 'uct?rollouts=1000' --game entropy
///   tavoliere play neutron5 --position 'xxxx./....x/..*../...../ooooo x'
///
/// Type your turn, or one of the commands board, moves, hint, undo, rules, save, help and quit.
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
    /// Position to begin in, as docs/formats.md describes it
    ///
    /// The rows of the board from top to bottom, the colour to move, and counters.
    ///
    /// The page and `tavoliere analyze` write such texts.
    #[arg(long, value_name = "TEXT")]
    position: Option<String>,
    /// Level of a trained opponent: number or name; `list` prints them
    #[arg(long, conflicts_with_all = ["simulations", "time"])]
    level: Option<String>,
    /// Your side: black, white, first, second or none
    #[arg(long, value_enum, default_value_t = YourSide::First, hide_possible_values = true)]
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
    /// Save the game in this file when it ends, as the command save does
    #[arg(long, value_name = "FILE")]
    save: Option<PathBuf>,
    /// Seed of the opponent
    #[arg(long, default_value_t = 1)]
    seed: u64,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug, clap::ValueEnum)]
enum YourSide {
    /// You play Black, drawn x
    Black,
    /// You play White, drawn o
    White,
    /// You move first, in the start or in the given position
    First,
    /// You move second
    Second,
    /// The player plays both sides
    None,
}

impl YourSide {
    /// The side in a game that begins in this position; `None` for neither side.
    fn of(self, start: &Position) -> Option<Side> {
        let [black, white] = match start.first() {
            Colour::Black => [Side::P1, Side::P2],
            Colour::White => [Side::P2, Side::P1],
        };
        match self {
            Self::First => Some(start.to_move()),
            Self::Second => Some(start.to_move().other()),
            Self::Black => Some(black),
            Self::White => Some(white),
            Self::None => None,
        }
    }
}

impl Args {
    pub(super) fn run(self) -> Result<(), Failure> {
        let given = usage(GivenGame::new(self.game.as_deref(), &self.rules))?;
        let mut loaded = LoadedPlayer::load(usage(self.player.parse::<PlayerSpec>())?)?;
        if let Some(level) = &self.level {
            if level == "list" {
                return Ok(list_levels(&loaded)?);
            }
            loaded = usage(at_level(&loaded, level))?;
        }
        let game = usage(given.of(loaded.variant()))?.with_context(|| {
            format!("the player {} has no game; name one by --game NAME", loaded.name)
        });
        self.play(usage(game)?, &loaded)
    }

    fn play(&self, variant: Variant, loaded: &LoadedPlayer) -> Result<(), Failure> {
        let start = usage(start_of(&variant, self.position.as_deref()))?;
        let seed = PlayerSeed { seed: self.seed, player: 0 };
        let threads = rayon::current_num_threads();
        let setup = PlayerSetup { seed, simulations: self.simulations, threads };
        let mut player = usage(loaded.player(&variant, &setup))?;
        let full = loaded.at_full_strength()?;
        let adviser = full.map(|full| full.player(&variant, &setup)).transpose()?;
        player.set_time(self.time);
        usage(player.start_from(&start))?;
        let human = self.side.of(&start);
        introduce(&variant, &loaded.name, &start, human)?;
        let session = Session {
            start,
            history: Vec::new(),
            moves: Vec::new(),
            variant,
            player,
            adviser,
            opponent: loaded.name.clone(),
            ponder: self.ponder,
            threefold: self.threefold,
            human,
            record: self.save.clone(),
        };
        Ok(session.play()?)
    }
}

/// The player at a level that `--level` names.
fn at_level(player: &LoadedPlayer, level: &str) -> Result<LoadedPlayer> {
    let is_given = player.trained().is_some_and(Trained::has_options);
    ensure!(!is_given, "--level: {} names its strength already", player.name);
    player.at_level(level).map_err(|error| anyhow!("--level: {error:#}"))
}

/// Prints the levels of a player.
fn list_levels(player: &LoadedPlayer) -> Result<()> {
    let levels = player.trained().map_or(&[][..], |trained| &trained.levels);
    ensure!(!levels.is_empty(), "the player {} has no levels", player.name);
    let width = levels.len().to_string().len();
    for (number, level) in (1..).zip(levels) {
        let elo = level.elo.map_or_else(String::new, |elo| format!("  {elo:.0} Elo"));
        writeln!(stdout(), "{number:>width$}  {:<12}{elo}", level.name)?;
    }
    Ok(())
}

/// Says who plays whom, and what can be typed.
fn introduce(
    variant: &Variant,
    opponent: &str,
    start: &Position,
    human: Option<Side>,
) -> Result<()> {
    let mut out = stdout();
    writeln!(out, "{} against {opponent}", variant.name)?;
    let first = start.to_move().name(start.first());
    match human {
        None => writeln!(out, "It plays both sides; {first} moves first.")?,
        Some(side) => {
            let (name, letter) = (side.name(start.first()), side.colour(start.first()));
            writeln!(out, "You play {name} ({letter}); {first} moves first.")?;
            writeln!(out, "Type a turn, or help.")?;
        }
    }
    Ok(())
}
