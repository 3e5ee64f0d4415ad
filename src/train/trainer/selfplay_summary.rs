//! The summary of the self-play games of an iteration.

use std::sync::atomic::Ordering;

use serde_json::{Value, json};

use crate::base::cores::Spent;
use crate::games::{Outcome, Side};
use crate::registry::Variant;
use crate::runs::config::Config;
use crate::selfplay::record::{GameRecord, Searched};
use crate::selfplay::replay::positions_of;
use crate::selfplay::{Counters, Variety, is_bootstrapped};
use crate::train::actors::SelfplayJob;

/// The summary of the self-play games of an iteration.
pub(super) struct SelfplaySummary {
    pub games: usize,
    /// Positions to train on.
    pub positions: usize,
    /// Actions played.
    actions: usize,
    simulations: u32,
    bootstrap: bool,
    resign_below: Option<f32>,
    resigned: f64,
    pub evaluations: u64,
    /// Share of their time in which evaluators computed.
    pub busy: f64,
    /// Share of the capacity of batches that was used.
    pub fill: f64,
    /// Share of evaluations found in the cache.
    pub hits: f64,
    pub mean_plies: f64,
    /// Shares of games won by the first side, by the second, and drawn.
    pub results: [f64; 3],
    variety: Variety,
    /// Mean entropy of the policy targets, in nats.
    search_entropy: f64,
}

impl SelfplaySummary {
    pub(super) fn new(
        records: &[GameRecord],
        counters: &Counters,
        variant: Variant,
        config: &Config,
        job: &SelfplayJob,
    ) -> Self {
        let games = records.len();
        let positions = records.iter().map(positions_of).sum();
        let actions = records.iter().map(|game| game.choices.len()).sum();
        let plies: u64 = records.iter().map(|game| u64::from(game.plies)).sum();
        let share = |outcome| {
            records.iter().filter(|game| game.outcome == outcome).count() as f64 / games as f64
        };
        let choices = records.iter().flat_map(|game| &game.choices);
        let searches = choices.filter_map(|choice| choice.search.as_ref());
        let resigned = records.iter().filter(|game| game.resigned).count();
        Self {
            games,
            positions,
            actions,
            simulations: config.selfplay.simulations,
            bootstrap: is_bootstrapped(&variant, job.iteration),
            resign_below: job.resign_below,
            resigned: resigned as f64 / games as f64,
            evaluations: counters.evaluations.load(Ordering::Relaxed),
            busy: counters.busy(),
            fill: counters.fill(),
            hits: counters.hit_rate(),
            mean_plies: plies as f64 / games as f64,
            results: [Outcome::Win(Side::P1), Outcome::Win(Side::P2), Outcome::Draw].map(share),
            variety: Variety::of(&variant, records),
            search_entropy: searches.map(entropy).sum::<f64>() / positions.max(1) as f64,
        }
    }

    pub(super) fn metrics(&self, spent: Spent) -> Value {
        let seconds = spent.time.as_secs_f64();
        let [p1, p2, draws] = self.results;
        json!({
            "games": self.games,
            "positions": self.positions,
            "actions": self.actions,
            "simulations": self.simulations,
            "bootstrap": self.bootstrap,
            "resigned": self.resigned,
            "resign_below": self.resign_below,
            "mean_plies": self.mean_plies,
            "p1_wins": p1,
            "p2_wins": p2,
            "draws": draws,
            "cut_short": self.variety.cut_short,
            "distinct_games": self.variety.distinct_games,
            "distinct_positions": self.variety.distinct_positions,
            "search_entropy": self.search_entropy,
            "evaluations": self.evaluations,
            "evaluations_per_s": self.evaluations as f64 / seconds.max(1e-9),
            "busy": self.busy,
            "batch_fill": self.fill,
            "cache_hits": self.hits,
            "seconds": seconds,
            "cores": spent.cores,
        })
    }
}

fn entropy(search: &Searched) -> f64 {
    search.shares().map(|(_, share)| f64::from(-share * share.ln())).sum()
}
