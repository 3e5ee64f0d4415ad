//! `tavoliere engine`: a player for programs that speak the Go Text Protocol.

use std::io::{stdin, stdout};
use std::time::Duration;

use super::cast::Player;
use super::entrant::Entrant;
use super::given::GivenGame;
use super::{Failure, stop_engines_on_interrupt, usage};
use crate::base::duration;
use crate::play::engine::Engine;
use crate::play::opponents::Name;

/// Play for programs that speak the Go Text Protocol (GTP, version 2)
///
/// Commands come in on standard input, one a line, and each is answered on standard output. Black
/// is `b` or `x`, White is `w` or `o`; a turn is written as everywhere in this program, as in
///
///   play w A5-A2
///   genmove b
///
/// `list_commands` lists the commands, docs/formats.md explains them. Beyond the usual ones are
/// `tavoliere-game NAME [OPTION=VALUE]...`, `tavoliere-legal_moves COLOR` and `tavoliere-analyze`.
#[derive(Debug, clap::Args)]
#[command(verbatim_doc_comment)]
pub struct Args {
    /// Who plays: any player that `match` knows
    #[arg(long, default_value = "uct")]
    player: String,
    /// The game, if no trained player says it
    ///
    /// It may also be left to the command `tavoliere-game NAME`.
    #[arg(long, value_name = "NAME")]
    game: Option<String>,
    /// An option of the game, as in `--rule holes=2`
    #[arg(long = "rule", value_name = "OPTION=VALUE")]
    rules: Vec<String>,
    /// Simulations of a trained player for each action
    ///
    /// Unless its name says otherwise, or there is a limit of time.
    #[arg(long, default_value_t = 200, value_parser = clap::value_parser!(u32).range(1..=1_000_000))]
    simulations: u32,
    /// Time for each turn while no clock is set, as in 500ms or 2s
    #[arg(long, value_parser = duration::parse)]
    time: Option<Duration>,
    /// Declare a draw when a position occurs for the third time
    #[arg(long)]
    threefold: bool,
    /// Names what players draw
    #[arg(long, default_value_t = 1)]
    seed: u64,
}

impl Args {
    pub fn run(self) -> Result<(), Failure> {
        let given = usage(GivenGame::new(self.game.as_deref(), &self.rules))?;
        let entrant = Entrant::load(usage(self.player.parse::<Name>())?)?;
        let game = usage(given.of(entrant.variant()))?;
        stop_engines_on_interrupt()?;
        let Self { simulations, seed, time, threefold, .. } = self;
        let threads = rayon::current_num_threads();
        let player = Player { entrant, simulations, seed, threads };
        let mut engine = Engine::new(player, time).threefold(threefold);
        if let Some(game) = game {
            usage(engine.set_game(game))?;
        }
        Ok(engine.converse(stdin().lock(), stdout().lock())?)
    }
}
