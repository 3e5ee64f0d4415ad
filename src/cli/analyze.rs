//! `tavoliere analyze`: analyses positions, JSON lines in, JSON lines out.

use std::io::{stdin, stdout};

use super::game_option::load_trained;
use super::{Failure, usage};
use crate::games;
use crate::play::analysis;
use crate::play::players::{Budget, SearchPlayer};
use crate::search::copies;

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
/// number of ranked turns by "top". A bad line is answered by an object with an "error".
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
}

impl Args {
    pub(super) fn run(self) -> Result<(), Failure> {
        if let Some(name) = &self.game {
            usage(games::preset(name))?;
        }
        if let Some(player) = &self.player {
            return self.with_player(player);
        }
        let answer = |line: &[u8]| analysis::answer_rules(line, self.game.as_deref());
        Ok(analysis::converse(stdin().lock(), stdout().lock(), answer)?)
    }

    fn with_player(&self, name: &str) -> Result<(), Failure> {
        let trained = load_trained(name, "analyze")?;
        with_variant!(trained.variant, variant => {
            if let Some(game) = self.game.as_deref().filter(|&game| game != variant.name) {
                let error = anyhow::anyhow!("the player plays {}, not {game}", variant.name);
                return usage(Err(error));
            }
            let evaluators = copies(&trained.network.evaluator, rayon::current_num_threads());
            let mut player = SearchPlayer::new(evaluators, trained.network.search, Budget::Otherwise(analysis::DEFAULT_SIMULATIONS));
            let answer = |line: &[u8]| analysis::answer_player(line, &variant, &mut player);
            Ok(analysis::converse(stdin().lock(), stdout().lock(), answer)?)
        })
    }
}
