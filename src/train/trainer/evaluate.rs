//! Evaluations within a run: the newest network against the panel and the network evaluated before.

use std::sync::atomic::AtomicBool;
use std::time::Instant;

use anyhow::{Context, Result};
use serde_json::json;

use super::Trainer;
use crate::base::progress;
use crate::games::{Outcome, Side};
use crate::play::players::PlayerSeed;
use crate::runs::config::Config;
use crate::runs::evaluation::{History, OpponentResults};
use crate::runs::metrics;
use crate::train::actors::{EvaluationJob, Opponent, PairOutcomes, Weights};

/// Checks that the panel can play the game, so that a training does not fail at its first
/// evaluation.
pub(super) fn check_panel(config: &Config) -> Result<()> {
    let game = config.variant()?.game();
    let panel = config.evaluation.opponents().map_err(anyhow::Error::msg)?;
    panel.iter().try_for_each(|plain| {
        let player = plain.player(game, PlayerSeed { seed: 0, player: 1 });
        player.map(drop).context("`evaluation.panel`")
    })
}

impl Trainer<'_> {
    /// Evaluates the newest network if its evaluation is due and not done yet. Returns false if
    /// interrupted; the evaluation is then repeated when the run resumes.
    pub(super) fn evaluate(&mut self, interrupted: &AtomicBool) -> Result<bool> {
        let is_due = self.config.evaluation.is_due(self.state.iteration);
        let is_due = is_due && self.has_time_to_evaluate();
        Ok(!is_due || self.evaluate_newest(false, interrupted)?)
    }

    /// Evaluates the network with which the training ends, if networks are evaluated at all.
    /// Returns false if interrupted.
    pub(super) fn evaluate_at_end(&mut self, interrupted: &AtomicBool) -> Result<bool> {
        let is_wanted = self.config.evaluation.every > 0 && self.state.iteration > 0;
        Ok(!is_wanted || self.evaluate_newest(true, interrupted)?)
    }

    fn evaluate_newest(&mut self, at_end: bool, interrupted: &AtomicBool) -> Result<bool> {
        let iteration = self.state.iteration;
        let all = History::of(&self.run)?;
        let regular = all.clone().regular();
        // Where the time is limited, an evaluation that was made at its end is not repeated.
        let counts_all = at_end || self.clock.is_some();
        if (if counts_all { &all } else { &regular }).has(iteration) {
            return Ok(true);
        }
        self.reporter.enter("evaluation", iteration);
        let begun = Instant::now();
        let run = self.run.clone();
        // Old checkpoints may have been removed to save space.
        let is_there = |iteration| run.has_checkpoint(iteration);
        let before = regular.before(iteration, is_there);
        let Some(met) = self.play_all(before, interrupted)? else {
            return Ok(false);
        };
        // What comes later does not depend on the evaluation at the end of a training.
        let mut history = if at_end { all } else { regular };
        history.add(iteration, met.clone());
        // Without a panel, nothing connects the networks before and after removed checkpoints.
        let standing = history.standing().ok();
        let rating = standing.as_ref().and_then(|standing| standing.of(iteration));
        let best = standing.and_then(|standing| standing.best(is_there)).unwrap_or(iteration);
        self.note_evaluation(begun);
        let mut line = json!({
            "weights": self.weights.checksum,
            "simulations": self.config.evaluation.simulations,
            "met": met,
            "rating": rating.map(|rating| rating.value),
            "rating_low": rating.map(|rating| rating.low),
            "rating_high": rating.map(|rating| rating.high),
            "best": best,
            "seconds": self.spent_on_evaluation.as_secs_f64(),
        });
        if at_end {
            line["at_end"] = json!(true);
        } else {
            self.pruner.evaluated(iteration);
        }
        self.run.mark_best(Some(best))?;
        self.run.append_metrics(&[metrics::line(iteration, "evaluation", line)])?;
        self.console.evaluation(iteration, &met, rating, best);
        Ok(true)
    }

    /// Plays the panel and the network evaluated before, if any. `None` if interrupted.
    fn play_all(
        &mut self,
        before: Option<u64>,
        stop: &AtomicBool,
    ) -> Result<Option<Vec<OpponentResults>>> {
        let panel = self.config.evaluation.opponents().map_err(anyhow::Error::msg)?;
        let mut names: Vec<_> = panel.iter().map(|plain| (plain.to_string(), None)).collect();
        let mut opponents: Vec<_> = panel.into_iter().map(Opponent::Baseline).collect();
        if let Some(before) = before {
            let weights = Weights::new(&self.run.weights(before)?);
            names.push((format!("@{before}"), Some(weights.checksum)));
            opponents.push(Opponent::Network(weights));
        }
        let (iteration, own) = (self.state.iteration, self.weights.clone());
        let job = EvaluationJob { iteration, own, opponents };
        let bar = progress::bar(0, "evaluation", "games");
        let watch = |[done, all]: [u64; 2]| {
            bar.set_length(all);
            bar.set_position(done);
        };
        let played = self.actors.evaluate(&job, &watch, stop)?;
        let Some(outcomes) = played else { return Ok(None) };
        bar.finish_and_clear();
        let results = names.into_iter().zip(outcomes);
        let results = results.map(|((name, weights), pairs)| count_results(name, weights, &pairs));
        Ok(Some(results.collect()))
    }
}

/// Counts the results of the games against an opponent; `weights` is the checksum of its weights.
fn count_results(
    opponent: String,
    weights: Option<u32>,
    outcomes: &[PairOutcomes],
) -> OpponentResults {
    let mut met = OpponentResults { opponent, weights, first: [0; 3], second: [0; 3] };
    for [as_first, as_second] in outcomes {
        met.first[result(*as_first, Side::P1)] += 1;
        met.second[result(*as_second, Side::P2)] += 1;
    }
    met
}

/// The index of a result of the player with this side: win, draw, loss.
fn result(outcome: Outcome, own: Side) -> usize {
    match outcome {
        Outcome::Win(side) if side == own => 0,
        Outcome::Draw => 1,
        Outcome::Win(_) => 2,
    }
}
