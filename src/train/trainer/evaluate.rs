//! Evaluations within a run: the newest network against the panel and the network evaluated before.

use std::sync::atomic::AtomicBool;

use anyhow::{Context, Result};
use serde_json::json;

use super::Trainer;
use crate::base::cores::Watch;
use crate::base::progress;
use crate::games::{Game, Outcome, Side};
use crate::nn::burn_net::cpu;
use crate::play::arena::{self, BatchedPlayer, Opening, Played};
use crate::play::players::{Budget, Pairing, Plain, PlayerSeed, SearchPlayer};
use crate::runs::config::Config;
use crate::runs::evaluation::{History, OpponentResults};
use crate::runs::metrics;
use crate::runs::trained::PlayEvaluator;
use crate::search::{Settings, copies};
use crate::train::actors::Weights;

/// Random turns at the start of each pair of games.
const OPENING: u32 = 2;

/// Checks that the panel can play the game, so that a training does not fail at its first
/// evaluation.
pub(super) fn check_panel<G: Game>(config: &Config) -> Result<()> {
    let panel = config.evaluation.opponents().map_err(anyhow::Error::msg)?;
    panel.iter().try_for_each(|plain| {
        let player = plain.player::<G>(PlayerSeed { seed: 0, player: 1 });
        player.map(drop).context("`evaluation.panel`")
    })
}

impl<G: Game> Trainer<'_, G> {
    /// Evaluates the newest network if its evaluation is due and not done yet. Returns false if
    /// interrupted; the evaluation is then repeated when the run resumes.
    pub(super) fn evaluate(&mut self, interrupted: &AtomicBool) -> Result<bool> {
        let iteration = self.state.iteration;
        if !self.config.evaluation.is_due(iteration) {
            return Ok(true);
        }
        let mut history = History::of(&self.run)?;
        if history.has(iteration) {
            return Ok(true);
        }
        self.reporter.enter("evaluation", iteration);
        let watch = Watch::begin();
        // Old checkpoints may have been deleted to save space.
        let is_there = |iteration| self.run.weights_checksum(iteration).is_some();
        let before = history.before(iteration, is_there);
        let Some(met) = self.play_all(before, interrupted)? else {
            return Ok(false);
        };
        history.add(iteration, met.clone());
        // Without a panel, nothing connects the networks before and after deleted checkpoints.
        let standing = history.standing().ok();
        let rating = standing.as_ref().and_then(|standing| standing.of(iteration));
        let best = standing.and_then(|standing| standing.best()).unwrap_or(iteration);
        let line = json!({
            "weights": self.weights.checksum,
            "simulations": self.config.evaluation.simulations,
            "met": met,
            "rating": rating.map(|rating| rating.value),
            "rating_low": rating.map(|rating| rating.low),
            "rating_high": rating.map(|rating| rating.high),
            "best": best,
            "seconds": watch.spent(self.threads()).time.as_secs_f64(),
        });
        self.run.mark_best(Some(best))?;
        self.run.append_metrics(&[metrics::line(iteration, "evaluation", line)])?;
        self.console.evaluation(iteration, &met, rating, best);
        Ok(true)
    }

    fn threads(&self) -> usize {
        rayon::current_num_threads()
    }

    /// Plays the panel and the network evaluated before, if any. `None` if interrupted.
    fn play_all(
        &self,
        before: Option<u64>,
        stop: &AtomicBool,
    ) -> Result<Option<Vec<OpponentResults>>> {
        let openings = self.openings()?;
        let own = self.evaluator_of(&self.weights)?;
        let panel = self.config.evaluation.opponents().map_err(anyhow::Error::msg)?;
        let total = 2 * openings.len() * (panel.len() + usize::from(before.is_some()));
        let bar = progress::bar(total as u64, "evaluation", "games");
        let mut all = Vec::new();
        for plain in panel {
            let done = bar.position();
            let watch = |more| bar.set_position(done + more);
            let Some(played) = self.play_match(&plain, &own, &openings, &watch, stop)? else {
                return Ok(None);
            };
            all.push(count_results(plain.to_string(), None, &played));
        }
        if let Some(before) = before {
            let done = bar.position();
            let weights = Weights::new(&self.run.weights(before)?);
            let other = self.evaluator_of(&weights)?;
            let mut players = [&own, &other].map(|evaluator| self.batched(evaluator));
            let watch = |more| bar.set_position(done + more);
            let played = arena::play_batched_until(&openings, &mut players, &watch, stop);
            let Some(played) = played.into_iter().collect::<Option<Vec<_>>>() else {
                return Ok(None);
            };
            all.push(count_results(format!("@{before}"), Some(weights.checksum), &played));
        }
        bar.finish_and_clear();
        Ok(Some(all))
    }

    /// Openings for the games against each opponent; fewer than configured if the game has fewer.
    fn openings(&self) -> Result<Vec<Opening<G>>> {
        let (variant, seed) = (&self.variant, self.config.seed);
        let pairs = self.config.evaluation.games.div_ceil(2) as usize;
        let found = arena::openings(variant, OPENING, pairs, seed);
        let found = found.or_else(|few| arena::openings(variant, OPENING, few.found(), seed));
        Ok(found?)
    }

    /// The network with these weights. It runs on the CPU even if it is trained on another device,
    /// because games against most of the panel leave batches of one position.
    fn evaluator_of(&self, weights: &Weights) -> Result<PlayEvaluator> {
        weights.evaluator::<G>(self.config, &cpu())
    }

    /// The search of trained players, but without the root prover: it takes time and would hide the
    /// strength of the network.
    fn search(&self) -> Settings {
        Settings { proof_nodes: 0, ..self.config.search.for_play() }
    }

    fn batched(&self, evaluator: &PlayEvaluator) -> BatchedPlayer<G> {
        BatchedPlayer {
            evaluators: copies(evaluator, self.threads()),
            search: self.search(),
            simulations: self.config.evaluation.simulations,
        }
    }

    /// Plays a match against an opponent of the panel, on all threads. `None` if interrupted.
    fn play_match(
        &self,
        plain: &Plain,
        own: &PlayEvaluator,
        openings: &[Opening<G>],
        watch: &(dyn Fn(u64) + Sync),
        stop: &AtomicBool,
    ) -> Result<Option<Vec<[Played; 2]>>> {
        let seed = PlayerSeed { seed: self.config.seed, player: 1 };
        let pairing = |_| -> Result<Pairing<G>> {
            let budget = Budget::Simulations(self.config.evaluation.simulations);
            let own = SearchPlayer::new(copies(own, 1), self.search(), budget);
            Ok([Box::new(own), plain.player(seed)?])
        };
        let mut pairings = (0..self.threads()).map(pairing).collect::<Result<Vec<_>>>()?;
        let played = arena::play_sequential_until(openings, &mut pairings, watch, stop);
        Ok(played.into_iter().collect())
    }
}

/// Counts the results of the games against an opponent; `weights` is the checksum of its weights.
fn count_results(
    opponent: String,
    weights: Option<u32>,
    played: &[[Played; 2]],
) -> OpponentResults {
    let mut met = OpponentResults { opponent, weights, first: [0; 3], second: [0; 3] };
    for game in played.iter().flatten() {
        let results = if game.first == Side::P1 { &mut met.first } else { &mut met.second };
        results[match game.outcome {
            Outcome::Draw => 1,
            Outcome::Win(side) if side == game.first => 0,
            Outcome::Win(_) => 2,
        }] += 1;
    }
    met
}
