//! Players behind an interface that does not depend on the game.

use std::sync::Arc;

use super::boards::{Line, Reply, describe};
use super::queue::Allotment;
use super::refusal::Refusal;
use crate::base::rng::mix;
use crate::classic::solution::Solution;
use crate::games::picture::Picture;
use crate::games::{Text, Variant};
use crate::play::analysis::{self, Problem, Query};
use crate::play::players::{Forfeit, Limits, Player, SearchReport};

/// Kinds of answers of a player.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Wanted {
    /// An analysis, as `tavoliere analyze` answers.
    Analysis,
    /// The position after the player's turn.
    Reply {
        /// Whether the third occurrence of a position is a draw.
        threefold: bool,
    },
}

/// A request to a player: a validated position and the limits of the search.
pub(super) struct Question {
    /// The kind of the answer.
    pub wanted: Wanted,
    /// The position; its game is not over.
    pub query: Query<'static>,
    /// The limits of the search.
    pub limits: Limits,
    /// Exact values of the game, if there are some.
    pub solution: Option<Arc<Solution>>,
}

/// A player of one game, with the game's type erased.
pub(super) trait AnyPlayer: Send {
    /// Returns the answer as JSON.
    ///
    /// # Errors
    ///
    /// If the player has no answer, for example within the time of the `allotment`.
    fn answer(&mut self, question: &Question, allotment: &Allotment) -> Result<String, Refusal>;
}

/// A player of one game.
pub(super) struct GamePlayer<G: Picture> {
    variant: Variant<G>,
    player: Box<dyn Player<G>>,
}

impl<G: Picture> GamePlayer<G> {
    pub(super) fn new(variant: Variant<G>, player: Box<dyn Player<G>>) -> Self {
        Self { variant, player }
    }

    /// Returns the position of a query, after resetting the player.
    fn reset(&mut self, query: &Query<'_>, threefold: bool) -> Result<Line<G>, Problem> {
        let line = Line::of(query, &self.variant, threefold)?;
        let moves = line.turns.iter().flat_map(|turn| turn.text.bytes());
        // The random numbers depend on the position and the seed only, so that the same request
        // always gets the same answer.
        let start = query.position.as_deref().unwrap_or_default().bytes();
        let game = start
            .chain(moves)
            .fold(query.seed.unwrap_or_default(), |key, byte| mix(key ^ u64::from(byte)));
        self.player.begin_game(game);
        Ok(line)
    }

    /// Returns the turn of a player that cannot analyse.
    fn choose(&mut self, line: &Line<G>, allotment: &Allotment) -> Result<Reply, Refusal> {
        let moves: Vec<Text> = line.turns.iter().map(|turn| turn.text).collect();
        self.player.set_time(Some(allotment.uninterruptible()));
        let chosen = self.player.choose_while(&line.position, &moves, &|| allotment.keep_going());
        match chosen {
            Ok(chosen) => Ok(Reply { turn: chosen.turn, value: None }),
            Err(Forfeit::Resigned) => Err(Refusal::late("the player resigned")),
            Err(Forfeit::Failed(reason)) => Err(Refusal::late(reason)),
        }
    }
}

impl<G: Picture> AnyPlayer for GamePlayer<G> {
    fn answer(&mut self, question: &Question, allotment: &Allotment) -> Result<String, Refusal> {
        let Question { wanted, query, limits, solution } = question;
        let threefold = matches!(wanted, Wanted::Reply { threefold: true });
        let mut line = self.reset(query, threefold)?;
        let position = &line.position;
        let report = self.player.analyze_within(position, limits, &|| allotment.keep_going());
        if *wanted == Wanted::Analysis {
            let (report, solution) = (report.as_ref(), solution.as_deref());
            return Ok(analysis::answer_query(None, query, position, report, solution)?);
        }
        let reply = match report {
            Some(SearchReport { best, value, .. }) => {
                Reply { turn: best, value: Some(value.into()) }
            }
            None => self.choose(&line, allotment)?,
        };
        line.push(reply.turn.clone());
        Ok(describe(&self.variant, &line, Some(reply)))
    }
}
