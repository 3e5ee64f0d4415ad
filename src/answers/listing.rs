//! The list of players that a page offers.

use std::path::Path;

use anyhow::Result;
use serde::Serialize;
use serde_json::{Value, json};

use crate::exact::solvers;
use crate::play::analysis::DEFAULT_SIMULATIONS;
use crate::play::players::{Level, PlayerSeed, PlayerSetup};
use crate::runs::exported::Card;
use crate::runs::players::{LoadedFactory, LoadedPlayer};
use crate::runs::trained::Trained;

/// The most simulations of a request. The limit bounds the memory of the trees of all threads.
pub(crate) const MAX_SIMULATIONS: u32 = 100_000;

/// Kinds of players.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum Kind {
    /// A player with a network.
    Trained,
    /// A player without a network.
    Plain,
}

/// An entry of the list of players.
#[derive(Clone, PartialEq, Debug, Serialize)]
pub(crate) struct Listing {
    /// The name that requests use.
    pub name: String,
    /// The name that the page shows.
    pub title: String,
    /// The only game that it plays; `None` for all.
    pub game: Option<String>,
    /// The only rules that it plays by; `None` for any.
    pub rules: Option<Value>,
    /// The kind of player.
    pub kind: Kind,
    /// Whether it can analyse positions.
    pub thinks: bool,
    /// Default number of simulations; `None` if it cannot analyse.
    pub simulations: Option<u32>,
    /// The levels that `?level=N` behind the name chooses, the weakest first.
    pub levels: Vec<ListedLevel>,
    /// Further facts, such as its training, as a JSON object.
    pub facts: Option<Value>,
}

/// A level of a player.
#[derive(Clone, PartialEq, Debug, Serialize)]
pub(crate) struct ListedLevel {
    /// Its number, from 1 for the weakest.
    pub level: u32,
    /// Its name for people.
    pub name: String,
    /// Its rating, if it was measured.
    pub elo: Option<f64>,
    /// Its number of simulations.
    pub simulations: u32,
}

impl ListedLevel {
    /// Lists the levels of a player.
    pub(crate) fn list(levels: &[Level]) -> Vec<Self> {
        let listed = (1..).zip(levels).map(|(level, it)| Self {
            level,
            name: it.name.clone(),
            elo: it.elo.map(f64::round),
            simulations: it.simulations.min(MAX_SIMULATIONS),
        });
        listed.collect()
    }
}

impl Listing {
    /// The player as a request sees it at a level; `None` if there is no such level.
    pub(crate) fn at(self, level: Option<u32>) -> Option<Self> {
        let Some(level) = level else { return Some(self) };
        let found = self.levels.get((level as usize).checked_sub(1)?)?;
        Some(Self { simulations: Some(found.simulations), ..self })
    }
}

/// Splits `?level=N` off the name of a player.
pub(crate) fn split_level(name: &str) -> (&str, Option<u32>) {
    let split = name.rsplit_once("?level=");
    let parsed = split.and_then(|(name, level)| Some((name, Some(level.parse().ok()?))));
    parsed.unwrap_or((name, None))
}

/// Makes instances of a player that answer: one thread each, the same random numbers always.
pub(crate) fn factory(player: LoadedPlayer) -> LoadedFactory {
    let seed = PlayerSeed { seed: 1, player: 0 };
    LoadedFactory {
        player,
        setup: PlayerSetup { seed, simulations: DEFAULT_SIMULATIONS, threads: 1 },
    }
}

/// Returns the entries of a player in the list: one, or for `perfect` one for each solved game.
pub(crate) fn listings(name: &str, player: &LoadedPlayer) -> Result<Vec<Listing>> {
    let general = Listing {
        name: name.to_owned(),
        title: title(name, player),
        game: None,
        rules: None,
        kind: Kind::Plain,
        thinks: false,
        simulations: None,
        levels: Vec::new(),
        facts: None,
    };
    if player.name == "perfect" {
        let of = |game: &&str| Listing { game: Some((*game).to_owned()), ..general.clone() };
        return Ok(solvers::GAMES.iter().map(of).collect());
    }
    let Some(game) = player.variant() else { return Ok(vec![general]) };
    let (game, rules) = (game.name.to_owned(), Value::Object(game.options()));
    let listing = Listing { game: Some(game), rules: Some(rules), kind: Kind::Trained, ..general };
    let Some(trained) = player.trained() else { return Ok(vec![listing]) };
    let card = trained.card.as_deref();
    let recommended = card.map(|card| card.simulations);
    let simulations = trained.network.simulations.or(recommended).unwrap_or(DEFAULT_SIMULATIONS);
    Ok(vec![Listing {
        thinks: true,
        simulations: Some(simulations.min(MAX_SIMULATIONS)),
        levels: levels(trained),
        facts: Some(facts(trained, card)?),
        ..listing
    }])
}

/// Returns the levels of a trained player; none if its spec names its strength.
fn levels(trained: &Trained) -> Vec<ListedLevel> {
    if trained.has_options() { Vec::new() } else { ListedLevel::list(&trained.levels) }
}

/// Returns what the list says about a trained player, as JSON.
fn facts(trained: &Trained, card: Option<&Card>) -> Result<Value> {
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

/// Returns the name to display: the last part of a path, or the kind of player with its limits.
fn title(name: &str, player: &LoadedPlayer) -> String {
    if player.variant().is_some() {
        let end = Path::new(name).file_name().and_then(|end| end.to_str());
        return end.unwrap_or(name).to_owned();
    }
    let (word, limits) = player.name.split_once('?').unwrap_or((&player.name, ""));
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
