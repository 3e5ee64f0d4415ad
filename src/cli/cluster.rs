//! `tavoliere cluster`: shows the runs and workers on a NATS server.

use std::io::{self, Write, stdout};

use anyhow::Result;

use super::Failure;
use super::cluster_server::ServerOptions;
use crate::train::cluster::{Address, RunKind, Status};

/// Show the runs and workers on a NATS server
///
///   tavoliere cluster nats://desktop:4222
///
/// Runs and workers that were silent for a minute are not shown.
#[derive(Debug, clap::Args)]
#[command(verbatim_doc_comment)]
pub(super) struct Args {
    /// Address of the NATS server, as in nats://desktop:4222
    #[arg(value_name = "ADDRESS")]
    server: Address,
    /// Print one JSON object
    #[arg(long)]
    json: bool,
    #[command(flatten)]
    options: ServerOptions,
}

impl Args {
    pub(super) fn run(self) -> Result<(), Failure> {
        let link = self.options.server(&self.server).connect("tavoliere cluster")?;
        let status = Status::of(&link)?;
        if self.json {
            writeln!(stdout(), "{}", serde_json::to_string(&status)?)?;
        } else {
            print(&status, &mut stdout().lock())?;
        }
        Ok(())
    }
}

fn print(status: &Status, out: &mut impl Write) -> io::Result<()> {
    if status.runs.is_empty() {
        writeln!(out, "no run is in training")?;
    }
    for run in &status.runs {
        let entry = &run.entry;
        let part = match entry.kind {
            RunKind::Training => format!("iteration {} of {}", entry.iteration, entry.goal),
            RunKind::Ladder => "ladder".to_owned(),
        };
        writeln!(
            out,
            "run {}: {} on {}, {part}, {} of {} games, {} tasks in the queue, the learner waits \
             {:.0}% of its time, engine {}",
            run.name,
            entry.game,
            entry.host,
            entry.finished,
            entry.games,
            run.tasks.map_or_else(|| "?".to_owned(), |tasks| tasks.to_string()),
            100.0 * entry.waiting,
            entry.engine,
        )?;
    }
    if status.workers.is_empty() {
        writeln!(out, "no worker is there")?;
    }
    for worker in &status.workers {
        let entry = &worker.entry;
        writeln!(
            out,
            "worker {}: {} threads, engine {}, {}, {} games, {:.1} games/s, seen {:.0} s ago, version {}",
            worker.name,
            entry.threads,
            entry.engine,
            entry.run.as_deref().map_or("waits".to_owned(), |run| format!("plays for {run}")),
            entry.games,
            entry.games_per_s,
            worker.silent,
            entry.version,
        )?;
    }
    Ok(())
}
