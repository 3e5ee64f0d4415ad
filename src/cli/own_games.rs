//! The games of a program, which may be those of its author.

use anyhow::{Context, Result, ensure};

use crate::registry::{self, Listing, rules_text};
#[cfg(feature = "net")]
use crate::runs::config::Config;

/// Makes these the games of the program, and checks what they bring.
///
/// # Errors
///
/// What is wrong with a name, a text of rules or a preset, and where.
pub(super) fn register(games: impl IntoIterator<Item = Listing>) -> Result<()> {
    registry::register(games)?;
    for game in registry::all() {
        rules_text::check(game)
            .map_err(anyhow::Error::msg)
            .with_context(|| format!("the rules text of `{}`", game.name))?;
        check_preset(game).with_context(|| format!("the preset of `{}`", game.name))?;
    }
    Ok(())
}

#[cfg(feature = "net")]
fn check_preset(game: &Listing) -> Result<()> {
    let Some(text) = game.preset else { return Ok(()) };
    let config = Config::parse_on(Default::default(), text, "preset", &[])?;
    ensure!(config.game == game.name, "it has `game = {:?}`", config.game);
    Ok(())
}

#[cfg(not(feature = "net"))]
fn check_preset(_: &Listing) -> Result<()> {
    Ok(())
}
