//! `tavoliere games`: lists the games.

use std::io::{Write, stdout};

use serde_json::json;

use super::Failure;
use crate::games::Game;
use crate::registry::{self, GAMES, Listing, Variant};

/// List the games
///
///   tavoliere games
///   tavoliere games --json
#[derive(Debug, clap::Args)]
#[command(verbatim_doc_comment)]
pub(super) struct Args {
    /// Print a JSON object for each game, with its sizes and options
    #[arg(long)]
    json: bool,
}

impl Args {
    pub(super) fn run(self) -> Result<(), Failure> {
        let mut out = stdout().lock();
        for game in GAMES {
            if self.json {
                let variant = registry::preset(game.name)?;
                let line = with_variant!(&variant, variant => describe(variant, game));
                writeln!(out, "{line}")?;
            } else {
                writeln!(out, "{:<18} {}", game.name, game.summary)?;
            }
        }
        Ok(())
    }
}

fn describe<G: Game>(variant: &Variant<G>, listing: &Listing) -> serde_json::Value {
    let spec = G::SPEC;
    json!({
        "game": variant.name,
        "title": listing.title,
        "summary": listing.summary,
        "rules": variant.rules,
        "rules_version": G::RULES_VERSION,
        "height": spec.height,
        "width": spec.width,
        "planes": spec.planes,
        "actions": spec.actions(),
        "symmetries": G::SYMMETRIES.len(),
    })
}
