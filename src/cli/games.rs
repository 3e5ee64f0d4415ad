//! `tavoliere games`: lists the games.

use std::io::{Write, stdout};

use serde_json::json;

use super::Failure;
use crate::registry::{self, Listing};

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
        let widest = registry::all().iter().map(|game| game.name.len()).max().unwrap_or_default();
        for game in registry::all() {
            if self.json {
                writeln!(out, "{}", describe(game))?;
            } else {
                writeln!(out, "{:<widest$} {}", game.name, game.summary)?;
            }
        }
        Ok(())
    }
}

fn describe(listing: &Listing) -> serde_json::Value {
    let variant = &listing.variant;
    let spec = variant.spec();
    json!({
        "game": variant.name,
        "title": listing.title,
        "summary": listing.summary,
        "rules": variant.options(),
        "rules_version": variant.rules_version(),
        "height": spec.height,
        "width": spec.width,
        "planes": spec.planes,
        "actions": spec.actions(),
        "symmetries": variant.game().symmetries().len(),
    })
}
