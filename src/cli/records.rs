//! `tavoliere records`: converts records of games to formats that other programs read.

use std::fs::File;
use std::io::{IsTerminal, Read, Write, stdin, stdout};
use std::ops::Range;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result, anyhow, ensure};

use super::{Failure, at_least_one, usage};
use crate::base::durable::write_whole;
use crate::base::printable::printable;
use crate::play::notation::{Format, Transcript, read, write};

/// The largest input, in bytes.
const MAX_INPUT: u64 = 1 << 30;

/// Convert records of games to a format that people and other programs can read
///
///   tavoliere records checkpoints/susan/games/000120.games --first 10
///   tavoliere records games.jsonl --format abstractplay --output games.json
///
/// An input is a file of self-play games (games/000120.games of a run), the lines of
/// `match --records`, or of any of these formats, and is recognised by its contents:
///
///   pgn            tags and numbered turns, like the PGN of chess
///   abstractplay   JSON records of AbstractPlay, for finished games only
///   lines          one JSON object for each game
///
/// Every game is replayed. An illegal turn is an error that names its line, game and turn.
/// docs/formats.md describes the formats.
#[derive(Debug, clap::Args)]
#[command(verbatim_doc_comment)]
pub(super) struct Args {
    /// Files to read, in this order; `-` is standard input
    #[arg(required = true)]
    inputs: Vec<PathBuf>,
    /// Format of the output: pgn, abstractplay or lines
    #[arg(long, default_value = "pgn")]
    format: Format,
    /// Convert only the first N games
    #[arg(long, value_name = "N", conflicts_with = "games")]
    #[arg(value_parser = at_least_one)]
    first: Option<u64>,
    /// Convert only the games A to B, counted from 1 over all inputs
    #[arg(long, value_name = "A..B", value_parser = selection)]
    games: Option<Range<usize>>,
    /// Write to this file, and print the number of games
    #[arg(long, value_name = "FILE")]
    output: Option<PathBuf>,
}

impl Args {
    pub(super) fn run(self) -> Result<(), Failure> {
        let streams = self.inputs.iter().filter(|path| is_stream(path)).count();
        if streams > 1 {
            return usage(Err(anyhow!("standard input (`-`) can be read only once")));
        }
        let mut games = Vec::new();
        for path in &self.inputs {
            games.extend(games_of(path)?);
        }
        let chosen = self.chosen(&games)?;
        let text = write(chosen, self.format)?;
        let Some(path) = &self.output else {
            // Names of players in a foreign file must not command a terminal.
            let is_read = stdout().is_terminal();
            let shown = if is_read { printable(&text) } else { text.into() };
            return Ok(stdout().write_all(shown.as_bytes())?);
        };
        write_whole(path, text.as_bytes())
            .with_context(|| format!("cannot write {}", path.display()))?;
        Ok(writeln!(stdout(), "{} games", chosen.len())?)
    }

    fn chosen<'a>(&self, games: &'a [Transcript]) -> Result<&'a [Transcript]> {
        if let Some(range) = &self.games {
            let (from, to) = (range.start, range.end.min(games.len()));
            let chosen = games.get(from..to).filter(|chosen| !chosen.is_empty());
            return chosen.with_context(|| {
                format!("--games begins with game {}, but there are {}", from + 1, games.len())
            });
        }
        let first = self.first.map_or(games.len(), |first| {
            usize::try_from(first).unwrap_or(usize::MAX).min(games.len())
        });
        Ok(&games[..first])
    }
}

/// The games of a file, or of standard input.
///
/// # Errors
///
/// If it cannot be read, is too large, or has no games of a known format.
pub(super) fn games_of(path: &Path) -> Result<Vec<Transcript>> {
    read(&contents(path)?).with_context(|| name_of(path))
}

fn is_stream(path: &Path) -> bool {
    path.as_os_str() == "-"
}

fn name_of(path: &Path) -> String {
    if is_stream(path) { "standard input".to_owned() } else { path.display().to_string() }
}

/// Reads all of a file or of standard input.
fn contents(path: &Path) -> Result<Vec<u8>> {
    let failed = || format!("cannot read {}", name_of(path));
    let mut bytes = Vec::new();
    let most = MAX_INPUT + 1;
    if is_stream(path) {
        stdin().lock().take(most).read_to_end(&mut bytes).with_context(failed)?;
    } else {
        let file = File::open(path).with_context(failed)?;
        let length = file.metadata().with_context(failed)?.len();
        ensure!(length <= MAX_INPUT, too_long(path));
        file.take(most).read_to_end(&mut bytes).with_context(failed)?;
    }
    ensure!(bytes.len() as u64 <= MAX_INPUT, too_long(path));
    Ok(bytes)
}

fn too_long(path: &Path) -> String {
    format!("{}: larger than the limit of {} MiB; split it", name_of(path), MAX_INPUT >> 20)
}

/// Parses `A..B`, the games from A to B inclusive; A or B may be omitted.
fn selection(text: &str) -> Result<Range<usize>, String> {
    let number = |text: &str, left_out: usize| match text.trim() {
        "" => Some(left_out),
        text => text.parse().ok().filter(|&number| number > 0),
    };
    let bounds = text
        .split_once("..")
        .and_then(|(first, last)| Some([number(first, 1)?, number(last, usize::MAX)?]));
    match bounds {
        Some([first, last]) if first <= last => Ok(first - 1..last),
        _ => Err(format!("`{text}` is not of the form A..B, as in 1..10, 5.. or ..20")),
    }
}
