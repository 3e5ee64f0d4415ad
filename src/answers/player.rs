//! Players behind an interface that does not depend on the game.

use std::sync::Arc;

use std::time::Duration;

use anyhow::Result;

use super::Failure;
use super::boards::{Line, Reply, describe};
use super::listing::{Listing, MAX_SIMULATIONS};
use crate::base::clock::Instant;
use crate::base::rng::mix;
use crate::exact::solution::Solution;
use crate::games::Text;
use crate::play::analysis::{
    self, DEFAULT_SIMULATIONS, Problem, Query, answer_query, check_simulations,
};
use crate::play::players::{Forfeit, Limits, Player, PlayerFactory, SearchReport};
use crate::registry::Variant;

/// Kinds of answers of a player.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Wanted {
    /// An analysis, as `tavoliere analyze` answers.
    Analysis,
    /// The position after the player's turn.
    Reply {
        /// Whether the third occurrence of a position is a draw.
        threefold: bool,
    },
}

/// A request to a player: a validated position and the limits of the search.
pub(crate) struct Question {
    /// The kind of the answer.
    pub wanted: Wanted,
    /// The position; its game is not over.
    pub query: Query<'static>,
    /// The limits of the search.
    pub limits: Limits,
    /// Exact values of the game, if there are some.
    pub solution: Option<Arc<Solution>>,
}

impl Question {
    /// A question about a position, with the player's default number of simulations if the query
    /// sets no limit.
    ///
    /// # Errors
    ///
    /// If the number of simulations is out of range.
    pub(crate) fn new(
        wanted: Wanted,
        listing: &Listing,
        mut query: Query<'static>,
    ) -> Result<Self, Problem> {
        match query.simulations {
            Some(simulations) => check_simulations(simulations, MAX_SIMULATIONS)?,
            None if query.time_ms.is_some() => query.simulations = Some(MAX_SIMULATIONS),
            None => query.simulations = listing.simulations.or(Some(DEFAULT_SIMULATIONS)),
        }
        if query.every_ms.is_some() {
            let reason = "`every_ms` is for `tavoliere analyze`; ask again with more simulations";
            return Err(Problem::new(reason));
        }
        let limits = query.limits(Instant::now())?;
        Ok(Self { wanted, query, limits, solution: None })
    }
}

/// The position of a query, as JSON.
///
/// # Errors
///
/// If the query is not valid.
pub(crate) fn position(query: &Query<'_>, threefold: bool) -> Result<String, Problem> {
    let variant = query.variant(None)?;
    Ok(describe(&variant, &Line::of(query, &variant, threefold)?, None))
}

/// The answer to a query for an analysis if the game is over, so that no player is needed.
///
/// # Errors
///
/// If the query is not valid, or the player cannot analyse.
pub(crate) fn analysis_of_ended(
    name: &str,
    listing: &Listing,
    query: &Query<'_>,
) -> Result<Option<String>, Problem> {
    if !listing.thinks {
        let reason = "cannot analyse positions; use /api/reply, or a player whose `thinks` is true";
        return Err(Problem::new(format!("`{name}` {reason}")));
    }
    let position = query.position(&query.variant(None)?, |_| ())?;
    let is_over = position.outcome().is_some();
    is_over.then(|| answer_query(None, query, &position, None, None)).transpose()
}

/// Checks that the game is not over, so that a player can reply.
///
/// # Errors
///
/// If it is over, or the query is not valid.
pub(crate) fn check_open(query: &Query<'_>, threefold: bool) -> Result<(), Problem> {
    let line = Line::of(query, &query.variant(None)?, threefold)?;
    if line.outcome().is_some() {
        return Err(Problem::new("the game is over, so there is no reply"));
    }
    Ok(())
}

/// For how long a player may search.
pub(crate) struct Patience<'a> {
    /// Whether the search may go on.
    pub keep_going: &'a dyn Fn() -> bool,
    /// The time of a search that cannot be interrupted, if there is a limit.
    pub uninterruptible: Option<Duration>,
}

/// Makes a player of a game, at a level if one is given.
///
/// # Errors
///
/// If the player has no such level or does not play the game.
pub(crate) fn create(
    factory: &impl PlayerFactory,
    variant: Variant,
    level: Option<u32>,
) -> Result<GamePlayer> {
    let player = match level {
        None => factory.player(&variant)?,
        Some(level) => factory.at_level(&level.to_string())?.player(&variant)?,
    };
    Ok(GamePlayer { variant, player })
}

/// A player of one game.
pub(crate) struct GamePlayer {
    variant: Variant,
    player: Box<dyn Player>,
}

impl GamePlayer {
    /// Returns the position of a query, after resetting the player.
    fn reset(&mut self, query: &Query<'_>, threefold: bool) -> Result<Line, Problem> {
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
    fn choose(&mut self, line: &Line, patience: &Patience<'_>) -> Result<Reply, Failure> {
        let moves: Vec<Text> = line.turns.iter().map(|turn| turn.text).collect();
        self.player.set_time(patience.uninterruptible);
        let chosen = self.player.choose_while(&line.position, &moves, patience.keep_going);
        match chosen {
            Ok(chosen) => Ok(Reply { turn: chosen.turn, value: None }),
            Err(Forfeit::Resigned) => Err(Failure::Late("the player resigned".to_owned())),
            Err(Forfeit::Failed(reason)) => Err(Failure::Late(reason)),
        }
    }

    /// Returns the answer as JSON.
    ///
    /// # Errors
    ///
    /// If the player has no answer, for example within the time of the `patience`.
    pub(crate) fn answer(
        &mut self,
        question: &Question,
        patience: &Patience<'_>,
    ) -> Result<String, Failure> {
        let Question { wanted, query, limits, solution } = question;
        let threefold = matches!(wanted, Wanted::Reply { threefold: true });
        let mut line = self.reset(query, threefold)?;
        let position = &line.position;
        let report = self.player.analyze_within(position, limits, patience.keep_going);
        if *wanted == Wanted::Analysis {
            let (report, solution) = (report.as_ref(), solution.as_deref());
            return Ok(analysis::answer_query(None, query, position, report, solution)?);
        }
        let reply = match report {
            Some(SearchReport { best, value, .. }) => {
                Reply { turn: best, value: Some(value.into()) }
            }
            None => self.choose(&line, patience)?,
        };
        line.push(reply.turn.clone());
        Ok(describe(&self.variant, &line, Some(reply)))
    }
}
