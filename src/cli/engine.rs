//! `tavoliere engine`: a player that speaks the Go Text Protocol or the Universal Game Interface.

use std::io::{stdin, stdout};
use std::time::Duration;

use super::game_option::GivenGame;
use super::{Failure, usage};
use crate::base::duration;
use crate::play::engine::{Engine, UgiEngine};
use crate::play::players::{PlayerSeed, PlayerSetup, PlayerSpec};
use crate::runs::players::{LoadedFactory, LoadedPlayer};

/// Run a player as an engine, for the Go Text Protocol (GTP, version 2) or UGI
///
///   tavoliere engine --player neutron5
///   tavoliere engine --player connect_four --protocol ugi
///   tavoliere engine --player 'uct?rollouts=1000' --game susan
///   tavoliere engine --player checkpoints/neutron7 --time 2s
///
/// The engine reads commands from standard input, one a line, and answers on standard output. Black
/// is `b` or `x`, White is `w` or `o`, and a turn is one word:
///
///   play w A5-A2
///   genmove b
///
/// With `--protocol ugi` it speaks the Universal Game Interface, whose commands are like those of UCI.
/// In GTP `list_commands` lists the commands; docs/formats.md describes those of both protocols. In
/// addition to GTP there are `tavoliere-game NAME [OPTION=VALUE]...`, `tavoliere-legal_moves COLOR`,
/// `tavoliere-analyze` and live analysis.
#[derive(Debug, clap::Args)]
#[command(verbatim_doc_comment)]
pub(super) struct Args {
    /// Player spec, see `tavoliere match --help`
    #[arg(long, default_value = "uct")]
    player: String,
    /// Protocol: gtp or ugi
    #[arg(long, value_enum, default_value_t = Protocol::Gtp, hide_possible_values = true)]
    protocol: Protocol,
    /// Name of the game, unless the player was trained for one
    ///
    /// The command `tavoliere-game NAME` sets it, too.
    #[arg(long, value_name = "NAME")]
    game: Option<String>,
    /// Option of the game, as in `--rule holes=2`; may be repeated
    #[arg(long = "rule", value_name = "OPTION=VALUE")]
    rules: Vec<String>,
    /// Simulations for each turn of a trained player
    ///
    /// From 1 to 1,000,000. Player options and time limits take precedence.
    #[arg(long, default_value_t = 200, value_parser = clap::value_parser!(u32).range(1..=1_000_000))]
    simulations: u32,
    /// Time limit of each turn while no clock is set, as in 500ms or 2s
    #[arg(long, value_parser = duration::parse)]
    time: Option<Duration>,
    /// Declare a draw when a position occurs for the third time
    #[arg(long)]
    threefold: bool,
    /// Seed of the player
    #[arg(long, default_value_t = 1)]
    seed: u64,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug, clap::ValueEnum)]
enum Protocol {
    /// The Go Text Protocol
    Gtp,
    /// The Universal Game Interface
    Ugi,
}

impl Args {
    pub(super) fn run(self) -> Result<(), Failure> {
        let given = usage(GivenGame::new(self.game.as_deref(), &self.rules))?;
        let player = LoadedPlayer::load(usage(self.player.parse::<PlayerSpec>())?)?;
        let game = usage(given.of(player.variant()))?;
        let Self { simulations, seed, time, threefold, .. } = self;
        let seed = PlayerSeed { seed, player: 0 };
        let setup = PlayerSetup { seed, simulations, threads: rayon::current_num_threads() };
        let factory = LoadedFactory { player, setup };
        match self.protocol {
            Protocol::Gtp => {
                let mut engine = Engine::new(factory, time).threefold(threefold);
                game.map(|game| usage(engine.set_game(game))).transpose()?;
                Ok(engine.converse(stdin(), stdout().lock())?)
            }
            Protocol::Ugi => {
                let mut engine = UgiEngine::new(factory, time, threefold);
                game.map(|game| usage(engine.set_game(game))).transpose()?;
                Ok(engine.converse(stdin(), stdout().lock())?)
            }
        }
    }
}
