//! `tavoliere serve`: the web page and the HTTP interface, with the players they offer.

use std::fs;
use std::io::{Write, stderr, stdout};
use std::net::{IpAddr, Ipv4Addr, SocketAddr, UdpSocket};
use std::path::PathBuf;
use std::time::Duration;

use anyhow::{Result, anyhow};

use super::{Failure, interrupt, report, usage, wording};
use crate::answers::listing::{factory, listings};
use crate::base::duration;
use crate::exact::solution::is_finished;
use crate::play::players::{PlayerSpec, SOLUTIONS};
use crate::runs::players::LoadedPlayer;
use crate::runs::trained::all_named;
use crate::server::{Limits, Origin, Players, Server, ServerSettings, Solutions, Token};

/// Serve a web page to play and analyse, and an HTTP interface for programs
///
///   tavoliere serve
///   tavoliere serve --player checkpoints/neutron5 --port 8000
///
/// Prints the address of the page when it listens, and runs until Ctrl-C or SIGTERM. It offers the
/// players of --player, all that are found by their names (docs/export.md), random, uct, alphabeta and
/// perfect, and the newest and the best network of each run in --runs. docs/serve.md describes the
/// page and the interface.
#[derive(Debug, clap::Args)]
#[command(verbatim_doc_comment)]
pub(super) struct Args {
    /// Further player to offer: any spec of `match` but gtp:; may be repeated
    #[arg(long = "player", value_name = "PLAYER")]
    players: Vec<String>,
    /// Folder of a solution, for exact values in analyses; may be repeated
    ///
    /// `tavoliere solve` makes them. Those in checkpoints/solutions are found without.
    #[arg(long = "solution", value_name = "DIR")]
    solutions: Vec<PathBuf>,
    /// IP address to listen on
    ///
    /// Any but those of this machine for itself (127.0.0.1) lets others connect; see --token.
    #[arg(long, default_value_t = IpAddr::V4(Ipv4Addr::LOCALHOST))]
    host: IpAddr,
    /// Port to listen on; 0 takes any free one
    #[arg(long, default_value_t = 7777)]
    port: u16,
    /// Answer only requests with this token, or with a random one
    ///
    /// 16 to 128 letters, digits and -._~; without a value a random one, printed as a link.
    ///
    /// Programs send the header `Authorization: Bearer TOKEN`.
    #[arg(long, num_args = 0..=1, value_name = "TOKEN", default_missing_value = RANDOM)]
    token: Option<String>,
    /// Origin of pages that may ask, as https://example.org; may be repeated
    ///
    /// Pages of other origins are refused. Those elsewhere send the token as programs do.
    #[arg(long = "allow-origin", value_name = "URL")]
    origins: Vec<Origin>,
    /// Number of search threads, from 1 to 1024 [default: one for each core]
    #[arg(long, value_parser = clap::value_parser!(u16).range(1..=1024))]
    threads: Option<u16>,
    /// Searches that may wait or run at the same time
    ///
    /// From 1 to 10,000. One more is refused with status 503.
    #[arg(long, default_value_t = 50, value_parser = clap::value_parser!(u32).range(1..=10_000))]
    users: u32,
    /// Time limit of every answer, from 10ms to 10m
    #[arg(long, default_value = "2s", value_parser = answer_time)]
    time: Duration,
    /// Folder of the training runs, to show and to play [default: checkpoints]
    #[arg(long, value_name = "DIR")]
    runs: Option<PathBuf>,
    /// Declare a draw when a position occurs for the third time
    #[arg(long)]
    threefold: bool,
    /// Serve the page in this folder instead of the built-in one
    #[arg(long, value_name = "DIR")]
    page: Option<PathBuf>,
}

/// The folder of the runs that `train` makes.
const RUNS: &str = "checkpoints";

/// The value of `--token` for a random one.
const RANDOM: &str = "random";

/// Parses the time limit of an answer.
fn answer_time(text: &str) -> Result<Duration, String> {
    let time = duration::parse(text)?;
    let sensible = Duration::from_millis(10)..=Duration::from_secs(600);
    if sensible.contains(&time) { Ok(time) } else { Err("must be from 10ms to 10m".to_owned()) }
}

impl Args {
    pub(super) fn run(self) -> Result<(), Failure> {
        let (players, solutions) = (self.players()?, self.solutions()?);
        if let Some(page) = self.page.as_deref().filter(|page| !page.join("index.html").is_file()) {
            let error = anyhow!("--page: there is no index.html in {}", page.display());
            return usage(Err(error));
        }
        if let Some(runs) = self.runs.as_deref().filter(|runs| !runs.is_dir()) {
            return usage(Err(anyhow!("--runs: there is no folder {}", runs.display())));
        }
        let token = self.token()?;
        if token.is_none() && !self.host.is_loopback() {
            let warning = "everybody who can reach this port can use this server; --token lets in \
                           only those who have a token";
            writeln!(stderr(), "{}: {warning}", wording::name())?;
        }
        let threads = self.threads.map_or_else(rayon::current_num_threads, usize::from);
        let server = Server::bind(
            ServerSettings {
                host: self.host,
                port: self.port,
                threads,
                users: self.users as usize,
                time: self.time,
                runs: self.runs.unwrap_or_else(|| RUNS.into()),
                threefold: self.threefold,
                page: self.page,
                limits: Limits::new(self.users as usize),
                token: token.clone(),
                origins: self.origins,
            },
            players,
            solutions,
        )?;
        let stop = server.stop();
        interrupt::on_first(move || stop.stop());
        // A token that was given is known; it need not get into what keeps this output.
        let is_random = self.token.as_deref() == Some(RANDOM);
        let link = token.filter(|_| is_random);
        let query = link.map_or_else(String::new, |token| format!("?token={}", token.text()));
        writeln!(stdout(), "http://{}/{query}", reachable(server.address()))?;
        stdout().flush()?;
        server.run();
        Ok(())
    }

    fn token(&self) -> Result<Option<Token>, Failure> {
        match self.token.as_deref() {
            None => Ok(None),
            Some(RANDOM) => Ok(Some(Token::random()?)),
            Some(text) => {
                usage(text.parse().map_err(|reason| anyhow!("--token: {reason}"))).map(Some)
            }
        }
    }

    /// Opens the solutions of the command line, and those that are where `solve` puts them. One of
    /// the latter that is damaged is reported and left out.
    fn solutions(&self) -> Result<Solutions, Failure> {
        let mut solutions = Solutions::default();
        for folder in &self.solutions {
            solutions.add(folder)?;
        }
        let found = fs::read_dir(SOLUTIONS).into_iter().flatten().flatten();
        let folders = found.map(|entry| entry.path()).filter(|folder| is_finished(folder));
        for folder in folders {
            solutions.add(&folder).unwrap_or_else(|error| report(&error));
        }
        Ok(solutions)
    }

    /// Loads all players to offer: those of the command line, those that ship with the program, and
    /// those without a network. The networks of the runs are found when they are asked for.
    fn players(&self) -> Result<Players, Failure> {
        let mut players = Players::new();
        for name in &self.players {
            let player = LoadedPlayer::load(usage(name.parse::<PlayerSpec>())?)?;
            if player.is_external() {
                let reason = "an external engine cannot be offered by `serve`; use `match`, or name a \
                              player of this program";
                return usage(Err(anyhow!("--player {name}: {reason}")));
            }
            add(&mut players, name, player)?;
        }
        let is_new = |name: &String| !self.players.contains(name);
        add_named(&mut players, all_named().into_iter().filter(is_new))?;
        for name in ["uct", "alphabeta", "random", "perfect"].map(str::to_owned) {
            if is_new(&name) {
                add(&mut players, &name, LoadedPlayer::load(name.parse()?)?)?;
            }
        }
        Ok(players)
    }
}

/// The address by which others reach a server. One that listens on all addresses of this machine is
/// reached by that through which it would send something to another network.
fn reachable(address: SocketAddr) -> SocketAddr {
    if !address.ip().is_unspecified() {
        return address;
    }
    // An address for documentation; nothing is sent to it.
    let elsewhere = match address {
        SocketAddr::V4(_) => "192.0.2.1:9",
        SocketAddr::V6(_) => "[2001:db8::1]:9",
    };
    let route = || -> std::io::Result<IpAddr> {
        let socket = UdpSocket::bind(SocketAddr::new(address.ip(), 0))?;
        socket.connect(elsewhere)?;
        Ok(socket.local_addr()?.ip())
    };
    route().map_or(address, |ip| SocketAddr::new(ip, address.port()))
}

/// Adds players that are found by their names. One that cannot be loaded is reported and skipped.
fn add_named(players: &mut Players, names: impl Iterator<Item = String>) -> Result<(), Failure> {
    for name in names {
        match name.parse::<PlayerSpec>().and_then(LoadedPlayer::load) {
            Ok(player) => add(players, &name, player)?,
            Err(error) => report(&error),
        }
    }
    Ok(())
}

fn add(players: &mut Players, name: &str, player: LoadedPlayer) -> Result<(), Failure> {
    let listings = listings(name, &player)?;
    players.add(listings, factory(player));
    Ok(())
}
