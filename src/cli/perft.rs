//! `tavoliere perft`: counts of turn sequences.

use std::io::{Write, stdout};

use super::given::named;
use super::{Failure, usage};
use crate::games::perft;

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
        let variant = usage(named(&self.game, &self.rules))?;
        let counts = with_variant!(variant, variant => perft(&variant.initial(), self.depth));
        let (sequences, finished) = (counts.sequences, counts.finished);
        let (p1, p2, draws) = (counts.p1, counts.p2, counts.draws);
        writeln!(stdout(), "{sequences} {finished} {p1} {p2} {draws}")?;
        Ok(())
    }
}
