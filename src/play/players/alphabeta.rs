//! Plays by alpha-beta with an evaluation by hand.

use std::time::{Duration, Instant};

use super::spec::AlphaBetaLimits;
use super::{Chosen, Forfeit, Opponent};
use crate::classic::alphabeta::{AlphaBetaSearch, Limits};
use crate::games::Game;
use crate::games::Text;

/// A fresh search for every turn.
pub(super) struct AlphaBeta {
    limits: AlphaBetaLimits,
    /// Time allotted to each turn.
    allotted: Option<Duration>,
    search: AlphaBetaSearch,
}

impl AlphaBeta {
    pub fn new(limits: AlphaBetaLimits) -> Self {
        Self { limits, allotted: None, search: AlphaBetaSearch::default() }
    }

    /// The limits of a turn that begins now.
    fn now(&self) -> Limits {
        let AlphaBetaLimits { nodes, depth, time } = self.limits;
        let time = [time, self.allotted].into_iter().flatten().min();
        let most = Limits::nodes(nodes.unwrap_or(u64::MAX));
        Limits {
            depth: depth.unwrap_or(most.depth),
            deadline: time.map(|time| Instant::now() + time),
            ..most
        }
    }
}

impl<G: Game> Opponent<G> for AlphaBeta {
    fn unit(&self) -> Option<&'static str> {
        Some("nodes")
    }

    fn begin(&mut self, _: u64) {}

    fn allot(&mut self, time: Option<Duration>) {
        self.allotted = time;
    }

    fn choose(&mut self, position: &G, _: &[Text]) -> Result<Chosen, Forfeit> {
        let limits = self.now();
        let result = self.search.search(position, &limits);
        let result = result.expect("an open position has legal turns");
        Ok(Chosen { turn: result.best, work: result.nodes })
    }
}
