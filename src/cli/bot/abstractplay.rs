//! `tavoliere bot abstractplay`: the endpoint of a bot on AbstractPlay.

use std::io::{Write, stdout};
use std::net::SocketAddr;
use std::path::PathBuf;
use std::time::Duration;

use anyhow::{Context, Result, ensure};

use super::JournalOptions;
use crate::base::{duration, foreign};
use crate::bot::{Account, Bot, BotPlayers, BotSettings, PublicKey, Terms};
use crate::cli::{Failure, interrupt, usage};
use crate::play::players::{PlayerSeed, PlayerSetup, PlayerSpec};
use crate::runs::players::{LoadedFactory, LoadedPlayer};

/// Answer the server AbstractPlay as one of its bots
///
///   tavoliere bot abstractplay --player susan --public-key ap-public-key.txt
///   tavoliere bot abstractplay --player susan --player breakthrough8 --time 1m --games 50
///
/// It listens for requests that a proxy passes on from HTTPS, accepts challenges and plays. The
/// environment has the secrets: BOT_TOKEN_URL, BOT_OAUTH_SCOPE, BOT_QUERY_URL, BOT_CLIENT_ID and
/// BOT_CLIENT_SECRET. It runs until Ctrl-C or SIGTERM: turns that are being searched are played
/// then, and the others after the next start. docs/front-ends.md is the guide.
#[derive(Debug, clap::Args)]
#[command(verbatim_doc_comment)]
pub(in crate::cli) struct Args {
    /// Player of one of the server's games; repeated for other games
    ///
    /// A player without a game of its own, such as uct, plays all that no other player plays.
    #[arg(long = "player", value_name = "PLAYER", required = true)]
    players: Vec<String>,
    /// Address to listen on
    ///
    /// Port 0 takes any free one.
    #[arg(long, default_value = "127.0.0.1:8080", value_name = "HOST:PORT")]
    listen: SocketAddr,
    /// File with the server's public key
    ///
    /// Without it, $AP_BOT_PUBLIC_KEY has the key itself.
    #[arg(long, value_name = "FILE")]
    public_key: Option<PathBuf>,
    /// Most time for a turn, from 10ms to 1h
    ///
    /// It is shorter when little time is left or many turns wait.
    #[arg(long, default_value = "30s", value_parser = turn_time)]
    time: Duration,
    /// Number of searches at the same time [default: one for each core]
    ///
    /// From 1 to 1024. Each has a thread of its own.
    #[arg(long, value_parser = clap::value_parser!(u16).range(1..=1024))]
    threads: Option<u16>,
    /// Most games in progress
    ///
    /// From 1 to 5000. Further challenges are refused.
    #[arg(
        long, default_value_t = 100, value_name = "N",
        value_parser = clap::value_parser!(u32).range(1..=5_000)
    )]
    games: u32,
    /// Shortest clock that is accepted, in hours
    #[arg(long, default_value_t = 1.0, value_name = "HOURS", value_parser = hours)]
    least_clock: f64,
    /// Most time for the server to accept a turn
    ///
    /// From 1s to 10m. After it the turn is sent again.
    #[arg(long, default_value = "40s", value_name = "TIME", value_parser = answer_time)]
    timeout: Duration,
    #[command(flatten)]
    journal: JournalOptions,
}

/// Parses the most time of a turn.
fn turn_time(text: &str) -> Result<Duration, String> {
    let time = duration::parse(text)?;
    let sensible = Duration::from_millis(10)..=Duration::from_secs(3600);
    if sensible.contains(&time) { Ok(time) } else { Err("must be from 10ms to 1h".to_owned()) }
}

/// Parses the most time of an answer.
fn answer_time(text: &str) -> Result<Duration, String> {
    let time = duration::parse(text)?;
    let sensible = Duration::from_secs(1)..=Duration::from_secs(600);
    if sensible.contains(&time) { Ok(time) } else { Err("must be from 1s to 10m".to_owned()) }
}

/// Parses a number of hours.
fn hours(text: &str) -> Result<f64, String> {
    let number = text.parse().ok().filter(|hours| (0.0..=1000.0).contains(hours));
    number.ok_or_else(|| "must be a number of hours, from 0 to 1000".to_owned())
}

impl Args {
    pub(in crate::cli) fn run(self) -> Result<(), Failure> {
        let players = usage(self.players())?;
        let (key, account) = (usage(self.key())?, usage(Account::from_environment())?);
        let games = self.games as usize;
        let idle = self.journal.idle();
        let settings = BotSettings {
            listen: self.listen,
            threads: self.threads.map_or_else(rayon::current_num_threads, usize::from),
            time: self.time,
            terms: Terms { games, least_clock: self.least_clock, idle },
            answer: self.timeout,
            journal: self.journal.journal,
            key,
        };
        let bot = Bot::bind(settings, account, players)?;
        let stop = bot.stop();
        interrupt::on_first(stop);
        writeln!(stdout(), "http://{}/", bot.address())?;
        stdout().flush()?;
        Ok(bot.run()?)
    }

    /// The server's public key.
    fn key(&self) -> Result<PublicKey> {
        let key = match &self.public_key {
            Some(path) => foreign::read_text(path, foreign::TEXT)
                .map_err(anyhow::Error::from)
                .and_then(|text| text.parse())
                .with_context(|| format!("--public-key: {}", path.display()))?,
            None => std::env::var("AP_BOT_PUBLIC_KEY")
                .ok()
                .context(
                    "the server's public key is missing: name a file by --public-key, or set \
                     AP_BOT_PUBLIC_KEY (https://play.abstractplay.com/ap-public-key.txt)",
                )?
                .parse()
                .context("AP_BOT_PUBLIC_KEY")?,
        };
        Ok(key)
    }

    /// Loads the players.
    fn players(&self) -> Result<BotPlayers> {
        let mut players = BotPlayers::default();
        for name in &self.players {
            let player = LoadedPlayer::load(name.parse::<PlayerSpec>()?)?;
            ensure!(
                !player.is_external(),
                "--player {name}: an external engine cannot be a bot; name a player of this program"
            );
            let seed = PlayerSeed { seed: 1, player: 0 };
            // Turns have a limit by time. Each search has a thread of its own.
            let setup = PlayerSetup { seed, simulations: 200, threads: 1 };
            let variant = player.variant();
            players.add(name, variant, LoadedFactory { player, setup })?;
        }
        Ok(players)
    }
}
