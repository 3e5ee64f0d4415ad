//! How long a training is: by its iterations, or by its time.

use std::time::{Duration, Instant};

use anyhow::Result;

use super::{Ended, Trainer};
use crate::runs::checkpoint::{Run, RunState};
use crate::runs::config::{Config, MOST_ITERATIONS};

/// The part of a limited time that is kept for the last evaluation as long as none was made.
const FIRST_RESERVE: u32 = 20;

/// Time for what comes after the last evaluation: the card of the run.
const CARD: Duration = Duration::from_secs(4);

/// Where the time is limited, evaluations take at most about this part of it.
const EVALUATIONS: u32 = 16;

impl Trainer<'_> {
    /// Why the training is to end before the next iteration, if it is.
    pub(super) fn ended(&self) -> Option<Ended> {
        let iteration = self.state.iteration;
        let Some(clock) = &self.clock else {
            return (iteration >= self.goal).then_some(Ended::Finished);
        };
        if self.last_wanted.is_some_and(|last| iteration >= last) {
            return Some(Ended::Finished);
        }
        // The next iteration and the evaluation of its network must end in time.
        (clock.left() <= self.last + self.reserve()).then_some(Ended::TimeUp)
    }

    /// The share of the schedules that is done.
    pub(super) fn done(&self) -> f64 {
        match &self.clock {
            Some(clock) => clock.done(self.reserve()),
            None => self.state.iteration as f64 / self.config.iterations.max(1) as f64,
        }
    }

    /// The time of what comes after the last iteration, as far as it is known.
    fn reserve(&self) -> Duration {
        if self.config.evaluation.every == 0 {
            return Duration::ZERO;
        }
        let part = self.clock.map_or(Duration::ZERO, |clock| clock.given() / FIRST_RESERVE);
        let evaluation = match self.spent_on_evaluation.is_zero() {
            true => part,
            false => self.spent_on_evaluation,
        };
        // A training of seconds has no time for a whole card.
        evaluation + CARD.min(part)
    }

    /// Whether there is time for an evaluation that is due: there is, unless the time of the
    /// training is limited and the last one was not long ago.
    pub(super) fn has_time_to_evaluate(&self) -> bool {
        let limited = self.clock.and(self.evaluated);
        limited.is_none_or(|at| at.elapsed() >= self.spent_on_evaluation * (EVALUATIONS - 1))
    }

    /// Notes that an evaluation that was begun at `begun` is done.
    pub(super) fn note_evaluation(&mut self, begun: Instant) {
        self.spent_on_evaluation = begun.elapsed();
        self.evaluated = Some(Instant::now());
    }

    /// Estimates anew which iteration will be the last, where that depends on the time.
    pub(super) fn expect_end(&mut self) {
        let Some(clock) = &self.clock else { return };
        let left = clock.left().saturating_sub(self.reserve());
        let more = left.as_secs_f64() / self.last.as_secs_f64().max(1e-3);
        let expected = self.state.iteration.saturating_add(more.min(MOST_ITERATIONS as f64) as u64);
        self.goal = self.last_wanted.map_or(expected, |last| last.min(expected));
        self.reporter.expect(self.goal);
    }

    /// Makes the iterations of a run whose time is up those of its config: so the same config plays
    /// as many again, and the run is done as it is.
    pub(super) fn keep_length(&self, ended: Ended) -> Result<()> {
        let is_at_end = self.clock.is_some_and(|clock| clock.ends_run());
        let iterations = self.state.iteration.min(MOST_ITERATIONS);
        if ended != Ended::TimeUp || !is_at_end || iterations == 0 {
            return Ok(());
        }
        let config = Config { iterations, ..self.config.clone() };
        self.run.write_config(&config.to_toml())
    }
}

/// The time that a run took: that of its iterations and of its evaluations, and that of the last
/// evaluation alone.
pub(super) fn spent_before(run: &Run, state: &RunState) -> Result<[Duration; 2]> {
    let evaluations = run.metrics_of::<serde_json::Value>("evaluation")?;
    let seconds = evaluations.iter().filter_map(|line| line["seconds"].as_f64());
    let seconds: Vec<f64> = seconds.filter(|seconds| *seconds > 0.0).collect();
    let all = state.seconds + seconds.iter().sum::<f64>();
    let last = seconds.last().copied().unwrap_or_default();
    Ok([all, last].map(|seconds| Duration::try_from_secs_f64(seconds).unwrap_or(Duration::MAX)))
}
