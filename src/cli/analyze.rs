//! `tavoliere analyze`: JSON lines in, JSON lines out.

use std::io::{stdin, stdout};

use super::entrant::load_searcher;
use super::{Failure, usage};
use crate::games;
use crate::play::analysis;
use crate::play::player::Player;

/// Answer queries about positions, JSON lines in and out
///
/// A JSON object a line in, one a line out, in the same order. A query, from the start position:
///
/// {"id": 1, "game": "neutron5", "rules": {}, "moves": ["A5-A2", "E3,D1-A4"]}
///
/// The answer has the board, whose turn it is, all legal turns and the result; with --player also
/// the best turn, its value, the turns considered and the expected line. A query may limit the
/// search by "simulations" and "time_ms", and the turns listed by "top". A bad line gets an
/// "error" in its place.
#[derive(Debug, clap::Args)]
#[command(verbatim_doc_comment)]
pub struct Args {
    /// The game of queries that name none
    #[arg(long)]
    game: Option<String>,
    /// Who thinks about the positions: a run, or RUN@ITERATION
    #[arg(long)]
    player: Option<String>,
}

impl Args {
    pub fn run(self) -> Result<(), Failure> {
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
        let trained = load_searcher(name, "analyze")?;
        with_variant!(trained.variant, variant => {
            if let Some(game) = self.game.as_deref().filter(|&game| game != variant.name) {
                let error = anyhow::anyhow!("the player plays {}, not {game}", variant.name);
                return usage(Err(error));
            }
            let evaluators = vec![trained.evaluator; rayon::current_num_threads()];
            let mut player = Player::new(evaluators, trained.search);
            let answer = |line: &[u8]| analysis::answer_player(line, &variant, &mut player);
            Ok(analysis::converse(stdin().lock(), stdout().lock(), answer)?)
        })
    }
}
