//! `tavoliere site`: the page with players as static files.

use std::io::Write;
use std::path::PathBuf;

use serde_json::json;

use super::Failure;
use crate::base::printable::stdout;
use crate::runs::trained::all_named;
use crate::server::site::{self, Contents, Written};

/// Write the page with players as static files, for a host that runs nothing
///
///   tavoliere site --out site neutron5
///   tavoliere site --out site neutron5 susan --title "Two games" --about "By me, for you."
///   cd site && python3 -m http.server
///
/// The rules, the search and the players run in the visitor's browser, as WebAssembly. Once the page
/// was loaded it works without a network. PLAYERS are exported players, by name or by folder
/// (docs/export.md); without any, all that are found by their names. A site with named players shows
/// only their games and those of --game. docs/site.md shows how to
/// publish the folder.
#[derive(Debug, clap::Args)]
#[command(verbatim_doc_comment)]
pub(super) struct Args {
    /// Exported players, by name or folder [default: all that are found by their names]
    players: Vec<String>,
    /// Folder to write; a site that is there is replaced
    #[arg(long, value_name = "DIR")]
    out: PathBuf,
    /// Further game to show; may be repeated
    ///
    /// For two people, or against players without a network.
    #[arg(long = "game", value_name = "NAME")]
    games: Vec<String>,
    /// Name of the site, at the top of each page [default: Tavoliere]
    #[arg(long, value_name = "TEXT")]
    title: Option<String>,
    /// Line at the end of each page, as about the author
    #[arg(long, value_name = "TEXT")]
    about: Option<String>,
    /// WebAssembly module to use instead of the built-in one
    ///
    /// `scripts/web.sh` makes one.
    #[arg(long, value_name = "FILE")]
    program: Option<PathBuf>,
    /// Print the result as a JSON object
    #[arg(long)]
    json: bool,
}

impl Args {
    pub(super) fn run(self) -> Result<(), Failure> {
        let is_chosen = !self.players.is_empty() || !self.games.is_empty();
        let players = if is_chosen { self.players } else { all_named() };
        let contents = Contents {
            players,
            games: is_chosen.then_some(self.games),
            title: self.title,
            about: self.about,
            program: self.program,
        };
        let Written { files, bytes, first } = site::write(&self.out, &contents)?;
        let mut out = stdout();
        if self.json {
            let found = json!({"folder": self.out, "files": files, "bytes": bytes, "first": first});
            writeln!(out, "{found}")?;
            return Ok(());
        }
        let folder = self.out.display();
        writeln!(
            out,
            "{folder}: {files} files, {bytes} bytes, {first} to play against the first player\n\
             see it by `python3 -m http.server --directory {folder}`"
        )?;
        Ok(())
    }
}
