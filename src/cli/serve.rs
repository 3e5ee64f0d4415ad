//! `tavoliere serve`: the page, and players for it.

use std::io::{Write, stderr, stdout};
use std::net::{IpAddr, Ipv4Addr};
use std::path::{Path, PathBuf};
use std::time::Duration;

use anyhow::{Context, Result, anyhow};
use serde_json::{Value, json};

use super::cast::Player;
use super::entrant::Entrant;
use super::{Failure, usage};
use crate::base::duration;
use crate::classic::solvers;
use crate::play::analysis::DEFAULT_SIMULATIONS;
use crate::play::opponents::Name;
use crate::runs::exported::{Card, Exported};
use crate::runs::trained::{Trained, all_shipped};
use crate::server::{Kind, Listing, MAX_SIMULATIONS, Players, Server, Settings};

/// Let people play and look at games in a browser, and programs ask over HTTP
///
/// Prints the address of the page once it listens, and goes on until Ctrl-C. Beside the players
/// given, or those in checkpoints/players if none are, it offers random, uct, alphabeta and perfect.
/// docs/serve.md describes the interface for programs.
#[derive(Debug, clap::Args)]
pub struct Args {
    /// Who can be played against: any player that `match` knows, but gtp:
    #[arg(long = "player", value_name = "PLAYER")]
    players: Vec<String>,
    /// The address to listen on; any but this machine's own lets others connect
    #[arg(long, default_value_t = IpAddr::V4(Ipv4Addr::LOCALHOST))]
    host: IpAddr,
    /// The port to listen on; 0 for any that is free
    #[arg(long, default_value_t = 7777)]
    port: u16,
    /// Threads that search, one for each core unless given
    #[arg(long, value_parser = clap::value_parser!(u16).range(1..=1024))]
    threads: Option<u16>,
    /// Searches that may wait or run at the same time
    #[arg(long, default_value_t = 50, value_parser = clap::value_parser!(u32).range(1..=10_000))]
    users: u32,
    /// Every answer comes within this time, as in 500ms or 2s
    #[arg(long, default_value = "2s", value_parser = answer_time)]
    time: Duration,
    /// The folder of the training runs that are shown
    #[arg(long, value_name = "DIR", default_value = "checkpoints")]
    runs: PathBuf,
    /// Show the page of this folder instead of the one built in
    #[arg(long, value_name = "DIR")]
    page: Option<PathBuf>,
}

/// A time within which an answer can come.
fn answer_time(text: &str) -> Result<Duration, String> {
    let time = duration::parse(text)?;
    let sensible = Duration::from_millis(10)..=Duration::from_secs(600);
    if sensible.contains(&time) { Ok(time) } else { Err("not from 10ms to 10m".to_owned()) }
}

impl Args {
    pub fn run(self) -> Result<(), Failure> {
        let players = self.invited()?;
        if let Some(page) = self.page.as_deref().filter(|page| !page.join("index.html").is_file()) {
            let error = anyhow!("--page: there is no index.html in {}", page.display());
            return usage(Err(error));
        }
        let threads = self.threads.map_or_else(rayon::current_num_threads, usize::from);
        let server = Server::bind(
            Settings {
                host: self.host,
                port: self.port,
                threads,
                users: self.users as usize,
                time: self.time,
                runs: self.runs,
                page: self.page,
            },
            players,
        )?;
        let stop = server.stop();
        ctrlc::set_handler(move || stop.stop()).context("cannot listen for Ctrl-C")?;
        writeln!(stdout(), "http://{}/", server.address())?;
        stdout().flush()?;
        Ok(server.run()?)
    }

    /// Everyone who can be asked.
    fn invited(&self) -> Result<Players, Failure> {
        let mut players = Players::new();
        for name in &self.players {
            let entrant = Entrant::load(usage(name.parse::<Name>())?)?;
            if entrant.is_external() {
                let reason = "an external engine cannot be offered by `serve`; use `match`, or name a \
                              player of this program";
                return usage(Err(anyhow!("--player {name}: {reason}")));
            }
            invite(&mut players, name, entrant)?;
        }
        if self.players.is_empty() {
            invite_shipped(&mut players)?;
        }
        for name in ["uct", "alphabeta", "random", "perfect"] {
            if !self.players.iter().any(|given| given == name) {
                invite(&mut players, name, Entrant::load(name.parse()?)?)?;
            }
        }
        Ok(players)
    }
}

/// Invites the players that come with this program. One that cannot be read is no reason not to
/// offer the others.
fn invite_shipped(players: &mut Players) -> Result<(), Failure> {
    for name in all_shipped() {
        match name.parse::<Name>().map_err(Failure::from).and_then(Entrant::load) {
            Ok(entrant) => invite(players, &name, entrant)?,
            Err(failure) => {
                let _ = writeln!(stderr(), "tavoliere: {:#}", failure.error);
            }
        }
    }
    Ok(())
}

fn invite(players: &mut Players, name: &str, entrant: Entrant) -> Result<(), Failure> {
    let listings = listings(name, &entrant)?;
    let player = Player { entrant, simulations: DEFAULT_SIMULATIONS, seed: 1, threads: 1 };
    players.add(listings, player);
    Ok(())
}

/// How a player is introduced: once, or for each game that a perfect player knows.
fn listings(name: &str, entrant: &Entrant) -> Result<Vec<Listing>> {
    let general = Listing {
        name: name.to_owned(),
        title: title(name, entrant),
        game: None,
        rules: None,
        kind: Kind::Plain,
        thinks: false,
        simulations: None,
        facts: None,
    };
    if entrant.name == "perfect" {
        let of = |game: &&str| Listing { game: Some((*game).to_owned()), ..general.clone() };
        return Ok(solvers::GAMES.iter().map(of).collect());
    }
    let Some(game) = entrant.variant() else { return Ok(vec![general]) };
    let (game, rules) = with_variant!(&game, variant => {
        (variant.name.to_owned(), serde_json::to_value(variant.rules)?)
    });
    let listing = Listing { game: Some(game), rules: Some(rules), kind: Kind::Trained, ..general };
    let Some(trained) = entrant.trained() else { return Ok(vec![listing]) };
    let card = Exported::card(Path::new(&trained.folder)).ok();
    let recommended = card.as_ref().map(|card| card.simulations);
    let simulations = trained.simulations.or(recommended).unwrap_or(DEFAULT_SIMULATIONS);
    Ok(vec![Listing {
        thinks: true,
        simulations: Some(simulations.min(MAX_SIMULATIONS)),
        facts: Some(facts(trained, card)?),
        ..listing
    }])
}

/// What there is to tell of a trained player.
fn facts(trained: &Trained, card: Option<Card>) -> Result<Value> {
    let weights = format!("{:08x}", trained.weights);
    let known =
        json!({ "iteration": trained.iteration, "seconds": trained.seconds, "weights": weights });
    Ok(match card {
        None => known,
        Some(card) => json!({
            "weights": weights,
            "training": card.training,
            "network": card.network,
            "licence": card.licence,
        }),
    })
}

/// The name of a player for people: the end of a path, or what a plain player is.
fn title(name: &str, entrant: &Entrant) -> String {
    if entrant.variant().is_some() {
        let end = Path::new(name).file_name().and_then(|end| end.to_str());
        return end.unwrap_or(name).to_owned();
    }
    let (word, limits) = entrant.name.split_once('?').unwrap_or((&entrant.name, ""));
    let word = match word {
        "uct" => "UCT",
        "alphabeta" => "Alpha-beta",
        "random" => "Random",
        "perfect" => "Perfect",
        other => other,
    };
    match limits {
        "" => word.to_owned(),
        limits => format!("{word} ({})", limits.replace('&', ", ")),
    }
}
