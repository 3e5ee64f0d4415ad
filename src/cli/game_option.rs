//! The game and the trained player that the options of a command name.

use anyhow::{Context, Result, anyhow, bail};
use serde_json::{Map, Value};

use super::{Failure, usage};
use crate::games::{Outcome, options};
use crate::play::players::PlayerSpec;
use crate::registry::{self, Position, Variant};
use crate::runs::players::LoadedPlayer;
use crate::runs::trained::Trained;

/// Returns the game of this name with options written `OPTION=VALUE`.
///
/// # Errors
///
/// If there is no such game or option.
pub(super) fn named(name: &str, rules: &[String]) -> Result<Variant> {
    let rules = options(rules.iter().map(String::as_str)).context("--rule")?;
    Ok(registry::find(name, &rules)?)
}

/// The position of `--position`, or the start of the game without one.
///
/// # Errors
///
/// If the text is no position of the game, or the game is over in it.
pub(super) fn start_of(variant: &Variant, text: Option<&str>) -> Result<Position> {
    // The error begins with `position:`.
    let named = |error| anyhow!("--{error} ({})", variant.name);
    let start = variant.position(text).map_err(named)?;
    if let Some(outcome) = start.outcome() {
        let reason = start.ending().map_or_else(String::new, |it| format!(": {}", it.reason));
        let winner = match outcome {
            Outcome::Draw => "it is a draw".to_owned(),
            Outcome::Win(side) => format!("{} has won", side.name(start.first())),
        };
        bail!("--position: the game is over there, {winner}{reason}");
    }
    Ok(start)
}

/// The values of `--game` and `--rule`.
pub(super) struct GivenGame {
    name: Option<String>,
    rules: Map<String, Value>,
}

/// A line for each player that plays one game only.
fn games_of(players: &[LoadedPlayer]) -> String {
    let line = |player: &LoadedPlayer| {
        let variant = player.variant()?;
        let rules = match registry::preset(variant.name).is_ok_and(|usual| usual == variant) {
            true => String::new(),
            false => format!(" with the rules {}", Value::Object(variant.options())),
        };
        Some(format!("\n  {} plays {}{rules}", player.name, variant.name))
    };
    players.iter().filter_map(line).collect()
}

impl GivenGame {
    /// Parses both options.
    ///
    /// # Errors
    ///
    /// If there is no such game or option.
    pub(super) fn new(name: Option<&str>, rules: &[String]) -> Result<Self> {
        let rules = options(rules.iter().map(String::as_str)).context("--rule")?;
        if let Some(name) = name {
            registry::find(name, &rules)?;
        }
        Ok(Self { name: name.map(str::to_owned), rules })
    }

    /// Returns the game that trained players have (`played`), otherwise the given one, if any.
    ///
    /// # Errors
    ///
    /// If the given game or rules differ from `played`, or if there are rules without a game.
    pub(super) fn of(&self, played: Option<Variant>) -> Result<Option<Variant>> {
        let Some(played) = played else {
            if self.name.is_none() && !self.rules.is_empty() {
                bail!("--rule needs a game; name it by --game NAME");
            }
            return Ok(self
                .name
                .as_deref()
                .map(|name| registry::find(name, &self.rules))
                .transpose()?);
        };
        let name = played.name;
        if let Some(given) = self.name.as_deref().filter(|&given| given != name) {
            bail!("the trained player plays {name}, not {given}");
        }
        if !self.rules.is_empty() && registry::find(name, &self.rules)? != played {
            let rules = played.options_text();
            bail!(
                "the trained player plays {name} under other rules than those of --rule; its rules \
                 are {rules}"
            );
        }
        Ok(Some(played))
    }

    /// Returns the game of the trained players among `players`, otherwise the given one, otherwise
    /// `known`.
    ///
    /// # Errors
    ///
    /// If the players differ in the game or its rules, or if there is no game.
    pub(super) fn of_players(
        &self,
        players: &[LoadedPlayer],
        known: Option<Variant>,
    ) -> Result<Variant> {
        let mut trained = players.iter().filter_map(LoadedPlayer::variant);
        let played = trained.next();
        if trained.any(|other| Some(other) != played) {
            bail!(
                "the players do not all play the same game under the same rules:{}",
                games_of(players)
            )
        }
        self.of(played)?.or(known).with_context(|| {
            let names: Vec<&str> = players.iter().map(|player| player.name.as_str()).collect();
            format!(
                "none of {} belongs to a game; say which by --game NAME (`tavoliere games` lists \
                 them)",
                names.join(", ")
            )
        })
    }
}

/// Loads the trained player with this spec, for a command that needs its search.
pub(super) fn load_trained(spec: &str, command: &str) -> Result<Trained, Failure> {
    match usage(spec.parse::<PlayerSpec>())? {
        PlayerSpec::Search(run) => Ok(Trained::load(&run)?),
        _ => usage(Err(anyhow!(
            "`{spec}` has no network to search with; {command} takes a trained player: a run, or \
             RUN@ITERATION"
        ))),
    }
}
