//! The alpha-beta player, with a hand-written heuristic.

use std::time::Duration;

use super::spec::AlphaBetaLimits;
use super::{Chosen, Forfeit, Player};
use crate::base::clock::Instant;
use crate::classic::alphabeta::{AlphaBetaSearch, Limits};
use crate::games::Text;
use crate::registry::Position;

/// Searches every turn anew.
pub(super) struct AlphaBeta {
    limits: AlphaBetaLimits,
    /// The time set for each turn.
    time_set: Option<Duration>,
    search: AlphaBetaSearch,
}

impl AlphaBeta {
    pub(super) fn new(limits: AlphaBetaLimits) -> Self {
        Self { limits, time_set: None, search: AlphaBetaSearch::default() }
    }

    /// The limits of a turn that begins now.
    fn now<'a>(&self, keep_going: &'a dyn Fn() -> bool) -> Limits<'a> {
        let AlphaBetaLimits { nodes, depth, time } = self.limits;
        let time = [time, self.time_set].into_iter().flatten().min();
        let most = Limits::nodes(nodes.unwrap_or(u64::MAX));
        Limits {
            depth: depth.unwrap_or(most.depth),
            deadline: time.map(|time| Instant::now() + time),
            keep_going,
            ..most
        }
    }
}

impl Player for AlphaBeta {
    fn unit(&self) -> Option<&'static str> {
        Some("nodes")
    }

    fn begin_game(&mut self, _: u64) {}

    fn set_time(&mut self, time: Option<Duration>) {
        self.time_set = time;
    }

    fn choose_while(
        &mut self,
        position: &Position,
        _: &[Text],
        keep_going: &dyn Fn() -> bool,
    ) -> Result<Chosen, Forfeit> {
        let limits = self.now(keep_going);
        let result = position.alphabeta(&mut self.search, &limits);
        let result = result.expect("an open position has legal turns");
        Ok(Chosen { turn: result.best, work: result.nodes })
    }
}
