//! Plays by alpha-beta with a judgement by hand.

use std::time::Instant;

use super::name::AlphaBetaLimits;
use super::{Chosen, Opponent};
use crate::classical::{Classical, Heuristic, Limits};

/// A fresh search for every turn.
pub(super) struct AlphaBeta {
    limits: AlphaBetaLimits,
    search: Classical,
}

impl AlphaBeta {
    pub fn new(limits: AlphaBetaLimits) -> Self {
        Self { limits, search: Classical::default() }
    }

    /// The limits of a turn that begins now.
    fn now(&self) -> Limits {
        let AlphaBetaLimits { nodes, depth, time } = self.limits;
        let most = Limits::nodes(nodes.unwrap_or(u64::MAX));
        Limits {
            depth: depth.unwrap_or(most.depth),
            deadline: time.map(|time| Instant::now() + time),
            ..most
        }
    }
}

impl<G: Heuristic> Opponent<G> for AlphaBeta {
    fn unit(&self) -> Option<&'static str> {
        Some("nodes")
    }

    fn begin(&mut self, _: u64) {}

    fn choose(&mut self, position: &G) -> Chosen {
        let limits = self.now();
        let verdict = self.search.think(position, &limits);
        let verdict = verdict.expect("an open position has legal turns");
        Chosen { turn: verdict.best, work: verdict.nodes }
    }
}
