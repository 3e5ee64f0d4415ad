//! `tavoliere perft`: counts sequences of turns.

use std::io::{Write, stdout};

use super::game_option::named;
use super::{Failure, usage};

/// Count the sequences of legal turns of a game, as a test of its rules
///
///   tavoliere perft neutron5 4
///   tavoliere perft neutron5 3 --rule holes=1
///
/// Prints `sequences finished p1 p2 draws`: the sequences of exactly DEPTH turns, those that end
/// the game, and of these the wins of the first and of the second player and the draws.
#[derive(Debug, clap::Args)]
#[command(verbatim_doc_comment)]
pub(super) struct Args {
    /// Name of the game, as listed by `tavoliere games`
    game: String,
    /// Number of turns, from 0 to 20
    #[arg(value_parser = clap::value_parser!(u32).range(0..=20))]
    depth: u32,
    /// Option of the game, as in `--rule holes=2`; may be repeated
    #[arg(long = "rule", value_name = "OPTION=VALUE")]
    rules: Vec<String>,
    /// Position to count from, as docs/formats.md describes it
    #[arg(long, value_name = "TEXT")]
    position: Option<String>,
}

impl Args {
    pub(super) fn run(self) -> Result<(), Failure> {
        let variant = usage(named(&self.game, &self.rules))?;
        let start = usage(variant.position(self.position.as_deref()))?;
        let counts = start.perft(self.depth);
        let (sequences, finished) = (counts.sequences, counts.finished);
        let (p1, p2, draws) = (counts.p1, counts.p2, counts.draws);
        writeln!(stdout(), "{sequences} {finished} {p1} {p2} {draws}")?;
        Ok(())
    }
}
