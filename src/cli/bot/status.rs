//! `tavoliere bot status`: how a bot is doing.

use std::io::{Write, stdout};

use time::OffsetDateTime;
use time::format_description::well_known::Rfc3339;

use super::JournalOptions;
use crate::base::printable;
use crate::bot::Status;
use crate::cli::Failure;

/// Tell how a bot is doing, by its journal: games in progress, last contact and errors
///
///   tavoliere bot status
///   tavoliere bot status --journal DIR --json
#[derive(Debug, clap::Args)]
#[command(verbatim_doc_comment)]
pub(in crate::cli) struct Args {
    #[command(flatten)]
    journal: JournalOptions,
    /// Print one JSON object, for programs
    #[arg(long)]
    json: bool,
}

impl Args {
    pub(in crate::cli) fn run(self) -> Result<(), Failure> {
        let status = Status::read(&self.journal.journal, self.journal.idle())?;
        if self.json {
            return Ok(writeln!(stdout(), "{}", serde_json::to_string(&status)?)?);
        }
        Ok(write(&status)?)
    }
}

fn write(status: &Status) -> std::io::Result<()> {
    let mut out = printable::stdout();
    let contact = status.last_contact.map_or_else(|| "never".to_owned(), time);
    writeln!(out, "last contact       {contact}")?;
    writeln!(out, "games in progress  {}", status.games.len())?;
    writeln!(out, "accepted           {}", status.accepted)?;
    if status.is_torn {
        writeln!(
            out,
            "the last line of the journal is cut off, as after a crash; the next start mends it"
        )?;
    }
    if !status.games.is_empty() {
        writeln!(out, "\nlast change           turns  state      game")?;
    }
    for game in &status.games {
        let turn = game.turn.as_deref().map_or_else(String::new, |turn| format!(", {turn}"));
        let (time, turns, state) = (time(game.changed), game.turns, game.state);
        writeln!(out, "{time}  {turns:>5}  {state:<9}  {} {}{turn}", game.game, game.gameid)?;
    }
    if !status.errors.is_empty() {
        writeln!(out, "\nlast errors")?;
    }
    for error in &status.errors {
        writeln!(out, "{}  {}: {}", time(error.time), error.gameid, error.error)?;
    }
    Ok(())
}

/// A time, as people write it.
fn time(seconds: u64) -> String {
    let time =
        i64::try_from(seconds).ok().and_then(|it| OffsetDateTime::from_unix_timestamp(it).ok());
    time.and_then(|time| time.format(&Rfc3339).ok()).unwrap_or_else(|| seconds.to_string())
}
