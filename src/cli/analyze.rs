//! `tavoliere analyze`: analyses positions, JSON lines in, JSON lines out.

use std::io::{stdin, stdout};
use std::path::{Path, PathBuf};

use anyhow::anyhow;

use super::game_option::load_trained;
use super::{Failure, at_least_one, usage};
use crate::exact::solution::{About, Solution};
use crate::play::analysis;
use crate::play::streams::{self, StreamSettings};
use crate::registry;
use crate::runs::analyst::{self, Analyst};

/// Analyse positions: read queries and write answers, one JSON object a line
///
///   echo '{"game": "neutron5", "moves": ["A5-A2"]}' | tavoliere analyze
///   echo '{"moves": ["A5-A2"], "simulations": 800}' | tavoliere analyze --player neutron5
///
/// A query names a game and the turns from its start position:
///
///   {"id": 1, "game": "neutron5", "rules": {}, "moves": ["A5-A2", "E3,D1-A4"]}
///
/// With a "position" the turns begin there instead: its rows from the top, joined by /, then x or o
/// to move. An answer has the "position" in the same form.
///
///   {"game": "neutron5", "position": "xxxx./....x/..*../...../ooooo o"}
///
/// Answers come in the order of the queries. An answer has the board, the side to move, all legal
/// turns and the result. With --player it also has the best turn, its value, the ranked turns and
/// the principal variation. A query may limit the search by "simulations" and "time_ms", and the
/// number of ranked turns by "top". With --solution an answer has the exact value of the position and
/// of every turn. A bad line is answered by an object with an "error".
///
/// A query with "every_ms" is answered at that interval, in ms; the last answer has "final": true.
/// {"id": 1, "stop": true} ends it. Other queries are answered meanwhile:
///
///   {"id": 1, "moves": ["A5-A2"], "every_ms": 200, "time_ms": 5000}
///
/// docs/formats.md describes all fields.
#[derive(Debug, clap::Args)]
#[command(verbatim_doc_comment)]
pub(super) struct Args {
    /// Game of the queries that name none
    #[arg(long)]
    game: Option<String>,
    /// Trained player that searches the positions
    ///
    /// A run, RUN@ITERATION, or an exported player.
    #[arg(long)]
    player: Option<String>,
    /// Folder of a solution, for exact values
    ///
    /// Answers then have the value of the position and of all its turns.
    #[arg(long, value_name = "DIR")]
    solution: Option<PathBuf>,
    /// Most queries with "every_ms" that are searched at once [default: the CPUs]
    #[arg(long, value_name = "N", requires = "player", value_parser = at_least_one)]
    streams: Option<u64>,
}

impl Args {
    pub(super) fn run(self) -> Result<(), Failure> {
        if let Some(name) = &self.game {
            usage(registry::preset(name))?;
        }
        if let Some(player) = &self.player {
            return self.with_player(player);
        }
        if let Some(folder) = &self.solution {
            return self.with_solution(folder);
        }
        let answer = |line: &[u8]| analysis::answer_rules(line, self.game.as_deref());
        Ok(analysis::converse(stdin().lock(), stdout().lock(), answer)?)
    }

    fn with_solution(&self, folder: &Path) -> Result<(), Failure> {
        let solved = About::read(folder)?.variant()?;
        let solution = Solution::open(folder, &solved)?;
        let default = self.game.as_deref().unwrap_or(solved.name);
        let answer = |line: &[u8]| analysis::answer_solution(line, Some(default), &solution);
        Ok(analysis::converse(stdin().lock(), stdout().lock(), answer)?)
    }

    fn with_player(&self, name: &str) -> Result<(), Failure> {
        let trained = load_trained(name, "analyze")?;
        let variant = trained.variant;
        if let Some(game) = self.game.as_deref().filter(|&game| game != variant.name) {
            return usage(Err(anyhow!("the player plays {}, not {game}", variant.name)));
        }
        let open = |folder: &PathBuf| Solution::open(folder, &variant);
        let solution = self.solution.as_ref().map(open).transpose()?;
        let threads = rayon::current_num_threads();
        let mut analyst = Analyst::of_trained(&trained, threads);
        let answer = |line: &[u8]| analyst.answer_with(line, solution.as_ref());
        let settings = StreamSettings {
            variant: &variant,
            player: &|| Box::new(trained.network.player(&analyst::setup(1, 1))),
            solution: solution.as_ref(),
            most: self.streams.map_or(threads, |most| most as usize),
        };
        Ok(streams::converse(stdin(), stdout(), answer, &settings)?)
    }
}
