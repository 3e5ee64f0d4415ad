//! `tavoliere perft`: counts of turn sequences.

use std::io::{Write, stdout};

use super::{Failure, usage};
use crate::game::perft;
use crate::games::{self, AnyVariant};

/// Count the sequences of turns of a game
///
/// Prints `sequences finished p1 p2 draws` for the depth: the sequences of so many complete turns,
/// how many of them end the game, and how.
#[derive(Debug, clap::Args)]
#[command(verbatim_doc_comment)]
pub struct Args {
    /// Name of the game; `tavoliere games` lists them
    game: String,
    /// Turns
    #[arg(value_parser = clap::value_parser!(u32).range(0..=20))]
    depth: u32,
    /// An option of the game, as in `--rule holes=2`
    #[arg(long = "rule", value_name = "OPTION=VALUE")]
    rules: Vec<String>,
}

impl Args {
    pub fn run(self) -> Result<(), Failure> {
        let variant = usage(variant_of(&self.game, &self.rules))?;
        let counts = with_variant!(variant, variant => perft(&variant.initial(), self.depth));
        let (sequences, finished) = (counts.sequences, counts.finished);
        let (p1, p2, draws) = (counts.p1, counts.p2, counts.draws);
        writeln!(stdout(), "{sequences} {finished} {p1} {p2} {draws}")?;
        Ok(())
    }
}

/// The game of a name, with options written `option=value`.
pub(super) fn variant_of(name: &str, options: &[String]) -> anyhow::Result<AnyVariant> {
    let changes = options.iter().map(|text| option(text)).collect::<anyhow::Result<_>>()?;
    Ok(games::find(name, &changes)?)
}

/// Reads `option=value`; a value that is not JSON is taken as text.
fn option(text: &str) -> anyhow::Result<(String, serde_json::Value)> {
    let (option, value) = text
        .split_once('=')
        .ok_or_else(|| anyhow::anyhow!("--rule {text}: an option is written OPTION=VALUE"))?;
    let value = serde_json::from_str(value).unwrap_or_else(|_| value.into());
    Ok((option.to_owned(), value))
}
