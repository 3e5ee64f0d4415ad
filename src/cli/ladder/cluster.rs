//! Plays the matches of a ladder on the workers of a cluster.

use anyhow::{Context, Result};

use super::Pool;
use super::play::{Budget, MatchSetup, add_finished};
use crate::cli::cluster_server::ClusterOptions;
use crate::play::arena::Recorder;
use crate::runs::ladder::{Fixture, Ladder};
use crate::train::cluster::{ClusterMatch, ClusterMatches};

/// The matches of a ladder on a cluster.
pub(super) struct ClusterLadder {
    matches: ClusterMatches,
    /// The matches that were begun, with their numbers.
    begun: Vec<(Fixture, u64)>,
}

impl ClusterLadder {
    /// Connects to the server and prepares all players.
    ///
    /// # Errors
    ///
    /// If the server refuses, or workers cannot play one of the players.
    pub(super) fn open(options: &ClusterOptions, pool: &Pool) -> Result<Self> {
        let link = options.connect("ladder")?;
        let game = pool.variant.name;
        let mut matches = ClusterMatches::open(link, &pool.folder, game, options.any_engine)?;
        pool.players.iter().try_for_each(|player| matches.enter(player))?;
        Ok(Self { matches, begun: Vec::new() })
    }

    /// Plays the next match of the round. All matches of the round are begun, so that no worker
    /// waits for the end of one.
    pub(super) fn play_match(
        &mut self,
        ladder: &mut Ladder,
        setup: &mut MatchSetup<'_>,
        recorder: &Recorder,
        budget: &Budget,
    ) -> Result<()> {
        let mut left = budget.pairs_left(ladder.journal());
        for mut fixture in ladder.journal().plan.clone() {
            fixture.pairs = fixture.pairs.min(left);
            left -= fixture.pairs;
            if fixture.pairs > 0 && self.begun.iter().all(|(begun, _)| *begun != fixture) {
                let number = self.begin(&fixture, setup)?;
                self.begun.push((fixture, number));
            }
        }
        let (fixture, number) = self.begun.first().copied().context("a round has a match")?;
        let before = ladder.journal().games();
        let names = setup.names(&fixture);
        let watch = |finished| budget.show(before + finished, names);
        let played = self.matches.finish(number, &watch, budget.interrupted);
        let added = add_finished(ladder, &fixture, recorder, played)?;
        self.begun.remove(0);
        if added == fixture.pairs {
            self.matches.written(number);
        }
        self.matches.tell(ladder.journal().games(), budget.games());
        Ok(())
    }

    fn begin(&mut self, fixture: &Fixture, setup: &mut MatchSetup<'_>) -> Result<u64> {
        let given = ClusterMatch {
            players: setup.names(fixture),
            seed: setup.seed(fixture),
            simulations: setup.simulations,
            openings: setup.openings(fixture)?.to_vec(),
        };
        Ok(self.matches.begin(setup.book.variant(), given))
    }

    /// Leaves the server. Finished games stay there after an interruption.
    pub(super) fn close(&self, budget: &Budget) -> Result<()> {
        self.matches.close(!budget.is_interrupted())
    }
}
