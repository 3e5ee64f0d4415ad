//! `tavoliere bot`: a bot on a server where people play.

mod abstractplay;
mod status;

use std::path::PathBuf;
use std::time::Duration;

use super::Failure;

/// Play as a bot on a server where people play, or tell how a bot is doing
///
///   tavoliere bot abstractplay --player susan
///   tavoliere bot status
///
/// docs/front-ends.md is the guide.
#[derive(Debug, clap::Args)]
#[command(verbatim_doc_comment)]
pub(super) struct Args {
    #[command(subcommand)]
    command: Command,
}

#[derive(Debug, clap::Subcommand)]
enum Command {
    Abstractplay(abstractplay::Args),
    Status(status::Args),
}

/// The journal of a bot, and how it counts games.
#[derive(Debug, clap::Args)]
struct JournalOptions {
    /// Folder of the journal
    #[arg(long, default_value = "checkpoints/bot", value_name = "DIR")]
    journal: PathBuf,
    /// Days of silence after which a game no longer counts
    ///
    /// From 1 to 365. The server does not tell how a game ended that the bot did not end.
    #[arg(
        long, default_value_t = 14, value_name = "N",
        value_parser = clap::value_parser!(u16).range(1..=365)
    )]
    idle_days: u16,
}

impl JournalOptions {
    fn idle(&self) -> Duration {
        Duration::from_secs(86_400) * u32::from(self.idle_days)
    }
}

impl Args {
    pub(super) fn run(self) -> Result<(), Failure> {
        match self.command {
            Command::Abstractplay(args) => args.run(),
            Command::Status(args) => args.run(),
        }
    }
}
