//! `tavoliere site`: the page with players as static files.

use std::io::Write;
use std::path::PathBuf;

use serde_json::json;

use super::Failure;
use crate::base::printable::stdout;
use crate::runs::trained::all_named;
use crate::server::site::{self, Written};

/// Write the page with players as static files, for a host that runs nothing
///
///   tavoliere site --out site neutron5
///   cd site && python3 -m http.server
///
/// The rules, the search and the players run in the visitor's browser, as WebAssembly. Once the page
/// was loaded it works without a network. PLAYERS are exported players, by name or by folder
/// (docs/export.md); without any, all that are found by their names. docs/site.md shows how to
/// publish the folder.
#[derive(Debug, clap::Args)]
#[command(verbatim_doc_comment)]
pub(super) struct Args {
    /// Exported players, by name or folder [default: all that are found by their names]
    players: Vec<String>,
    /// Folder to write; a site that is there is replaced
    #[arg(long, value_name = "DIR")]
    out: PathBuf,
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
        let players = if self.players.is_empty() { all_named() } else { self.players };
        let Written { files, bytes, first } =
            site::write(&self.out, &players, self.program.as_deref())?;
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
