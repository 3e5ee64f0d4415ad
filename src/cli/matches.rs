//! `tavoliere match`: games between two players.

use std::io::{Write, stdout};

use anyhow::bail;
use serde_json::json;

use super::{Failure, usage};
use crate::arena::{self, Contestant, Tally};
use crate::games::AnyVariant;
use crate::net::PlayEvaluator;
use crate::player::Budget;
use crate::progress;
use crate::trained::Trained;

/// Play games between two players and count
///
/// Games are played in pairs: the same opening of random turns, colours exchanged. All openings
/// differ; those after which a side wins at once are left out.
#[derive(Debug, clap::Args)]
#[command(verbatim_doc_comment)]
pub struct Args {
    /// The player whose result is shown: a run or RUN@ITERATION, and behind a `?` how it searches,
    /// as in RUN@120?simulations=200&root=puct or RUN?time=100ms
    first: String,
    /// Its opponent
    second: String,
    /// Games, rounded up to pairs
    #[arg(long, default_value_t = 100, value_parser = clap::value_parser!(u64).range(1..=1_000_000))]
    games: u64,
    /// Simulations for each action, of players whose name does not say
    #[arg(long, default_value_t = 100, value_parser = clap::value_parser!(u32).range(1..=1_000_000))]
    simulations: u32,
    /// Random turns at the beginning of each pair
    #[arg(long, default_value_t = 3, value_parser = clap::value_parser!(u32).range(0..=100))]
    opening: u32,
    /// Names the openings
    #[arg(long, default_value_t = 1)]
    seed: u64,
    /// The result as a JSON object
    #[arg(long)]
    json: bool,
}

impl Args {
    pub fn run(self) -> Result<(), Failure> {
        let (first, second) = (Trained::load(&self.first)?, Trained::load(&self.second)?);
        usage(same_game(&first.variant, &second.variant))?;
        let pairs = self.games.div_ceil(2) as usize;
        let (one, two) = (self.contestant(&first), self.contestant(&second));
        let bar = progress::bar(2 * pairs as u64, "match", "games");
        let watch = |finished| bar.set_position(finished);
        let tally = with_variant!(first.variant, variant => {
            let openings = usage(arena::openings(&variant, self.opening, pairs, self.seed))?;
            let threads = rayon::current_num_threads();
            arena::play(&openings, &one, &two, threads, watch)
        });
        bar.finish_and_clear();
        self.print(&tally, &first.name, &second.name)?;
        Ok(())
    }

    fn contestant(&self, player: &Trained) -> Contestant<PlayEvaluator> {
        let simulations = Budget::Simulations(player.simulations.unwrap_or(self.simulations));
        Contestant {
            evaluator: player.evaluator.clone(),
            search: player.search,
            budget: player.time.map_or(simulations, Budget::Time),
        }
    }

    fn print(&self, tally: &Tally, first: &str, second: &str) -> std::io::Result<()> {
        let (score, [low, high]) = (tally.score(), tally.interval());
        let Tally { wins, draws, losses, pairs } = tally;
        if self.json {
            let result = json!({
                "first": first, "second": second, "games": tally.games(), "wins": wins,
                "draws": draws, "losses": losses, "pairs": pairs, "score": score,
                "interval": [low, high], "simulations": self.simulations,
            });
            return writeln!(stdout(), "{result}");
        }
        writeln!(
            stdout(),
            "{first} against {second}, {} games at {} simulations:\n\
             {wins} won, {draws} drawn, {losses} lost: {:.1} %, 95 % interval {:.1} to {:.1} %",
            tally.games(),
            self.simulations,
            100.0 * score,
            100.0 * low,
            100.0 * high,
        )
    }
}

fn same_game(first: &AnyVariant, second: &AnyVariant) -> anyhow::Result<()> {
    if first != second {
        bail!("the two players do not play the same game under the same rules");
    }
    Ok(())
}
