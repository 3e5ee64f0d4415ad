//! The interface of the server without a server: for a page that has the program in itself.

use std::collections::BTreeMap;

use anyhow::{Context, Result};
use serde::Deserialize;
use serde_json::{Map, Value, json};

use super::listing::{Listing, factory, listings, split_level};
use super::player::{self, GamePlayer, Patience, Question, Wanted};
use super::{Failure, boards, rulebooks};
use crate::play::analysis::{Problem, Query};
use crate::play::players::PlayerFactory;
use crate::play::record_json;
use crate::registry::Variant;
use crate::registry::rules_text::rulebook;
use crate::runs::exported::PlayerFiles;
use crate::runs::players::{LoadedFactory, LoadedPlayer};
use crate::runs::trained::Trained;

/// Answers to the requests of a page, by the players that it was given.
#[derive(Default)]
pub struct Local {
    players: Vec<Offered>,
    /// The player that was asked last, with its name, its level and its game.
    last: Option<(Asked, GamePlayer)>,
}

/// A player of the page.
struct Offered {
    listings: Vec<Listing>,
    factory: LoadedFactory,
}

/// What makes a player: its name with its level, and its game with its rules.
type Asked = (String, Variant);

/// An answer: a JSON object, and a status as of HTTP.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Answer {
    /// 200, 400 for a wrong request, 404 for a path that is not there, 503 for a player without a
    /// turn.
    pub status: u16,
    /// The JSON object.
    pub text: String,
}

/// Why there is no answer.
enum Refusal {
    Failure(Failure),
    NotFound,
}

impl<F: Into<Failure>> From<F> for Refusal {
    fn from(failure: F) -> Self {
        Self::Failure(failure.into())
    }
}

impl Local {
    /// Offers an exported player, given by the names and the contents of its files.
    ///
    /// # Errors
    ///
    /// If a file is missing or damaged, or the player is for other rules than this program has.
    pub fn add_exported(&mut self, name: &str, files: BTreeMap<String, Vec<u8>>) -> Result<()> {
        let files = PlayerFiles::Given(name.to_owned(), files);
        let trained = Trained::of_files(&files).with_context(|| format!("the player `{name}`"))?;
        self.add(name, LoadedPlayer::of_trained(trained))
    }

    /// Offers a player without a network, by its player spec.
    ///
    /// # Errors
    ///
    /// If there is none of this name.
    pub fn add_plain(&mut self, name: &str) -> Result<()> {
        self.add(name, LoadedPlayer::load(name.parse()?)?)
    }

    fn add(&mut self, name: &str, player: LoadedPlayer) -> Result<()> {
        let listings = listings(name, &player)?;
        self.players.push(Offered { listings, factory: factory(player) });
        Ok(())
    }

    /// Answers a request, as docs/serve.md describes them; those about training runs find none.
    pub fn answer(&mut self, path: &str, body: &[u8]) -> Answer {
        match self.answered(path, body) {
            Ok(text) => Answer { status: 200, text },
            Err(Refusal::NotFound) => {
                let problem = Problem::new("there is no such path");
                Answer { status: 404, text: json!(problem).to_string() }
            }
            Err(Refusal::Failure(Failure::Problem(problem))) => {
                Answer { status: 400, text: json!(problem).to_string() }
            }
            Err(Refusal::Failure(Failure::Late(reason))) => {
                Answer { status: 503, text: json!(Problem::new(reason)).to_string() }
            }
        }
    }

    fn answered(&mut self, path: &str, body: &[u8]) -> Result<String, Refusal> {
        let internal = |error: anyhow::Error| Problem::new(format!("{error:#}"));
        match path {
            "/api/games" => Ok(boards::catalogue().map_err(internal)?),
            "/api/rules" => Ok(rulebooks::catalogue().map_err(internal)?),
            "/api/players" => {
                let all: Vec<_> = self.players.iter().flat_map(|it| &it.listings).collect();
                Ok(json!(all).to_string())
            }
            "/api/runs" => Ok("[]".to_owned()),
            "/api/position" => Ok(player::position(&query(object(body)?)?, false)?),
            "/api/analysis" => self.analysis(body),
            "/api/reply" => self.reply(body),
            "/api/records/read" => {
                let mut object = object(body)?;
                let Some(Value::String(text)) = object.remove("text") else {
                    return Err(Problem::new("`text` is missing or not a string").into());
                };
                Ok(record_json::first(text.as_bytes())?.to_string())
            }
            "/api/records/write" => {
                Ok(json!({ "text": record_json::write(object(body)?)? }).to_string())
            }
            _ => {
                let name = path.strip_prefix("/api/rules/").ok_or(Refusal::NotFound)?;
                let rulebook = rulebook(name).map_err(|_| Refusal::NotFound)?;
                Ok(rulebooks::describe(rulebook).map_err(internal)?)
            }
        }
    }

    fn analysis(&mut self, body: &[u8]) -> Result<String, Refusal> {
        let (name, query) = named(body)?;
        let listing = self.listing(&name, &query)?;
        if let Some(text) = player::analysis_of_ended(&name, &listing, &query)? {
            return Ok(text);
        }
        self.ask(name, Question::new(Wanted::Analysis, &listing, query)?)
    }

    fn reply(&mut self, body: &[u8]) -> Result<String, Refusal> {
        let (name, query) = named(body)?;
        let listing = self.listing(&name, &query)?;
        player::check_open(&query, false)?;
        let wanted = Wanted::Reply { threefold: false };
        self.ask(name, Question::new(wanted, &listing, query)?)
    }

    /// The player of this name, with `?level=N` behind it for a level.
    fn offered(&self, name: &str) -> Option<(&Listing, &LoadedFactory)> {
        self.players.iter().find_map(|offered| {
            let listing = offered.listings.iter().find(|listing| listing.name == name)?;
            Some((listing, &offered.factory))
        })
    }

    /// The entry of a player, at its level, if it plays the game of the query.
    fn listing(&self, name: &str, query: &Query<'_>) -> Result<Listing, Problem> {
        let (of, level) = split_level(name);
        let (listing, factory) = self.offered(of).ok_or_else(|| {
            let name: String = of.chars().take(60).collect();
            Problem::new(format!("there is no player `{name}`"))
        })?;
        let checked = PlayerFactory::check(factory, &query.variant(None)?);
        checked.map_err(|error| Problem::new(format!("{error:#}")))?;
        let at_level = listing.clone().at(level);
        at_level.ok_or_else(|| Problem::new(format!("the player `{of}` has no such level")))
    }

    /// Asks a player, which is kept for the next question.
    fn ask(&mut self, name: String, question: Question) -> Result<String, Refusal> {
        let game = question.query.variant(None)?;
        let asked = (name, game);
        let mut player = match self.last.take() {
            Some((last, player)) if last == asked => player,
            _ => self.create(&asked).map_err(|error| Problem::new(format!("{error:#}")))?,
        };
        let patience = Patience { keep_going: &|| true, uninterruptible: None };
        let answer = player.answer(&question, &patience);
        self.last = Some((asked, player));
        Ok(answer?)
    }

    fn create(&self, (name, game): &Asked) -> Result<GamePlayer> {
        let (of, level) = split_level(name);
        let (_, factory) = self.offered(of).context("there is no such player")?;
        player::create(factory, *game, level)
    }
}

fn object(body: &[u8]) -> Result<Map<String, Value>, Problem> {
    serde_json::from_slice(body)
        .map_err(|error| Problem::new(format!("the body is not a JSON object: {error}")))
}

fn query(object: Map<String, Value>) -> Result<Query<'static>, Problem> {
    Query::deserialize(Value::Object(object)).map_err(Problem::new)
}

/// The name of the player and the query of a body.
fn named(body: &[u8]) -> Result<(String, Query<'static>), Problem> {
    let mut object = object(body)?;
    let Some(Value::String(name)) = object.remove("player") else {
        let reason = "`player` is missing or not a string; /api/players lists the players";
        return Err(Problem::new(reason));
    };
    Ok((name, query(object)?))
}
