//! The players of the bot, one for each of the server's games.

use anyhow::{Context, Result, bail, ensure};

use super::request::TheirGame;
use crate::games::Text;
use crate::play::notation::abstractplay;
use crate::play::players::{Player, PlayerFactory};
use crate::registry::{Position, Variant};

/// A player that the command line names.
struct Offered {
    name: String,
    /// The only game that it plays; `None` for any.
    variant: Option<Variant>,
    factory: Box<dyn BotFactory>,
}

/// A factory that search threads share.
trait BotFactory: Send + Sync {
    fn check(&self, variant: &Variant) -> Result<()>;
    fn player(&self, variant: &Variant) -> Result<Box<dyn Player>>;
}

impl<F: PlayerFactory + Send + Sync> BotFactory for F {
    fn check(&self, variant: &Variant) -> Result<()> {
        PlayerFactory::check(self, variant)
    }

    fn player(&self, variant: &Variant) -> Result<Box<dyn Player>> {
        PlayerFactory::player(self, variant)
    }
}

/// The players of the bot.
#[derive(Default)]
pub(crate) struct BotPlayers(Vec<Offered>);

/// A player and the game that it plays.
#[derive(Clone, Copy, PartialEq, Debug)]
pub(super) struct Chosen {
    number: usize,
    /// The game.
    pub variant: Variant,
}

impl BotPlayers {
    /// Adds a player: for its only game, or for all games that no other player has.
    ///
    /// # Errors
    ///
    /// If there is one for this game already, or the server does not have the game.
    pub(crate) fn add(
        &mut self,
        name: &str,
        variant: Option<Variant>,
        factory: impl PlayerFactory + Send + Sync + 'static,
    ) -> Result<()> {
        if let Some(other) = self.0.iter().find(|other| other.variant == variant) {
            let what = variant.map_or("all other games", |variant| variant.name);
            bail!("`{}` and `{name}` both play {what}; name one of them", other.name);
        }
        let (name, factory) = (name.to_owned(), Box::new(factory));
        self.0.push(Offered { name, variant, factory });
        Ok(())
    }

    /// The player of a game of the server.
    ///
    /// # Errors
    ///
    /// If there is none.
    pub(super) fn find(&self, of: &TheirGame) -> Result<Chosen> {
        let variant = Self::variant(of)?;
        let its = self.0.iter().position(|it| it.variant == Some(variant));
        let any = || self.0.iter().position(|it| it.variant.is_none());
        let number =
            its.or_else(any).with_context(|| format!("no --player plays {}", variant.name))?;
        self.0[number].factory.check(&variant)?;
        Ok(Chosen { number, variant })
    }

    /// The rules of a game of the server.
    ///
    /// # Errors
    ///
    /// If this program does not have it.
    pub(super) fn variant(of: &TheirGame) -> Result<Variant> {
        let variants: Vec<&str> = of.variants.iter().map(String::as_str).collect();
        let variant = abstractplay::variant_of(&of.name, &variants);
        let variant =
            variant.with_context(|| format!("`{}` is not a game of this program", of.name))?;
        variant.map_err(anyhow::Error::msg)
    }

    /// Makes an instance of a player.
    ///
    /// # Errors
    ///
    /// If it cannot be made.
    pub(super) fn player(&self, chosen: Chosen) -> Result<Box<dyn Player>> {
        self.0[chosen.number].factory.player(&chosen.variant)
    }
}

/// The position after the server's turns, and these turns in our notation.
///
/// # Errors
///
/// If a turn is illegal, or the game is over.
pub(super) fn replayed(variant: &Variant, moves: &[String]) -> Result<(Position, Vec<Text>)> {
    let own: Vec<String> = moves.iter().map(|turn| abstractplay::own_turn(turn, variant)).collect();
    let mut turns = Vec::with_capacity(own.len());
    // The server has no limit on the length of a game. A player that knows one plays for a draw when it
    // is near.
    let is_long = moves.len() as u32 >= variant.longest_game() / 2;
    let rules = if is_long { variant.uncapped() } else { *variant };
    let position = rules.replay(&own, |turn| turns.push(turn.text));
    let position = position.map_err(|(index, error)| {
        anyhow::anyhow!("turn {} of the game, `{}`: {error}", index + 1, moves[index])
    })?;
    ensure!(position.outcome().is_none(), "the game is over");
    Ok((position, turns))
}
